import { LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./EmptyState.module.css";

/** What stands where there is nothing to show yet: why, and what to do. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={styles.empty} role="status">
      {icon !== undefined && <div className={styles.icon}>{icon}</div>}
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {action}
    </div>
  );
}

export function Loading({ label = "Loading…" }: { label?: string }) {
  return (
    <div className={styles.loading} role="status">
      <LoaderCircle size={16} className={styles.spinner} aria-hidden />
      {label}
    </div>
  );
}
