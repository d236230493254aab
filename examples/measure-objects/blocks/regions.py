"""Blocks that measure labelled objects and summarise the measurements."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
from scistudio.blocks.base import Block, BlockConfig, InputPort, OutputPort
from scistudio.blocks.process import ProcessBlock
from scistudio.core.storage.flush_context import get_output_dir
from scistudio.core.types import Array, Artifact, Collection, DataFrame
from skimage import measure

PROPERTIES = ("label", "area", "eccentricity", "mean_intensity", "centroid")


class MeasureRegions(Block):
    """Measure each labelled object: area (pixels), eccentricity (0 circle to 1 line) and mean grey value."""

    name = "Measure regions"
    type_name = "measure_regions"
    input_ports: ClassVar[list[InputPort]] = [
        InputPort(name="labels", accepted_types=[Array]),
        InputPort(name="image", accepted_types=[Array], description="Where grey values are taken from."),
    ]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="regions", accepted_types=[DataFrame])]

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        """Measure label image by label image, in order."""
        pairs = zip(inputs["labels"], inputs["image"], strict=True)
        tables = [self._measure(labels.to_numpy(), image.to_numpy()) for labels, image in pairs]
        return {"regions": self.pack(tables, DataFrame)}

    def _measure(self, labels: Any, image: Any) -> DataFrame:
        table = measure.regionprops_table(labels, intensity_image=image, properties=PROPERTIES)
        names = {"centroid-0": "y", "centroid-1": "x"}
        return DataFrame.from_arrow(pa.table({names.get(name, name): values for name, values in table.items()}))


class FilterRegions(ProcessBlock):
    """Keep the objects that are large and round enough."""

    name = "Filter regions"
    type_name = "filter_regions"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="regions", accepted_types=[DataFrame])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="regions", accepted_types=[DataFrame])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "min_area": {"type": "number", "minimum": 0, "default": 0, "description": "In pixels."},
            "max_eccentricity": {"type": "number", "minimum": 0, "maximum": 1, "default": 1.0},
        },
    }

    def process_item(self, item: DataFrame, config: BlockConfig) -> DataFrame:
        """Return the rows that pass both limits."""
        table = item.to_memory()
        large = pc.greater_equal(table["area"], config.get("min_area", 0))
        round_enough = pc.less_equal(table["eccentricity"], config.get("max_eccentricity", 1.0))
        kept = table.filter(pc.and_(large, round_enough))
        print(f"{kept.num_rows} of {table.num_rows} objects kept")
        return DataFrame.from_arrow(kept)


class RegionStatistics(ProcessBlock):
    """Count, mean, standard deviation (of the sample), minimum and maximum of each measurement."""

    name = "Region statistics"
    type_name = "region_statistics"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="regions", accepted_types=[DataFrame])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="statistics", accepted_types=[DataFrame])]

    def process_item(self, item: DataFrame, config: BlockConfig) -> DataFrame:
        """Return one row for each measured column."""
        table = item.to_memory()
        rows = [_summary(name, table[name]) for name in ("area", "eccentricity", "mean_intensity")]
        return DataFrame.from_arrow(pa.Table.from_pylist(rows))


def _summary(name: str, values: pa.ChunkedArray) -> dict[str, Any]:
    extremes = pc.min_max(values).as_py()
    return {
        "measurement": name,
        "n": len(values),
        "mean": pc.mean(values).as_py(),
        "sd": pc.stddev(values, ddof=1).as_py(),
        "min": float(extremes["min"]),
        "max": float(extremes["max"]),
    }


class AreaHistogram(ProcessBlock):
    """Draw the histogram of the areas as a PNG image."""

    name = "Area histogram"
    type_name = "area_histogram"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="regions", accepted_types=[DataFrame])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="figure", accepted_types=[Artifact])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"bins": {"type": "integer", "minimum": 1, "default": 10}},
    }

    def process_item(self, item: DataFrame, config: BlockConfig) -> Artifact:
        """Draw without a display: the figure's own canvas writes the file."""
        from matplotlib.figure import Figure

        areas = item.to_memory()["area"].to_numpy()
        figure = Figure(figsize=(5, 3.5), layout="constrained")
        axes = figure.subplots()
        axes.hist(areas, bins=config.get("bins", 10), color="#3b7ea1", edgecolor="white")
        axes.set(xlabel="area (pixels)", ylabel="objects", title=f"{len(areas)} objects")
        path = Path(get_output_dir() or ".") / f"{uuid.uuid4().hex[:12]}.png"
        figure.savefig(path, dpi=120)
        return Artifact(file_path=path, mime_type="image/png", description="Histogram of areas", user={"display_name": "areas.png"})
