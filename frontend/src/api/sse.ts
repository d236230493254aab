export interface ServerSentEvent {
  event: string;
  data: string;
}

/** Events of a `text/event-stream` body. Comments (heartbeats) are passed over; a half event at the end is none. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerSentEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const parse = createParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined); // already broken: nothing left to cancel
  }
}

/** Takes text in any pieces, gives the events that are complete. */
export function createParser(): (text: string) => ServerSentEvent[] {
  let rest = "";
  let event = "message";
  let data: string[] = [];
  return (text) => {
    const complete: ServerSentEvent[] = [];
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        if (data.length > 0 || event !== "message") complete.push({ event, data: data.join("\n") });
        event = "message";
        data = [];
      } else if (line.startsWith("event:")) event = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    }
    return complete;
  };
}
