// The parts of a running agent: opens them on a state, and closes them.
import type Database from "better-sqlite3";
import type { Backoff } from "../core/times.ts";
import { minute } from "../core/times.ts";
import { Alarm } from "./backoff.ts";
import { Client } from "./client.ts";
import { Clock } from "./clock.ts";
import { isStateDamage } from "./errors.ts";
import { Ignore } from "./ignore.ts";
import { Journal } from "./journal/journal.ts";
import type { Log } from "./log.ts";
import { Intents } from "./moves/move.ts";
import { Tasks } from "./moves/tasks.ts";
import { StandIns } from "./pictures/stand_ins.ts";
import { Reconciler } from "./reconciler.ts";
import { EventReporter } from "./reporter.ts";
import type { Settings } from "./settings.ts";
import { Sources } from "./sources.ts";
import { Spool } from "./spool.ts";
import { openState, setStateAside } from "./state.ts";
import { StatusFile } from "./status.ts";
import type { Throttle } from "./throttle.ts";

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
  pace?: Backoff;
  /** With `once`: milliseconds for which a server that does not answer is waited for. */
  patience?: number;
  /** Milliseconds for which nothing must happen at a path before it is looked at. */
  settle?: number;
  /** Milliseconds between two looks at the audit trail and at the root. */
  poll?: number;
  /** Is called with each step of a move; tests end the process here. */
  step?: (name: string) => void;
}

const usualPatience = minute;
const usualSettle = 400;
/** A file that changes all the time is looked at so often, in milliseconds. */
const lookEvery = 5000;

/** The part of a client's options that is the same for every client of an agent. */
export const clientOptions = ({ settings, signal, once, pace, patience = usualPatience }: AgentOptions) => ({
  url: settings.url,
  key: settings.key,
  signal,
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

type Stored = Pick<Components, "database" | "journal">;

function openStored({ settings: { state, filespace } }: AgentOptions): Stored {
  const database = openState(state, filespace);
  try {
    return { database, journal: new Journal(database) };
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

/** A running agent. Each part has the whole, and uses the others when it is called. */
export class Components {
  readonly options: AgentOptions;
  readonly settings: Settings;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Without symbolic links. */
  readonly root: string;
  readonly throttle: Throttle;
  readonly ignore: Ignore;
  readonly database: Database.Database;
  readonly journal: Journal;
  readonly spool: Spool;
  readonly intents: Intents;
  readonly status: StatusFile;
  readonly clock: Clock;
  readonly client: Client;
  readonly alarm = new Alarm();
  /** A full pass is wanted soon: hints may have been missed. */
  readonly wanted = { fullPass: true };
  readonly reporter: EventReporter;
  readonly reconciler: Reconciler;
  readonly sources: Sources;
  readonly standIns: StandIns;
  readonly tasks: Tasks;

  /** Opens the state, which this process has the lock of. */
  constructor(options: AgentOptions, root: string, throttle: Throttle) {
    const { settings, log, signal } = options;
    [this.options, this.settings, this.log, this.signal] = [options, settings, log, signal];
    [this.root, this.throttle, this.ignore] = [root, throttle, new Ignore(settings.ignore)];
    const { database, journal } = openSound(options);
    [this.database, this.journal, this.intents] = [database, journal, new Intents(database)];
    this.spool = new Spool({
      now: () => performance.now(),
      settle: options.once ? 0 : (options.settle ?? usualSettle),
      patience: lookEvery,
      overflow: () => {
        this.wanted.fullPass = true;
      },
    });
    this.status = new StatusFile(settings);
    this.clock = new Clock(journal.clock);
    this.client = openClient(options, this.status, this.clock);
    this.reporter = new EventReporter(this);
    this.reconciler = new Reconciler(this);
    this.sources = new Sources(this);
    this.standIns = new StandIns(this);
    this.tasks = new Tasks(this);
  }

  /** Leaves the state as the next start wants it. Everything that was under way has ended. */
  close(): void {
    this.sources.close();
    this.status.change({ spool: this.spool.size });
    this.status.save();
    this.database.close();
  }
}
