import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogLine } from "../../api/types";
import type { LogFeed } from "./logFeed";

/** A server with the gateway's manners: pages of what was printed, and streams that can be cut. */
let server: Server;
let printed: LogLine[];
let streams: ServerResponse[];
let asked: string[];
let feed: LogFeed;

beforeEach(async () => {
  [printed, streams, asked] = [[], [], []];
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubGlobal("document", { baseURI: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  vi.resetModules();
});

afterEach(() => {
  feed.stop();
  server.closeAllConnections();
  server.close();
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const query = new URL(request.url ?? "", "http://x").searchParams;
  const node = query.get("node") ?? "";
  const after = Number(query.get("after") ?? 0);
  if (request.headers.accept === "text/event-stream") {
    asked.push(`follow ${node} after ${after}`);
    streams.push(response.writeHead(200, { "content-type": "text/event-stream" }));
    response.write(": heartbeat\n\n");
  } else {
    asked.push(`page ${node} after ${after}`);
    const items = printed
      .filter((line) => (node === "" || line.node_id === node) && line.line > after)
      .slice(0, Number(query.get("limit")));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items, truncated: false }));
  }
}

function print(node_id: string, number: number, { isSeen = true } = {}): void {
  const line = { line: number, time: "2026-12-01T10:00:00Z", node_id, stream: "stdout", level: "info", text: `${node_id}${number}` };
  printed.push(line);
  if (isSeen) streams.at(-1)?.write(`event: log\ndata: ${JSON.stringify(line)}\n\n`);
}

async function follow(node: string): Promise<void> {
  const { LogFeed } = await import("./logFeed");
  feed = new LogFeed({ project: "p", run: "r", node });
  feed.start();
  await streamed(1);
}

const streamed = (n: number) => vi.waitFor(() => expect(streams).toHaveLength(n), { timeout: 5_000 });
const shows = (...texts: string[]) =>
  vi.waitFor(() => expect(feed.getView().lines.map((line) => line.text)).toEqual(texts), { timeout: 5_000 });

it("shows what was printed before, then what comes, and ends with the run", async () => {
  print("a", 1, { isSeen: false });
  await follow("");
  await shows("a1");
  print("a", 2);
  print("b", 1);
  await shows("a1", "a2", "b1");
  streams[0]?.end("event: end\ndata: {}\n\n");
  await vi.waitFor(() => expect(feed.getView().state).toBe("ended"));
});

it("loses nothing and repeats nothing over a broken connection", async () => {
  await follow("");
  print("a", 1);
  await shows("a1");
  streams[0]?.destroy();
  print("a", 2, { isSeen: false });
  print("b", 1, { isSeen: false });
  await streamed(2);
  print("a", 3);
  await shows("a1", "a2", "b1", "a3");
});

it("fetches what fell between the page and the stream", async () => {
  await follow("");
  print("a", 1);
  await shows("a1");
  print("a", 2, { isSeen: false });
  print("a", 3, { isSeen: false });
  print("a", 4);
  await shows("a1", "a2", "a3", "a4");
  expect(asked).toContain("page a after 1");
});

it("resumes one node after the last line that it saw", async () => {
  await follow("a");
  print("a", 1);
  await shows("a1");
  streams[0]?.destroy();
  await streamed(2);
  expect(asked).toEqual(["follow a after 0", "follow a after 1"]);
});
