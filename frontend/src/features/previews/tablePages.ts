import { queryOptions } from "@tanstack/react-query";
import { tableFromIPC, type Table } from "apache-arrow";
import { request } from "../../api/http";
import { dataHeader, itemUrl, type ItemSource, type TableHeader } from "./reads";

export interface TablePage {
  header: TableHeader;
  table: Table;
}

export function tableQuery(source: ItemSource, offset: number, limit: number) {
  const { project, run, node, port, index } = source;
  return queryOptions({
    queryKey: ["projects", project, "runs", "data", run, node, port, index, "table", offset, limit],
    queryFn: async ({ signal }): Promise<TablePage> => {
      const response = await request(itemUrl(source, "table", { offset: offset || undefined, limit }), { accept: "application/vnd.apache.arrow.stream", signal });
      return { header: dataHeader(response) as TableHeader, table: tableFromIPC(new Uint8Array(await response.arrayBuffer())) };
    },
    staleTime: Infinity,
    gcTime: 60_000,
    structuralSharing: false, // a Table is no plain object
  });
}
