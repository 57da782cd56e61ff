// Shows on a terminal how far a command is, and ends its work at a signal.
import { CliError } from "../../core/errors.ts";
import { untilStopped } from "../../core/program.ts";
import { megabytes } from "../../core/wording.ts";

/** Called repeatedly with the number of bytes done and the total. */
export type Progress = (done: number, total: number) => void;

/**
 * Returns a function that replaces the current line on a terminal. It writes nothing if the stream is not a terminal.
 */
export function progressOn(stream: NodeJS.WriteStream): (line: string) => void {
  return (line) => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${line}`);
  };
}

/** Shows progress on a terminal. `done` clears the line. */
export function showing(what: string): { progress: Progress; done(): void } {
  const show = progressOn(process.stderr);
  return {
    progress: (bytes, total) => show(`${what}: ${megabytes(bytes)} of ${megabytes(total)}`),
    done: () => show(""),
  };
}

/** Runs work that a signal ends, and shows its progress. */
export function stoppable<T>(what: string, work: (progress: Progress, signal: AbortSignal) => Promise<T>): Promise<T> {
  const { progress, done } = showing(what);
  const stopped = (name: string) => new CliError(`stopped by ${name}; nothing was written`);
  return untilStopped((signal) => work(progress, signal), stopped).finally(done);
}
