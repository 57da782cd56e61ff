// The program as a person starts and stops it: its release, how it is called, and the signals that end a command.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "./wording.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isCheckout = import.meta.url.endsWith(".ts");

/** The first word of a command where no checkout is in use: npx only if it runs this. */
const called = !isCheckout && process.env.npm_command === "exec" ? "npx @tallylight/server" : "tallylight";

/** A command in the words that a person types to run it, such as tallylight serve. Documents say `tallylight`. */
export const commandWords = (words: string): string => `${called} ${words}`;

/** The same in a sentence, such as `tallylight serve`. */
export const commandText = (words: string): string => `\`${commandWords(words)}\``;

/**
 * What a person types here to call the program on the runtime that runs it. Outside the checkout npx only if it runs
 * this, and by the name of the package: of `tallylight` it would ask the public registry.
 */
function typedProgram(): string {
  if (!isCheckout) return called;
  const isHere = join(process.cwd(), "/") === root;
  const launcher = isHere ? "bin/tallylight.js" : shellWord(join(root, "bin/tallylight.js"));
  if ("Deno" in globalThis) return `deno run -A ${launcher}`;
  return isHere ? "npx tallylight" : launcher;
}

/** A command line with the data directory, unless that is the usual one. */
export const typedCommand = (words: string, data: string): string =>
  [typedProgram(), words, ...(join(data) === "data" ? [] : ["--data", shellWord(data)])].join(" ");

/** The version of the program, such as 1.4.0. */
export const release: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

/** The signals that end a command. SIGHUP is sent at the end of a terminal session. */
export const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Resolves at the first of the signals. A further one more than a second later ends the process at once. One within the
 * first second is ignored: a terminal signals every process of its group, and a launcher then passes the same signal
 * on.
 */
export function stopSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of signals)
      process.on(signal, () => {
        if (first !== undefined && performance.now() - first > 1000) process.exit(1);
        first ??= performance.now();
        resolve();
      });
  });
}

/**
 * Runs `work`, which ends and removes its own files once the signal is aborted. The reason is the error of `reasonOf`.
 */
export async function untilStopped<T>(
  work: (signal: AbortSignal) => Promise<T>,
  reasonOf = (name: string) => new Error(`stopped by ${name}`),
): Promise<T> {
  const stop = new AbortController();
  const listeners = stopSignals.map((name) => [name, () => stop.abort(reasonOf(name))] as const);
  for (const [name, listener] of listeners) process.on(name, listener);
  try {
    return await work(stop.signal);
  } finally {
    for (const [name, listener] of listeners) process.off(name, listener);
  }
}
