/** Numbers and times as a person reads them. */

export function formatDuration(ms: number): string {
  const s = Math.max(0, ms) / 1000;
  if (s < 0.9995) return `${Math.round(s * 1000)} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** While something runs: whole seconds, so that nothing flickers. */
export function formatElapsed(ms: number): string {
  const s = Math.floor(Math.max(0, ms) / 1000);
  return s < 60 ? `${s} s` : formatDuration(s * 1000);
}

export function durationBetween(start: string | null, end: string | null): string | undefined {
  return start === null || end === null ? undefined : formatDuration(Date.parse(end) - Date.parse(start));
}

/** Time of day for today, else the date too. */
export function formatTime(iso: string, now: Date = new Date()): string {
  const time = new Date(iso);
  const sameDay = time.toDateString() === now.toDateString();
  if (sameDay) return time.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  return time.toLocaleString(undefined, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power] ?? ""}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString()} ${n === 1 ? one : many}`;
}

const STARTERS: Record<string, string> = { user: "page", api: "program", cli: "terminal" };

/** Who started a run, as a person would say it; what is not known stays as it is. */
export function formatStarter(triggeredBy: string): string {
  return STARTERS[triggeredBy] ?? triggeredBy;
}

/** A setting of a block on one line. */
export function formatSetting(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A measured value: integers exactly, others with about six digits. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e7 || size < 1e-4 ? value.toExponential(4) : String(Number(value.toPrecision(6)));
}
