// Polls the approved moves from the server, checks them, reports the fingerprints, carries the moves out and acknowledges them.
import { randomBytes } from "node:crypto";
import { dirname, join, posix } from "node:path";
import type { ServerAnswer } from "../client.ts";
import { AgentError, codeOf } from "../errors.ts";
import { isSameFile, isWithin, statsOf } from "../look.ts";
import type { Shared } from "../parts.ts";
import type { StatusFile } from "../status.ts";
import { hashFile } from "./bytes.ts";
import { MoveProblem } from "./folder.ts";
import { type Intent, type Intents, runMove } from "./move.ts";
import { lists, taken, twinOf } from "./place.ts";

export interface Task {
  task_id: number;
  src: string;
  dst: string;
}

export interface TasksOptions extends Pick<Shared, "root" | "ignore" | "client" | "clock" | "log" | "signal"> {
  /** Changes nothing and says what it would do. */
  dryRun?: boolean;
  /** Undefined for a dry run. */
  status?: StatusFile;
  /** Undefined for a dry run. */
  intents?: Intents;
  /** Is called with the paths of a move; `settled` if the server has recorded it as done, so that its rows have moved too. */
  moved(paths: readonly string[], settled: boolean): void;
  /** Is called with each step; tests end the process here. */
  step?: ((name: string) => void) | undefined;
}

const isClean = (path: string): boolean =>
  !path.includes("\0") && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path) && !/^[A-Za-z]:/.test(path);

/** Throws MoveProblem for paths that are not the agent's business. */
async function checkPaths({ src, dst }: Task, { root, ignore }: TasksOptions): Promise<void> {
  for (const [name, path] of Object.entries({ source: src, destination: dst })) {
    if (!isClean(path)) throw new MoveProblem(`the ${name} is not a path below the root; nothing was moved`);
    if (ignore.takesAnyOf(path)) throw new MoveProblem(`the agent ignores the ${name}; nothing was moved`);
    if (!(await isWithin(root, path))) throw new MoveProblem(`a symbolic link leads to the ${name}; nothing was moved`);
  }
}

/** Throws MoveProblem if a task cannot be carried out. */
async function check(task: Task, options: TasksOptions): Promise<void> {
  await checkPaths(task, options);
  const { root } = options;
  const { src, dst } = task;
  const [from, to] = [join(root, src), join(root, dst)];
  const source = await statsOf(from);
  if (source === undefined) {
    const twin = await twinOf(from);
    const aside = twin === undefined ? "" : ", only its name in another Unicode form";
    throw new MoveProblem(`the source does not exist${aside}; nothing was moved`);
  }
  if (!source.isFile()) {
    const kind = source.isDirectory() ? "a folder" : source.isSymbolicLink() ? "a symbolic link" : "no regular file";
    throw new MoveProblem(`the source is ${kind}; nothing was moved`);
  }
  const target = await statsOf(to);
  if (target !== undefined && (!isSameFile(source, target) || (await lists(to)))) throw new MoveProblem(taken);
  const twin = await twinOf(to);
  if (twin !== undefined && join(dirname(to), twin) !== from)
    throw new MoveProblem("the destination exists already in another Unicode form; nothing was moved");
}

export class Tasks {
  readonly #options: TasksOptions;
  /** Why a task could not be carried out at the last try, so that the log says it once. */
  readonly #waiting = new Map<number, string>();

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** Finishes or undoes what a crash left. */
  async recover(): Promise<void> {
    for (const intent of this.#options.intents?.all() ?? []) await this.#carryOut(intent);
  }

  /** Carries out what is pending, oldest first; answers how many moves were settled. */
  async poll(): Promise<number> {
    const { intents, dryRun } = this.#options;
    let settled = 0;
    for (const task of tasksOf(await this.#options.client.call("/storage/tasks"))) {
      if (dryRun) await this.#rehearse(task);
      else if (await this.#take(task, intents?.get(task.task_id))) settled++;
    }
    return settled;
  }

  async #rehearse(task: Task): Promise<void> {
    const problem = await check(task, this.#options).then(
      () => undefined,
      (error) => (error instanceof MoveProblem ? error.message : codeOf(error)),
    );
    this.#options.log("would_move", { ...task, ...(problem !== undefined && { problem }) });
  }

  /** Whether the task was settled. */
  async #take(task: Task, intent: Intent | undefined): Promise<boolean> {
    try {
      const prepared = intent ?? (await this.#prepare(task));
      return prepared !== undefined && (await this.#carryOut(prepared));
    } catch (error) {
      if (error instanceof MoveProblem) return this.#settle(task, false, error.message);
      this.#wait(task, error);
      return false;
    }
  }

  /** The disk failed: the next poll tries again. Throws what is no failure of the disk. */
  #wait({ task_id, src, dst }: Task, error: unknown): void {
    const { log, signal } = this.#options;
    signal.throwIfAborted();
    if (error instanceof AgentError || typeof (error as { code?: unknown }).code !== "string") throw error;
    const reason = codeOf(error);
    if (this.#waiting.get(task_id) !== reason) log("move_waits", { task_id, src, dst, reason });
    this.#waiting.set(task_id, reason);
  }

  /** Checks and fingerprints; the intent is on disk when this answers. Undefined if the task is settled already. */
  async #prepare(task: Task): Promise<Intent | undefined> {
    const { root, signal, client, intents, step } = this.#options;
    await check(task, this.#options);
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
      ...{ task_id: task.task_id, src: task.src, dst: task.dst, sha256 },
      source: {
        ...{ dev: String(after.dev), ino: String(after.ino) },
        ...{ size: String(after.size), mtime_ns: String(after.mtimeNs) },
      },
      temporary: posix.join(posix.dirname(task.dst), `.tallylight-${id}.part`),
      token: `tallylight move ${id}\n`,
    };
    intents?.save(intent);
    step?.("intended");
    return intent;
  }

  /** From the intent to the acknowledgement; whether the task was settled. */
  async #carryOut(intent: Intent): Promise<boolean> {
    const { root, signal, intents, step, moved } = this.#options;
    const save = (changed: Intent) => intents?.save(changed);
    let [ok, note] = [true, ""];
    try {
      await checkPaths(intent, this.#options); // a link may have been created since
      note = await runMove(intent, { root, signal, save, step });
    } catch (error) {
      if (!(error instanceof MoveProblem)) {
        this.#wait(intent, error);
        return false;
      }
      [ok, note] = [false, error.message];
    }
    await this.#settle(intent, ok, note);
    moved([intent.src, intent.dst], ok);
    intents?.remove(intent.task_id);
    step?.("acknowledged");
    return true;
  }

  async #settle({ task_id, src, dst }: Task, ok: boolean, note: string): Promise<boolean> {
    const { client, clock, log, status } = this.#options;
    const answer = await client.call("/storage/tasks/ack", JSON.stringify({ task_id, ok, note }));
    clock.pass(answer.date);
    this.#waiting.delete(task_id);
    const unknown = answer.status === 200 ? {} : { server: answer.body.detail };
    log("move", { task_id, src, dst, ok, note, ...unknown });
    status?.count("moves", ok ? { done: 1 } : { failed: 1 });
    return true;
  }
}

/** The tasks of an answer. Throws AgentError if the answer is not valid. */
function tasksOf({ status, body }: ServerAnswer): Task[] {
  const { tasks } = body as { tasks?: unknown };
  const isTask = (task: Partial<Task> | null): boolean =>
    Number.isSafeInteger(task?.task_id) && typeof task?.src === "string" && typeof task.dst === "string";
  if (status !== 200 || !Array.isArray(tasks) || !tasks.every(isTask))
    throw new AgentError("the server's answer to /storage/tasks is not valid");
  return tasks;
}
