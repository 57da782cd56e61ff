// tallylight follow, promote: copies a primary's data directory, and makes a replica a primary.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command, Flag, ParsedArgs } from "../../core/command.ts";
import { readConfig } from "../../core/config.ts";
import { requireData } from "../../core/data_directory.ts";
import { CliError, cannotRead, UsageError } from "../../core/errors.ts";
import { untilStopped } from "../../core/program.ts";
import { cut } from "../../core/spelling.ts";
import { minute } from "../../core/times.ts";
import { type Copied, follow as followSource } from "./follower.ts";
import { peerOf } from "./peer.ts";
import type { Programs } from "./programs.ts";
import { type Promotion, promote as promoteReplica } from "./promotion.ts";
import { sourceOf } from "./source.ts";

const programFlags: Readonly<Record<string, Flag>> = {
  "ssh-port": {
    value: "PORT",
    summary: "the port of ssh on the other machine; that of ssh's configuration by default",
  },
  rsync: { value: "PATH", summary: "the program rsync; rsync by default" },
};

/** sqlite3_rsync of the package, if this is one that holds it. */
const packaged = fileURLToPath(new URL("../../bin/sqlite3_rsync", import.meta.url));

/** What a file of --config may say: the source, and what flags of the same names say otherwise. */
const fileSettings = ["source", "every", "copier", "remote_copier", "ssh_port", "rsync"];

/** The flags, and for those that are not given the settings in the file of --config. Throws CliError if it cannot be read, or says something else. */
function withFile(given: ParsedArgs): ParsedArgs {
  const file = given.text("config");
  if (file === undefined) return given;
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(`${file} is not valid JSON`);
    throw cannotRead(file, error);
  }
  const entries = Object.entries(settings ?? {});
  const wrong = entries.find(
    ([name, value]) => !fileSettings.includes(name) || !/^(string|number)$/.test(typeof value),
  );
  if (wrong !== undefined)
    throw new CliError(`${file}: ${wrong[0]} must be one of ${fileSettings.join(", ")}, with a text or a number`);
  const texts = new Map(entries.map(([name, value]) => [name.replaceAll("_", "-"), String(value)]));
  return { ...given, text: (flag) => given.text(flag) ?? texts.get(flag) };
}

/** SOURCE of the command line, otherwise that of the file. */
function sourceNamed(args: ParsedArgs): string {
  const source = args.positionals[0] ?? args.text("source");
  if (source === undefined) throw new UsageError("follow needs SOURCE, or --config FILE with a source");
  return source;
}

const programsOf = (args: ParsedArgs): Programs => ({
  sqlite3_rsync: args.text("copier") ?? (existsSync(packaged) ? packaged : "sqlite3_rsync"),
  remote_sqlite3_rsync: args.text("remote-copier"),
  rsync: args.text("rsync") ?? "rsync",
  ssh_port: args.text("ssh-port"),
});

/** The seconds of --every in milliseconds. */
function everyOf(args: ParsedArgs): number {
  const written = args.text("every") ?? "1";
  const seconds = Number(written);
  if (!/^\d+(\.\d+)?$/.test(written) || seconds < 0.1 || seconds > 3600)
    throw new UsageError(`--every takes seconds from 0.1 to 3600, not ${cut(written)}`);
  return seconds * 1000;
}

/** How often the state is printed if nothing changes, in milliseconds. */
const usualInterval = minute;

/** Prints the first copy, every change of the state, and one line a minute. */
function openReport(json: boolean) {
  let printed = Number.NEGATIVE_INFINITY;
  let state = "";
  let most = 0;
  const print = (document: object, line: string) =>
    void process.stdout.write(json ? `${JSON.stringify(document)}\n` : `${line}\n`);
  return {
    copied(copied: Copied): void {
      const { lag, media, missing, problem } = copied;
      most = Math.max(most, lag);
      const now = `copied ${missing} ${problem ?? ""}`;
      if (now === state && media === 0 && performance.now() - printed < usualInterval) return;
      const files = `${media > 0 ? `, ${media} media copied` : ""}${missing > 0 ? `, ${missing} media missing` : ""}`;
      const reason = problem === undefined ? "" : ` (${problem})`;
      print(
        { copied, max_lag: most },
        `copied; the copy was ${(most / 1000).toFixed(2)} s old at most${files}${reason}`,
      );
      [state, printed, most] = [now, performance.now(), 0];
    },
    kept(name: string): void {
      print({ kept: name }, `the former database is kept as ${name}: it may have commits that the new primary lacks`);
    },
    failed({ message }: CliError, pause: number): void {
      print({ failed: message, pause }, `not copied: ${message}; trying again in ${(pause / 1000).toFixed(1)} s`);
      state = "failed";
    },
  };
}

const peerSentence = ({ url, told, reason }: NonNullable<Promotion["peer"]>): string =>
  told
    ? `${url} was told: it is a replica now, and takes no writes`
    : `${url} was not told (${reason}); it asks this box when it starts, so keep this one reachable for it`;

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
        summary: "the program sqlite3_rsync; that of the package, otherwise sqlite3_rsync in the PATH, by default",
      },
      "remote-copier": {
        value: "PATH",
        summary: "the program sqlite3_rsync on the other machine; found in its PATH by default",
      },
      ...programFlags,
    },
    async run(given) {
      const args = withFile(given);
      const source = sourceNamed(args);
      const ended = await untilStopped((signal) =>
        followSource({
          source: sourceOf(source, args.data),
          data: args.data,
          programs: programsOf(args),
          every: everyOf(args),
          signal,
          ...openReport(args.json),
        }),
      );
      const line = ended === "promoted" ? `${args.data} is being promoted; following ended` : "following ended";
      process.stderr.write(`${line}\n`);
      return undefined;
    },
  },
  {
    words: "promote",
    summary: "makes a replica a primary",
    details: "Ends following, checks the copy, fetches the missing media and starts a new epoch.",
    example: "tallylight promote --data ./replica",
    flags: {
      damaged: { summary: "takes what is damaged as it is, and says each medium and row that is" },
      ...programFlags,
    },
    async run(args) {
      requireData(args.data);
      const promotion = await promoteReplica({
        data: args.data,
        programs: programsOf(args),
        damaged: args.has("damaged"),
        peer: peerOf(args.data, readConfig(args.data, process.env)),
      });
      const { source, synced_at, missing, broken, peer } = promotion;
      return {
        document: promotion,
        lines: [
          `${args.data} is a primary now; start it with tallylight serve --data ${args.data}`,
          `it has everything that was committed at ${source} before ${synced_at}; what was committed later may be missing`,
          ...(peer === undefined ? [] : [peerSentence(peer)]),
          ...missing.map((name) => `missing: ${join(args.data, name)}`),
          ...broken.map((sentence) => `broken: ${sentence}`),
        ],
        notes: peer?.told
          ? []
          : [
              `the server of ${source} must not run again on its own data: two primaries would diverge, and no program can merge them; that is why promotion is never automatic`,
            ],
      };
    },
  },
];
