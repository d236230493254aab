import { parseCursor, type Frame, type RunEvent } from "./events";
import { apiUrl } from "./http";

export type ConnectionState = "connecting" | "open" | "reconnecting" | "offline";

export interface EventStreamHandlers {
  /** Each event once, in order. */
  onEvent: (event: RunEvent) => void;
  /** Events were missed, or none were followed yet: read the state anew. */
  onReload: () => void;
  onState: (state: ConnectionState) => void;
  /** The server did not let the socket in; a browser does not say why, a request does. */
  onRefused: () => void;
}

const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 10_000;
const TICK_MS = 5_000;
/** A timer this late means that the computer slept: a socket that looks open may be long gone. */
const SLEPT_MS = 30_000;
/** The server says something at least every 15 s. */
const LONGEST_SILENCE_MS = 45_000;

/** A project's events over one WebSocket at a time, resumed by cursor over any number of them. */
export class EventStream {
  private socket: WebSocket | null = null;
  private cursor: string | null = null;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private tick: ReturnType<typeof setInterval> | undefined;
  private lastTick = 0;
  private lastHeard = 0;

  constructor(
    private readonly project: string,
    private readonly handlers: EventStreamHandlers,
    private readonly url: (project: string, after: string | null) => URL = eventsUrl,
  ) {}

  start(): void {
    window.addEventListener("online", this.wake);
    window.addEventListener("offline", this.goOffline);
    document.addEventListener("visibilitychange", this.wake);
    this.lastTick = Date.now();
    this.tick = setInterval(this.checkClock, TICK_MS);
    this.connect();
  }

  stop(): void {
    window.removeEventListener("online", this.wake);
    window.removeEventListener("offline", this.goOffline);
    document.removeEventListener("visibilitychange", this.wake);
    clearInterval(this.tick);
    this.drop();
  }

  private connect(): void {
    this.drop();
    this.handlers.onState(this.failures > 0 || this.cursor !== null ? "reconnecting" : "connecting");
    const socket = new WebSocket(this.url(this.project, this.cursor));
    this.socket = socket;
    this.lastHeard = Date.now();
    let greeted = false;
    socket.onmessage = (message: MessageEvent<string>) => {
      this.lastHeard = Date.now();
      const frame = JSON.parse(message.data) as Frame;
      greeted ||= frame.type === "hello";
      this.receive(frame);
    };
    socket.onclose = () => {
      if (!greeted) this.handlers.onRefused();
      this.retryLater();
    };
  }

  private receive(frame: Frame): void {
    switch (frame.type) {
      case "hello": {
        this.failures = 0;
        this.handlers.onState("open");
        const known = this.cursor === null ? null : parseCursor(this.cursor);
        if (known?.epoch !== frame.epoch) this.restart(frame.cursor);
        break;
      }
      case "resync":
        this.restart(frame.cursor);
        break;
      case "heartbeat":
        break;
      default:
        if (this.isNew(frame)) this.handlers.onEvent(frame);
    }
  }

  private restart(cursor: string): void {
    this.cursor = cursor;
    this.handlers.onReload();
  }

  /** Advance the cursor. Transient frames (progress) carry none and always pass. */
  private isNew(event: RunEvent): boolean {
    if (event.cursor === undefined) return true;
    const next = parseCursor(event.cursor);
    const last = this.cursor === null ? null : parseCursor(this.cursor);
    if (next === null || (last?.epoch === next.epoch && next.seq <= last.seq)) return false;
    this.cursor = event.cursor;
    return true;
  }

  private retryLater(): void {
    this.socket = null;
    if (!navigator.onLine) {
      this.handlers.onState("offline");
      return;
    }
    this.handlers.onState("reconnecting");
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures++);
    this.retry = setTimeout(() => this.connect(), delay * (0.75 + Math.random() / 2));
  }

  private readonly wake = (): void => {
    if (this.socket === null && navigator.onLine && document.visibilityState === "visible") this.connect();
  };

  private readonly goOffline = (): void => {
    this.drop();
    this.handlers.onState("offline");
  };

  private readonly checkClock = (): void => {
    const slept = Date.now() - this.lastTick > SLEPT_MS;
    const isSilent = this.socket !== null && Date.now() - this.lastHeard > LONGEST_SILENCE_MS; // open on this side only
    this.lastTick = Date.now();
    if ((slept || isSilent) && navigator.onLine) this.connect();
  };

  /** Forget the socket: what it still says is not heard, since its successor is told the cursor. */
  private drop(): void {
    clearTimeout(this.retry);
    if (this.socket === null) return;
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.onerror = () => undefined; // one that was still connecting reports that it was closed
    this.socket.close();
    this.socket = null;
  }
}

function eventsUrl(project: string, after: string | null): URL {
  const url = apiUrl(["events"], { project, after: after ?? undefined });
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}
