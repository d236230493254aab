import { queryOptions } from "@tanstack/react-query";
import { tableFromIPC, type Table } from "apache-arrow";
import { api, type ItemSource } from "../../api/client";
import { dataKey, STORED, type TableHeader } from "./reads";

export interface TablePage {
  header: TableHeader;
  table: Table;
}

export function tableQuery(source: ItemSource, offset: number, limit: number) {
  return queryOptions({
    queryKey: [...dataKey(source), "table", offset, limit],
    queryFn: async ({ signal }): Promise<TablePage> => {
      const { header, body } = await api.readTable(source, { offset, limit }, signal);
      return { header: header as TableHeader, table: tableFromIPC(new Uint8Array(body)) };
    },
    structuralSharing: false, // a Table is no plain object
    ...STORED,
  });
}
