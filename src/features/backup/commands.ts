// tallylight backup, backup list, backup verify, restore: copies a data directory into one file or a folder of backups,
// and back.
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Command, ParsedArgs } from "../../core/command.ts";
import { requireData } from "../../core/data_directory.ts";
import { CliError, UsageError } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { migrations } from "../../core/store/migrations.ts";
import { causeOf } from "../../core/system_errors.ts";
import { tabled } from "../../core/tables.ts";
import { cut, megabytes } from "../../core/wording.ts";
import { asAdmin } from "../../graph/data_command.ts";

import { stoppable } from "../work/progress.ts";
import { recordRead } from "../work/recorded_reads.ts";
import { backUp } from "./backup.ts";
import { backupNames, describeBackup, requireFolder, unlistedNames, unlistedSentence } from "./backup_folder.ts";
import { bareSourceAt } from "./bare_source.ts";
import { backUpInto } from "./folder_writing.ts";
import { type RestoredBackup, restoreBackup, type VerifiedBackup, verifyBackups } from "./restore.ts";
import { localBackupAt, restoreInPlace } from "./restore_in_place.ts";
import { settingsOf } from "./valid_settings.ts";
import { recordVerification, verificationOf } from "./verification.ts";

/** Records a backup. Opening a database of an older version would upgrade it, so its backup leaves no entry. */
async function recorded(args: ParsedArgs, schema: number, entry: Parameters<typeof recordRead>[1]): Promise<string[]> {
  if (schema < migrations().length) return [];
  try {
    return await asAdmin(args, (admin) => recordRead(admin, entry));
  } catch (error) {
    if (error instanceof CliError) return [`the audit log has no entry of this: ${error.message}`];
    throw error;
  }
}

/** The folder of a command about backups: the one that is named, otherwise that of the setting. */
function folderOf(args: ParsedArgs, named: string | undefined, words: string): string {
  const folder = named ?? settingsOf(args.data)?.backup?.folder;
  if (folder === undefined)
    throw new UsageError(
      `${words} needs a ${words === "backup" ? "FILE or --to FOLDER" : "folder"}, because the setting backup names none`,
    );
  return folder;
}

/** Adds a backup to the folder, and removes what the setting does not keep if it is the setting's folder. */
async function intoFolder(args: ParsedArgs, folder: string, options: Parameters<typeof backUpInto>[2]) {
  const setting = settingsOf(args.data)?.backup;
  const keep = setting !== undefined && resolve(setting.folder) === resolve(folder) ? setting.keep : undefined;
  const { name, removed, ...written } = await backUpInto(args.data, folder, { ...options, keep });
  return { ...written, place: { folder, name, removed }, at: `${folder}@${name}` };
}

/** Why this backup of a folder was restored. A later date of another one is that of a wrong clock. */
function choiceLines(folder: string, chosen: string, number: number): string[] {
  const later = backupNames(folder).filter((name) => `${folder}@${name}` > chosen);
  return [
    number === 0
      ? `${chosen} has the latest date`
      : `${chosen} was made last: it has the highest number, ${number}, whatever the dates say`,
    ...later.map((name) => `${folder}@${name} has a later date, and was made before it: a clock was wrong`),
  ];
}

/** The name of a setting of a backup, which somebody else may have made. */
const settingName = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(cut(name)));

/** Which settings of a backup hold in the restored directory, and which do not. */
const settingsLines = ({
  secrets,
  taken_over,
  set_aside,
}: Pick<RestoredBackup, "secrets" | "taken_over" | "set_aside">): string[] => [
  ...taken_over.map((name) => `taken over into config.json: the setting ${settingName(name)}`),
  ...set_aside.map(
    (name) =>
      `set aside in config.json.restored: the setting ${settingName(name)}; add it to config.json once it is to hold here`,
  ),
  ...secrets.map((name) => `the secret ${name} is in no backup; set it again`),
];

/** Records what reading all of a folder found, for the health of its server. */
function recordedResult(path: string, now: number, results: readonly VerifiedBackup[]): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return []; // a file, or one backup of a folder
  try {
    recordVerification(path, now, results, verificationOf(path)?.lacking ?? []);
    return [];
  } catch (error) {
    return [`the result is not recorded in ${path}: ${causeOf(error)}`];
  }
}

const damagedSummary = "takes what is damaged as it is, and says each medium and row that is";

export const commands: readonly Command[] = [
  {
    words: "backup",
    summary: "copies the database and its media",
    details: "Into one file, or as one more backup into a folder; a server may be running.",
    example: "tallylight backup show.tar",
    positionals: ["[FILE]"],
    flags: {
      to: { value: "FOLDER", summary: "adds a backup to this folder, where each medium is stored once" },
      damaged: { summary: damagedSummary },
    },
    async run(args) {
      requireData(args.data);
      const [file] = args.positionals;
      const to = args.text("to");
      if (file !== undefined && to !== undefined) throw new UsageError("backup takes a FILE or --to FOLDER, not both");
      const where = file ?? folderOf(args, to, "backup");
      return stoppable(where, async (progress, signal) => {
        const options = {
          now: Date.parse(args.now),
          damaged: args.has("damaged"),
          progress,
          signal,
        };
        const { members, missing, lacking, renewed, broken, bytes, created_at, schema, place, at } =
          file === undefined
            ? await intoFolder(args, where, options)
            : { ...(await backUp(args.data, file, options)), place: { file }, at: file };
        const media = members.length - 1;
        const isSaved = (sha256: string): boolean => !missing.includes(sha256);
        const entry = { action: "data.backed_up", production_id: null, detail: { file: basename(at), bytes } };
        const unrecorded = await recorded(args, schema, entry);
        return {
          document: { ...place, created_at, schema, media, missing, lacking, renewed, broken, bytes },
          lines: [
            `${at}: the database and ${media} media, ${megabytes(bytes)}${file === undefined ? " written" : ""}`,
            ...("removed" in place ? place.removed.map((name) => `removed ${name}, which is not kept`) : []),
          ],
          notes: [
            ...missing.map((sha256) => `omitted, because its bytes are missing or damaged: ${sha256}`),
            ...lacking
              .filter(isSaved)
              .map((sha256) => `missing or damaged in ${args.data}, but in the folder: ${sha256}`),
            ...renewed.map((sha256) => `damaged in ${where}, and written again: ${sha256}`),
            ...broken.map((sentence) => `broken: ${sentence}`),
            ...(broken.length > 0 ? ["restore accepts this backup only with --damaged"] : []),
            ...unrecorded,
          ],
          failed: lacking.length > 0 && !args.has("damaged"),
        };
      });
    },
  },
  {
    words: "backup list",
    summary: "lists the backups in a folder",
    details: "The one that was made last comes first.",
    example: "tallylight backup list /mnt/backups",
    positionals: ["[FOLDER]"],
    run(args) {
      const folder = folderOf(args, args.positionals[0], "backup list");
      requireFolder(folder);
      const unlisted = unlistedNames(folder);
      const rows = [...backupNames(folder), ...unlisted].map((name) => describeBackup(folder, name));
      const lines = tabled(rows, ["name", "created_at", "kind", "media", "bytes"]);
      return { document: rows, lines, notes: unlisted.map((name) => unlistedSentence(folder, name)) };
    },
  },
  {
    words: "backup verify",
    summary: "checks that a backup can be restored",
    details: "Reads it, or all backups in a folder; restores nothing.",
    example: "tallylight backup verify show.tar",
    positionals: ["[FILE-OR-FOLDER]"],
    async run(args) {
      const path = folderOf(args, args.positionals[0], "backup verify");
      const results = await stoppable(path, (progress, signal) => verifyBackups(path, { progress, signal }));
      const notes = recordedResult(path, Date.parse(args.now), results);
      const failed = results.some(({ problem, broken }) => problem !== null || broken.length > 0);
      const lines = results.map(({ name, problem, media, broken }) =>
        problem === null
          ? `${broken.length === 0 ? "ok   " : "ERROR"} ${name}: the database and ${media} media${broken.length === 0 ? "" : `; restore needs --damaged: ${broken[0]}`}`
          : `ERROR ${problem}`,
      );
      return { document: results, lines, notes, failed };
    },
  },
  {
    words: "restore",
    summary: "restores a backup into an empty directory",
    details:
      "Verifies it first; of a folder, takes the one that was made last, or FOLDER@NAME. One of backups/ in the directory itself is restored in its place. With --damaged it takes a data directory, too, and leaves it as it is.",
    example: "tallylight restore show.tar --data ./restored",
    positionals: ["FILE-OR-FOLDER"],
    flags: {
      production: { value: "ID-OR-TITLE", summary: "restores this production alone, with its keys" },
      damaged: { summary: damagedSummary },
      "with-settings": {
        summary: "takes over the settings that open a server, too: addresses, proxies, origins and receivers",
      },
    },
    async run(args) {
      const file = args.positionals[0] as string; // the command requires one
      return stoppable(file, async (progress, signal) => {
        const options = {
          damaged: args.has("damaged"),
          production: args.text("production"),
          with_settings: args.has("with-settings"),
          progress,
          signal,
        };
        const isLocal = localBackupAt(file, args.data) !== undefined;
        const { name, number, created_at, members, missing, broken, ...of } = isLocal
          ? await restoreInPlace(file, args.data, options)
          : { ...(await restoreBackup(file, args.data, options)), replaced: undefined };
        const detail = { file: basename(file), created_at, ...(broken.length > 0 && { broken: broken.length }) };
        const entry = { action: "data.restored", production_id: null, detail } as const;
        const unrecorded = await recorded(args, of.schema, entry);
        const media = members.length - 1;
        const what = bareSourceAt(file) === undefined ? `the backup of ${created_at}` : `what can be read of ${file}`;
        return {
          document: {
            data: args.data,
            name,
            created_at,
            media,
            missing,
            broken,
            secrets: of.secrets,
            taken_over: of.taken_over,
            set_aside: of.set_aside,
          },
          lines: [`restored ${what} to ${args.data}: the database and ${media} media`],
          notes: [
            ...(name === file ? [] : choiceLines(file, name, number)),
            ...(name === file ? [] : unlistedNames(file).map((unlisted) => unlistedSentence(file, unlisted))),
            ...(of.replaced === undefined ? [] : [`the database that it replaced is kept as ${of.replaced}`]),
            ...unrecorded,
            ...settingsLines(of),
            ...missing.map((sha256) => `the backup has no bytes of the medium ${sha256}`),
            ...broken.map((sentence) => `broken: ${sentence}`),
            ...(broken.length > 0
              ? [`${commandText("doctor --repair")} removes the rows that are certainly orphaned`]
              : []),
          ],
        };
      });
    },
  },
];
