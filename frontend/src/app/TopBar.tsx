import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { ConnectionMark } from "../features/session/ConnectionMark";
import { ThemeSwitch } from "../features/session/ThemeSwitch";
import styles from "./TopBar.module.css";

interface TopBarProps {
  project?: string | undefined;
  workflow?: string | undefined;
  children?: ReactNode;
}

export function TopBar({ project, workflow, children }: TopBarProps) {
  return (
    <header className={styles.bar}>
      <a href="#/" className={styles.brand} title="All projects">
        <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden>
          <rect width="32" height="32" rx="8" className={styles.tile} />
          <path d="M9 10h5a5 5 0 0 1 5 5v2a5 5 0 0 0 5 5" fill="none" stroke="#fff" strokeWidth="2.4" />
          <circle cx="9" cy="10" r="3.2" fill="#fff" />
          <circle cx="23.5" cy="22" r="3.2" fill="#fff" />
        </svg>
        SciStudio
      </a>
      {project !== undefined && (
        <nav className={styles.path} aria-label="Place">
          <ChevronRight size={14} aria-hidden />
          <span className={styles.project}>{project}</span>
          {workflow !== undefined && (
            <>
              <ChevronRight size={14} aria-hidden />
              <h1 className={styles.workflow}>{workflow}</h1>
            </>
          )}
        </nav>
      )}
      <div className={styles.actions}>{children}</div>
      {project !== undefined && <ConnectionMark />}
      <ThemeSwitch />
    </header>
  );
}
