import { useQuery } from "@tanstack/react-query";
import type { ItemSource } from "../../api/client";
import { Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import styles from "./Description.module.css";
import { previewQueries } from "./reads";

/** What is known of an object that has no picture of its own. */
export function Description({ source }: { source: ItemSource }) {
  const description = useQuery(previewQueries.describe(source));
  if (description.isError) return <FailureNote error={description.error} onRetry={() => void description.refetch()} />;
  if (description.isPending) return <Loading label="Reading the description…" />;
  return (
    <dl className={styles.description} data-testid="description">
      {Object.entries(description.data).map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{typeof value === "string" ? value : <pre>{JSON.stringify(value, null, 1)}</pre>}</dd>
        </div>
      ))}
    </dl>
  );
}
