// tallylight follow, promote: copies a primary's data directory, and makes a replica a primary.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import type { Command, ParsedArgs } from "../../core/command.ts";
import { readConfig } from "../../core/config.ts";
import { requireData } from "../../core/data_directory.ts";
import { CliError, UsageError } from "../../core/errors.ts";
import { invalidJson } from "../../core/json_fault.ts";
import { commandText, untilStopped } from "../../core/program.ts";
import { cannotRead } from "../../core/system_errors.ts";
import { cut, shellWord } from "../../core/wording.ts";
import { sourceOf } from "./copying.ts";
import { type FollowReport, follow } from "./follower.ts";
import { peerOf } from "./peer.ts";
import { promote } from "./promotion.ts";

/** sqlite3_rsync of the package, if this is one that holds it. */
const packaged = fileURLToPath(new URL("../../../bin/sqlite3_rsync", import.meta.url));

const value = v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String)));
const fileSchema = v.strictObject({ source: value, every: value, copier: value, remote_copier: value });

/** The settings in a file of --config. Throws CliError if it cannot be read, or says something else. */
function settingsIn(file: string | undefined): v.InferOutput<typeof fileSchema> {
  if (file === undefined) return {};
  let text = "";
  try {
    text = readFileSync(file, "utf8");
    return v.parse(fileSchema, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(invalidJson(file, text));
    if (!(error instanceof v.ValiError)) throw cannotRead(file, error);
    const names = Object.keys(fileSchema.entries).join(", ");
    throw new CliError(`${file}: ${v.getDotPath(error.issues[0])} must be one of ${names}, with a text or a number`);
  }
}

/** The seconds of --every in milliseconds. */
function everyOf(written: string): number {
  const seconds = Number(written);
  if (/^\d+(\.\d+)?$/.test(written) && seconds >= 0.1 && seconds <= 3600) return seconds * 1000;
  throw new UsageError(`--every takes seconds from 0.1 to 3600, not ${cut(written)}`);
}

/** What a follower tells, as a line. */
function lineOf(report: FollowReport): string {
  if ("kept" in report)
    return `the former database is kept as ${report.kept}: it may have commits that the new primary lacks`;
  if ("failed" in report) return `not copied: ${report.failed}; trying again in ${(report.pause / 1000).toFixed(1)} s`;
  if ("waiting" in report)
    return `no copy for ${report.waiting / 1000} s: the line may be cut, or much has changed; still waiting`;
  const { lag, media, missing, problem } = report.copied;
  const counts = [media > 0 && `${media} media copied`, missing > 0 && `${missing} media missing`].filter(Boolean);
  return (
    [`copied; the copy is ${(lag / 1000).toFixed(2)} s old`, ...counts].join(", ") + (problem ? ` (${problem})` : "")
  );
}

/** Prints the first copy, every one that is not like the one before, and one a minute. */
function printing(json: boolean): (report: FollowReport) => void {
  let [printed, state] = [Number.NEGATIVE_INFINITY, ""];
  return (report) => {
    const { missing, problem, media } = "copied" in report ? report.copied : { media: 1 };
    const now = `${missing} ${problem}`;
    if (now === state && media === 0 && performance.now() - printed < 60_000) return;
    [printed, state] = [performance.now(), now];
    process.stdout.write(`${json ? JSON.stringify(report) : lineOf(report)}\n`);
  };
}

async function runFollow(args: ParsedArgs): Promise<undefined> {
  const settings = settingsIn(args.text("config"));
  const source = args.positionals[0] ?? settings.source;
  if (source === undefined) throw new UsageError("follow needs SOURCE, or --config FILE with a source");
  const copying = {
    source: sourceOf(source, args.data),
    data: args.data,
    copier: args.text("copier") ?? settings.copier ?? (existsSync(packaged) ? packaged : "sqlite3_rsync"),
    remoteCopier: args.text("remote-copier") ?? settings.remote_copier,
    every: everyOf(args.text("every") ?? settings.every ?? "1"),
    tell: printing(args.json),
  };
  const ended = await untilStopped((signal) => follow({ ...copying, signal }));
  process.stderr.write(`${ended === "promoted" ? `${args.data} is being promoted; ` : ""}following ended\n`);
}

async function runPromote({ data, has }: ParsedArgs) {
  requireData(data);
  const promotion = await promote({ data, damaged: has("damaged"), peer: peerOf(data, readConfig(data, process.env)) });
  const { source, synced_at, missing, broken, peer } = promotion;
  const peerLine = peer?.told
    ? `${peer.url} was told: it is a replica now, and takes no writes`
    : peer &&
      `${peer.url} was not told (${peer.reason}); it asks this box when it starts, so keep this one reachable for it`;
  const warning = `the server of ${source} must not run again on its own data: two primaries would diverge, and no program can merge them; that is why promotion is never automatic`;
  return {
    document: promotion,
    lines: [
      `${data} is a primary now; start it with ${commandText(`serve --data ${shellWord(data)}`)}`,
      `it has everything that was committed at ${source} before ${synced_at}; what was committed later may be missing`,
      ...(peerLine === undefined ? [] : [peerLine]),
      ...missing.map((name) => `missing: ${join(data, name)}`),
      ...broken.map((sentence) => `broken: ${sentence}`),
    ],
    notes: peer?.told ? [] : [warning],
  };
}

export const commands: readonly Command[] = [
  {
    words: "follow",
    summary: "copies a primary again and again",
    details:
      "From SOURCE, a local data directory or [USER@]HOST:DIR, into the data directory, with sqlite3_rsync and rsync, until it is stopped or promoted.",
    example: "tallylight follow box-a:/var/lib/tallylight --data ./replica",
    positionals: ["[SOURCE]"],
    flags: {
      config: {
        value: "FILE",
        summary: 'a JSON object such as {"source": "box-a:/var/lib/tallylight", "every": 1}; flags win over it',
      },
      every: {
        value: "SECONDS",
        summary: "the time from the start of one copy to the start of the next; 1 second by default",
      },
      copier: {
        value: "PATH",
        summary: "the program sqlite3_rsync; that of the package, otherwise that of the PATH, by default",
      },
      "remote-copier": {
        value: "PATH",
        summary: "the program sqlite3_rsync on the other machine; that of its PATH by default",
      },
    },
    run: runFollow,
  },
  {
    words: "promote",
    summary: "makes a replica a primary",
    details: "Ends following, checks the copy, fetches the missing media and starts a new epoch.",
    example: "tallylight promote --data ./replica",
    flags: { damaged: { summary: "takes what is damaged as it is, and says each medium and row that is" } },
    run: runPromote,
  },
];
