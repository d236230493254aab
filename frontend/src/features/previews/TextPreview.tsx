import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ItemSource } from "../../api/client";
import { Button } from "../../design/Button";
import { Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { formatBytes } from "../../design/format";
import { previewQueries } from "./reads";
import styles from "./TextPreview.module.css";

const PAGE_BYTES = 64 * 1024;

/** A text in pages: a long one is never read whole. */
export function TextPreview({ source }: { source: ItemSource }) {
  const [starts, setStarts] = useState<readonly number[]>([0]); // of the pages up to the shown one: no character is cut, so their lengths differ
  const offset = starts.at(-1) ?? 0;
  const page = useQuery({ ...previewQueries.text(source, offset, PAGE_BYTES), placeholderData: keepPreviousData });
  if (page.isError) return <FailureNote error={page.error} onRetry={() => void page.refetch()} />;
  if (page.isPending) return <Loading label="Reading the text…" />;
  const { text, header } = page.data;
  const { total_bytes: totalBytes, next_offset: next } = header;
  return (
    <div className={styles.preview} data-testid="text-preview">
      <pre className={styles.text} tabIndex={0} aria-label="Text">
        {text}
      </pre>
      <p className={styles.foot}>
        {totalBytes > PAGE_BYTES
          ? `${formatBytes(offset)} to ${formatBytes(next ?? totalBytes)} of ${formatBytes(totalBytes)}`
          : formatBytes(totalBytes)}
        {totalBytes > PAGE_BYTES && (
          <span className={styles.turn}>
            <Button disabled={starts.length === 1} onClick={() => setStarts(starts.slice(0, -1))}>
              Back
            </Button>
            <Button disabled={next === null || page.isPlaceholderData} onClick={() => setStarts([...starts, next ?? offset])}>
              Next
            </Button>
          </span>
        )}
      </p>
    </div>
  );
}
