// Polls the approved moves from the server, checks them, reports the fingerprints, carries the moves out and
// acknowledges them.
import { randomBytes } from "node:crypto";
import { dirname, join, posix } from "node:path";
import * as v from "valibot";
import type { ServerAnswer } from "../client.ts";
import type { Components } from "../components.ts";
import { AgentError, codeOrTextOf } from "../errors.ts";
import { isSameFile, isWithin, statsOf } from "../file_state.ts";
import { hashFile } from "./bytes.ts";
import { destinationExists, isListedInFolder, otherUnicodeForm, pathOnDisk } from "./destination.ts";
import { MoveProblem } from "./folder.ts";
import { type Intent, runMove } from "./move.ts";

const task = v.object({ task_id: v.pipe(v.number(), v.safeInteger()), src: v.string(), dst: v.string() });
const pending = v.object({ tasks: v.array(task) });
export type Task = v.InferOutput<typeof task>;

/** What a check of a task needs. */
type Place = Pick<Components, "root" | "ignore">;

const isClean = (path: string): boolean =>
  !path.includes("\0") && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path) && !/^[A-Za-z]:/.test(path);

/** Throws MoveProblem for paths that are not the agent's business. */
async function checkPaths({ src, dst }: Task, { root, ignore }: Place): Promise<void> {
  for (const [name, path] of Object.entries({ source: src, destination: dst })) {
    if (!isClean(path)) throw new MoveProblem(`the ${name} is not a path below the root; nothing was moved`);
    if (ignore.takesAnyOf(path)) throw new MoveProblem(`the agent ignores the ${name}; nothing was moved`);
    if (!(await isWithin(root, path))) throw new MoveProblem(`a symbolic link leads to the ${name}; nothing was moved`);
  }
}

/** Returns the task with the path that its source has on the disk. Throws MoveProblem if it cannot be carried out. */
async function checked(given: Task, place: Place): Promise<Task> {
  const task = isClean(given.src) ? { ...given, src: await pathOnDisk(place.root, given.src) } : given;
  await checkPaths(task, place);
  const { root } = place;
  const { src, dst } = task;
  const [from, to] = [join(root, src), join(root, dst)];
  const source = await statsOf(from);
  if (source === undefined) throw new MoveProblem("the source does not exist; nothing was moved");
  if (!source.isFile()) {
    const kind = source.isDirectory() ? "a folder" : source.isSymbolicLink() ? "a symbolic link" : "no regular file";
    throw new MoveProblem(`the source is ${kind}; nothing was moved`);
  }
  const target = await statsOf(to);
  if (target !== undefined && (!isSameFile(source, target) || (await isListedInFolder(to))))
    throw new MoveProblem(destinationExists);
  const twin = await otherUnicodeForm(to);
  if (twin !== undefined && join(dirname(to), twin) !== from)
    throw new MoveProblem("the destination exists already in another Unicode form; nothing was moved");
  return task;
}

/** Logs each task that is pending, with the reason if it cannot be carried out. */
export async function rehearseTasks({
  client,
  log,
  ...place
}: Place & Pick<Components, "client" | "log">): Promise<void> {
  for (const task of tasksOf(await client.call("/storage/tasks"))) {
    const problem = await checked(task, place).then(
      () => undefined,
      (error) => (error instanceof MoveProblem ? error.message : codeOrTextOf(error)),
    );
    log("would_move", { ...task, ...(problem !== undefined && { problem }) });
  }
}

export class Tasks {
  readonly #parts: Components;
  /** Why a task could not be carried out at the last try, so that the log says it once. */
  readonly #waiting = new Map<number, string>();

  constructor(parts: Components) {
    this.#parts = parts;
  }

  /** Finishes or undoes what a crash left, then carries out what is pending, oldest first. */
  async run(): Promise<void> {
    const { client, intents } = this.#parts;
    for (const intent of intents.all()) await this.#carryOut(intent);
    for (const task of tasksOf(await client.call("/storage/tasks"))) await this.#take(task, intents.get(task.task_id));
  }

  async #take(task: Task, intent: Intent | undefined): Promise<void> {
    try {
      const prepared = intent ?? (await this.#prepare(task));
      if (prepared !== undefined) await this.#carryOut(prepared);
    } catch (error) {
      if (error instanceof MoveProblem) await this.#settle(task, false, error.message);
      else this.#wait(task, error);
    }
  }

  /** The disk failed: the next poll tries again. Throws what is no failure of the disk. */
  #wait({ task_id, src, dst }: Task, error: unknown): void {
    const { log, signal } = this.#parts;
    signal.throwIfAborted();
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
    const reason = codeOrTextOf(error);
    if (this.#waiting.get(task_id) !== reason) log("move_waits", { task_id, src, dst, reason });
    this.#waiting.set(task_id, reason);
  }

  /** Checks and fingerprints; the intent is on disk when this answers. Undefined if the task is settled already. */
  async #prepare(given: Task): Promise<Intent | undefined> {
    const { root, signal, client, intents, options } = this.#parts;
    const { step } = options;
    const task = await checked(given, this.#parts);
    const file = join(root, task.src);
    const before = await statsOf(file);
    const sha256 = await hashFile(file, signal);
    const after = await statsOf(file);
    if (before === undefined || after?.mtimeNs !== before.mtimeNs || after.size !== before.size)
      throw new MoveProblem("the source is being written; nothing was moved");
    const body = JSON.stringify({ task_id: task.task_id, src_sha256: sha256 });
    const answer = await client.call("/storage/tasks/ack", body);
    step?.("fingerprinted");
    if (answer.status !== 200 || answer.body.fingerprinted !== true) return undefined;
    const id = `${task.task_id}-${randomBytes(6).toString("hex")}`;
    const intent: Intent = {
      task_id: task.task_id,
      src: task.src,
      dst: task.dst,
      sha256,
      source: {
        dev: String(after.dev),
        ino: String(after.ino),
        size: String(after.size),
        mtime_ns: String(after.mtimeNs),
      },
      temporary: posix.join(posix.dirname(task.dst), `.tallylight-${id}.part`),
      token: `tallylight move ${id}\n`,
    };
    intents.save(intent);
    step?.("intended");
    return intent;
  }

  /** From the intent to the acknowledgement. */
  async #carryOut(intent: Intent): Promise<void> {
    const { intents, options, journal, spool, alarm } = this.#parts;
    let [ok, note] = [true, ""];
    try {
      await checkPaths(intent, this.#parts); // a link may have been created since
      note = await runMove(intent, this.#parts);
    } catch (error) {
      if (!(error instanceof MoveProblem)) return this.#wait(intent, error);
      [ok, note] = [false, error.message];
    }
    await this.#settle(intent, ok, note);
    const paths = [intent.src, intent.dst];
    if (ok) journal.forget(paths); // the server has moved its rows
    for (const path of paths) spool.add({ path, source: "reconciler", named: true });
    alarm.ring();
    intents.remove(intent.task_id);
    options.step?.("acknowledged");
  }

  async #settle({ task_id, src, dst }: Task, ok: boolean, note: string): Promise<void> {
    const { client, clock, log, status } = this.#parts;
    const answer = await client.call("/storage/tasks/ack", JSON.stringify({ task_id, ok, note }));
    clock.pass(answer.date);
    this.#waiting.delete(task_id);
    const unknown = answer.status === 200 ? {} : { server: answer.body.detail };
    log("move", { task_id, src, dst, ok, note, ...unknown });
    status.count("moves", ok ? { done: 1 } : { failed: 1 });
  }
}

/** The tasks of an answer. Throws AgentError if the answer is not valid. */
function tasksOf({ status, body }: ServerAnswer): Task[] {
  const { success, output } = v.safeParse(pending, body);
  if (status !== 200 || !success) throw new AgentError("the server's answer to /storage/tasks is not valid");
  return output.tasks;
}
