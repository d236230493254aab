"""The least a block can do, for each way of storing: one object in, one object out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scistudio.blocks.base import Block, BlockConfig, InputPort, OutputPort
from scistudio.core.types import Array, Collection, DataFrame, Text


class MakeText(Block):
    """Make a text."""

    name = "Make text"
    type_name = "make_text"
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[Text])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        return {"data": self.pack([Text(content="hello")])}


class PassText(Block):
    """Text in, text out."""

    name = "Pass text"
    type_name = "pass_text"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="data", accepted_types=[Text])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[Text])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        return {"data": self.pack([Text(content=self.unpack_single(inputs["data"]).to_memory() + "!")])}


class MakeTable(Block):
    """Make a small table."""

    name = "Make table"
    type_name = "make_table"
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[DataFrame])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        import pyarrow as pa

        return {"data": self.pack([DataFrame.from_arrow(pa.table({"x": range(100)}))])}


class PassTable(Block):
    """Table in, table out, through Parquet."""

    name = "Pass table"
    type_name = "pass_table"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="data", accepted_types=[DataFrame])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[DataFrame])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        return {"data": self.pack([DataFrame.from_arrow(self.unpack_single(inputs["data"]).to_memory())])}


class MakeArray(Block):
    """Make a small array."""

    name = "Make array"
    type_name = "make_array"
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[Array])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        return {"data": self.pack([Array(axes=["y", "x"], data=np.zeros((64, 64)))])}


class PassArray(Block):
    """Array in, array out, through Zarr."""

    name = "Pass array"
    type_name = "pass_array"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="data", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[Array])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        return {"data": self.pack([Array(axes=["y", "x"], data=self.unpack_single(inputs["data"]).to_numpy() + 1)])}
