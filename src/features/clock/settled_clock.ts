// The settled clock: the time by which old things are deleted. It follows the clock of the machine, but no jump of it,
// so that a clock which is a year ahead deletes nothing. DIR/clock.json keeps it from one run of the server to the
// next.
import { dirname } from "node:path";
import { stateOf } from "../../core/features.ts";
import { writeRecord } from "../../core/store/files.ts";
import { day, minute } from "../../core/times.ts";
import { durationText } from "../../core/wording.ts";
import {
  afterLook,
  clockProblem,
  clockRecord,
  type KnownTime,
  knownFrom,
  recordFile,
  tolerance,
} from "./known_time.ts";

declare module "../../core/features.ts" {
  interface FeatureOptions {
    /**
     * How long this process has run in milliseconds. If only `clock` is given, it is measured by that clock, so that it
     * never jumps.
     */
    running?: () => number;
  }
}

/** How long a server is believed to have been off, in milliseconds. After a longer pause, the clock may be wrong. */
const usualPause = 7 * day;
/** How often the clock is looked at, in milliseconds. */
const interval = minute;

/** What the health of a server says of its clock. docs/operating.md, "Health". */
export interface ClockState {
  /** How many jumps this server has seen. */
  jumps: number;
  /** How far the clock is ahead of the settled one, in whole seconds. */
  lead: number;
  /** Why the clock is wrong, as a sentence; undefined if it may be right. */
  problem: string | undefined;
}

/** The clocks that it follows. */
export interface SettledClockOptions {
  /** The clock of the machine in milliseconds. */
  clock(): number;
  /** The time in milliseconds that this process has run. */
  running(): number;
  notice(sentence: string): void;
  /** Whether the directory can be written to. */
  writes: boolean;
}

/** What both clocks show at one time. */
interface Seen {
  clock: number;
  running: number;
}

/** The settled clock of a data directory. The caller must close it. */
export class SettledClock {
  readonly #folder: string;
  readonly #options: SettledClockOptions;
  readonly #timer: NodeJS.Timeout;
  #seen: Seen;
  #settled: number;
  #jumps = 0;
  #known: KnownTime;

  constructor(folder: string, options: SettledClockOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#seen = this.#present();
    const record = clockRecord(folder);
    this.#known = this.#knownAt(record, this.#seen.clock);
    this.#settled = this.#settledAt(record, this.#seen.clock);
    this.#timer = setInterval(() => this.#store(), interval);
    this.#timer.unref();
    this.#store();
  }

  /** The time in milliseconds by which old things are deleted. It is never ahead of the clock. */
  now(): number {
    this.#look();
    return this.#settled;
  }

  state(): ClockState {
    this.#look();
    const lead = Math.max(0, Math.round((this.#options.clock() - this.#settled) / 1000));
    return { jumps: this.#jumps, lead, problem: clockProblem(this.#known, this.#options.clock()) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#store();
  }

  #present(): Seen {
    return { clock: this.#options.clock(), running: this.#options.running() };
  }

  /** What is known at the start: a pause between two runs may be as long as the clock says. */
  #knownAt(record: ReturnType<typeof clockRecord>, clock: number): KnownTime {
    return afterLook(knownFrom(record, clock), clock, Math.max(0, clock - (record?.clock ?? clock)));
  }

  /** The settled time at the start: that of the last run, and the time since then unless the clock jumped. */
  #settledAt(record: ReturnType<typeof clockRecord>, clock: number): number {
    if (record === undefined) return clock;
    const pause = clock - record.clock;
    if (pause >= -tolerance && pause <= usualPause) return record.settled + pause;
    this.#jumped(pause, "since this directory was last served");
    return record.settled;
  }

  #jumped(by: number, since: string): void {
    this.#jumps++;
    const at = new Date(this.#options.clock()).toISOString();
    const jump = `the clock went ${by > 0 ? "forward" : "back"} by ${durationText(by)} ${since}, to ${at}`;
    this.#options.notice(`${jump}; nothing is deleted because of it, and new entries get the time of the clock`);
  }

  /**
   * Follows the clock as far as this process has run. What the settled clock is behind, it makes up for at double
   * speed.
   */
  #look(): void {
    const present = this.#present();
    const ran = Math.max(0, present.running - this.#seen.running);
    const jump = present.clock - this.#seen.clock - ran;
    const isJump = Math.abs(jump) > tolerance;
    if (isJump) this.#jumped(jump, "while the server ran");
    if (!isJump && present.clock - this.#settled <= 2 * ran + tolerance) this.#settled = present.clock;
    else this.#settled = Math.min(present.clock, this.#settled + (isJump ? ran : 2 * ran));
    this.#known = afterLook(this.#known, present.clock, ran);
    this.#seen = present;
  }

  /** Looks at the clock, and stores what it saw. */
  #store(): void {
    this.#look();
    if (!this.#options.writes) return;
    try {
      writeRecord(recordFile(this.#folder), { clock: this.#seen.clock, settled: this.#settled, ...this.#known });
    } catch {
      // the disk is full; the next look tries again
    }
  }
}

/** The settled clock of an open application. Of a copy, the database is read-only, and the folder is not. */
export const settledClockOf = stateOf(({ store, clock, copy, options, notice, onClose }) => {
  const running = options.running ?? (clock === Date.now ? () => performance.now() : clock);
  const writes = store.unwritable === undefined || copy !== undefined;
  const settled = new SettledClock(dirname(store.file), { clock, running, notice, writes });
  onClose(() => settled.close());
  return settled;
});
