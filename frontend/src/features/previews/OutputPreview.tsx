import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, PackageOpen } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { ItemSource } from "../../api/client";
import type { OutputItem, OutputSummary } from "../../api/types";
import { IconButton } from "../../design/Button";
import { EmptyState, Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { Description } from "./Description";
import styles from "./OutputPreview.module.css";
import { previewQueries } from "./reads";

const ArrayPreview = lazy(() => import("./ArrayPreview").then((module) => ({ default: module.ArrayPreview })));
const TablePreview = lazy(() => import("./TablePreview").then((module) => ({ default: module.TablePreview })));
const TextPreview = lazy(() => import("./TextPreview").then((module) => ({ default: module.TextPreview })));
const FilePreview = lazy(() => import("./FilePreview").then((module) => ({ default: module.FilePreview })));

interface OutputPreviewProps {
  project: string;
  run: string;
  node: string;
  output: OutputSummary;
}

/** What lies on one output: its items, and a preview of the chosen one. */
export function OutputPreview({ project, run, node, output }: OutputPreviewProps) {
  const place = { project, run, node, port: output.port };
  const [index, setIndex] = useState(0);
  const pages = useInfiniteQuery(previewQueries.outputs(place, output.n_items));
  if (pages.isError) return <FailureNote error={pages.error} onRetry={() => void pages.refetch()} />;
  if (pages.isPending) return <Loading label="Reading the output…" />;
  const items = pages.data.pages.flatMap((page) => page.items);
  const total = pages.data.pages[0]?.n_items ?? items.length;
  const item = items[index];
  if (item === undefined)
    return <EmptyState icon={<PackageOpen size={24} strokeWidth={1.5} aria-hidden />} title="Nothing on this output" />;
  const choose = (next: number) => {
    setIndex(next);
    if (next >= items.length - 1 && pages.hasNextPage) void pages.fetchNextPage();
  };
  return (
    <div className={styles.preview}>
      {total > 1 && <ItemChoice items={items} total={total} index={index} onChoose={choose} />}
      <p className={styles.summary}>
        <strong>{item.type_name}</strong>
        {item.summary !== "" && <span> · {item.summary}</span>}
      </p>
      <div className={styles.body}>
        <Suspense fallback={<Loading />}>
          <ItemPreview key={item.index} source={{ ...place, index: item.index }} item={item} />
        </Suspense>
      </div>
    </div>
  );
}

function ItemPreview({ source, item }: { source: ItemSource; item: OutputItem }) {
  switch (item.kind) {
    case "array":
      return <ArrayPreview source={source} typeChain={item.type_chain} />;
    case "table":
      return <TablePreview source={source} />;
    case "text":
      return <TextPreview source={source} />;
    case "file":
      return <FilePreview source={source} name={item.name || `${source.port}-${item.index}`} />;
    default:
      return <Description source={source} />;
  }
}

function ItemChoice({
  items,
  total,
  index,
  onChoose,
}: {
  items: readonly OutputItem[];
  total: number;
  index: number;
  onChoose: (index: number) => void;
}) {
  return (
    <div className={styles.choice} role="group" aria-label="Item of the collection">
      <IconButton
        label="Previous item"
        icon={<ChevronLeft size={16} aria-hidden />}
        disabled={index === 0}
        onClick={() => onChoose(index - 1)}
      />
      <select aria-label="Item" value={index} onChange={(event) => onChoose(Number(event.target.value))}>
        {items.map((item, i) => (
          <option key={item.index} value={i}>
            {item.name || `Item ${item.index + 1}`}
          </option>
        ))}
      </select>
      <IconButton
        label="Next item"
        icon={<ChevronRight size={16} aria-hidden />}
        disabled={index >= items.length - 1}
        onClick={() => onChoose(index + 1)}
      />
      <span className={styles.place}>
        {index + 1} of {total}
      </span>
    </div>
  );
}
