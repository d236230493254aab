"""``project.yaml``, which makes a folder a project."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from scistudio_workflow.domain.document import Mapped, parse
from scistudio_workflow.domain.dump import dump_document
from scistudio_workflow.domain.faults import DocumentError
from scistudio_workflow.errors import ProjectFileBroken, ProjectNameRefused

PROJECT_FILE = "project.yaml"
NAME_LIMIT_BYTES = 150
FOLDERS = (
    "workflows",
    "blocks",
    "types",
    "panels",
    "tutorials",
    "data/raw",
    "data/processed",
    "data/zarr",
    "data/parquet",
    "data/artifacts",
    "data/exchange",
    ".scistudio",
    "logs",
)
GITIGNORE = """\
# Data and local state of SciStudio
data/
.scistudio/
logs/

# Python
__pycache__/
*.py[cod]
.venv/
venv/

# Editors and systems
.idea/
.vscode/
*.swp
*~
.DS_Store
Thumbs.db
"""
README = """\
# {name}

A SciStudio project.

| folder | what |
|---|---|
| `workflows/` | workflows, one YAML file each |
| `blocks/`, `types/` | your own blocks and data types, in Python |
| `data/raw/` | what you measured; never written to |
| `data/processed/` | what Save blocks write |
| `data/zarr/`, `.scistudio/` | outputs of blocks and the record of runs, kept by SciStudio |

A workflow names blocks (`nodes`) and says which output feeds which input (`edges`):

```yaml
workflow:
  id: main
  nodes:
  - id: load
    block_type: load_data
    config: {{path: data/raw/table.csv}}
  - id: save
    block_type: save_data
    config: {{path: data/processed/table.parquet, overwrite: true}}
  edges:
  - {{source: 'load:data', target: 'save:data'}}
```

    scistudio blocks                       # the blocks there are; with a block type, its ports and settings
    scistudio new block NAME               # start a block of your own; check it with `scistudio check`
    scistudio validate workflows/main.yaml
    scistudio run workflows/main.yaml
    scistudio up                           # the page
"""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z", re.ASCII)
_UNSAFE_IN_FOLDERS = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f]+')


@dataclass(frozen=True)
class ProjectFile:
    """What a project says of itself. ``id`` is empty where an older SciStudio wrote the file."""

    id: str
    name: str
    description: str


def read_project_file(data: bytes | str, source: str) -> ProjectFile:
    """Read a ``project.yaml``; ``source`` is its name in messages.

    Raises
    ------
    ProjectFileBroken
        With the place and what to do.
    """
    try:
        root = parse(data)
    except DocumentError as error:
        raise ProjectFileBroken(error.located(source), subject=source, hint=error.hint) from None
    body = root.get("project") if isinstance(root, Mapped) else None
    if not isinstance(body, Mapped):
        hint = "Write `project:` in the first line, and `  name: …` below it."
        raise ProjectFileBroken(f"{source}: the key `project`, with a mapping below it, is missing.", subject=source, hint=hint)
    project_id = _text(body, "id")
    if project_id and not _ID.match(project_id):
        raise ProjectFileBroken(
            f"{source}, line {body.lines['id']}: the project id {project_id[:80]!r} holds other characters than letters, digits, _ and -.",
            subject=source,
            hint="Remove the line: the project gets a new id when it is opened.",
        )
    return ProjectFile(project_id, _text(body, "name"), _text(body, "description"))


def _text(body: Mapped, key: str) -> str:
    value = body.get(key)
    return body.texts.get(key, "") if value is not None and not isinstance(value, str) else value or ""


def new_project_file(project_id: str, name: str, description: str, created: str) -> str:
    """Return the text of a new project's file."""
    body = {"id": project_id, "name": name, "description": description, "version": "0.1.0", "created": created}
    return dump_document({"project": body})


def with_id(data: bytes | str, project_id: str, source: str) -> str:
    """Return the file's text with another id, and everything else, comments too, as it was."""
    text = data if isinstance(data, str) else data.decode("utf-8-sig")
    root = parse(text)
    changed = _edited(text, root, project_id)
    if _same_but_id(changed, root, project_id):
        return changed
    return dump_document(root | {"project": {"id": project_id, **{key: value for key, value in root["project"].items() if key != "id"}}})


def _edited(text: str, root: Mapped, project_id: str) -> str:
    """The text with its id line changed or added, for the usual way of writing it."""
    lines = text.splitlines(keepends=True)
    body = root["project"]
    newline = "\r\n" if "\r\n" in text else "\n"
    first = min(body.lines.values(), default=0)
    indent = re.match(r"[ ]*", lines[first - 1]).group() if first else "  "  # type: ignore[union-attr]  # matches anything
    line = f"{indent}id: {project_id}{newline}"
    if "id" in body.lines:
        lines[body.lines["id"] - 1] = line
    else:
        lines.insert(root.lines["project"], line)
    return "".join(lines)


def _same_but_id(text: str, root: Mapped, project_id: str) -> bool:
    try:
        changed: Any = parse(text)
    except DocumentError:
        return False
    if not isinstance(changed, Mapped) or not isinstance(changed.get("project"), Mapped):
        return False
    expected = {**root, "project": {**root["project"], "id": project_id}}
    return dict(changed) == expected


def folder_name(name: str) -> str:
    """Return the name of a new project's folder: its own, with what folders cannot be named replaced.

    Raises
    ------
    ProjectNameRefused
        If it is too long for a folder.
    """
    safe = _UNSAFE_IN_FOLDERS.sub("-", name).strip(" .")
    if len(safe.encode(errors="replace")) > NAME_LIMIT_BYTES:
        raise ProjectNameRefused(
            f"The project name {name[:40]!r}… is longer than {NAME_LIMIT_BYTES} bytes.",
            subject=name[:80],
            hint="Choose a shorter name; the description has room for more.",
        )
    return safe or "project"
