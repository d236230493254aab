"""``python -m scistudio``: list blocks, check files, and write starters for new ones."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

import scistudio

LISTS = "List the blocks that are installed, your own, and those of the project around the current folder."


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; the ``scistudio`` command takes its commands from here."""
    made = argparse.ArgumentParser(prog="scistudio", description="Write and check blocks for SciStudio.")
    made.add_argument("--version", action="version", version=f"scistudio {scistudio.__version__}")
    commands = made.add_subparsers(dest="command", required=True)
    blocks = commands.add_parser("blocks", help=LISTS, description=LISTS + " Call it in the project's folder.")
    blocks.add_argument("type_name", nargs="?", metavar="BLOCK_TYPE", help="show the ports and settings of this one")
    blocks.add_argument("--json", action="store_true", dest="as_json", help="everything that is known, for programs")
    check = commands.add_parser("check", help="check a file of blocks or types, or all of a project's")
    check.add_argument("path", type=Path, nargs="?", default=Path())
    new = commands.add_parser("new", help="write a starter into the project")
    new.add_argument("kind", choices=["block", "type", "package"])
    package = commands.add_parser("init-block-package", help="make an installable package of blocks")
    for command in (new, package):
        command.add_argument("name")
        command.add_argument("--display-name", default="", help="how people see a package")
        command.add_argument("--author", default="")
        command.add_argument("--description", default="")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 not done or problems found, 2 wrong usage."""
    given = parser().parse_args(arguments)
    try:
        if given.command == "blocks":
            return show_block(given.type_name) if given.type_name else list_blocks(as_json=given.as_json)
        return check_files(given.path) if given.command == "check" else write_starter(given)
    except (ValueError, OSError) as error:
        _say(str(error), to_error=True)
        return 1


def list_blocks(*, as_json: bool) -> int:
    """Print the blocks; what could not be loaded goes to stderr."""
    from scistudio.command_line import listing

    registry = listing.registry_here()
    _say(listing.as_json(registry) if as_json else listing.as_table(listing.sorted_specs(registry)))
    for failure in listing.failures_of(registry):
        _say(f"not loaded: {failure.file_path}: {failure.error_type}: {failure.message}", to_error=True)
    return 0


def show_block(type_name: str) -> int:
    """Print ports and settings of one block."""
    from scistudio.command_line import listing

    specs = listing.registry_here().specs_by_type()
    if (spec := specs.get(type_name)) is None:
        near = difflib.get_close_matches(type_name, specs, 1)
        suggestion = f"Did you mean {near[0]!r}?" if near else "`scistudio blocks` lists those there are."
        _say(f"There is no block type {type_name!r} here. {suggestion}", to_error=True)
        return 1
    _say(listing.as_page(spec))
    return 0


def check_files(path: Path) -> int:
    """Print the problems of every file."""
    from scistudio.command_line.checking import files_of, problems_of

    found = {file: problems_of(file) for file in files_of(path)}
    for file, problems in found.items():
        _say("\n".join([f"{file}: {'ok' if not problems else ''}".rstrip(), *(f"  {problem}" for problem in problems)]))
    if not found:
        _say(f"{path} holds no files of blocks or types.")
    return int(any(found.values()))


def write_starter(given: argparse.Namespace) -> int:
    """Write a block, a type or a package, and say what to do next."""
    from scistudio.command_line.listing import project_of
    from scistudio.scaffold import NameTakenError, init_block_package, new_block, new_type

    about = {"display_name": given.display_name, "author": given.author, "description": given.description}
    try:
        if given.command == "init-block-package" or given.kind == "package":
            folder = init_block_package(given.name, Path.cwd(), **about)
            _say("\n".join(str(path) for path in sorted(folder.rglob("*")) if path.is_file()))
            _say(f'\nNext: cd {folder.name} && pip install -e ".[test]" && pytest')
            return 0
        make = new_block if given.kind == "block" else new_type
        path = make(given.name, project_of(Path.cwd()) or Path.cwd())
    except NameTakenError as error:
        _say(f"{error} Nothing was changed.", to_error=True)
        return 1
    _say(f"{path}\nNext: edit it, then scistudio check {path}")
    return 0


def _say(text: str, *, to_error: bool = False) -> None:
    (sys.stderr if to_error else sys.stdout).write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
