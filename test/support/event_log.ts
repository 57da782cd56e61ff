// Records events for tests from a connection of their own, as another process does, and reads streams of server-sent
// events.
import { recordEvent } from "../../src/core/store/events.ts";
import type { Store } from "../../src/core/store/store.ts";
import { importedAt } from "./app.ts";
import { until } from "./until.ts";

/** Records `count` events in one transaction. Their data has the keys `key`0, `key`1 and so on. */
export function recordEvents(
  store: Store,
  production_id: number,
  { count = 1, type = "vendor.added", key = "v", now = importedAt, fields = {} }: RecordOptions = {},
): void {
  const kind = type === "vendor.added" ? "vendor" : "person";
  store.writeSync(() => {
    for (let at = 0; at < count; at++) {
      const event = { type, subject: { kind, id: 1 }, data: { key: `${key}${at}`, fields } } as const;
      recordEvent(store, { ...event, production_id, actor: "test", activity_id: null }, now);
    }
  });
}

interface RecordOptions {
  count?: number;
  type?: "vendor.added" | "person.removed";
  key?: string;
  now?: string;
  fields?: Record<string, { to: unknown }>;
}

/** One block of a stream. */
export interface Block {
  id?: string;
  data?: string;
  /** Whether the block has a comment. */
  comment: boolean;
}

const blockOf = (text: string): Block => {
  const lines = text.split("\n");
  const field = (name: string) => lines.findLast((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, data] = [field("id"), field("data")];
  return {
    ...(id !== undefined && { id }),
    ...(data !== undefined && { data }),
    comment: lines.some((line) => line.startsWith(":")),
  };
};

/** Reads the blocks of a response until it ends; the connection may also break. */
export async function* blocksOf(response: Response): AsyncGenerator<Block> {
  let rest = "";
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield blockOf(part);
  }
}

export interface OpenStream {
  status: number;
  /** Every block until now. */
  blocks: Block[];
  /** The blocks with an event. */
  events(): { id: string; data: { id: number; type: string; data: { key: string } } }[];
  /** Waits until there are `count` events. */
  until(count: number): Promise<void>;
  /** Resolves when the stream has ended. */
  ended: Promise<void>;
  close(): void;
}

/** Opens a stream of events. */
export async function openStream(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", ...headers },
    signal: controller.signal,
  });
  const blocks: Block[] = [];
  const ended = (async () => {
    try {
      for await (const block of blocksOf(response)) blocks.push(block);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
  })();
  const events = () =>
    blocks.flatMap(({ id = "", data }) => (data === undefined ? [] : [{ id, data: JSON.parse(data) }]));
  return {
    status: response.status,
    blocks,
    events,
    until: (count) => until(() => blocks.filter(({ data }) => data !== undefined).length >= count, 2),
    ended,
    close: () => controller.abort(),
  };
}
