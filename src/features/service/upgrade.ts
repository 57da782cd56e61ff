// tallylight upgrade: changes the installed service to the version of a package, and back if that does not come. tallylight upgrade check:
// says what the start of this version would do to a data directory.
import { existsSync, linkSync, lstatSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import * as v from "valibot";
import type { Command, Output, ParsedArgs } from "../../core/command.ts";
import { readConfig } from "../../core/config.ts";
import { requireData } from "../../core/data_directory.ts";
import { CliError } from "../../core/errors.ts";
import { databaseName } from "../../core/store/database.ts";
import { closing, freePath, readRecord, syncPath, writeRecord } from "../../core/store/files.ts";
import { holding, lockForUpgrade } from "../../core/store/lock.ts";
import { copyBefore } from "../../core/store/migrations.ts";
import { isReplica } from "../../core/store/replica.ts";
import { checkPackage, currentName, switchTo, unpackPackage } from "./packages.ts";
import { installedService } from "./service.ts";
import { checkUpgrade, type UpgradeCheck, upgradeSentences } from "./store_upgrade.ts";
import {
  agentUnitName,
  awaitHealth,
  checkMachine,
  followUnitName,
  type Machine,
  type Service,
  systemctlWord,
  takeStep,
  thisMachine,
  tryToRun,
  unitName,
  usualSeconds,
} from "./systemd.ts";

const check: Command = {
  words: "upgrade check",
  summary: "says what an upgrade would do",
  details:
    "Which migrations are pending, how long they take, and whether the disk has space for the copy before them; a server may be running.",
  example: "tallylight upgrade check --data ./show",
  run(args) {
    requireData(args.data);
    const result = checkUpgrade(args.data);
    return { document: result, lines: upgradeSentences(result), failed: !result.fits };
  },
};

/** An upgrade that has switched the link, or is about to: what a run that was killed has to finish. */
const unfinished = v.object({
  from: v.string(),
  to: v.string(),
  /** The schema of the database before; null on a replica, which gets its schema and its safety from its primary. */
  schema: v.nullable(v.number()),
  /** How long the new version may take to come. */
  seconds: v.number(),
});
type Unfinished = v.InferOutput<typeof unfinished>;

const recordName = "upgrade.json";

/** One upgrade: the service, the folder of the packages, and the machine. */
interface Upgrading {
  machine: Machine;
  service: Service;
  /** Where the service answers. */
  url: string;
  place: string;
}

const versionOf = (place: string, name: string): string =>
  JSON.parse(readFileSync(join(place, name, "package.json"), "utf8")).version;

/** The folder of the packages. Throws CliError if the service does not run the one that `current` points to. */
function placeOf({ program: [program = ""] }: Service): string {
  const link = dirname(dirname(program));
  if (basename(link) === currentName && lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink())
    return dirname(link);
  throw new CliError(
    `the service runs ${program}, not ${currentName}/bin/tallylight beside the packages; run \`service install\` of the installed package once (nothing was changed)`,
  );
}

const runningName = (place: string): string => readlinkSync(join(place, currentName));

/** Runs a command of a package as the user of the service, so that no file in the data directory belongs to root. */
function runAs({ machine, service, place }: Upgrading, name: string, words: readonly string[]): string {
  const program = join(place, name, "bin/tallylight");
  const command = ["runuser", "-u", service.user, "--", program, ...words, "--data", service.data];
  const { ok, out, problem } = tryToRun(machine, command);
  if (!ok) throw new CliError(`${program} ${words.join(" ")} failed: ${problem}; nothing was changed`);
  return out;
}

/** Starts the service again, with the follower and the agent if there are any, and waits for a version. Throws CliError if it does not come. */
async function start(upgrading: Upgrading, verb: "start" | "restart", name: string, seconds: number): Promise<void> {
  const { machine, url, place } = upgrading;
  takeStep(machine, { run: ["systemctl", verb, unitName] });
  // The agent may run all the time: a start would leave it in the other version.
  for (const [unit, how] of [[followUnitName, verb] as const, [agentUnitName, "restart"] as const])
    if (systemctlWord(machine, "is-enabled", unit) === "enabled") takeStep(machine, { run: ["systemctl", how, unit] });
  await awaitHealth(machine, url, versionOf(place, name), seconds);
}

/** Starts the version that the link points to, unless it answers already: then what was written since must not be put at risk. */
const ensure = (upgrading: Upgrading, name: string, seconds: number): Promise<void> =>
  awaitHealth(upgrading.machine, upgrading.url, versionOf(upgrading.place, name), 0).catch(() =>
    start(upgrading, "restart", name, seconds),
  );

/** Puts the database from before the upgrade back, if the new version has changed its schema. The newer one stays beside it. */
function putDatabaseBack({ service }: Upgrading, { schema }: Unfinished): string[] {
  const file = join(service.data, databaseName);
  const found = closing(new Database(file), (database) => {
    database.pragma("wal_checkpoint(TRUNCATE)");
    return database.pragma("user_version", { simple: true }) as number;
  });
  const copy = copyBefore(file, found);
  if (schema === null || found === schema || !existsSync(copy)) return [];
  const kept = `${file}.after-schema-${found}`;
  rmSync(kept, { force: true });
  linkSync(file, kept);
  renameSync(copy, file);
  syncPath(service.data);
  return [`the database of the newer version is kept as ${basename(kept)}`];
}

/**
 * Starts the version that an upgrade switched to. If it does not come, or if the link does not point to it, goes back: returns the error that says
 * so then. Throws CliError if the version before does not come either.
 */
async function complete(upgrading: Upgrading, record: Unfinished): Promise<CliError | undefined> {
  const { machine, place } = upgrading;
  const { from, to, seconds } = record;
  const removeRecord = (): void => rmSync(join(place, recordName));
  let problem = new CliError("the upgrade was interrupted");
  try {
    if (runningName(place) !== to) throw problem;
    await ensure(upgrading, to, seconds);
    return removeRecord() as undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    problem = error;
  }
  takeStep(machine, { run: ["systemctl", "stop", unitName] });
  const kept = putDatabaseBack(upgrading, record);
  switchTo(place, from);
  await start(upgrading, "start", from, usualSeconds);
  removeRecord();
  const log = problem.lines.length > 0 ? ["its log ended with:"] : [];
  const sentences = [`${to} did not come (${problem.message})`, `${from} runs again`, ...kept, ...log];
  return new CliError(sentences.join("; "), problem.lines);
}

/** Checks the data directory and backs it up. Returns what `upgrade check` says, and what `restore` takes. Throws CliError if either fails. */
function prepare(upgrading: Upgrading, from: string, to: string, named: string | undefined): [UpgradeCheck, string] {
  const { data } = upgrading.service;
  const folder = named === undefined ? readConfig(data, process.env).backup?.folder : undefined;
  const words = folder === undefined ? [named ?? freePath(join(data, `${from}.tar`))] : ["--to", folder];
  const result: UpgradeCheck = JSON.parse(runAs(upgrading, to, ["upgrade", "check", "--json"]));
  if (!result.fits) throw new CliError("the disk has not enough free space for the upgrade; nothing was changed");
  const { file, folder: into, name } = JSON.parse(runAs(upgrading, from, ["backup", ...words, "--json"]));
  return [result, file ?? `${into}@${name}`];
}

async function upgrade(args: ParsedArgs, machine: Machine): Promise<Output> {
  checkMachine(machine);
  const service = installedService(args, machine);
  const place = placeOf(service);
  const { url } = service;
  if (url === undefined)
    throw new CliError("the service listens on any free port, so no upgrade could ask whether it runs");
  const lock = lockForUpgrade(place);
  if (lock === undefined) throw new CliError(`another upgrade in ${place} is running; nothing was changed`);
  return holding(lock, () => upgradeLocked(args, { machine, service, url, place }));
}

async function upgradeLocked(args: ParsedArgs, upgrading: Upgrading): Promise<Output> {
  const { machine, service, place } = upgrading;
  const left = readRecord(join(place, recordName), unfinished);
  const failed = left && (await complete(upgrading, left));
  const sentences = failed === undefined ? [] : [failed.message, ...failed.lines];
  const file = args.positionals[0] as string;
  const to = await checkPackage(file);
  const current = runningName(place);
  await unpackPackage(file, to, place, (command) => machine.run(command));
  let [from, backup]: [string | undefined, string | null] = [failed === undefined ? left?.from : undefined, null];
  if (current === to) await ensure(upgrading, to, usualSeconds);
  else {
    from = current;
    requireData(service.data);
    let result: UpgradeCheck | undefined;
    if (!isReplica(service.data)) [result, backup] = prepare(upgrading, from, to, args.text("backup"));
    const record = { from, to, schema: result?.schema ?? null, seconds: usualSeconds + 4 * (result?.seconds ?? 300) };
    writeRecord(join(place, recordName), record, true);
    syncPath(place);
    switchTo(place, to);
    const problem = await complete(upgrading, record);
    if (problem !== undefined) throw problem;
  }
  const what = from ? `runs; ${from} is still in ${place}, and can be removed` : "already runs; nothing was changed";
  return {
    document: { from: from ?? to, to, changed: from !== undefined, backup },
    lines: [...sentences, `${to} ${what}`, ...(backup === null ? [] : [`the backup is ${backup}`])],
  };
}

/** The commands on a machine; tests give another one than this. */
export const upgradeCommands = (machine: Machine): readonly Command[] => [
  {
    words: "upgrade",
    summary: "changes the service to another version",
    details:
      "That of a package: checks and unpacks it, makes a backup, restarts, and goes back if the new version does not answer.",
    example: "tallylight upgrade tallylight-1.2.0-linux-x64.tar.gz",
    positionals: ["PACKAGE"],
    directory: { data: { value: "DIR", summary: "the data directory; that of the installed service by default" } },
    flags: {
      backup: {
        value: "FILE",
        summary:
          "the backup that is made before; in the folder of the setting backup by default, otherwise a file in the data directory",
      },
    },
    run: (args) => upgrade(args, machine),
  },
  check,
];

export const commands: readonly Command[] = upgradeCommands(thisMachine);
