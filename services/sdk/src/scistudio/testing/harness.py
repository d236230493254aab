"""Checks of a block class and of the package that offers it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from scistudio.blocks.base.block import Block
from scistudio.blocks.base.package_info import PackageInfo
from scistudio.blocks.base.ports import InputPort, OutputPort


class BlockTestHarness:
    """Tests one block class.

    Parameters
    ----------
    block_class
        The class under test.
    work_dir
        A folder for the test's files; kept for callers that look at it.
    """

    def __init__(self, block_class: type[Any], work_dir: Path | None = None) -> None:
        self.block_class, self.work_dir = block_class, work_dir

    def validate_block(self) -> list[str]:
        """Return what is wrong with the class; empty when it can be offered."""
        cls = self.block_class
        if not isinstance(cls, type) or not issubclass(cls, Block):
            return [f"{getattr(cls, '__name__', cls)} is not a Block subclass."]
        problems = []
        if inspect.isabstract(cls):
            problems.append(f"{cls.__name__} is abstract: it does not define {sorted(cls.__abstractmethods__)}.")
        for attribute, port_class in (("input_ports", InputPort), ("output_ports", OutputPort)):
            ports = getattr(cls, attribute)
            if not isinstance(ports, list) or not all(isinstance(port, port_class) for port in ports):
                problems.append(f"{attribute} must be a list of {port_class.__name__}.")
        if not callable(getattr(cls, "run", None)):
            problems.append(f"{cls.__name__} has no run method.")
        if not cls.name or cls.name == Block.name:
            problems.append(f"{cls.__name__} must set a name.")
        return problems

    def validate_package_info(self, info: Any) -> list[str]:
        """Return what is wrong with a package's description of itself."""
        if not isinstance(info, PackageInfo):
            return [f"Expected a PackageInfo, got {type(info).__name__}."]
        problems = [f"PackageInfo.{name} must not be empty." for name in ("name", "version") if not getattr(info, name)]
        return problems + [
            f"PackageInfo.{name} must be a string." for name in ("description", "author") if not isinstance(getattr(info, name), str)
        ]

    def validate_entry_point_callable(self, result: Any) -> list[str]:
        """Return what is wrong with the answer of a ``scistudio.blocks`` entry point."""
        problems: list[str] = []
        classes = result
        if isinstance(result, tuple):
            if len(result) != 2:
                return [f"Expected (PackageInfo, list), got a tuple of {len(result)}."]
            info, classes = result
            problems += self.validate_package_info(info)
        if not isinstance(classes, list):
            return [*problems, f"Expected a list of Block classes, got {type(classes).__name__}."]
        if not classes:
            problems.append("The list of blocks is empty.")
        for cls in classes:
            name = getattr(cls, "__name__", str(cls))
            problems += [f"[{name}] {problem}" for problem in BlockTestHarness(cls).validate_block()]
        return problems

    def smoke_test(self, inputs: dict[str, Any], params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the block in this process and return its raw outputs: nothing is validated or written.

        Raises
        ------
        TypeError
            The class is no Block.
        """
        if not isinstance(self.block_class, type) or not issubclass(self.block_class, Block):
            raise TypeError(f"{self.block_class!r} is not a Block subclass.")
        block = self.block_class(config={"params": params or {}})
        return block.run(inputs, block.config)
