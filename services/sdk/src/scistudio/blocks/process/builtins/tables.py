"""Joining and splitting tables by rows; to import and subclass, not in the palette."""

from __future__ import annotations

from typing import Any, ClassVar

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.ports import InputPort, OutputPort
from scistudio.blocks.process.process_block import ProcessBlock
from scistudio.core.types.collection import Collection
from scistudio.core.types.dataframe import DataFrame


def _table(inputs: dict[str, Any], port: str) -> Any:
    """Return the one table on ``port``."""
    value = inputs[port]
    return (ProcessBlock.unpack_single(value) if isinstance(value, Collection) else value).to_memory()


def _frame(table: Any) -> Collection:
    return ProcessBlock.pack([DataFrame(data=table, columns=table.column_names, row_count=table.num_rows)])


class MergeBlock(ProcessBlock):
    """Put the rows of two tables under each other; a column that one lacks is empty there."""

    name: ClassVar[str] = "Merge"
    input_ports: ClassVar[list[InputPort]] = [
        InputPort(name="left", accepted_types=[DataFrame]),
        InputPort(name="right", accepted_types=[DataFrame]),
    ]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="merged", accepted_types=[DataFrame])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"how": {"type": "string", "enum": ["concat"], "default": "concat", "title": "How"}},
    }

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Return the rows of both."""
        import pyarrow as pa

        how = config.get("how", "concat")
        if how != "concat":
            raise NotImplementedError(f"MergeBlock knows how='concat' only, got {how!r}.")
        tables = [_table(inputs, "left"), _table(inputs, "right")]
        return {"merged": _frame(pa.concat_tables(tables, promote_options="default"))}


class SplitBlock(ProcessBlock):
    """Split the rows of a table in two: the first, a share of them, or those with a value."""

    name: ClassVar[str] = "Split"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="data", accepted_types=[DataFrame])]
    output_ports: ClassVar[list[OutputPort]] = [
        OutputPort(name="out", accepted_types=[DataFrame]),
        OutputPort(name="remainder", accepted_types=[DataFrame], required=False),
    ]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "mode": {"type": "string", "enum": ["head", "ratio", "filter"], "default": "head", "title": "Mode"},
            "n": {"type": "integer", "minimum": 0, "default": 100, "title": "Rows of head"},
            "ratio": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.8, "title": "Share"},
            "column": {"type": "string", "title": "Column"},
            "value": {"title": "Value"},
        },
    }

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Return the chosen rows and the rest."""
        table = _table(inputs, "data")
        mode = config.get("mode", "head")
        if mode == "filter":
            chosen, rest = _rows_equal(table, config)
        elif mode in ("head", "ratio"):
            n_rows = int(config.get("n", 100)) if mode == "head" else int(table.num_rows * float(config.get("ratio", 0.8)))
            chosen, rest = table.slice(0, n_rows), table.slice(n_rows)
        else:
            raise ValueError(f"Unknown split mode: {mode}")
        return {"out": _frame(chosen), "remainder": _frame(rest)}


def _rows_equal(table: Any, config: BlockConfig) -> tuple[Any, Any]:
    """Return the rows whose column holds the value, and the others; an empty cell is none of the former."""
    import pyarrow.compute as pc

    column, value = config.get("column"), config.get("value")
    if column is None or value is None:
        raise ValueError("SplitBlock mode 'filter' needs 'column' and 'value'.")
    if column not in table.column_names:
        raise ValueError(f"There is no column '{column}'; the table has {table.column_names}.")
    mask = pc.fill_null(pc.equal(table[column], value), False)
    return table.filter(mask), table.filter(pc.invert(mask))
