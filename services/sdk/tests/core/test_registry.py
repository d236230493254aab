"""Types by name: where they come from, who wins, and that one bad file costs only itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from pydantic import BaseModel, PrivateAttr
from scistudio.core.types import Array, DataObject, Text, serialization
from scistudio.core.types.colors import normalised_color
from scistudio.core.types.registry import TypeRegistry, TypeSpec


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path, as installed packages have one; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


def install(site: Path, package: str, code: str, entry: str = "get_types") -> None:
    """Put a package with an entry point into ``site``."""
    (site / package).mkdir()
    (site / package / "__init__.py").write_text("from scistudio.core.types import Array\n" + dedent(code))
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[scistudio.types]\n{package} = {package}:{entry}\n")


def drop(folder: Path, name: str, code: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("from scistudio.core.types import Array\n" + dedent(code))


def test_the_core_types_are_there() -> None:
    registry = TypeRegistry()
    registry.scan_builtins()
    assert set(registry.all_types()) == {"DataObject", "Array", "Series", "DataFrame", "Text", "Artifact", "CompositeData"}
    spec = registry.resolve("Series")
    assert (spec.base_type, spec.module_path, spec.is_dropin) == ("DataObject", "scistudio.core.types.series", False)
    assert registry.diagnostics == []


def test_names_and_chains_are_resolved(registry: TypeRegistry) -> None:
    assert registry.resolve(["DataObject", "Array", "Unknown"]) is Array
    assert registry.resolve(["Unknown"]) is None
    assert registry.resolve([]) is None
    assert registry.load_class("Text") is Text
    assert registry.is_instance(Text(), "DataObject")
    assert not registry.is_instance(Text(), "Array")
    with pytest.raises(KeyError, match="Type 'Unknown' is not registered"):
        registry.resolve("Unknown")


def test_a_description_alone_is_imported_when_needed(registry: TypeRegistry) -> None:
    registry.register("Mine", TypeSpec(name="Mine", module_path="scistudio.core.types", class_name="Array"))
    assert registry.load_class("Mine") is Array


def test_packages_register_by_entry_point(site: Path) -> None:
    install(site, "pkg_a", "class Image(Array):\n    '''A picture.'''\ndef get_types(): return [Image]")
    registry = TypeRegistry()
    registry.scan_all()
    spec = registry.resolve("Image")
    assert (spec.description, spec.base_type, spec.package_root) == ("A picture.", "Array", str(site))


@pytest.mark.parametrize(
    "code",
    [
        "def get_types(): raise RuntimeError('no licence')",
        "def get_types(): return 'Array'",
        "def get_types(): return [1]",
        "raise SystemExit(3)",
    ],
)
def test_a_broken_package_is_reported_and_skipped(site: Path, code: str) -> None:
    install(site, "pkg_broken", code)
    install(site, "pkg_good", "class Image(Array): pass\ndef get_types(): return [Image]")
    registry = TypeRegistry()
    registry.scan_all()
    assert "Image" in registry.all_types()
    assert len(registry.diagnostics) == 1
    assert "pkg_broken" in registry.diagnostics[0]


def test_the_project_wins_over_user_package_and_core(site: Path, tmp_path: Path) -> None:
    install(site, "pkg_a", "class Image(Array): pass\nclass Mask(Array): pass\ndef get_types(): return [Image, Mask]")
    drop(tmp_path / "project", "a.py", "class Image(Array): where = 'project'")
    drop(tmp_path / "user", "a.py", "class Image(Array): where = 'user'\nclass Mask(Array): where = 'user'")
    registry = TypeRegistry()
    registry.add_scan_dir(tmp_path / "project")
    registry.add_scan_dir(tmp_path / "user")
    registry.scan_all()
    assert [getattr(registry.load_class(name), "where", None) for name in ("Image", "Mask")] == ["project", "user"]
    assert registry.resolve("Image").is_dropin
    assert sum("is defined twice" in message for message in registry.diagnostics) == 3


def test_one_bad_file_costs_only_itself(tmp_path: Path) -> None:
    drop(tmp_path / "types", "good.py", "class Good(Array): pass\nfrom scistudio.core.types import Text")
    drop(tmp_path / "types", "bad.py", "raise SystemExit")
    drop(tmp_path / "types", "numpy.py", "class Shadow(Array): pass")
    drop(tmp_path / "types", "_private.py", "class Private(Array): pass")
    registry = TypeRegistry()
    registry.add_scan_dir(tmp_path / "types")
    registry.scan_all()
    dropins = {name for name, spec in registry.all_types().items() if spec.is_dropin}
    assert dropins == {"Good"}
    assert len(registry.diagnostics) == 2
    assert any("numpy.py has the name of an installed module" in message for message in registry.diagnostics)


def test_siblings_are_imported_by_bare_name(tmp_path: Path) -> None:
    drop(tmp_path / "types", "b_base_of_mine.py", "class Base(Array): pass")
    drop(tmp_path / "types", "a_mine.py", "from b_base_of_mine import Base\nclass Derived(Base): pass")
    registry = TypeRegistry()
    registry.add_scan_dir(tmp_path / "types")
    registry.scan_all()
    assert {"Base", "Derived"} <= set(registry.all_types())
    del sys.modules["b_base_of_mine"]


def test_a_rescan_sees_changes_and_keeps_what_was_registered_by_hand(tmp_path: Path) -> None:
    drop(tmp_path / "types", "a.py", "class First(Array): pass")
    registry = TypeRegistry()
    registry.add_scan_dir(tmp_path / "types")
    registry.scan_all()
    registry.register_class(type("ByHand", (Array,), {}))
    (tmp_path / "types" / "a.py").unlink()
    drop(tmp_path / "types", "b.py", "class Second(Array): pass")
    registry.rescan()
    assert {"First", "Second", "ByHand"} & set(registry.all_types()) == {"Second", "ByHand"}


def test_folders_of_packages_are_scanned(site: Path) -> None:
    package = site / "checkout" / "src" / "scistudio_blocks_demo"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from scistudio.core.types import Array\nclass Demo(Array): pass\ndef get_types(): return [Demo]")
    registry = TypeRegistry()
    registry.add_package_src_dir(site)
    registry.scan_all()
    assert registry.resolve("Demo").package_root == str(package.parent)


def test_metadata_that_would_not_survive_is_refused(registry: TypeRegistry) -> None:
    class Hidden(BaseModel):
        _secret: int = PrivateAttr(default=1)

    class Opaque(BaseModel):
        model_config = {"arbitrary_types_allowed": True}
        value: object = object()

    for meta, message in ((Hidden, "private attributes"), (Opaque, "does not survive JSON"), (int, "must be a pydantic BaseModel")):
        with pytest.raises(ValueError, match=message):
            registry.register_class(type("Odd", (Array,), {"Meta": meta}))
    with pytest.raises(ValueError, match="must be a subclass of DataObject"):
        registry.register_class(int)


def test_colours_are_put_into_one_form_or_left_out(registry: TypeRegistry) -> None:
    assert normalised_color("#Ab1") == "#aabb11"
    assert normalised_color("#AB12") == "#aabb1122"
    assert normalised_color("#A0B0C0D0") == "#a0b0c0d0"
    assert normalised_color("red") is None
    registry.register_class(type("Coloured", (Array,), {"ui_color": "#F00", "ui_ring_color": "red"}))
    spec = registry.resolve("Coloured")
    assert (spec.ui_color, spec.ui_ring_color) == ("#ff0000", None)
    assert "ui_ring_color 'red'" in registry.diagnostics[0]


def test_the_serialiser_has_one_registry_that_tests_can_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serialization, "_registry_instance", None)
    first = serialization._get_type_registry()
    assert serialization._get_type_registry() is first
    assert first.resolve(["DataObject"]) is DataObject
