import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import type { Project, WorkflowSummary } from "../api/types";
import { Loading } from "../design/EmptyState";
import { FailureNote } from "../design/FailureNote";
import { WorkflowCanvas } from "../features/canvas/WorkflowCanvas";
import { RunControls } from "../features/runs/RunControls";
import { useAppStore } from "../store/store";
import { BottomPanel } from "./BottomPanel";
import { Crash } from "./Crash";
import { Inspector } from "./Inspector";
import { go, type Route } from "./route";
import { Sidebar } from "./Sidebar";
import { TopBar } from "./TopBar";
import { useDefinition } from "./useDefinition";
import { useShownRun } from "./useShownRun";
import styles from "./Workspace.module.css";

interface WorkspaceProps {
  project: Project;
  workflows: readonly WorkflowSummary[];
  route: Route;
}

/** The chosen workflow: graph, runs, logs and the data of the chosen block, in columns that can be resized. */
export function Workspace({ project, workflows, route }: WorkspaceProps) {
  const workflow = route.workflow ?? "";
  const shown = useShownRun(project.id, workflow, route.run);
  const { definition, catalog, problems, graph, check, isChecking } = useDefinition(project.id, workflow);
  const selectedNode = useAppStore((state) => state.selectedNode);
  const columns = useDefaultLayout({ id: "scistudio.columns", storage: localStorage });
  const rows = useDefaultLayout({ id: "scistudio.rows", storage: localStorage });
  const node = definition.data?.nodes.find((one) => one.id === selectedNode);
  const nErrors = problems.filter((problem) => problem.severity === "error").length;
  const blocked = definition.isError
    ? "The workflow cannot be read."
    : nErrors > 0
      ? `The workflow has ${nErrors} problem${nErrors === 1 ? "" : "s"}: see Problems.`
      : undefined;
  const show = (run: string | null) => go({ project: project.id, workflow, run });
  return (
    <>
      <TopBar project={project.name} workflow={workflow}>
        <RunControls project={project.id} workflow={workflow} run={shown.id} blocked={blocked} onStarted={show} />
      </TopBar>
      <main className={styles.main}>
        <Group orientation="horizontal" {...columns}>
          <Panel
            id="panel-sidebar"
            defaultSize="230px"
            minSize="170px"
            maxSize="420px"
            collapsible
            groupResizeBehavior="preserve-pixel-size"
          >
            <Sidebar project={project} workflows={workflows} workflow={workflow} shown={shown} onRun={show} />
          </Panel>
          <Separator className={styles.upright} aria-label="Width of the sidebar" />
          <Panel id="panel-stage" minSize="320px">
            <Group orientation="vertical" {...rows}>
              <Panel id="panel-canvas" minSize="160px">
                <div className={styles.stage}>
                  <Crash>
                    {definition.isPending && <Loading label="Reading the workflow…" />}
                    {definition.isError && <FailureNote error={definition.error} onRetry={() => void definition.refetch()} />}
                    {graph !== null && <WorkflowCanvas graph={graph} name={workflow} />}
                  </Crash>
                </div>
              </Panel>
              <Separator className={styles.level} aria-label="Height of the bottom panel" />
              <Panel
                id="panel-bottom"
                defaultSize="230px"
                minSize="90px"
                collapsible
                collapsedSize="34px"
                groupResizeBehavior="preserve-pixel-size"
              >
                <BottomPanel
                  project={project.id}
                  run={shown.id}
                  problems={problems}
                  catalog={catalog}
                  onReload={check}
                  isReloading={isChecking}
                />
              </Panel>
            </Group>
          </Panel>
          <Separator className={styles.upright} aria-label="Width of the preview column" />
          <Panel id="panel-preview" defaultSize="380px" minSize="260px" groupResizeBehavior="preserve-pixel-size">
            <section className={styles.inspector} aria-label="Preview">
              <Crash key={selectedNode}>
                {shown.detail.isError && node === undefined ? (
                  <FailureNote error={shown.detail.error} onRetry={() => void shown.detail.refetch()} />
                ) : (
                  <Inspector
                    project={project.id}
                    run={shown.detail.data}
                    node={node}
                    label={graph?.nodes.find((one) => one.id === selectedNode)?.data.label ?? ""}
                  />
                )}
              </Crash>
            </section>
          </Panel>
        </Group>
      </main>
    </>
  );
}
