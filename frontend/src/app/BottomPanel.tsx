import { lazy, Suspense, useState, type ReactNode } from "react";
import type { Catalog, Problem } from "../api/types";
import { Loading } from "../design/EmptyState";
import { ProblemList } from "../features/problems/ProblemList";
import { useAppStore } from "../store/store";
import styles from "./BottomPanel.module.css";
import { Crash } from "./Crash";

const LogPanel = lazy(() => import("../features/logs/LogPanel").then((module) => ({ default: module.LogPanel })));

type Tab = "logs" | "problems";

interface BottomPanelProps {
  project: string;
  run: string | null;
  problems: readonly Problem[];
  catalog: Catalog | undefined;
  onReload: () => void;
  isReloading: boolean;
}

export function BottomPanel({ project, run, problems, catalog, onReload, isReloading }: BottomPanelProps) {
  const [chosen, setTab] = useState<Tab | null>(null);
  const node = useAppStore((state) => state.selectedNode);
  const selectNode = useAppStore((state) => state.selectNode);
  const failures = catalog?.failures ?? [];
  const tab = chosen ?? (problems.some((problem) => problem.severity === "error") ? "problems" : "logs"); // what keeps it from running comes first
  const nProblems = problems.length + failures.length;
  return (
    <div className={styles.panel}>
      <div className={styles.tabs} role="tablist" aria-label="Bottom panel">
        <TabButton tab="logs" chosen={tab} onChoose={setTab}>
          Logs
        </TabButton>
        <TabButton tab="problems" chosen={tab} onChoose={setTab}>
          Problems {nProblems > 0 && <span className={styles.count}>{nProblems}</span>}
        </TabButton>
      </div>
      <div className={styles.body} role="tabpanel" id="bottom-panel" aria-label={tab === "logs" ? "Logs" : "Problems"}>
        <Crash key={tab}>
          {tab === "logs" ? (
            <Suspense fallback={<Loading />}>
              <LogPanel project={project} run={run} node={node} />
            </Suspense>
          ) : (
            <ProblemList problems={problems} failures={failures} onNode={selectNode} onReload={onReload} isReloading={isReloading} />
          )}
        </Crash>
      </div>
    </div>
  );
}

function TabButton({ tab, chosen, onChoose, children }: { tab: Tab; chosen: Tab; onChoose: (tab: Tab) => void; children: ReactNode }) {
  return (
    <button
      type="button"
      role="tab"
      aria-selected={tab === chosen}
      aria-controls="bottom-panel"
      onClick={() => onChoose(tab)}
      data-testid={`tab-${tab}`}
    >
      {children}
    </button>
  );
}
