from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scistudio.blocks.io import FormatCapability
from scistudio.blocks.io.loaders import LoadData
from scistudio.blocks.registry import (
    AmbiguousCapabilityError,
    BlockRegistry,
    MissingCapabilityError,
    _merge_config_schema,
)
from scistudio.blocks.registry.lookup import Question, find_one
from scistudio.blocks.registry.schema import fill_defaults, missing_fields
from scistudio.core.types import Array, DataFrame, DataObject, Series

BLOCK = """
from scistudio.blocks.base import Block, InputPort, OutputPort
class {cls}(Block):
    name = "{name}"
    {more}
    def run(self, inputs, config):
        return {{}}
"""


def write(folder: Path, file: str, cls: str, name: str, more: str = "pass") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file
    path.write_text(BLOCK.format(cls=cls, name=name, more=more))
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def scanned(*folders: Path) -> BlockRegistry:
    registry = BlockRegistry()
    for folder in folders:
        registry.add_scan_dir(folder)
    registry.scan()
    return registry


def test_the_project_wins_over_the_user_and_both_over_the_core(tmp_path: Path, home: Path) -> None:
    project, user = tmp_path / "p" / "blocks", home / ".scistudio" / "blocks"
    write(user, "a.py", "Mine", "User's")
    write(user, "b.py", "LoadData", "User's load", 'type_name = "load_data"')
    write(project, "a.py", "Mine", "Project's")
    registry = scanned(project, user)
    assert registry.specs_by_type()["mine_block"].name == "Project's"
    assert registry.specs_by_type()["load_data"].name == "User's load"
    assert "'mine_block' of project replaces the one of user." in registry.diagnostics


def test_a_name_used_twice_is_told_apart_and_both_are_found(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "blocks"
    write(folder, "a.py", "First", "Same")
    write(folder, "b.py", "Second", "Same")
    registry = scanned(folder)
    assert registry.get_spec("Same").class_name == "First"  # type: ignore[union-attr]
    assert registry.get_spec("second_block").class_name == "Second"  # type: ignore[union-attr]
    assert "Same (second_block)" in registry.all_specs()


def test_reloading_forgets_what_a_file_no_longer_defines(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "blocks", "a.py", "LoadData", "Mine", 'type_name = "load_data"')
    registry = scanned(tmp_path / "blocks")
    file.write_text("")
    registry.hot_reload()
    assert registry.specs_by_type()["load_data"].name == "Load"
    assert registry.instantiate("load_data").__class__ is LoadData


def test_an_unknown_block_is_named() -> None:
    with pytest.raises(KeyError, match="Block 'nope' is not registered"):
        scanned().instantiate("nope")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("dynamic_ports = {}", "dynamic_ports must be"),
        ("dynamic_ports = {'source_config_key': 'k', 'output_port_mapping': {'p': {'v': 'Array'}}}", "dynamic_ports must be"),
        ("execution_mode = __import__('scistudio').blocks.base.ExecutionMode.INTERACTIVE", "needs both InteractiveMixin"),
        ("start_method = 'thread'", "start_method must be one of"),
        ("input_ports = [InputPort(name='a', accepted_types=[]), InputPort(name='a', accepted_types=[])]", "two ports of one name"),
        ("input_ports = [OutputPort(name='a', accepted_types=[])]", "must be a list of InputPort"),
    ],
)
def test_a_block_that_contradicts_itself_is_left_out_with_a_reason(tmp_path: Path, home: Path, more: str, message: str) -> None:
    write(tmp_path / "blocks", "a.py", "Odd", "Odd", more)
    registry = scanned(tmp_path / "blocks")
    assert registry.get_spec("odd_block") is None
    (failure,) = registry.dropin_failures()
    assert failure.error_type == "BlockRegistrationError"
    assert message in failure.message


def test_a_package_is_found_in_a_source_folder_and_its_bad_items_are_reported(tmp_path: Path, home: Path) -> None:
    package = tmp_path / "scistudio_blocks_probe"
    write(package, "blocks.py", "Thing", "Thing")
    (package / "__init__.py").write_text(
        "from scistudio.blocks.base import PackageInfo\n"
        "from scistudio_blocks_probe.blocks import Thing\n"
        "def get_blocks():\n    return (PackageInfo('Probe', version='2.0'), [Thing, 3])\n"
    )
    registry = BlockRegistry()
    registry.add_package_src_dir(tmp_path)
    registry.scan()
    spec = registry.specs_by_type()["thing_block"]
    assert (spec.source, spec.version, spec.package_name) == ("package_src", "2.0", "Probe")
    assert registry.packages()["Probe"].version == "2.0"
    assert [spec.type_name for spec in registry.specs_by_package()["Probe"]] == ["thing_block"]
    assert registry.package_failures()[0].message == "3 is no concrete Block class."


def test_the_schema_of_a_block_is_merged_from_its_ancestors() -> None:
    load = _merge_config_schema(LoadData)
    assert load["properties"]["path"]["ui_widget"] == "file_browser"
    assert load["required"] == ["path", "core_type"]
    save = scanned().specs_by_type()["save_data"].config_schema
    assert save["properties"]["path"] == {"type": "string", "title": "Path", "ui_priority": 0, "ui_widget": "directory_browser"}
    assert "overwrite" in save["properties"]


def test_defaults_fill_what_is_absent_and_required_fields_are_found_in_both_places() -> None:
    schema = {"properties": {"a": {"default": 1}, "b": {}, "c": {}}, "required": ["a", "b", "c"]}
    assert fill_defaults({"params": {"a": 2}}, schema) == {"params": {"a": 2}}
    assert fill_defaults({}, schema) == {"a": 1}
    assert missing_fields({"params": {"b": 0}, "c": None}, schema) == ["c"]


class Image(Array):
    """A subtype, as packages define them."""


def capability(id_: str, data_type: type, extensions: tuple[str, ...], **more: Any) -> FormatCapability:
    return FormatCapability(
        id=id_,
        direction="load",
        data_type=data_type,
        format_id="f",
        extensions=extensions,
        label="F",
        block_type="B",
        handler="load",
        **more,
    )


@pytest.mark.parametrize(
    ("declared", "asked", "extension", "found"),
    [
        ([("a.b.image", Image, {}), ("a.b.array", Array, {})], Array, ".zarr", "a.b.array"),
        ([("a.b.image", Image, {}), ("a.b.series", Series, {})], DataObject, ".zarr", None),
        ([("a.b.low", Image, {}), ("a.b.high", Image, {"priority": 5})], Image, ".zarr", "a.b.high"),
        ([("a.b.one", Image, {}), ("a.b.two", Image, {"is_default": True})], Array, ".zarr", "a.b.two"),
        ([("a.b.array", Array, {}), ("a.b.image", Image, {})], Image, "x.ZARR", "a.b.image"),
    ],
)
def test_the_capability_closest_to_the_question_is_chosen(declared: Any, asked: type, extension: str, found: str | None) -> None:
    capabilities = [capability(id_, kind, (".zarr",), **more) for id_, kind, more in declared]
    if found is None:
        with pytest.raises(AmbiguousCapabilityError, match=r"Candidates: a\.b\.image, a\.b\.series"):
            find_one(capabilities, Question("load", asked, extension))
    else:
        assert find_one(capabilities, Question("load", asked, extension)).id == found


def test_the_longest_extension_decides() -> None:
    capabilities = [capability("a.b.tif", Image, (".tif",)), capability("a.b.ome", Image, (".ome.tif",))]
    assert find_one(capabilities, Question("load", Image, "cells.ome.tif")).id == "a.b.ome"
    assert find_one(capabilities, Question("load", Image, ".tif")).id == "a.b.tif"


def test_a_format_that_nobody_reads_is_missing_with_what_was_asked() -> None:
    registry = scanned()
    with pytest.raises(MissingCapabilityError, match="No load capability is registered for type 'DataFrame'") as caught:
        registry.find_loader_capability(DataFrame, ".xyz")
    assert (caught.value.data_type, caught.value.extension, caught.value.candidates) == (DataFrame, ".xyz", ())
    assert registry.find_saver_capability(DataFrame, ".csv").id == "core.dataframe.csv.save"
    assert registry.find_loader_capability(None, capability_id="core.array.npy.load").format_id == "npy"
    assert {item.format_id for item in registry.list_format_capabilities(direction="load", data_type=Series)} == {"csv", "tsv", "parquet"}


def test_a_drop_in_that_takes_a_known_capability_id_is_refused(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "blocks"
    folder.mkdir()
    (folder / "a.py").write_text(
        "from scistudio.blocks.io import IOBlock, FormatCapability\n"
        "from scistudio.core.types import Array\n"
        "class Mine(IOBlock):\n"
        "    name = 'Mine'\n"
        "    format_capabilities = (FormatCapability(id='core.array.npy.load', direction='load', data_type=Array, format_id='npy',\n"
        "        extensions=('.npy',), label='N', block_type='Mine', handler='load'),)\n"
        "    def load(self, config, output_dir=''): ...\n"
        "    def save(self, obj, config): ...\n"
    )
    (failure,) = scanned(folder).dropin_failures()
    assert failure.message == "Mine: the capability id 'core.array.npy.load' is taken by LoadData."
