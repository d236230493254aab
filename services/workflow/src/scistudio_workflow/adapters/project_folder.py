"""Project folders on disk: made, recognised, and given an id."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from scistudio_platform.clock import utc_now

from scistudio_workflow.adapters.files import read_limited, write_atomically
from scistudio_workflow.adapters.git import start_repository
from scistudio_workflow.adapters.project_lock import not_writable
from scistudio_workflow.domain.dump import dump_workflow
from scistudio_workflow.domain.model import Workflow
from scistudio_workflow.domain.project_file import (
    FOLDERS,
    GITIGNORE,
    PROJECT_FILE,
    README,
    ProjectFile,
    folder_name,
    new_project_file,
    read_project_file,
    with_id,
)
from scistudio_workflow.errors import NotAProject, ProjectExists, ProjectFileBroken, ProjectFolderMissing

FILE_LIMIT_BYTES = 256 * 1024


def new_project_id() -> str:
    """Return an id for a project; safe in file names, addresses and subjects of events."""
    return f"project-{secrets.token_hex(4)}"


def create_project_folder(parent: str | Path, name: str, description: str = "", *, with_git: bool = True) -> Path:
    """Make a project folder in ``parent`` and return it.

    It is built beside its place and moved there when complete, so that a failure leaves nothing. The repository is best effort.

    Raises
    ------
    ProjectFolderMissing, ProjectReadOnly, ProjectExists, ProjectNameRefused
    """
    place = _checked_parent(str(parent))
    folder = place / folder_name(name)
    if folder.exists() or folder.is_symlink():
        raise ProjectExists(str(folder))
    building = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.new")
    try:
        _fill(building, name.strip() or folder.name, description)
        if with_git:
            start_repository(building)
        building.rename(folder)
    except FileExistsError:
        raise ProjectExists(str(folder)) from None
    except OSError as error:
        if folder.exists():  # made by somebody else in the meantime
            raise ProjectExists(str(folder)) from None
        raise not_writable(place, error) from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return folder


def _checked_parent(parent: str) -> Path:
    place = _absolute(parent)
    if not place.is_dir():
        what = "is not a folder" if place.exists() else "does not exist"
        raise ProjectFolderMissing(f"The folder {place} {what}.", subject=str(place), hint="Make it first, or choose another one.")
    return place.resolve()


def _absolute(path: str) -> Path:
    place = Path(path).expanduser()
    if "\0" in path or not place.is_absolute():
        raise ProjectFolderMissing(f"{path[:200]!r} is no absolute path.", subject=path[:200], hint="Give the whole path of the folder.")
    return place


def _fill(folder: Path, name: str, description: str) -> None:
    folder.mkdir()
    for part in FOLDERS:
        (folder / part).mkdir(parents=True)
    created = utc_now().replace(microsecond=0).isoformat().replace("+00:00", "Z")
    (folder / PROJECT_FILE).write_text(new_project_file(new_project_id(), name, description, created), encoding="utf-8")
    (folder / ".gitignore").write_text(GITIGNORE, encoding="utf-8")
    (folder / "README.md").write_text(README.format(name=name), encoding="utf-8")
    (folder / "workflows" / "main.yaml").write_text(dump_workflow(Workflow(id="main")), encoding="utf-8")


def recognise(path: str) -> tuple[Path, ProjectFile]:
    """Return the folder that ``path`` names and what its project file says.

    Raises
    ------
    ProjectFolderMissing, NotAProject, ProjectFileBroken
    """
    folder = _checked_folder(path)
    file = folder / PROJECT_FILE
    try:
        data = read_limited(file, FILE_LIMIT_BYTES)
    except FileNotFoundError:
        hint = "Choose a project's folder, or make a new project."
        raise NotAProject(f"{folder} is no SciStudio project: it has no {PROJECT_FILE}.", subject=str(folder), hint=hint) from None
    except OSError as error:
        raise ProjectFileBroken(f"{file} cannot be read: {error.strerror}.", subject=str(file), hint="Look at its rights.") from None
    if data is None:
        hint = "Replace it by a project file; `scistudio init` shows how one looks."
        raise ProjectFileBroken(f"{file} is no ordinary file, or too large for a project file.", subject=str(file), hint=hint)
    return folder, read_project_file(data, str(file))


def _checked_folder(path: str) -> Path:
    place = _absolute(path)
    try:
        folder = place.resolve()
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, RuntimeError) as error:
        raise ProjectFolderMissing(
            f"{place} cannot be opened: {error}.", subject=path[:200], hint="Look at the path and its rights."
        ) from None
    if not exists:
        raise ProjectFolderMissing(
            f"There is no folder {place}.", subject=str(place), hint="Look at the path; the folder may have been moved."
        )
    if not is_folder:
        hint = f"Give the folder that holds {PROJECT_FILE}."
        raise NotAProject(f"{place} is a file, not a project's folder.", subject=str(place), hint=hint)
    return folder


def give_id(folder: Path, project_id: str) -> None:
    """Write an id into the project file.

    Raises
    ------
    ProjectReadOnly
    """
    file = folder / PROJECT_FILE
    try:
        write_atomically(file, with_id(file.read_bytes(), project_id, str(file)).encode())
    except OSError as error:
        raise not_writable(folder, error) from None
