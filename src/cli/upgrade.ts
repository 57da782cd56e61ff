// tallylight upgrade: changes the installed service to the version of a package, and back if that does not come. tallylight upgrade check:
// says what the start of this version would do to a data directory.
import { existsSync, linkSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import { readConfig } from "../config.ts";
import { CliError } from "../errors.ts";
import { databaseName } from "../store/database.ts";
import { Engine } from "../store/engine.ts";
import { closing, readRecord, syncPath, writeRecord } from "../store/files.ts";
import { freePath } from "../store/found.ts";
import { holding, lockForUpgrade } from "../store/lock.ts";
import { isReplica } from "../store/replica.ts";
import { checkUpgrade, type UpgradeCheck, upgradeSentences } from "../store/upgrade.ts";
import type { Command, Output, ParsedArgs } from "./arguments.ts";
import { requireData } from "./data.ts";
import { checkPackage, currentName, switchTo, unpackPackage } from "./packages.ts";
import { installedService } from "./service.ts";
import {
  agentUnitName,
  awaitHealth,
  checkMachine,
  followUnitName,
  type Machine,
  takeStep,
  thisMachine,
  tryToRun,
  unitName,
  word,
} from "./systemd.ts";
import type { Service } from "./units.ts";

const check: Command = {
  words: "upgrade check",
  summary:
    "says which migrations are pending, how long they take, and whether the disk has space for the copy before them; a server may be running",
  run(args) {
    requireData(args.data);
    const result = checkUpgrade(args.data);
    return { document: result, lines: upgradeSentences(result), failed: !result.fits };
  },
};

/** What an upgrade that was killed has to finish. */
const unfinished = v.object({
  from: v.string(),
  to: v.string(),
  /** Whether it goes back to `from`. */
  back: v.boolean(),
  /** The schema before the upgrade, and the copy of the database that the new version makes if it has another one. */
  schema: v.number(),
  copy: v.nullable(v.string()),
});
type Unfinished = v.InferOutput<typeof unfinished>;

const recordName = "upgrade.json";

/** One upgrade: the service, the folder of the packages, and the machine. */
interface Upgrading {
  machine: Machine;
  service: Service;
  place: string;
}

function keepRecord(place: string, record: Unfinished): void {
  writeRecord(join(place, recordName), record, true);
  syncPath(place);
}

const removeRecord = (place: string): void => rmSync(join(place, recordName), { force: true });

const versionOf = (place: string, name: string): string =>
  JSON.parse(readFileSync(join(place, name, "package.json"), "utf8")).version;

/** The folder of the packages. Throws CliError if the service does not run the one that `current` points to. */
function placeOf({ program: [program = ""] }: Service): string {
  const link = dirname(dirname(program));
  try {
    if (basename(link) === currentName && readlinkSync(link) !== "") return dirname(link);
  } catch {
    // it is no link
  }
  throw new CliError(
    `the service runs ${program}, not ${currentName}/bin/tallylight beside the packages; run \`service install\` of the installed package once (nothing was changed)`,
  );
}

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
  const { machine, service, place } = upgrading;
  takeStep(machine, { run: ["systemctl", verb, unitName] });
  // The agent may run all the time: a start would leave it in the other version.
  for (const [unit, how] of [[followUnitName, verb] as const, [agentUnitName, "restart"] as const])
    if (word(machine, "is-enabled", unit) === "enabled") takeStep(machine, { run: ["systemctl", how, unit] });
  await awaitHealth(machine, service, versionOf(place, name), seconds);
}

/** Puts the database from before the upgrade back, if the new version has changed its schema. The newer one stays beside it. */
function putDatabaseBack({ service }: Upgrading, { schema, copy }: Unfinished): string | undefined {
  const file = join(service.data, databaseName);
  if (copy === null || !existsSync(join(service.data, copy))) return undefined;
  const found = closing(new Engine(file), (database) => {
    database.pragma("wal_checkpoint(TRUNCATE)");
    return database.pragma("user_version", { simple: true }) as number;
  });
  if (found === schema) return undefined;
  const kept = `${databaseName}.after-schema-${found}`;
  rmSync(join(service.data, kept), { force: true });
  linkSync(file, join(service.data, kept));
  renameSync(join(service.data, copy), file);
  syncPath(service.data);
  return kept;
}

/** Goes back to the version before. Returns what there is to say. Throws CliError if that does not come either. */
async function goBack(upgrading: Upgrading, record: Unfinished): Promise<string[]> {
  const { machine, place } = upgrading;
  keepRecord(place, { ...record, back: true });
  takeStep(machine, { run: ["systemctl", "stop", unitName] });
  const kept = putDatabaseBack(upgrading, record);
  switchTo(place, record.from);
  await start(upgrading, "start", record.from, 30);
  removeRecord(place);
  return [
    `${record.from} runs again`,
    ...(kept === undefined ? [] : [`the database of the newer version is kept as ${kept}`]),
  ];
}

/** The check and the backup before an upgrade. Returns what `upgrade check` says, and what `restore` takes. Throws CliError if either fails. */
function prepare(upgrading: Upgrading, from: string, to: string, words: readonly string[]): [UpgradeCheck, string] {
  const result: UpgradeCheck = JSON.parse(runAs(upgrading, to, ["upgrade", "check", "--json"]));
  if (!result.fits) throw new CliError("the disk has not enough free space for the upgrade; nothing was changed");
  const { file, folder, name } = JSON.parse(runAs(upgrading, from, ["backup", ...words, "--json"]));
  return [result, file ?? `${folder}@${name}`];
}

async function upgrade(args: ParsedArgs, machine: Machine): Promise<Output> {
  checkMachine(machine);
  const service = installedService(args, machine);
  const upgrading = { machine, service, place: placeOf(service) };
  const { place } = upgrading;
  const lock = lockForUpgrade(place);
  if (lock === undefined) throw new CliError(`another upgrade in ${place} is running; nothing was changed`);
  return holding(lock, () => upgradeLocked(args, upgrading));
}

async function upgradeLocked(args: ParsedArgs, upgrading: Upgrading): Promise<Output> {
  const { machine, service, place } = upgrading;
  const said: string[] = [];
  let record = readRecord(join(place, recordName), unfinished);
  if (record?.back) {
    said.push(...(await goBack(upgrading, record)));
    record = undefined;
  }
  const file = args.positionals[0] as string;
  const to = await checkPackage(file);
  const from = readlinkSync(join(place, currentName));
  const isSwitched = record !== undefined && record.to === from;
  if (isSwitched && record?.to !== to)
    throw new CliError(`the upgrade to ${record?.to} was interrupted; run it again first (nothing was changed)`);
  await unpackPackage(file, to, place, (command) => machine.run(command));
  let seconds = 30;
  let backup: string | null = null;
  if (from !== to) {
    requireData(service.data);
    const named = args.text("backup");
    const folder = named === undefined ? readConfig(service.data, process.env).backup?.folder : undefined;
    const words = folder === undefined ? [named ?? freePath(join(service.data, `${from}.tar`))] : ["--to", folder];
    let result: UpgradeCheck | undefined;
    // A replica gets its schema and its safety from its primary.
    if (!isReplica(service.data)) [result, backup] = prepare(upgrading, from, to, words);
    seconds += 4 * (result?.seconds ?? 300);
    record = { from, to, back: false, schema: result?.schema ?? 0, copy: result?.copy ?? null };
    keepRecord(place, record);
    switchTo(place, to);
  } else if (record === undefined && (await healthy(upgrading, to))) {
    return {
      document: { from, to, changed: false, backup },
      lines: [...said, `${to} already runs; nothing was changed`],
    };
  }
  try {
    await start(upgrading, "restart", to, seconds);
  } catch (error) {
    if (!(error instanceof CliError) || record === undefined) throw error;
    const back = await goBack(upgrading, record);
    const log = error.lines.length > 0 ? "; its log ended with:" : "";
    throw new CliError(`${to} did not come (${error.message}); ${back.join("; ")}${log}`, error.lines);
  }
  removeRecord(place);
  const done = `${to} runs; ${record?.from ?? from} is still in ${place}, and can be removed`;
  const kept = backup === null ? [] : [`the backup is ${backup}`];
  return { document: { from: record?.from ?? from, to, changed: true, backup }, lines: [...said, done, ...kept] };
}

const healthy = ({ machine, service, place }: Upgrading, name: string): Promise<boolean> =>
  awaitHealth(machine, service, versionOf(place, name), 0).then(
    () => true,
    () => false,
  );

/** The commands on a machine; tests give another one than this. */
export const upgradeCommands = (machine: Machine): readonly Command[] => [
  {
    words: "upgrade",
    summary:
      "changes the installed service to the version of a package: checks and unpacks it, makes a backup, restarts, and goes back if the new version does not answer",
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
