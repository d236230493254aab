import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { Table } from "apache-arrow";
import { useMemo, useRef } from "react";
import type { ItemSource } from "../../api/client";
import { Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { plural } from "../../design/format";
import { cellOf, type Cell } from "./arrowCells";
import { tableQuery, type TablePage } from "./tablePages";
import styles from "./TablePreview.module.css";

const PAGE_ROWS = 100;
const ROW_PX = 26;

/** A table of any length: the pages in sight are read, the others are empty space. */
export function TablePreview({ source }: { source: ItemSource }) {
  const first = useQuery({ ...tableQuery(source, 0, PAGE_ROWS), placeholderData: keepPreviousData });
  if (first.isError) return <FailureNote error={first.error} onRetry={() => void first.refetch()} />;
  if (first.isPending) return <Loading label="Reading the table…" />;
  return <Grid source={source} first={first.data} />;
}

function Grid({ source, first }: { source: ItemSource; first: TablePage }) {
  const box = useRef<HTMLDivElement>(null);
  const { total_rows: nRows, columns, n_columns = columns.length } = first.header;
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer's functions are used here and not handed on
  const rows = useVirtualizer({ count: nRows, getScrollElement: () => box.current, estimateSize: () => ROW_PX, overscan: 12 });
  const items = rows.getVirtualItems();
  const pages = usePages(source, items.at(0)?.index ?? 0, items.at(-1)?.index ?? 0);
  const widths = useMemo(() => columns.map((column, i) => columnWidth(column.name, first.table, i)), [columns, first]);
  const template = `${String(nRows).length + 3}ch ${widths.map((width) => `${width}ch`).join(" ")}`;
  return (
    <div className={styles.preview} data-testid="table-preview">
      <div
        ref={box}
        className={styles.box}
        tabIndex={0}
        role="table"
        aria-label="Table"
        aria-rowcount={nRows + 1}
        aria-colcount={columns.length + 1}
      >
        <div className={styles.head} role="row" style={{ gridTemplateColumns: template }}>
          <span role="columnheader">
            <span className="visually-hidden">Row</span>
          </span>
          {columns.map((column) => (
            <span
              key={column.name}
              role="columnheader"
              data-tone={isNumeric(column.type) ? "number" : undefined}
              title={`${column.name}: ${column.type}`}
            >
              {column.name}
              <small>{column.type}</small>
            </span>
          ))}
        </div>
        <div style={{ height: rows.getTotalSize() }} className={styles.space} role="rowgroup">
          {items.map((row) => (
            <div
              key={row.key}
              className={styles.row}
              role="row"
              aria-rowindex={row.index + 2}
              style={{ gridTemplateColumns: template, transform: `translateY(${row.start}px)` }}
            >
              <span className={styles.number} role="rowheader">
                {row.index}
              </span>
              <Cells table={pages.get(Math.floor(row.index / PAGE_ROWS))} row={row.index % PAGE_ROWS} nColumns={columns.length} />
            </div>
          ))}
        </div>
      </div>
      <p className={styles.foot}>
        {plural(nRows, "row")} · {plural(n_columns, "column")}
        {n_columns > columns.length && `, the first ${columns.length} are shown`}
      </p>
    </div>
  );
}

/** The one or two pages that the rows in sight lie on, by number. */
function usePages(source: ItemSource, firstRow: number, lastRow: number): ReadonlyMap<number, Table> {
  const from = Math.floor(firstRow / PAGE_ROWS);
  const numbers = Array.from({ length: Math.floor(lastRow / PAGE_ROWS) - from + 1 }, (_, i) => from + i);
  return useQueries({
    queries: numbers.map((page) => tableQuery(source, page * PAGE_ROWS, PAGE_ROWS)),
    combine: (results) =>
      new Map(results.flatMap((result, i) => (result.data === undefined ? [] : [[numbers[i] ?? 0, result.data.table] as const]))),
  });
}

const WAITING: Cell = { text: "…", isNull: true };
const TOO_LONG: Cell = { text: "too long to show", isNull: true }; // the server cuts a page whose texts would fill the memory

const isNumeric = (type: string) => /^(u?int|float|double|half|decimal)/i.test(type);

function Cells({ table, row, nColumns }: { table: Table | undefined; row: number; nColumns: number }) {
  return Array.from({ length: nColumns }, (_, i) => {
    const column = table?.getChildAt(i);
    const { text, full, tone, isNull } = column == null ? WAITING : row < column.length ? cellOf(column, row) : TOO_LONG;
    return (
      <span key={i} role="cell" data-tone={tone} data-null={isNull} title={full ?? (text.length > 24 ? text : undefined)}>
        {text}
      </span>
    );
  });
}

const LOOK_AT = 40;

/** Wide enough for the name and the first cells, within limits, so that pages that come later move nothing. */
function columnWidth(name: string, table: Table, index: number): number {
  const column = table.getChildAt(index);
  const rows = Math.min(LOOK_AT, table.numRows);
  const longest = Array.from({ length: column === null ? 0 : rows }, (_, row) => (column === null ? 0 : cellOf(column, row).text.length));
  return Math.min(36, Math.max(8, name.length, ...longest) + 3);
}
