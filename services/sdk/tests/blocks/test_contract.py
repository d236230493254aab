"""Names that block packages import, each from where they import it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scistudio.blocks.dropins import blocks_of, load_file
from scistudio.core.types import Array, Collection
from scistudio.testing import BlockTestHarness

PUBLIC = {
    "scistudio.blocks.base": "Block BlockConfig ExecutionMode InputPort OutputPort PackageInfo INTERACTIVE_RESPONSE_KEY PANEL_API_VERSION "
    "InteractiveMixin InteractivePrompt PanelManifest PackageOtaSource load_intermediate",
    "scistudio.blocks.process": "ProcessBlock",
    "scistudio.blocks.io": "IOBlock SimpleLoader SimpleSaver FormatCapability MetadataFidelity CapabilityDirection MetadataFidelityLevel "
    "CapabilityValidationError InvalidExtensionError InvalidFormatCapabilityError InvalidMetadataFidelityError SimpleIODeclarationError",
    "scistudio.testing": "BlockTestHarness",
}
DEEP = {
    "scistudio.blocks.base.block": "Block",
    "scistudio.blocks.base.config": "BlockConfig",
    "scistudio.blocks.base.ports": "Port InputPort OutputPort port_accepts_type validate_port_constraint ports_from_config_dicts "
    "validate_connection",
    "scistudio.blocks.base.state": "BlockState ExecutionMode",
    "scistudio.blocks.base.package_info": "PackageInfo PackageOtaSource",
    "scistudio.blocks.base.interactive": "INTERACTIVE_INTERMEDIATE_KEY InteractiveMixin",
    "scistudio.blocks.base.exceptions": "BlockCancelledByAppError",
    "scistudio.blocks.base.result": "BlockResult",
    "scistudio.blocks.process.process_block": "ProcessBlock",
    "scistudio.blocks.process.builtins": "MergeBlock SplitBlock MergeCollection",
    "scistudio.blocks.io.io_block": "IOBlock",
    "scistudio.blocks.io.capabilities": "FormatCapability MetadataFidelity",
    "scistudio.blocks.io.simple_io": "SimpleLoader SimpleSaver",
    "scistudio.blocks.io.loaders": "LoadData",
    "scistudio.blocks.io.loaders.load_data": "LoadData",
    "scistudio.blocks.io.savers": "SaveData",
    "scistudio.blocks.io.savers.save_data": "SaveData",
    "scistudio.blocks.io.materialisation": "materialise_to_file reconstruct_from_file",
    "scistudio.engine.materialisation": "materialise_to_file reconstruct_from_file",
    "scistudio.engine.resources": "ResourceRequest",
    "scistudio.blocks.registry": "BlockRegistry BlockSpec BlockRegistrationError CapabilityRegistrationError CapabilityLookupError "
    "MissingCapabilityError AmbiguousCapabilityError DropinFailure _merge_config_schema",
}


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_root_declares_its_names(module: str) -> None:
    assert set(PUBLIC[module].split()) <= set(import_module(module).__all__)


@pytest.mark.parametrize("module", [*PUBLIC, *DEEP])
def test_a_name_resolves_where_packages_look_for_it(module: str) -> None:
    names = {**PUBLIC, **DEEP}[module].split()
    assert [name for name in names if not hasattr(import_module(module), name)] == []


def test_the_block_of_the_readme_runs(tmp_path: Path) -> None:
    readme = Path(__file__).parents[2] / "README.md"
    (tmp_path / "scale.py").write_text(readme.read_text().split("```python\n")[1].split("```")[0])
    (scale,) = blocks_of(load_file(tmp_path / "scale.py"))
    outputs = BlockTestHarness(scale).smoke_test({"image": Collection([Array(axes=["x"], data=np.ones(2))])}, {"factor": 3.0})
    assert outputs["image"][0].to_numpy().tolist() == [3.0, 3.0]
