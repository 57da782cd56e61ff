// The storage agent: keeps the server's list of files equal to a tree on this machine, makes stand-ins, and carries out
// moves. It may be killed at any moment; the next start continues from its state and from the files on the disk.
import { realpathSync, statSync } from "node:fs";
import { Client } from "./client.ts";
import { type AgentOptions, Components, clientOptions } from "./components.ts";
import { AgentError, codeOrTextOf, isStateDamage, isSystemError, reasonOf } from "./errors.ts";
import { hasExactTimes } from "./exact_times.ts";
import { takeHints } from "./hints.ts";
import { followFolder } from "./loop.ts";
import { checkPlaces, type Settings } from "./settings.ts";
import { lockState, setStateAside } from "./state.ts";
import type { Held } from "./status.ts";
import { throttleOf } from "./throttle.ts";

/** What one run came to. */
export interface Summary {
  /** Files met by the full pass. */
  files: number;
  created: number;
  modified: number;
  deleted: number;
  /** Events that were new to the server, that it had already, that it refused. */
  accepted: number;
  duplicates: number;
  refused: number;
  stand_ins: { made: number; impossible: number };
  moves: { done: number; failed: number };
  /** Names that cannot be reported, because they are not UTF-8. */
  not_utf8: number;
  /** Deletes that wait to be confirmed. */
  held: Held | null;
}

/** The root without symbolic links. Throws AgentError if it is no folder, or as checkPlaces does. */
export function rootOf({ root, state }: Settings): string {
  let real: string;
  try {
    real = realpathSync(root);
  } catch (error) {
    const gone = codeOrTextOf(error) === "ENOENT";
    throw new AgentError(`the root ${root} ${gone ? "does not exist" : `cannot be read: ${reasonOf(error)}`}`);
  }
  if (!statSync(real).isDirectory()) throw new AgentError(`the root ${root} is not a folder`);
  checkPlaces(real, state);
  return real;
}

/** Throws AgentError if the server refuses the key, or has another filespace than this one active. */
export async function probeServer(client: Client, filespace: string): Promise<void> {
  const { status, body } = await client.call("/storage/events", JSON.stringify({ filespace, events: [] }));
  if (status !== 200) throw new AgentError(`the server refuses the filespace ${filespace}: ${body.detail}`);
}

async function runOnce(parts: Components): Promise<number> {
  const { reporter, tasks, reconciler, standIns, spool } = parts;
  await reporter.resume();
  const { files } = await reconciler.fullPass();
  if ((await reconciler.doubt()) === undefined) {
    await tasks.run();
    while (spool.size > 0 && (await takeHints(parts)));
    await standIns.make();
  }
  return files;
}

const since = <T extends Record<string, number>>(now: T, before: T): T =>
  // safe: the same keys with numbers
  Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)])) as T;

/** Opens the parts, runs `work`, closes them, and answers what the run came to. A damaged state is set aside. */
async function withParts(
  options: AgentOptions,
  root: string,
  work: (parts: Components) => Promise<number>,
): Promise<Summary> {
  const parts = new Components(options, root, await throttleOf(root, options.settings.files_per_second));
  const { events, stand_ins, moves } = parts.status.status;
  let files = 0;
  try {
    try {
      files = await work(parts);
    } finally {
      parts.close();
    }
  } catch (error) {
    if (!isStateDamage(error)) throw error;
    const aside = setStateAside(options.settings.state);
    throw new AgentError(
      `the journal was damaged (${error.message}) and is set aside as ${aside}; started again, the agent reports everything anew`,
    );
  }
  const { status } = parts.status;
  const { create: created, modify: modified, delete: deleted } = parts.reporter.counts;
  return {
    files,
    created,
    modified,
    deleted,
    ...since(status.events, events),
    stand_ins: since(status.stand_ins, stand_ins),
    moves: since(status.moves, moves),
    not_utf8: status.not_utf8,
    held: status.held,
  };
}

/**
 * Runs the agent: with `once` one full pass and what follows from it, else until `signal` is aborted, which is no
 * failure. Throws AgentError for what a person must mend: the key, the filespace, the root, the state.
 */
export async function runAgent(options: AgentOptions): Promise<Summary | undefined> {
  const { settings, log, once } = options;
  const root = rootOf(settings);
  const release = lockState(settings.state);
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const running: AgentOptions = { ...options, signal };
  try {
    const away = (reason?: string) => reason !== undefined && log("server", { state: "away", reason });
    await probeServer(new Client({ ...clientOptions(running), away }), settings.filespace);
    if (!(await hasExactTimes()))
      log("times", { consequence: "files' times are reported to the millisecond, because this runtime shows no more" });
    return await withParts(running, root, async (parts) => {
      if (once) return runOnce(parts);
      await followFolder(parts, (reason) => failure.abort(reason));
      return 0;
    });
  } catch (error) {
    if (options.signal.aborted) return undefined;
    const reason = failure.signal.aborted ? failure.signal.reason : error;
    throw isSystemError(reason) ? new AgentError(`the disk failed: ${reason.message}`) : reason;
  } finally {
    release();
  }
}
