"""Collection: what crosses a block boundary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self, overload

from typing_extensions import TypeVar

from scistudio.core.storage.ref import StorageReference
from scistudio.stability import stable

__all__ = ["Collection"]

T = TypeVar("T", default=Any)


@stable(since="0.3.1")
class Collection(Generic[T]):
    """Ordered data objects of one type. One object alone travels as a collection of length one.

    Parameters
    ----------
    items
        The objects, in order.
    item_type
        Their type, or a common base; by default the type of the first.

    Raises
    ------
    TypeError
        If there is no item and no type, an item is not a data object, or not of the type.
    """

    __slots__ = ("_item_type", "_items")

    def __init__(self, items: Sequence[T] | None = None, item_type: type | None = None) -> None:
        listed = list(items or ())
        if item_type is None:
            if not listed:
                raise TypeError("item_type is required for empty Collection")
            item_type = type(listed[0])
        for index, item in enumerate(listed):
            _check_item(index, item, item_type)
        self._item_type: type = item_type
        # A sequence, not necessarily a list: a large collection may rebuild its items one by one.
        self._items: Sequence[T] = listed

    @classmethod
    def _of(cls, items: Sequence[T], item_type: type) -> Self:
        """Wrap items that are known to be right, without looking at each."""
        collection = cls.__new__(cls)
        collection._items, collection._item_type = items, item_type
        return collection

    def __class_getitem__(cls, item_type: Any) -> type[Self]:
        """``Collection[Array]`` is an annotation only."""
        return cls

    @property
    def item_type(self) -> type:
        """The type of all items."""
        return self._item_type

    @property
    def length(self) -> int:
        """Number of items."""
        return len(self._items)

    @property
    def storage_refs(self) -> list[StorageReference | None]:
        """The references of the items, in order; ``None`` for what lives in memory."""
        return [getattr(item, "storage_ref", None) for item in self._items]

    def open(self) -> list[T]:
        """Return all items."""
        return list(self._items)

    def open_one(self) -> T:
        """Return the first item.

        Raises
        ------
        IndexError
            If the collection is empty.
        """
        return self._items[0]

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return len(self._items) > 0

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return list(self._items[index]) if isinstance(index, slice) else self._items[index]

    def __repr__(self) -> str:
        return f"Collection[{self._item_type.__name__}](length={len(self._items)})"


def _check_item(index: int, item: Any, item_type: type) -> None:
    from scistudio.core.types.base import DataObject, same_registered_type

    if not isinstance(item, DataObject):
        raise TypeError(f"Collection items must be DataObjects: item[{index}] is {type(item).__name__}")
    if not isinstance(item, item_type) and not any(same_registered_type(base, item_type) for base in type(item).__mro__):
        raise TypeError(f"Collection requires homogeneous types: item[{index}] is {type(item).__name__}, expected {item_type.__name__}")
