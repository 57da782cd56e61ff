// Runs the agent until it is stopped: looks at changed paths, makes full and partial passes, carries out moves, makes
// stand-ins and reads the audit trail. If one of these fails, all of them end.
import { hour, minute, second } from "../core/times.ts";
import { waitFor } from "./backoff.ts";
import type { Components } from "./components.ts";
import { takeHints } from "./hints.ts";
import type { RootState } from "./root_state.ts";

const usualPoll = 1000;
/** Hints that may be missing bring a full pass forward, but not more often than this, in milliseconds. */
const mostOftenFull = 10 * minute;

/** When passes are due, by performance.now(). */
class Schedule {
  #full = Number.NEGATIVE_INFINITY;
  #fullEnded = Number.NEGATIVE_INFINITY;
  #partial = Number.NEGATIVE_INFINITY;
  readonly #parts: Components;

  constructor(parts: Components) {
    this.#parts = parts;
  }

  get next(): "full" | "partial" | undefined {
    const now = performance.now();
    const { wanted } = this.#parts;
    if (now >= this.#full || (wanted.fullPass && now >= this.#fullEnded + mostOftenFull)) return "full";
    return now >= this.#partial ? "partial" : undefined;
  }

  /** Something about the root has changed. */
  hurry(): void {
    this.#full = Number.NEGATIVE_INFINITY;
  }

  ended(kind: "full" | "partial"): void {
    const { settings } = this.#parts.options;
    const now = performance.now();
    if (kind === "full") {
      const held = this.#parts.status.status.held !== null;
      this.#fullEnded = now;
      this.#full = now + (held ? settings.partial_pass_minutes * minute : settings.full_pass_hours * hour);
      this.#parts.wanted.fullPass = false;
    }
    this.#partial = now + settings.partial_pass_minutes * minute;
  }
}

const signatureOf = ({ identity, bare }: RootState): string => `${identity?.dev} ${identity?.ino} ${bare}`;

/** Looks and passes, one after the other. */
async function look(parts: Components): Promise<void> {
  const { options, alarm, spool, sources, reconciler, status } = parts;
  const { signal, poll = usualPoll } = options;
  const schedule = new Schedule(parts);
  let signature = "";
  let checked = Number.NEGATIVE_INFINITY;
  /** Whether the root is there; looked at once in a while. */
  const isThere = async (): Promise<boolean> => {
    if (performance.now() - checked < poll) return !signature.startsWith("undefined");
    checked = performance.now();
    const rootState = await reconciler.rootState();
    if (signatureOf(rootState) !== signature) schedule.hurry();
    signature = signatureOf(rootState);
    if (rootState.identity === undefined) reconciler.hold("the root is not there");
    status.change({ spool: spool.size });
    return rootState.identity !== undefined;
  };
  const between = async (): Promise<void> => {
    if (spool.wait === 0 && (await isThere())) await takeHints(parts);
  };
  await parts.reporter.resume();
  for (;;) {
    signal.throwIfAborted();
    if (await isThere()) {
      if (await takeHints(parts)) continue;
      const { next } = schedule;
      if (next === "full") {
        await sources.begin();
        const { vanished } = await reconciler.fullPass(between);
        for (const path of vanished) spool.add({ path, source: "reconciler", named: true });
      } else if (next === "partial") await reconciler.partialPass(between);
      if (next !== undefined) schedule.ended(next);
    }
    status.change({ spool: spool.size });
    await alarm.wait(Math.min(spool.wait ?? poll, poll), signal);
  }
}

/** Calls `work` again and again, with a pause in between. */
async function repeat(signal: AbortSignal, milliseconds: number, work: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await work();
    await waitFor(milliseconds, signal);
  }
}

/** Runs until the signal is aborted, or a part throws. */
export async function followFolder(parts: Components, stop: (reason: unknown) => void): Promise<void> {
  const { options, reconciler, sources, tasks, standIns } = parts;
  const { settings, signal, poll = usualPoll } = options;
  const isBelieved = async () => (await reconciler.doubt()) === undefined;
  const loops = [
    look(parts),
    repeat(signal, poll, () => sources.poll()),
    repeat(signal, settings.moves_seconds * second, async () => {
      if (await isBelieved()) await tasks.run();
    }),
    repeat(signal, poll, async () => {
      if (standIns.due && (await isBelieved())) await standIns.make();
    }),
  ];
  for (const loop of loops) loop.catch(stop);
  await Promise.allSettled(loops);
  signal.throwIfAborted();
}
