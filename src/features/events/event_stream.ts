// Sends events as server-sent events (WHATWG HTML section 9.2). A client that reads too slowly gets the events from the
// database instead of from memory, and is cut off if it stops reading; it resumes with its last id.
import type { Context } from "../../core/context.ts";
import { disableIdleTimeout } from "../../core/http/connections.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { cursorAt } from "./cursors.ts";
import type { Reader, ReaderOwner } from "./feed.ts";
import type { LoggedEvent, Subscription } from "./log.ts";
import { readerOwner } from "./operations.ts";
import { feedOf, type StreamTimes } from "./state.ts";

export const defaultStreamTimes: StreamTimes = { quiet: 15_000, stalled: 30_000 };

/** How many events are read from the database at once. */
const pageSize = 200;
/** How long a client should wait before it connects again, in milliseconds. */
export const reconnectTime = 1_000;

export const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-accel-buffering": "no", // nginx would collect the events
} as const;

class EventStream implements Reader {
  readonly owner: ReaderOwner;
  readonly #ctx: RequestContext;
  readonly #context: Context;
  readonly #times: StreamTimes;
  readonly #types: Subscription["types"];
  readonly #epoch: string;
  /** The position in the log of all productions. */
  #position: number;
  /** The last event of the production that was looked at, and the one that the client knows as its last event id. */
  #last: number;
  #sent: number;
  /** Whether everything up to the feed's position has been written. */
  #isLive = false;
  #ended = false;
  #lastWrite = performance.now();
  /** When the client stopped reading; undefined while it reads. */
  #stalledSince: number | undefined;

  constructor(ctx: RequestContext, context: Context, { position, types }: Subscription, times: StreamTimes) {
    this.owner = readerOwner(context);
    this.#ctx = ctx;
    this.#context = context;
    this.#times = times;
    this.#types = types;
    this.#epoch = cursorAt(context.app.store, 0).slice(0, -1);
    this.#position = position;
    this.#last = position;
    this.#sent = position;
  }

  get #isOver(): boolean {
    return this.#ended || this.#ctx.res.destroyed;
  }

  /** Sends what is stored after the position. */
  start(): void {
    this.#write(`retry: ${reconnectTime}\nid: ${this.#epoch}${this.#position}\n\n`);
    this.#catchUpSoon();
  }

  wake(): void {
    if (this.#isOver || !this.#isLive) return;
    if (feedOf(this.#context.app).stored.isOver) {
      this.#isLive = false;
      this.#catchUpSoon();
    } else this.#sendPage();
  }

  tick(): void {
    if (this.#isOver) return;
    const now = performance.now();
    if (this.#stalledSince !== undefined) {
      if (now - this.#stalledSince > this.#times.stalled) this.#ctx.res.destroy();
    } else if (now - this.#lastWrite >= this.#times.quiet) this.#write(`: \n${this.#checkpoint()}\n`);
  }

  end(): void {
    if (this.#isOver) return;
    this.#ended = true;
    if (this.#stalledSince !== undefined) {
      this.#ctx.res.destroy(); // what is left to send would keep the connection open
      return;
    }
    const checkpoint = this.#checkpoint();
    this.#ctx.res.end(checkpoint === "" ? "" : `${checkpoint}\n`);
  }

  /**
   * An id without data, by which the client resumes later than at the last event that it was sent. Empty if there is
   * none.
   */
  #checkpoint(): string {
    if (this.#last === this.#sent) return "";
    this.#sent = this.#last;
    return `id: ${this.#epoch}${this.#last}\n`;
  }

  #format(events: readonly LoggedEvent[]): Buffer {
    return Buffer.from(events.map(({ id, document }) => `id: ${this.#epoch}${id}\ndata: ${document}\n\n`).join(""));
  }

  #write(text: string | Buffer): boolean {
    this.#lastWrite = performance.now();
    this.#ctx.sent += text.length;
    return this.#ctx.res.write(text);
  }

  /** Writes events of which `last` is the last one. Waits for the client if it does not read. */
  #send(text: Buffer, last: number): void {
    this.#sent = last;
    if (this.#write(text)) return;
    this.#isLive = false;
    this.#stalledSince = performance.now();
    this.#ctx.res.once("drain", () => {
      this.#stalledSince = undefined;
      this.#catchUpSoon();
    });
  }

  #catchUpSoon(): void {
    feedOf(this.#context.app).stored.inTurn(() => this.#catchUp());
  }

  #catchUp(): void {
    if (this.#isOver || !this.#context.app.store.database.open) return;
    if (this.owner.isAllowed()) this.#sendPage();
    else this.end();
  }

  /** Sends one page from the database, then the next one when it is this reader's turn, up to the feed's position. */
  #sendPage(): void {
    const { app, caller } = this.#context;
    const until = Math.max(feedOf(app).position, this.#position);
    const { production_id } = caller;
    const options = { production_id, after: this.#position, types: this.#types, limit: pageSize };
    try {
      const page = feedOf(app).stored.part(options, until);
      this.#position = page.position;
      this.#last = page.last ?? this.#last;
      this.#isLive = !page.more;
      const sent = page.events.at(-1);
      page.text ??= this.#format(page.events);
      if (sent !== undefined) this.#send(page.text, sent.id);
      if (page.more && this.#stalledSince === undefined) this.#catchUpSoon();
    } catch (error) {
      this.#ctx.error = error;
      this.#ctx.res.destroy();
    }
  }
}

/**
 * Begins the answer that a reader of the feed writes, until the client disconnects, the server stops or the credentials
 * end. Throws 503 if the key has too many readers.
 */
export function streamTo({ app, req, res }: RequestContext, reader: Reader): Promise<void> {
  const remove = feedOf(app).add(reader);
  const closed = new Promise<void>((resolve) => {
    res.once("close", () => {
      remove();
      resolve();
    });
  });
  res.shouldKeepAlive = false; // the connection ends with the stream
  res.writeHead(200, streamHeaders);
  disableIdleTimeout(req.socket); // a stream may be quiet; a comment shows that both sides are there
  return closed;
}

/** Sends events. Throws what streamTo throws. */
export function streamEvents(
  ctx: RequestContext,
  context: Context,
  subscription: Subscription,
  times = ctx.app.options.streamTimes ?? defaultStreamTimes,
): Promise<void> {
  const stream = new EventStream(ctx, context, subscription, times);
  const closed = streamTo(ctx, stream);
  stream.start();
  return closed;
}
