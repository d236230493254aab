"""Blocks for tables of measurements: complete rows, summaries by group, linear fits by group."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scistudio.blocks.base import Block, BlockConfig, InputPort, OutputPort
from scistudio.blocks.process import ProcessBlock
from scistudio.core.types import Collection, DataFrame, Text

TABLE_IN: list[InputPort] = [InputPort(name="table", accepted_types=[DataFrame])]


class DropIncomplete(ProcessBlock):
    """Drop the rows in which a value is missing."""

    name = "Drop incomplete rows"
    type_name = "drop_incomplete"
    input_ports: ClassVar[list[InputPort]] = TABLE_IN
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="table", accepted_types=[DataFrame])]

    def process_item(self, item: DataFrame, config: BlockConfig) -> DataFrame:
        """Return the rows without nulls."""
        table = item.to_memory()
        complete = table.drop_null()
        print(f"{complete.num_rows} of {table.num_rows} rows are complete")
        return DataFrame.from_arrow(complete)


class GroupSummary(ProcessBlock):
    """Count, mean and standard deviation (of the sample) of every numeric column, by group."""

    name = "Group summary"
    type_name = "group_summary"
    input_ports: ClassVar[list[InputPort]] = TABLE_IN
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="summary", accepted_types=[DataFrame])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"by": {"type": "array", "items": {"type": "string"}, "description": "Columns that make the groups."}},
        "required": ["by"],
    }

    def process_item(self, item: DataFrame, config: BlockConfig) -> DataFrame:
        """Return one row a group, ordered by the group's columns."""
        table, by = item.to_memory(), list(config.get("by"))
        numeric = [field.name for field in table.schema if _is_number(field.type) and field.name not in by]
        spread = pc.VarianceOptions(ddof=1)
        wanted = [([], "count_all"), *((name, "mean") for name in numeric), *((name, "stddev", spread) for name in numeric)]
        summary = table.group_by(by).aggregate(wanted).sort_by([(name, "ascending") for name in by])
        names = {"count_all": "n"} | {f"{name}_stddev": f"{name}_sd" for name in numeric}
        return DataFrame.from_arrow(summary.rename_columns([names.get(name, name) for name in summary.column_names]))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


class LinearFit(Block):
    """Fit a straight line y = slope · x + intercept by least squares, for each group."""

    name = "Linear fit"
    type_name = "linear_fit"
    input_ports: ClassVar[list[InputPort]] = TABLE_IN
    output_ports: ClassVar[list[OutputPort]] = [
        OutputPort(name="fits", accepted_types=[DataFrame]),
        OutputPort(name="report", accepted_types=[Text]),
    ]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("x", "y", "by")},
        "required": ["x", "y", "by"],
    }

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        """Fit the one table that arrives."""
        table = self.unpack_single(inputs["table"]).to_memory()
        x, y, by = config.get("x"), config.get("y"), config.get("by")
        groups = sorted(pc.unique(table[by]).to_pylist())
        fits = [self._fit(table.filter(pc.equal(table[by], group)), x, y, group) for group in groups]
        lines = [
            f"{fit['group']}: {y} = {fit['slope']:.2f} * {x} + {fit['intercept']:.1f} (n = {fit['n']}, R2 = {fit['r2']:.3f})"
            for fit in fits
        ]
        print("\n".join(lines))
        report = Text(content="\n".join(lines) + "\n")
        return {"fits": self.pack([DataFrame.from_arrow(pa.Table.from_pylist(fits))]), "report": self.pack([report])}

    def _fit(self, rows: pa.Table, x: str, y: str, group: str) -> dict[str, Any]:
        xs, ys = (rows[name].to_numpy().astype(float) for name in (x, y))
        slope, intercept = np.polyfit(xs, ys, 1)
        residual = ys - (slope * xs + intercept)
        r2 = 1 - float(residual @ residual) / float(((ys - ys.mean()) ** 2).sum())
        return {"group": group, "n": len(xs), "slope": float(slope), "intercept": float(intercept), "r2": r2}
