// Stores what `tallylight agent status` shows in a small file of the state, which is replaced at most twice a second.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "./errors.ts";
import type { Settings } from "./settings.ts";

export interface Refusal {
  time: string;
  path: string;
  reason: string;
}

export interface Held {
  since: string;
  reason: string;
  /** How many deletes the last full pass would have reported; 0 if none has counted them. */
  deletes: number;
}

export interface Status {
  filespace: string;
  url: string;
  root: string;
  updated_at: string;
  /** The last answer of the server. */
  last_contact: string | null;
  /** Why the server cannot be used at the moment. */
  away: string | null;
  /** How changes are noticed between passes. */
  source: "audit trail" | "watch" | null;
  /** Paths waiting to be looked at. */
  spool: number;
  /** Files that the server knows to be present. */
  files: number;
  /** Names that the last full pass could not report, because they are not UTF-8. */
  not_utf8: number;
  /** Deletes that wait until the root has been seen again or they are confirmed. */
  held: Held | null;
  last_full_pass: string | null;
  /** Events, since the state was made. */
  events: { accepted: number; duplicates: number; refused: number };
  stand_ins: { made: number; impossible: number };
  moves: { done: number; failed: number };
  /** The last ones, newest first. */
  refusals: Refusal[];
}

const mostRefusals = 20;
const saveEvery = 500;

const fileOf = (state: string): string => join(state, "status.json");

export class StatusFile {
  readonly status: Status;
  readonly #file: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Opens the status of a state, and writes it. */
  constructor({ state, filespace, url, root }: Pick<Settings, "state" | "filespace" | "url" | "root">) {
    this.#file = fileOf(state);
    this.status = { ...emptyStatus, ...counted(state), filespace, url, root };
    this.save();
  }

  change(changes: Partial<Status>): void {
    Object.assign(this.status, changes);
    this.#timer ??= setTimeout(() => this.save(), saveEvery);
    this.#timer.unref?.();
  }

  /** Counts further ones of a part. */
  count<P extends "events" | "stand_ins" | "moves">(part: P, more: Partial<Record<keyof Status[P], number>>): void {
    const added: Readonly<Record<string, number | undefined>> = more;
    const counts = Object.entries<number>(this.status[part]).map(([name, count]) => [name, count + (added[name] ?? 0)]);
    this.change({ [part]: Object.fromEntries(counts) });
  }

  refuse(path: string, reason: string): void {
    const refusals = [{ time: new Date().toISOString(), path, reason }, ...this.status.refusals];
    this.change({ refusals: refusals.slice(0, mostRefusals) });
  }

  /** Writes it now. A disk that is full leaves the former text. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.status.updated_at = new Date().toISOString();
    try {
      writeFileSync(`${this.#file}.new`, `${JSON.stringify(this.status)}\n`, { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file); // not synced: losing the newest text does no harm
    } catch {
      // nothing relies on it
    }
  }
}

const emptyStatus: Omit<Status, "filespace" | "url" | "root"> = {
  updated_at: "",
  last_contact: null,
  away: null,
  source: null,
  spool: 0,
  files: 0,
  not_utf8: 0,
  held: null,
  last_full_pass: null,
  events: { accepted: 0, duplicates: 0, refused: 0 },
  stand_ins: { made: 0, impossible: 0 },
  moves: { done: 0, failed: 0 },
  refusals: [],
};

/** What goes on counting from the last run. */
function counted(state: string): Partial<Status> {
  try {
    const { events, stand_ins, moves, refusals, last_full_pass, held } = readStatus(state);
    return { events, stand_ins, moves, refusals, last_full_pass, held };
  } catch {
    return {};
  }
}

/** The status of a state folder. Throws AgentError if no agent has used it. */
export function readStatus(state: string): Status {
  try {
    return JSON.parse(readFileSync(fileOf(state), "utf8"));
  } catch {
    throw new AgentError(`${state} is not the state of an agent; give the --state that the agent runs with`);
  }
}
