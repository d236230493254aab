"""Pages of tables: only the row groups and columns that a page needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from scistudio_proto.panels.v1 import panels_pb2 as pb

from scistudio_panels.errors import WrongRead
from scistudio_panels.reads.answer import Answer

if TYPE_CHECKING:
    from scistudio.core.types import DataFrame, Series

MEDIA_TYPE = "application/vnd.apache.arrow.stream"
ROWS, MOST_ROWS, COLUMNS = 100, 10_000, 100
LONGEST_PAGE_BYTES = 32 * 1024 * 1024


def _file(table: DataFrame | Series) -> Any:
    """The Parquet file of a stored table."""
    import pyarrow.parquet as pq

    reference = table.storage_ref
    if reference is None:
        raise WrongRead("This table is not stored.")
    return pq.ParquetFile(reference.path)


def describe(table: DataFrame | Series) -> dict[str, Any]:
    """Return rows and columns of a table."""
    with _file(table) as file:
        schema = file.schema_arrow
        columns = [{"name": field.name, "type": str(field.type)} for field in schema]
        return {"total_rows": file.metadata.num_rows, "columns": columns[:1000], "n_columns": len(columns)}


def read_table(table: DataFrame | Series, read: pb.TableRead) -> Answer:
    """Read one page of rows as an Arrow IPC stream; integers stay exact."""
    with _file(table) as file:
        names = file.schema_arrow.names
        if unknown := [name for name in read.columns if name not in names]:
            raise WrongRead(
                f"The table has no column {unknown[0]!r}.", subject=f"column/{unknown[0]}", hint=f"It has {', '.join(names[:20])}."
            )
        columns = list(read.columns) or names[:COLUMNS]
        total = file.metadata.num_rows
        start = min(max(read.offset, 0), total)
        stop = min(start + min(read.limit or ROWS, MOST_ROWS), total)
        page = _rows(file, start, stop, columns)
    cut = _fitting(page)
    metadata = {
        "total_rows": total,
        "offset": start,
        "n_rows": cut.num_rows,
        "columns": [{"name": field.name, "type": str(field.type)} for field in cut.schema],
        "all_columns": names[:1000],
        "n_columns": len(names),
        "cut": cut.num_rows < page.num_rows,
    }
    return Answer(MEDIA_TYPE, metadata, _stream(cut))


def _rows(file: Any, start: int, stop: int, columns: list[str]) -> pa.Table:
    groups, first = [], 0
    before = None
    for number in range(file.metadata.num_row_groups):
        n_rows = file.metadata.row_group(number).num_rows
        if first < stop and start < first + n_rows:
            before = first if before is None else before
            groups.append(number)
        first += n_rows
    if before is None:
        return file.schema_arrow.empty_table().select(columns)
    return file.read_row_groups(groups, columns=columns).slice(start - before, stop - start)


def _fitting(page: pa.Table) -> pa.Table:
    """As many rows as fit into one answer: long texts must not fill the memory."""
    while page.nbytes > LONGEST_PAGE_BYTES and page.num_rows > 1:
        page = page.slice(0, page.num_rows // 2)
    return page


def _stream(page: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    plain = page.replace_schema_metadata(None).combine_chunks()
    with pa.ipc.new_stream(sink, plain.schema) as writer:
        writer.write_table(plain)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]
