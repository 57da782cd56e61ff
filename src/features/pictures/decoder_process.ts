// Starts the process that decodes images with its first use, gives it one image after the other, and ends it when it is
// idle or hangs.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FairQueue } from "../../core/limits.ts";
import { loaderArguments } from "../work/thread.ts";
import { notInstalled, type PictureAnswer, type PictureRequest } from "./request.ts";

/**
 * How long one picture may take, with the start of the process, and how long the process waits for the next one, in
 * milliseconds.
 */
const timeout = 20_000;
const maxIdle = 10_000;

/** Why there is no picture: nothing can make one here, or the process ended or took too long with this image. */
export type NoPicture = "unavailable" | "failed";

interface Work {
  request: PictureRequest;
  resolve: (result: PictureAnswer["outcome"] | NoPicture) => void;
}

const script = fileURLToPath(new URL("./decoder.ts", import.meta.url));
/** What the process may know of the environment. */
const inherited = ["PATH", "HOME", "TMPDIR", "DENO_DIR", "XDG_CACHE_HOME", "SystemRoot"];

/** The arguments of this process's runtime. `folder` is where pictures are written. */
const argumentsFor = (folder: string): string[] =>
  "Deno" in globalThis
    ? [
        "run",
        "--quiet",
        "--no-prompt",
        "--v8-flags=--jitless", // without it, Deno reserves more than the bound on its memory
        "--allow-read",
        "--allow-env",
        "--allow-ffi",
        "--allow-sys",
        "--allow-run=prlimit",
        `--allow-write=${folder}`,
        script,
      ]
    : [...loaderArguments, "--max-old-space-size=64", "--disable-warning=ExperimentalWarning", script];

const environment = (): Record<string, string> =>
  Object.fromEntries(
    inherited.flatMap((name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

export class DecoderProcess<Owner> {
  readonly #folder: string;
  readonly #waiting = new FairQueue<Owner, Work>();
  #child: ChildProcess | undefined;
  #current: Work | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isUnavailable = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a picture, after those that wait, the first of each owner first. */
  make(owner: Owner, request: PictureRequest): Promise<PictureAnswer["outcome"] | NoPicture> {
    if (this.#isUnavailable) return Promise.resolve("unavailable");
    return new Promise((resolve) => {
      this.#waiting.add(owner, { request, resolve });
      if (this.#current === undefined) this.#next();
    });
  }

  end(): void {
    this.#isUnavailable = true;
    this.#child?.kill("SIGKILL");
    for (const { resolve } of this.#waiting.all()) resolve("unavailable");
  }

  #next(): void {
    clearTimeout(this.#timer);
    this.#current = this.#waiting.take();
    if (this.#current === undefined) {
      this.#timer = setTimeout(() => this.#child?.kill("SIGKILL"), maxIdle).unref();
      return;
    }
    const child = this.#child ?? this.#start();
    this.#timer = setTimeout(() => child?.kill("SIGKILL"), timeout).unref();
    if (child === undefined) this.#settle("unavailable");
    else child.stdin?.write(`${JSON.stringify(this.#current.request)}\n`);
  }

  #start(): ChildProcess | undefined {
    try {
      const child = spawn(process.execPath, argumentsFor(this.#folder), {
        stdio: ["pipe", "pipe", "ignore"],
        env: environment(),
      });
      child.stdin.on("error", () => {}); // its end follows
      child.on("error", () => this.#left(child, notInstalled));
      child.on("exit", (status) => this.#left(child, status));
      createInterface({ input: child.stdout }).on("line", (line) => {
        // safe: decoder.ts writes it
        if (this.#child === child) this.#settle((JSON.parse(line) as PictureAnswer).outcome);
      });
      child.unref();
      this.#child = child;
      return child;
    } catch {
      this.#isUnavailable = true; // Deno without the permission to start it
      return undefined;
    }
  }

  #left(child: ChildProcess, status: number | null): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (status === notInstalled) this.#isUnavailable = true;
    if (this.#current !== undefined) this.#settle(this.#isUnavailable ? "unavailable" : "failed");
  }

  #settle(result: PictureAnswer["outcome"] | NoPicture): void {
    this.#current?.resolve(result);
    this.#next();
  }
}
