"""Blocks that turn a photograph into labelled objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scistudio.blocks.base import BlockConfig, InputPort, OutputPort, progress
from scistudio.blocks.io import SimpleLoader
from scistudio.blocks.process import ProcessBlock
from scistudio.core.types import Array
from skimage import filters, io, measure, morphology


class LoadPhotograph(SimpleLoader):
    """Load a photograph as grey values from 0 (black) to 255 (white)."""

    name = "Load photograph"
    type_name = "load_photograph"
    output_type = Array
    format_id = "photograph"
    extensions = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="image", accepted_types=[Array])]

    def load_file(self, path: Path, config: dict[str, Any]) -> Array:
        """Read one file; colour is turned to luminance."""
        image = io.imread(path, as_gray=True)
        grey = image if image.dtype == np.uint8 else np.round(image * 255).astype(np.uint8)
        print(f"{path.name}: {grey.shape[0]} x {grey.shape[1]} pixels, grey values {grey.min()} to {grey.max()}")
        return Array(axes=["y", "x"], data=grey)


class Smooth(ProcessBlock):
    """Smooth an image with a Gaussian filter."""

    name = "Smooth"
    type_name = "smooth"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="image", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="image", accepted_types=[Array])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"sigma": {"type": "number", "minimum": 0, "default": 1.0, "description": "Width of the filter, in pixels."}},
    }

    def process_item(self, item: Array, config: BlockConfig) -> Array:
        """Return the smoothed image as float32, in the unit of the input."""
        smoothed = filters.gaussian(item.to_numpy(), sigma=config.get("sigma", 1.0), preserve_range=True)
        return Array(axes=item.axes, data=smoothed.astype(np.float32))


class OtsuThreshold(ProcessBlock):
    """Separate objects from background at the grey value that Otsu's method finds."""

    name = "Otsu threshold"
    type_name = "otsu_threshold"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="image", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="mask", accepted_types=[Array])]

    def process_item(self, item: Array, config: BlockConfig) -> Array:
        """Return a mask: 1 where the image is brighter than the threshold."""
        image = item.to_numpy()
        threshold = filters.threshold_otsu(image)
        print(f"threshold {threshold:.1f}; {np.mean(image > threshold):.1%} of the pixels are brighter")
        return Array(axes=item.axes, data=(image > threshold).astype(np.uint8))


class LabelObjects(ProcessBlock):
    """Give each connected object of a mask its own number."""

    name = "Label objects"
    type_name = "label_objects"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="mask", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="labels", accepted_types=[Array])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "min_area": {"type": "integer", "minimum": 0, "default": 0, "description": "Smaller objects are dropped, in pixels."}
        },
    }

    def process_item(self, item: Array, config: BlockConfig) -> Array:
        """Return labels from 1; 0 is background."""
        filled = morphology.closing(item.to_numpy() > 0, morphology.disk(3))
        progress(0.5, "labelling")
        labels = measure.label(filled)
        sizes = np.bincount(labels.ravel())
        keep = np.flatnonzero(sizes >= config.get("min_area", 0))
        kept = np.where(np.isin(labels, keep[keep > 0]), labels, 0)
        numbered = measure.label(kept > 0).astype(np.int32)
        print(f"{numbered.max()} objects")
        return Array(axes=item.axes, data=numbered)
