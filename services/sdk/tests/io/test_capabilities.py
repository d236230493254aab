from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel
from scistudio.blocks.base import BlockConfig, OutputPort
from scistudio.blocks.io import (
    FormatCapability,
    InvalidExtensionError,
    InvalidFormatCapabilityError,
    InvalidMetadataFidelityError,
    IOBlock,
    MetadataFidelity,
    SimpleIODeclarationError,
    SimpleLoader,
    SimpleSaver,
)
from scistudio.blocks.registry import CapabilityRegistrationError
from scistudio.blocks.registry.checks import check_block
from scistudio.core.types import Array, Collection, Series, Text


class Spectrum(Series):
    """With typed metadata."""

    class Meta(BaseModel):
        laser_nm: float = 0.0


def capability(**changes: Any) -> FormatCapability:
    fields: dict[str, Any] = {
        "id": "lab.spectrum.txt.load",
        "direction": "load",
        "data_type": Spectrum,
        "format_id": "TXT",
        "extensions": ("TXT", ".txt", "dat"),
        "label": " Text ",
        "block_type": "B",
        "handler": "load",
    }
    return FormatCapability(**{**fields, **changes})


def test_a_declaration_is_brought_into_its_normal_form() -> None:
    made = capability()
    assert (made.format_id, made.extensions, made.label) == ("txt", (".txt", ".dat"), "Text")
    assert made.normalized_extensions == made.extensions
    assert made.migration_scaffold is False


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"id": " "}, InvalidFormatCapabilityError),
        ({"direction": "both"}, InvalidFormatCapabilityError),
        ({"data_type": int}, InvalidFormatCapabilityError),
        ({"metadata_fidelity": MetadataFidelity("lossless")}, InvalidFormatCapabilityError),
        ({"extensions": ()}, InvalidExtensionError),
        ({"extensions": (".",)}, InvalidExtensionError),
        ({"extensions": "txt"}, InvalidExtensionError),
        ({"extensions": ("a/b",)}, InvalidExtensionError),
        ({"metadata_fidelity": MetadataFidelity("typed_meta", typed_meta_reads=("nope",))}, InvalidMetadataFidelityError),
    ],
)
def test_a_declaration_that_says_nothing_true_is_refused(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        capability(**changes)


@pytest.mark.parametrize(
    "fields",
    [
        {"level": "perfect"},
        {"level": "pixel_only", "typed_meta_reads": ("laser_nm",)},
        {"level": "typed_meta"},
        {"level": "format_specific"},
        {"level": "typed_meta", "typed_meta_reads": "laser_nm"},
    ],
)
def test_a_fidelity_level_must_fit_its_fields(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidMetadataFidelityError):
        MetadataFidelity(**fields)


class Loader(SimpleLoader):
    output_type: ClassVar[type[Spectrum]] = Spectrum
    format_id: ClassVar[str] = "my_format"
    extensions: ClassVar[tuple[str, ...]] = (".spc",)

    def load_file(self, path: Path, config: dict[str, Any]) -> Spectrum:
        return Spectrum(data=[float(config.get("scale", 1))], user={"path": str(path)})


class Saver(SimpleSaver):
    input_type: ClassVar[type[Text]] = Text
    format_id: ClassVar[str] = "note"
    extensions: ClassVar[tuple[str, ...]] = (".note",)

    def save_file(self, obj: Any, path: Path, config: dict[str, Any]) -> None:
        path.write_text(obj.content)


def test_a_simple_loader_declares_one_capability_and_its_port() -> None:
    (made,) = Loader.get_format_capabilities()
    assert (made.format_id, made.handler, made.label, made.is_synthesized) == ("my_format", "load_file", "MY FORMAT", True)
    assert Loader.output_ports[0].accepted_types == [Spectrum]
    assert Loader.input_ports == []
    check_block(Loader)
    check_block(Saver)


def test_a_simple_loader_gets_flat_parameters_and_notes_the_source(tmp_path: Path) -> None:
    block = Loader({"path": "a.spc", "scale": 3})
    (spectrum,) = block.run({}, block.config)["data"]
    assert spectrum.to_memory().column(0).to_pylist() == [3.0]
    assert spectrum.framework.source == "a.spc"


def test_a_simple_saver_takes_one_object_of_its_type(tmp_path: Path) -> None:
    block = Saver({"path": str(tmp_path / "a.note")})
    receipt = block.run({"data": Collection([Text(content="x")])}, block.config)
    assert (tmp_path / "a.note").read_text() == "x"
    assert receipt["path"][0].content == str(tmp_path / "a.note")
    with pytest.raises(ValueError, match="saves one object, got a Collection of 2"):
        block.save(Collection([Text(content="x"), Text(content="y")]), block.config)
    with pytest.raises(TypeError, match="Saver saves Text, got Spectrum"):
        block.save(Spectrum(data=[1.0]), block.config)
    with pytest.raises(TypeError, match="does not load"):
        block.load(block.config)


def test_a_simple_loader_that_does_not_say_what_it_reads_is_refused() -> None:
    class Silent(SimpleLoader):
        def load_file(self, path: Path, config: dict[str, Any]) -> Text:
            return Text()

    with pytest.raises(SimpleIODeclarationError, match="Silent must define the class attribute"):
        Silent.get_format_capabilities()
    with pytest.raises(CapabilityRegistrationError):
        check_block(Silent)
    with pytest.raises(ValueError, match="must be one non-empty path"):
        Loader({"path": ["a", "b"]}).load(BlockConfig(path=["a", "b"]))


class Legacy(IOBlock):
    """Declares extensions the older way."""

    supported_extensions: ClassVar[dict[str, str]] = {".tif": "tiff", ".ome.tif": "ome_tiff"}
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="image", accepted_types=[Array])]

    def load(self, config: BlockConfig, output_dir: str = "") -> Any:
        return Array(axes=["x"], data=[1])

    def save(self, obj: Any, config: BlockConfig) -> None:
        raise TypeError


def test_older_declarations_of_extensions_still_count() -> None:
    made = {item.format_id: item for item in Legacy.get_format_capabilities()}
    assert made["ome_tiff"].extensions == (".ome.tif",)
    assert (made["tiff"].data_type, made["tiff"].id.endswith(".legacy.load.tiff")) == (Array, True)
    assert Legacy()._detect_format("A.OME.TIF") == "ome_tiff"
    assert Legacy()._detect_format("a.txt") is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"block_type": "Other"}, "block_type 'Other' is not 'Legacy'"),
        ({"handler": "nope"}, "has no method 'nope'"),
        ({"id": "two.parts"}, "at least three parts"),
        ({"direction": "save"}, "direction 'save' does not fit"),
    ],
)
def test_a_capability_that_does_not_fit_its_block_drops_the_block(changes: dict[str, Any], message: str) -> None:
    cls = type("Legacy", (Legacy,), {"format_capabilities": (capability(**{"block_type": "Legacy", **changes}),)})
    with pytest.raises(CapabilityRegistrationError, match=message):
        check_block(cls)
