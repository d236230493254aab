"""The base class of blocks that compute."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, ClassVar

from scistudio.blocks.base.block import Block
from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.execution import progress
from scistudio.blocks.base.items import collect, naming_item
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection


class ProcessBlock(Block):
    """Applies ``process_item`` to every item of the first input, and returns the results on the first output.

    Three ways to write one: ``process_item`` alone; ``run`` with ``map_items`` or ``parallel_map``; ``run`` with ``pack``
    and ``unpack`` for full control.
    """

    algorithm: ClassVar[str] = ""

    def setup(self, config: BlockConfig) -> Any:
        """Prepare what all items share (a model, a lookup table). Called once a run, before any data is seen."""
        return None

    def process_item(self, item: Any, config: BlockConfig, state: Any = None) -> Any:
        """Turn one item into its result. ``state`` is what ``setup`` returned; an override may leave it out."""
        raise NotImplementedError(f"{type(self).__name__} defines neither process_item nor run.")

    def teardown(self, state: Any) -> None:
        """Release what ``setup`` made. Called also when an item raised."""

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Process the primary input item by item; each result is written before the next is computed."""
        items = self._primary_input(inputs)
        state = self.setup(config)
        try:
            results = []
            for index, item in enumerate(items):
                with naming_item(index, len(items), item):
                    results.append(self._auto_flush(self._call_process_item(item, config, state)))
                if len(items) > 1:
                    progress((index + 1) / len(items), f"{index + 1} of {len(items)}")
        finally:
            self.teardown(state)
        return {self._primary_output(): collect(results, items.item_type)}

    def _primary_input(self, inputs: dict[str, Any]) -> Collection:
        """Return what came on the first declared port, else the first value; a bare object counts as one item."""
        names = [port.name for port in self.get_effective_input_ports()]
        values = [inputs[name] for name in names if inputs.get(name) is not None] or list(inputs.values())
        if not values:
            port = names[0] if names else "input"
            raise ValueError(f"{type(self).__name__} got no input: connect something to port '{port}'.")
        value = values[0]
        return value if isinstance(value, Collection) else Collection([value], item_type=_item_type(value))

    def _primary_output(self) -> str:
        """Return the name of the first output port."""
        ports = self.get_effective_output_ports()
        return ports[0].name if ports else "output"

    def _call_process_item(self, item: Any, config: BlockConfig, state: Any) -> Any:
        """Call an override with or without ``state``, as it was written."""
        takes_state = _takes_state(type(self).process_item)
        result = self.process_item(item, config, state) if takes_state else self.process_item(item, config)
        if not isinstance(result, DataObject):
            raise TypeError(
                f"{type(self).__name__}.process_item returned {_described(result)}, which is no data type of SciStudio. Return a "
                "DataFrame (`DataFrame.from_arrow(table)`), an Array (`Array(axes=[…], data=…)`), a Text, or another DataObject."
            )
        return result


def _described(value: Any) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__module__.partition('.')[0]} {type(value).__name__}"


def _item_type(value: Any) -> type:
    return type(value) if isinstance(value, DataObject) else DataObject


@cache
def _takes_state(method: Any) -> bool:
    """Tell whether an override wants the state: by the parameter's name, or ``*args``."""
    parameters = inspect.signature(method).parameters
    return "state" in parameters or any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters.values())
