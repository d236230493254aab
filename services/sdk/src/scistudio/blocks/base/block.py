"""The contract that every block fulfils."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from scistudio.blocks.base import items as _items
from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.ports import (
    InputPort,
    OutputPort,
    accepts,
    collection_fits,
    ports_from_config_dicts,
    type_names,
    validate_port_constraint,
)
from scistudio.blocks.base.state import ExecutionMode
from scistudio.core.storage import persistence
from scistudio.core.types.collection import Collection

if TYPE_CHECKING:
    from scistudio.blocks.base.interactive import PanelManifest
    from scistudio.core.storage.ref import StorageReference
    from scistudio.engine.resources import ResourceRequest


class Block(ABC):
    """A unit of work: typed inputs in, typed outputs out, in a process of its own.

    Attributes
    ----------
    name, description, version, subcategory, ui_color, ui_icon
        How the palette shows it. ``type_name`` (optional) is its id in workflow files; without it the id is the class
        name in lower case, ``Block`` taken off, ``_block`` added.
    input_ports, output_ports
        Its ends. With ``variadic_inputs`` (``…_outputs``) a node's own ``input_ports`` (``…``) configuration wins,
        within ``min_``/``max_…_ports`` and the ``allowed_…_types``.
    config_schema
        JSON Schema of its parameters; properties of base classes are merged in.
    resource_request, start_method, terminate_grace_sec
        What it needs of the machine; ``"spawn"`` for code that cannot live in a forked process; how long it may take to
        stop when told to.
    key_dependencies
        Distributions whose versions lineage records.
    """

    name: ClassVar[str] = "Unnamed Block"
    description: ClassVar[str] = ""
    version: ClassVar[str] = "0.1.0"
    subcategory: ClassVar[str] = ""
    ui_color: ClassVar[str | None] = None
    ui_icon: ClassVar[str | None] = None

    input_ports: ClassVar[list[InputPort]] = []
    output_ports: ClassVar[list[OutputPort]] = []
    variadic_inputs: ClassVar[bool] = False
    variadic_outputs: ClassVar[bool] = False
    allowed_input_types: ClassVar[list[type]] = []
    allowed_output_types: ClassVar[list[type]] = []
    min_input_ports: ClassVar[int | None] = None
    max_input_ports: ClassVar[int | None] = None
    min_output_ports: ClassVar[int | None] = None
    max_output_ports: ClassVar[int | None] = None
    dynamic_ports: ClassVar[dict[str, Any] | None] = None

    execution_mode: ClassVar[ExecutionMode] = ExecutionMode.AUTO
    terminate_grace_sec: ClassVar[float] = 5.0
    start_method: ClassVar[str] = "fork"
    resource_request: ClassVar[ResourceRequest | None] = None
    key_dependencies: ClassVar[list[str]] = []
    config_schema: ClassVar[dict[str, Any]] = {"type": "object", "properties": {}}

    def __init__(self, config: Mapping[str, Any] | BlockConfig | None = None) -> None:
        self.config = config if isinstance(config, BlockConfig) else BlockConfig(**(config or {}))

    @abstractmethod
    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Compute the outputs: a Collection by port name. Bare objects and lists of them are wrapped afterwards."""

    def postprocess(self, outputs: dict[str, Any]) -> dict[str, Any]:
        """Change the outputs after ``run`` and before they are checked and stored."""
        return outputs

    def process_item(self, item: Any, config: BlockConfig) -> Any:
        """Turn one item into its result, for blocks that work item by item."""
        raise NotImplementedError(f"{type(self).__name__} does not define process_item.")

    def get_effective_input_ports(self) -> list[InputPort]:
        """Return the input ports that this node has, with its configuration."""
        return self._effective_ports("input") if self.variadic_inputs else list(self.input_ports)

    def get_effective_output_ports(self) -> list[OutputPort]:
        """Return the output ports that this node has, with its configuration."""
        return self._effective_ports("output") if self.variadic_outputs else list(self.output_ports)

    def get_panel_manifest(self) -> PanelManifest | None:
        """Return the panel of an interactive block."""
        return getattr(type(self), "interactive_panel", None)

    def validate(self, inputs: dict[str, Any]) -> bool:
        """Check ``inputs`` against the ports: presence, types, constraints and the number of edited ports.

        Raises
        ------
        ValueError
            Naming the port. Inputs on unknown ports are ignored.
        """
        self._validate_port_count("input", self.variadic_inputs, self.min_input_ports, self.max_input_ports)
        self._validate_port_count("output", self.variadic_outputs, self.min_output_ports, self.max_output_ports)
        for port in self.get_effective_input_ports():
            if inputs.get(port.name) is None:
                if port.required and port.default is None:
                    raise ValueError(f"Required input port '{port.name}' is missing.")
                continue
            _validate_input(port, inputs[port.name])
        return True

    def _effective_ports(self, direction: str) -> list[Any]:
        configured = self.config.get(f"{direction}_ports")
        if isinstance(configured, list) and configured:
            return ports_from_config_dicts(configured, "input" if direction == "input" else "output")
        return list(self.input_ports if direction == "input" else self.output_ports)

    def _validate_port_count(self, direction: str, variadic: bool, minimum: int | None, maximum: int | None) -> None:
        """Check the number of ports that a person edited."""
        if not variadic:
            return
        n_ports = len(self.get_effective_input_ports() if direction == "input" else self.get_effective_output_ports())
        if minimum is not None and n_ports < minimum:
            raise ValueError(f"Variadic {direction} port count {n_ports} is below minimum {minimum}.")
        if maximum is not None and n_ports > maximum:
            raise ValueError(f"Variadic {direction} port count {n_ports} exceeds maximum {maximum}.")

    @staticmethod
    def pack(items: list[Any], item_type: type | None = None) -> Collection:
        """Wrap ``items`` into a Collection, each written to storage. An empty list needs ``item_type``."""
        stored = [persistence.flush(item) for item in items]
        if item_type is None and stored:
            item_type = _items.common_type(stored, type(stored[0]))
        return Collection(stored, item_type=item_type)

    @staticmethod
    def unpack(collection: Collection) -> list[Any]:
        """Return the items as a list."""
        return list(collection)

    @staticmethod
    def unpack_single(collection: Collection) -> Any:
        """Return the only item.

        Raises
        ------
        ValueError
            There is none, or more than one.
        """
        if len(collection) != 1:
            raise ValueError(f"Expected single-item Collection, got length {len(collection)}")
        return collection[0]

    @staticmethod
    def map_items(func: Callable[[Any], Any], collection: Collection) -> Collection:
        """Apply ``func`` to one item after the other; each result is written before the next is computed."""
        results = []
        for index, item in enumerate(collection):
            with _items.naming_item(index, len(collection), item):
                results.append(persistence.flush(func(item)))
        return _items.collect(results, collection.item_type)

    @staticmethod
    def parallel_map(func: Callable[[Any], Any], collection: Collection, max_workers: int = 4) -> Collection:
        """Apply ``func`` to the items in a pool of processes, in order. ``func`` and its results must pickle."""
        from scistudio.blocks.base.parallel import map_in_processes  # here: most blocks never need multiprocessing

        return _items.collect(map_in_processes(func, list(collection), max_workers), collection.item_type)

    @staticmethod
    def persist_array(
        data_or_iterator: Any | Iterator[tuple[Any, Any]],
        shape: tuple[int, ...],
        dtype: Any,
        output_dir: str | None = None,
        chunks: tuple[int, ...] | None = None,
    ) -> StorageReference:
        """Write an array, or pieces ``(index, values)`` of one too large for memory, and return its reference."""
        return persistence.persist_array(data_or_iterator, shape, dtype, output_dir=output_dir, chunks=chunks)

    @staticmethod
    def persist_table(table: Any, output_dir: str | None = None) -> StorageReference:
        """Write an Arrow table as Parquet and return its reference."""
        return persistence.persist_table(table, output_dir=output_dir)

    @staticmethod
    def _auto_flush(obj: Any) -> Any:
        """Write ``obj`` to storage if a folder for outputs is set. Block packages call it by this name."""
        return persistence.flush(obj)


def _validate_input(port: InputPort, value: Any) -> None:
    """Check one value against its port."""
    accepted = type_names(port.accepted_types)
    if isinstance(value, Collection):
        if not collection_fits(port, value):
            raise ValueError(f"Port '{port.name}': Collection item type {value.item_type.__name__} not compatible with {accepted}")
    elif not accepts(port.accepted_types, type(value)):
        raise ValueError(f"Port '{port.name}': got {type(value).__name__}, expected one of {accepted}")
    satisfied, reason = validate_port_constraint(port, value)
    if not satisfied:
        raise ValueError(f"Port '{port.name}' constraint failed: {reason}")
