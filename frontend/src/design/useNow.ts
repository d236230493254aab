import { useSyncExternalStore } from "react";
import { serverNow } from "../api/http";

const STEP_MS = 500;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((one) => one()), STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const steady = () => () => undefined;

/** The server's time in steps of half a second while `active`: one timer for the whole page. */
export function useNow(active: boolean): number {
  return useSyncExternalStore(active ? subscribe : steady, () => (active ? Math.floor(serverNow() / STEP_MS) * STEP_MS : 0));
}
