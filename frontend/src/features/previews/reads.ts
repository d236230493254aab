import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, type ItemSource, type OutputSource } from "../../api/client";

export interface ArrayHeader {
  /** Of the tile: rows and columns, or one number for a series. */
  shape: number[];
  /** As numpy writes it: `<f4`. */
  dtype: string;
  /** Names of all axes, and how long they are. */
  all_axes: string[];
  full_shape: number[];
  /** First row and column of the tile in the whole array. */
  origin: number[];
  /** Every how many-th row and column was taken. */
  step: number[];
  vmin: number | string | null;
  vmax: number | string | null;
}

export interface ArrayTile {
  header: ArrayHeader;
  body: ArrayBuffer;
}

/** A rectangle of the array; without one, the whole plane. */
export interface Region {
  y: number;
  x: number;
  height: number;
  width: number;
}

export interface TableHeader {
  total_rows: number;
  columns: { name: string; type: string }[];
  /** Of the whole table; only the first hundred are read. */
  n_columns?: number;
}

/** Where a piece of text lies, in bytes of the stored one. */
export interface TextHeader {
  total_bytes: number;
  /** Where the next piece begins; null: this is the last. */
  next_offset: number | null;
}

export const dataKey = ({ project, run, node, port, index }: ItemSource) =>
  ["projects", project, "runs", "data", run, node, port, index] as const;

/** Stored outputs of a run never change: read once, kept while they are looked at. */
export const STORED = { staleTime: Infinity, gcTime: 60_000 } as const;

export const previewQueries = {
  outputs: (source: OutputSource, nItems: number) =>
    infiniteQueryOptions({
      queryKey: [...dataKey({ ...source, index: -1 }), nItems],
      queryFn: ({ signal, pageParam }) => api.listOutputs(source, pageParam, signal),
      initialPageParam: "",
      getNextPageParam: (last) => last.next_cursor,
      ...STORED,
    }),
  describe: (source: ItemSource) =>
    queryOptions({
      queryKey: [...dataKey(source), "describe"],
      queryFn: ({ signal }) => api.describeItem(source, signal),
      ...STORED,
    }),
  array: (source: ItemSource, indices: Readonly<Record<string, number>>, region: Region | null, maxSide: number) =>
    queryOptions({
      queryKey: [...dataKey(source), "array", indices, region, maxSide],
      queryFn: async ({ signal }): Promise<ArrayTile> => {
        const index = Object.entries(indices).map(([axis, at]) => `${axis}:${at}`);
        const { header, body } = await api.readArray(source, { ...region, max_side: maxSide, index }, signal);
        return { header: header as ArrayHeader, body };
      },
      ...STORED,
    }),
  text: (source: ItemSource, offset: number, limit: number) =>
    queryOptions({
      queryKey: [...dataKey(source), "text", offset, limit],
      queryFn: async ({ signal }) => {
        const { header, body } = await api.readText(source, { offset, limit }, signal);
        return { text: new TextDecoder().decode(body), header: header as TextHeader };
      },
      ...STORED,
    }),
};
