// Creates the parts of the agent and connects them: opens them on a state, and closes them in reverse order.
import type Database from "better-sqlite3";
import { Client } from "./client.ts";
import { Clock } from "./clock.ts";
import { isStateDamage } from "./errors.ts";
import { Hints } from "./hints.ts";
import { Ignore } from "./ignore.ts";
import { Journal } from "./journal/journal.ts";
import type { Log } from "./log.ts";
import { Intents } from "./moves/move.ts";
import { Tasks } from "./moves/tasks.ts";
import { isPicture } from "./pictures/ffmpeg.ts";
import { StandIns } from "./pictures/stand_ins.ts";
import { Reconciler } from "./reconciler.ts";
import type { JournalEntry } from "./report.ts";
import { EventReporter } from "./reporter.ts";
import type { Settings } from "./settings.ts";
import { Sources } from "./sources.ts";
import { Spool } from "./spool.ts";
import { openState, setStateAside } from "./state.ts";
import { StatusFile } from "./status.ts";
import { Alarm, type Pace } from "./waits.ts";
import { throttleOf } from "./walk.ts";

export interface AgentOptions {
  settings: Settings;
  log: Log;
  /** Stops the agent. */
  signal: AbortSignal;
  /** One full pass and what follows from it, then the agent ends. */
  once?: boolean;
  confirmDeletes?: boolean;
  /** Makes no stand-ins; a later run makes them. */
  noStandIns?: boolean;
  /** Between the tries of a call that fails. */
  pace?: Pace;
  /** With `once`: milliseconds for which a server that does not answer is waited for. */
  patience?: number;
  /** Milliseconds for which nothing must happen at a path before it is looked at. */
  settle?: number;
  /** Milliseconds between two looks at the audit trail and at the root. */
  poll?: number;
  /** Is called with each step of a move; tests end the process here. */
  step?: (name: string) => void;
}

/** What the parts have in common. */
export interface Shared {
  /** Without symbolic links. */
  root: string;
  filespace: string;
  ignore: Ignore;
  journal: Journal;
  client: Client;
  clock: Clock;
  log: Log;
  status: StatusFile;
  signal: AbortSignal;
}

export interface Parts {
  options: AgentOptions;
  alarm: Alarm;
  database: Database.Database;
  status: StatusFile;
  spool: Spool;
  reporter: EventReporter;
  reconciler: Reconciler;
  hints: Hints;
  sources: Sources;
  standIns: StandIns;
  tasks: Tasks;
  /** A full pass is wanted soon: hints may have been missed. */
  wanted: { fullPass: boolean };
}

const usualPatience = 60_000;
const usualSettle = 400;
/** A file that changes all the time is looked at so often, in milliseconds. */
const lookEvery = 5000;

const now = (): number => performance.now();

/** The part of a client's options that is the same for every client of an agent. */
export const clientOptions = ({ settings, signal, once, pace, patience = usualPatience }: AgentOptions) => ({
  ...{ url: settings.url, key: settings.key, signal },
  ...(pace && { pace }),
  ...(once && { patience }),
});

function openClient(options: AgentOptions, status: StatusFile, clock: Clock): Client {
  const { log } = options;
  return new Client({
    ...clientOptions(options),
    answered({ date }) {
      clock.observe(date);
      status.change({ last_contact: new Date().toISOString(), away: null });
    },
    away(reason) {
      log("server", reason === undefined ? { state: "back" } : { state: "away", reason });
      status.change({ away: reason ?? null });
    },
  });
}

type Stored = Pick<Parts, "database" | "spool"> & { journal: Journal };

function openStored({ settings: { state, filespace }, once, settle = usualSettle }: AgentOptions): Stored {
  const database = openState(state, filespace);
  try {
    const spool = new Spool({ database, now, settle: once ? 0 : settle, patience: lookEvery });
    return { database, journal: new Journal(database), spool };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What is in the state; of a damaged one, which is set aside, nothing. */
function openSound(options: AgentOptions): Stored {
  try {
    return openStored(options);
  } catch (error) {
    if (!isStateDamage(error)) throw error;
    const aside = setStateAside(options.settings.state);
    options.log("journal", { damage: error.message, aside, consequence: "everything is reported anew" });
    return openStored(options);
  }
}

/** Opens everything on a state that this process has the lock of. `root` is the root without symbolic links. */
export async function openParts(options: AgentOptions, root: string): Promise<Parts> {
  const { settings, log, signal, step } = options;
  const { filespace, state, url } = settings;
  const throttle = await throttleOf(root, settings.files_per_second);
  const ignore = new Ignore(settings.ignore);
  const { database, journal, spool } = openSound(options);
  const status = new StatusFile(state, { filespace, url, root: settings.root });
  status.save();
  const clock = new Clock(journal.clock);
  const client = openClient(options, status, clock);
  const alarm = new Alarm();
  const wanted = { fullPass: true };
  const shared: Shared = { root, ignore, journal, client, clock, log, status, signal, filespace };
  const standIns = new StandIns({
    ...shared,
    program: settings.ffmpeg,
    off: options.noStandIns === true,
    patient: !options.once,
  });
  const reporter = new EventReporter({
    ...shared,
    pictures: (path) => settings.stand_ins && isPicture(path),
    doubt: () => reconciler.doubt(),
    hold: (reason) => reconciler.hold(reason),
    delivered(entries: readonly JournalEntry[]) {
      reconciler.delivered(entries);
      standIns.delivered(entries);
    },
  });
  const missed = () => {
    wanted.fullPass = true;
  };
  const sources = new Sources({ ...shared, spool, missed, hinted: () => alarm.ring() });
  const { entered } = sources;
  const confirmDeletes = options.confirmDeletes === true;
  const reconciler = new Reconciler({
    ...{ ...shared, throttle, reporter, confirmDeletes },
    ...(!options.once && { entered }),
  });
  const hints = new Hints({ ...shared, reporter, reconciler, spool, now, left: (path) => sources.left(path) });
  const moved = (paths: readonly string[], settled: boolean) => {
    if (settled) journal.forget(paths);
    for (const path of paths) spool.add({ path, source: "reconciler", named: true, merged: false });
    alarm.ring();
  };
  const intents = new Intents(database);
  const tasks = new Tasks({ ...shared, intents, moved, step });
  return { options, alarm, database, status, spool, reporter, reconciler, hints, sources, standIns, tasks, wanted };
}

/** Leaves the state as the next start wants it. Everything that was under way has ended. */
export function closeParts({ sources, spool, status, database }: Parts): void {
  sources.close();
  try {
    spool.save();
  } finally {
    status.change({ spool: spool.size });
    status.save();
    database.close();
  }
}
