import { useEffect, useMemo, useSyncExternalStore } from "react";
import { LogFeed, NO_LOGS, type LogView } from "./logFeed";

const nothing = () => () => undefined;

/** Lines of the scope. Followed only while the tab is in sight: a browser has few connections for one server. */
export function useLogFeed(project: string, run: string | null, node: string): LogView {
  const feed = useMemo(() => (run === null ? null : new LogFeed({ project, run, node })), [project, run, node]);
  useEffect(() => {
    if (feed === null) return;
    const follow = () => (document.visibilityState === "visible" ? feed.start() : feed.stop());
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      feed.stop();
    };
  }, [feed]);
  return useSyncExternalStore(feed?.subscribe ?? nothing, feed?.getView ?? (() => NO_LOGS));
}
