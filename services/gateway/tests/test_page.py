"""The page: files from its folder alone, deep links, caching, and a word where it is not built."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from scistudio_gateway.settings import GatewaySettings

HTML = {"accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def page(settings: GatewaySettings) -> Iterator[Path]:
    """A built page, beside something that is nobody's business."""
    assert settings.page_dir is not None
    folder = settings.page_dir
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>start</title>")
    (folder / "assets" / "app-1a2b.js").write_text("start()")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("path", ["/", "/?run=r", "/projects/p/runs/r", "/projects/a.b/workflows/x.yaml", "/%C3%BC"])
async def test_every_way_into_the_page_gives_its_start_never_cached_unseen(stranger: httpx2.AsyncClient, path: str) -> None:
    answer = await stranger.get(path, headers=HTML)
    assert (answer.status_code, answer.text) == (200, "<!doctype html><title>start</title>")
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = await stranger.get(path, headers={**HTML, "if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.usefixtures("page")
async def test_assets_are_cached_for_ever_and_a_missing_one_is_missing(stranger: httpx2.AsyncClient) -> None:
    asset = await stranger.get("/assets/app-1a2b.js")
    assert (asset.text, asset.headers["content-type"].partition(";")[0]) == ("start()", "text/javascript")
    assert "immutable" in asset.headers["cache-control"]
    missing = await stranger.get("/assets/app-0000.js", headers=HTML)
    assert (missing.status_code, missing.json()["code"]) == (404, "route.not_found")
    assert "immutable" not in missing.headers["cache-control"]
    assert (await stranger.get("/favicon.svg")).headers["cache-control"] == "no-cache"


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..%5csecret.txt",
        "/assets/../../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/file:///etc/passwd",
        "/x%23/../../secret.txt",
        "/link.txt",
        "/%00",
        "/" + "n" * 300,
        "/.well-known/oauth-protected-resource",
        "/api",
        "/api%2Fv1/projects",
        "//api/v1/projects",
    ],
)
async def test_nothing_outside_the_pages_folder_is_read(stranger: httpx2.AsyncClient, url: str, path: str) -> None:
    answer = await stranger.send(httpx2.Request("GET", httpx2.URL(url).copy_with(raw_path=path.encode())))
    assert answer.status_code in (401, 404), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text.replace(path, "").replace("secret.txt", "")


async def test_a_page_that_is_not_built_says_how_to_build_it_and_needs_no_restart(
    stranger: httpx2.AsyncClient, settings: GatewaySettings
) -> None:
    answer = await stranger.get("/", headers=HTML)
    assert answer.status_code == 503
    assert "make setup-page" in answer.text
    assert settings.page_dir is not None
    settings.page_dir.mkdir()
    (settings.page_dir / "index.html").write_text("built")
    assert (await stranger.get("/", headers=HTML)).text == "built"


async def test_the_page_takes_no_posts(stranger: httpx2.AsyncClient) -> None:
    answer = await stranger.post("/projects/p")
    assert (answer.status_code, answer.headers["allow"], answer.json()["code"]) == (405, "GET, HEAD", "method.not_allowed")
