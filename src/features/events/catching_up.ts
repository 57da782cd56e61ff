// Lets readers catch up with the event log: they share what is read, and take turns, so that many of them do not keep
// other requests waiting.
import { openTurn } from "../../core/limits.ts";
import type { Store } from "../../core/store/store.ts";
import { lastPosition } from "./cursors.ts";
import { type EventPage, type PageOptions, readPart } from "./log.ts";

/** How long readers catch up before other work of the event loop runs, in milliseconds. */
const slice = 10;
/** How many events, and how many parts, are kept for the next readers. */
const maxKept = 20_000;

export class CatchingUp {
  readonly #store: Store;
  #waiting: (() => void)[] = [];
  /** The parts that were read since somebody waited. Stored events never change. */
  readonly #parts = new Map<string, EventPage>();
  #kept = 0;
  readonly #turn = openTurn(slice);

  constructor(store: Store) {
    this.#store = store;
  }

  /** Whether readers have used their time in this turn of the event loop. Who would read a part asks this first. */
  get isOver(): boolean {
    return this.#turn.isOver;
  }

  /** Runs `work`, which reads one part and does not throw, when it is its turn. */
  inTurn(work: () => void): void {
    if (this.#waiting.push(work) === 1) void this.#run();
  }

  async #run(): Promise<void> {
    do {
      await this.#turn.next();
      const works = this.#waiting;
      let at = 0;
      while (at < works.length && !this.#turn.isOver) works[at++]?.();
      this.#waiting = works.slice(at);
    } while (this.#waiting.length > 0);
    this.#forget();
  }

  #forget(): void {
    this.#parts.clear();
    this.#kept = 0;
  }

  /** Reads one part of the log up to the position `until`, or returns the one that another reader has read. */
  part(options: PageOptions, until: number): EventPage {
    const { production_id, after, types, limit } = options;
    const name = `${production_id} ${after} ${limit} ${until} ${types}`;
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const part = readPart(this.#store, options, until);
    if (this.#parts.size === 0) this.inTurn(() => {}); // the parts are forgotten after the last turn
    this.#kept += part.events.length + 1;
    if (this.#kept > maxKept) this.#forget();
    this.#parts.set(name, part);
    return part;
  }

  /** Reads the next page: it has an event if the log has one of the types. Rejects if the log cannot be read. */
  page(options: PageOptions): Promise<EventPage> {
    return new Promise((resolve, reject) => {
      const read = (after: number): void => {
        try {
          const page = this.part({ ...options, after }, lastPosition(this.#store, options.production_id));
          if (page.events.length > 0 || !page.more) resolve(page);
          else this.inTurn(() => read(page.position));
        } catch (error) {
          reject(error);
        }
      };
      if (this.isOver) this.inTurn(() => read(options.after));
      else read(options.after);
    });
  }
}
