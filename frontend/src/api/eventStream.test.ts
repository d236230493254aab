// @vitest-environment jsdom
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { EventStream, type EventStreamHandlers } from "./eventStream";

/** A server with the gateway's manners, whose connections can be cut. */
let server: WebSocketServer;
let sockets: WebSocket[];
let asked: (string | null)[];
let stream: EventStream;
let heard: number[];
let handlers: { [K in keyof EventStreamHandlers]: ReturnType<typeof vi.fn<EventStreamHandlers[K]>> };

beforeEach(async () => {
  vi.stubGlobal("WebSocket", WebSocket); // Node's own does not take the events of this document
  sockets = [];
  asked = [];
  heard = [];
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (socket, request) => {
    sockets.push(socket);
    asked.push(new URL(request.url ?? "", "http://x").searchParams.get("after"));
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  handlers = { onEvent: vi.fn((event) => void heard.push(event.seq ?? -1)), onReload: vi.fn(), onState: vi.fn(), onRefused: vi.fn() };
  stream = new EventStream("p", handlers, (_, after) => new URL(`ws://127.0.0.1:${port}/${after === null ? "" : `?after=${after}`}`));
  stream.start();
});

afterEach(() => {
  stream.stop();
  server.close();
  for (const socket of sockets) socket.terminate();
});

const connected = (n: number) => vi.waitFor(() => expect(sockets).toHaveLength(n), { timeout: 5_000 });
const send = (frame: object) => sockets.at(-1)?.send(JSON.stringify(frame));
const event = (seq: number, epoch = "e") =>
  send({ cursor: `${epoch}:${seq}`, seq, type: "run.state_changed", run: "r", data: { state: "running" } });
const hello = (cursor: string, epoch = "e") => send({ type: "hello", cursor, epoch });

it("reads the state anew when it begins, and passes events on once", async () => {
  await connected(1);
  hello("e:5");
  for (const seq of [6, 7, 6, 7, 8]) event(seq);
  await vi.waitFor(() => expect(heard).toEqual([6, 7, 8]));
  expect(asked).toEqual([null]);
  expect(handlers.onReload).toHaveBeenCalledOnce();
});

it("goes on where it was after the connection broke, without reading the state anew", async () => {
  await connected(1);
  hello("e:5");
  event(6);
  await vi.waitFor(() => expect(heard).toEqual([6]));
  sockets[0]?.terminate();
  await connected(2);
  hello("e:6");
  for (const seq of [6, 7]) event(seq);
  await vi.waitFor(() => expect(heard).toEqual([6, 7]));
  expect(asked).toEqual([null, "e:6"]);
  expect(handlers.onReload).toHaveBeenCalledOnce();
});

it("reads the state anew when the server says that events are gone, or counts from a new beginning", async () => {
  await connected(1);
  hello("e:5");
  send({ type: "resync", cursor: "e:90" });
  event(91);
  await vi.waitFor(() => expect(heard).toEqual([91]));
  expect(handlers.onReload).toHaveBeenCalledTimes(2);
  sockets[0]?.terminate();
  await connected(2);
  hello("f:2", "f");
  event(3, "f");
  await vi.waitFor(() => expect(heard).toEqual([91, 3]));
  expect(handlers.onReload).toHaveBeenCalledTimes(3);
});

it("passes progress on, which has no place in the order, and passes over heartbeats", async () => {
  await connected(1);
  hello("e:5");
  send({ type: "heartbeat", data: {} });
  send({ type: "block.progressed", run: "r", node: "n", data: { fraction: 0.5, message: "" } });
  await vi.waitFor(() => expect(heard).toEqual([-1]));
});

it("asks why when it is not let in", async () => {
  await connected(1);
  sockets[0]?.terminate();
  await vi.waitFor(() => expect(handlers.onRefused).toHaveBeenCalled());
  await connected(2);
});

it("lets go without a network and comes back with it", async () => {
  await connected(1);
  hello("e:5");
  await vi.waitFor(() => expect(handlers.onState).toHaveBeenLastCalledWith("open"));
  window.dispatchEvent(new Event("offline"));
  expect(handlers.onState).toHaveBeenLastCalledWith("offline");
  window.dispatchEvent(new Event("online"));
  await connected(2);
  expect(asked).toEqual([null, "e:5"]);
});
