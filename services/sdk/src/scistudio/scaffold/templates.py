"""The texts of the starters."""

from __future__ import annotations

BLOCK = '''"""$label."""

from __future__ import annotations

from typing import Any, ClassVar

from scistudio.blocks.base import BlockConfig, InputPort, OutputPort
from scistudio.blocks.process import ProcessBlock
from scistudio.core.types import Array


class $class_name(ProcessBlock):
    """Multiply every array by a gain."""

    name: ClassVar[str] = "$label"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="input", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="output", accepted_types=[Array])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"gain": {"type": "number", "default": 1.0, "title": "Gain"}},
    }

    def process_item(self, item: Array, config: BlockConfig, state: Any = None) -> Array:
        """Return the array times the gain; called once for every item of the input."""
        values = item.to_numpy() * float(config.get("gain", 1.0))
        return Array(axes=item.axes, data=values, framework=item.framework.derive(), user=dict(item.user))
'''

TYPE = '''"""$label."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel
from scistudio.core.types import Array


class $class_name(Array):
    """What its values mean, and in which unit."""

    required_axes: ClassVar[frozenset[str]] = frozenset({"y", "x"})
    ui_color: ClassVar[str | None] = "#6aa84f"

    class Meta(BaseModel, frozen=True):
        """What is known about the measurement."""

        source_file: str | None = None
'''

PACKAGE = {
    "pyproject.toml": """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$name"
version = "0.1.0"
description = "$description"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["scistudio>=$version"]

[project.optional-dependencies]
test = ["pytest>=8"]

[project.entry-points."scistudio.blocks"]
$module = "$module:get_blocks"

[tool.setuptools.packages.find]
where = ["src"]

[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
""",
    "README.md": """# $label

$description

    pip install -e ".[test]"
    pytest
    python -m scistudio blocks
""",
    "src/MODULE/__init__.py": '''"""$label."""

from __future__ import annotations

from scistudio.blocks.base import Block, PackageInfo

from $module.blocks import ExampleBlock


def get_blocks() -> tuple[PackageInfo, list[type[Block]]]:
    """Return what this package offers; the entry point ``scistudio.blocks`` names this function."""
    info = PackageInfo(name=$label_text, description=$description_text, author=$author_text, version="0.1.0")
    return info, [ExampleBlock]
''',
    "src/MODULE/blocks.py": BLOCK.replace("$class_name", "ExampleBlock").replace('"$label"', '"Example of $label"'),
    "tests/test_blocks.py": """from __future__ import annotations

import numpy as np
from scistudio.core.types import Array, Collection
from scistudio.testing import BlockTestHarness

from $module import get_blocks
from $module.blocks import ExampleBlock


def test_the_package_can_be_registered() -> None:
    assert BlockTestHarness(ExampleBlock).validate_entry_point_callable(get_blocks()) == []


def test_the_gain_multiplies_every_value() -> None:
    image = Array(axes=["y", "x"], data=np.ones((2, 3)))
    outputs = BlockTestHarness(ExampleBlock).smoke_test({"input": Collection([image])}, {"gain": 2.0})
    assert (outputs["output"][0].to_numpy() == 2.0).all()
""",
}
