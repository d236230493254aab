import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";
import { apiUrl, request, requestJson, type Query } from "../../api/http";

/** One item on an output port of a run. */
export interface ItemSource {
  project: string;
  run: string;
  node: string;
  port: string;
  index: number;
}

type Signal = AbortSignal | undefined;

export function itemUrl(source: ItemSource, read: string | null, query: Query = {}): URL {
  const { project, run, node, port, index } = source;
  const parts = ["projects", project, "runs", run, "nodes", node, "outputs", port, index];
  return apiUrl(read === null ? parts : [...parts, read], query);
}

/** What the body of a data read is, as its header says. */
export function dataHeader(response: Response): unknown {
  return JSON.parse(response.headers.get("SciStudio-Data") ?? "{}");
}

export interface ArrayHeader {
  /** Of the tile: rows and columns, or one number for a series. */
  shape: number[];
  dtype: string;
  /** Names of the whole array's axes, empty where it names none. */
  axes: string[] | null;
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

export async function readArray(source: ItemSource, indices: Readonly<Record<string, number>>, region: Region | null, maxSide: number, signal: Signal): Promise<ArrayTile> {
  const index = Object.entries(indices).map(([axis, at]) => `${axis}:${at}`);
  const response = await request(itemUrl(source, "array", { ...region, max_side: maxSide, index }), { accept: "application/vnd.scistudio.array", signal });
  return { header: dataHeader(response) as ArrayHeader, body: await response.arrayBuffer() };
}

export interface TableHeader {
  total_rows: number;
  columns: { name: string; type: string }[];
  offset: number;
}

export interface TextPage {
  text: string;
  nBytes: number;
  totalBytes: number;
}

export async function readText(source: ItemSource, offset: number, limit: number, signal: Signal): Promise<TextPage> {
  const response = await request(itemUrl(source, "text", { offset: offset || undefined, limit }), { accept: "text/plain", signal });
  const bytes = await response.arrayBuffer();
  const { total_bytes } = dataHeader(response) as { total_bytes?: number };
  return { text: new TextDecoder().decode(bytes), nBytes: bytes.byteLength, totalBytes: total_bytes ?? bytes.byteLength };
}

const key = ({ project, run, node, port, index }: ItemSource) => ["projects", project, "runs", "data", run, node, port, index] as const;

/** Stored outputs of a run never change: read once, kept while they are looked at. */
const STORED = { staleTime: Infinity, gcTime: 60_000 } as const;

export const previewQueries = {
  outputs: (source: Omit<ItemSource, "index">, nItems: number) =>
    infiniteQueryOptions({
      queryKey: [...key({ ...source, index: -1 }), nItems],
      queryFn: ({ signal, pageParam }) => api.listOutputs(source.project, source.run, source.node, source.port, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (last) => last.next_cursor,
      ...STORED,
    }),
  describe: (source: ItemSource) =>
    queryOptions({
      queryKey: [...key(source), "describe"],
      queryFn: ({ signal }) => requestJson<Record<string, unknown>>(itemUrl(source, null), { signal }),
      ...STORED,
    }),
  array: (source: ItemSource, indices: Readonly<Record<string, number>>, region: Region | null, maxSide: number) =>
    queryOptions({
      queryKey: [...key(source), "array", indices, region, maxSide],
      queryFn: ({ signal }) => readArray(source, indices, region, maxSide, signal),
      ...STORED,
    }),
  text: (source: ItemSource, offset: number, limit: number) =>
    queryOptions({ queryKey: [...key(source), "text", offset, limit], queryFn: ({ signal }) => readText(source, offset, limit, signal), ...STORED }),
};
