// The settled clock: the time by which old things are deleted. It follows the clock of the machine, but no jump of it, so that a clock which is a
// year ahead deletes nothing. DIR/clock.json keeps it from one run of the server to the next.

import { join } from "node:path";
import * as v from "valibot";
import { durationText } from "../spelling.ts";
import { day, minute } from "../times.ts";
import { readRecord, writeRecord } from "./files.ts";

const clockName = "clock.json";
/** What counts as a jump, in milliseconds. */
const tolerance = 5 * minute;
/** How long a server is believed to have been off, in milliseconds. After a longer pause, the clock may be wrong. */
const usualPause = 7 * day;
/** How often the clock is looked at, in milliseconds. */
const interval = minute;

const recordSchema = v.object({ clock: v.number(), settled: v.number() });

/** What the health of a server says of its clock. docs/operating.md, "Health". */
export interface ClockState {
  /** How many jumps this server has seen. */
  jumps: number;
  /** How far the clock is ahead of the settled one, in whole seconds. */
  lead: number;
  /** The last jump, as a sentence; undefined if there was none. */
  last: string | undefined;
}

/** An open settled clock. */
export interface SettledClock {
  /** The time in milliseconds by which old things are deleted. It is never ahead of the clock. */
  now(): number;
  state(): ClockState;
  close(): void;
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

/** Opens the settled clock of a data directory. The caller must close it. */
export function openSettledClock(
  folder: string,
  { clock, running, notice, writes }: SettledClockOptions,
): SettledClock {
  let seen = { clock: clock(), running: running() };
  let settled = seen.clock;
  let jumps = 0;
  let last: string | undefined;

  function jumped(by: number, since: string): void {
    jumps++;
    last = `the clock went ${by > 0 ? "forward" : "back"} by ${durationText(by)} ${since}, to ${new Date(clock()).toISOString()}`;
    notice(`${last}; nothing is deleted because of it, and new entries get the time of the clock`);
  }

  const file = join(folder, clockName);
  const record = readRecord(file, recordSchema);
  if (record !== undefined) {
    const pause = seen.clock - record.clock;
    const isJump = pause < -tolerance || pause > usualPause;
    settled = record.settled + (isJump ? 0 : pause);
    if (isJump) jumped(pause, "since this directory was last served");
  }

  /** Follows the clock as far as this process has run. What the settled clock is behind, it makes up for at double speed. */
  function look(): void {
    const present = { clock: clock(), running: running() };
    const ran = Math.max(0, present.running - seen.running);
    const jump = present.clock - seen.clock - ran;
    const isJump = Math.abs(jump) > tolerance;
    if (isJump) jumped(jump, "while the server ran");
    if (!isJump && present.clock - settled <= 2 * ran + tolerance) settled = present.clock;
    else settled = Math.min(present.clock, settled + (isJump ? ran : 2 * ran));
    seen = present;
  }

  /** Looks at the clock, and stores what it saw. */
  function keep(): void {
    look();
    if (!writes) return;
    try {
      writeRecord(file, { clock: seen.clock, settled });
    } catch {
      // the disk is full; the next look tries again
    }
  }

  const timer = setInterval(keep, interval);
  timer.unref();
  keep();
  return {
    now() {
      look();
      return settled;
    },
    state() {
      look();
      return { jumps, lead: Math.max(0, Math.round((clock() - settled) / 1000)), last };
    },
    close() {
      clearInterval(timer);
      keep();
    },
  };
}
