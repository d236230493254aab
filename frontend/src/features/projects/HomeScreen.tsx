import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderOpen, FolderPlus, X } from "lucide-react";
import { useId, useState } from "react";
import { api } from "../../api/client";
import type { Project } from "../../api/types";
import { Button, IconButton } from "../../design/Button";
import { EmptyState, Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { formatTime } from "../../design/format";
import { useAppStore } from "../../store/store";
import styles from "./HomeScreen.module.css";
import { projectQueries } from "./queries";

/** Known projects: open one, or add a folder. */
export function HomeScreen({ onOpen }: { onOpen: (project: string) => void }) {
  const projects = useQuery(projectQueries.list());
  return (
    <main className={styles.home}>
      <div className={styles.column}>
        <h1 className={styles.title}>Projects</h1>
        <p className={styles.lead}>A project is a folder with workflows, blocks and data.</p>
        <AddProject onOpen={onOpen} />
        <section className={styles.list} aria-label="Known projects">
          {projects.isPending && <Loading label="Reading the list of projects…" />}
          {projects.isError && <FailureNote error={projects.error} onRetry={() => void projects.refetch()} />}
          {projects.data?.items.length === 0 && (
            <EmptyState icon={<FolderOpen size={28} strokeWidth={1.5} aria-hidden />} title="No projects yet">
              Add a project folder by its path above, or make one with <code>scistudio init</code>.
            </EmptyState>
          )}
          <ul>
            {projects.data?.items.map((project) => (
              <ProjectRow key={project.id} project={project} onOpen={onOpen} />
            ))}
          </ul>
        </section>
      </div>
    </main>
  );
}

function ProjectRow({ project, onOpen }: { project: Project; onOpen: (project: string) => void }) {
  const queryClient = useQueryClient();
  const report = useAppStore((state) => state.report);
  const open = useMutation({
    mutationFn: () => (project.is_open ? Promise.resolve(project) : api.setProjectOpen(project.id, true)),
    onSuccess: () => onOpen(project.id),
    onError: report,
  });
  const forget = useMutation({
    mutationFn: () => api.forgetProject(project.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: projectQueries.all }),
    onError: report,
  });
  return (
    <li className={styles.row}>
      <button
        type="button"
        className={styles.open}
        onClick={() => open.mutate()}
        disabled={open.isPending}
        data-testid={`project-${project.id}`}
      >
        <FolderOpen size={20} strokeWidth={1.6} className={styles.folder} aria-hidden />
        <span className={styles.words}>
          <span className={styles.name}>{project.name}</span>
          {project.description !== "" && <span className={styles.description}>{project.description}</span>}
          <span className={styles.path}>{project.path}</span>
        </span>
        <span className={styles.when}>
          {project.is_open ? <span className={styles.isOpen}>Open</span> : project.opened_at !== null && formatTime(project.opened_at)}
        </span>
      </button>
      <IconButton
        className={styles.forget ?? ""}
        label={`Take ${project.name} off this list (its folder stays)`}
        icon={<X size={15} aria-hidden />}
        onClick={() => forget.mutate()}
        disabled={forget.isPending}
      />
    </li>
  );
}

function AddProject({ onOpen }: { onOpen: (project: string) => void }) {
  const field = useId();
  const [path, setPath] = useState("");
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: () => api.addProject(path.trim()),
    onSuccess: async (project) => {
      await queryClient.invalidateQueries({ queryKey: projectQueries.all });
      onOpen(project.id);
    },
  });
  return (
    <form
      className={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== "") add.mutate();
      }}
    >
      <label htmlFor={field}>Add a project folder</label>
      <div className={styles.addRow}>
        <input
          id={field}
          value={path}
          onChange={(event) => setPath(event.target.value)}
          placeholder="/path/to/a/folder/with/project.yaml"
          spellCheck={false}
          autoComplete="off"
          aria-invalid={add.isError}
        />
        <Button type="submit" kind="primary" icon={<FolderPlus size={15} aria-hidden />} disabled={path.trim() === "" || add.isPending}>
          {add.isPending ? "Adding…" : "Add and open"}
        </Button>
      </div>
      {add.isError && <FailureNote error={add.error} />}
    </form>
  );
}
