// tallylight productions list, freeze, thaw, archive, delete; people erase: the productions of a data directory, and
// who leaves one.
import type Database from "better-sqlite3";
import type { Command, ParsedArgs } from "../../core/command.ts";
import { commandText } from "../../core/program.ts";
import { tabled } from "../../core/tables.ts";
import { megabytes } from "../../core/wording.ts";
import type { Admin } from "../../graph/admin.ts";
import { dataCommand } from "../../graph/data_command.ts";
import { findProduction } from "../../graph/find_production.ts";
import { backUp } from "../backup/backup.ts";
import { backUpInto } from "../backup/folder_writing.ts";
import { forgetAccess, removeOtherProductions, writeAgain } from "../backup/production_rows.ts";
import { settingsOf } from "../backup/valid_settings.ts";
import { idOf } from "../names/name_lookup.ts";
import { stoppable } from "../work/progress.ts";
import { recordRead } from "../work/recorded_reads.ts";
import { erasePerson } from "./erasure.ts";
import type { KeptName } from "./kept_names.ts";
import { deleteProduction, measureProductions, setFrozen } from "./lifecycle.ts";

const freezing = (words: "freeze" | "thaw"): Command =>
  dataCommand({
    words: `productions ${words}`,
    summary: words === "freeze" ? "freezes a production, which stays readable" : "ends a freeze",
    ...(words === "freeze" && { details: "Every change is refused until `productions thaw`." }),
    example: `tallylight productions ${words} 1`,
    positionals: ["ID-OR-TITLE"],
    run: (args, admin) => {
      const [named = ""] = args.positionals;
      const { id, title } = findProduction(admin.store, named);
      const frozen = words === "freeze";
      const since = setFrozen(admin, id, frozen);
      const was = frozen ? `was frozen already at ${since}` : "was not frozen";
      const changed = (since !== undefined) !== frozen;
      const now = frozen ? "is frozen: it can be read and not changed" : "can be changed again";
      const frozen_at = frozen ? (since ?? args.now) : null;
      return { document: { id, title, frozen_at }, lines: [`production ${id}, ${title}, ${changed ? now : was}`] };
    },
  });

/** Makes a backup in the folder of the setting before something is deleted. */
async function backUpBefore(args: ParsedArgs, admin: Admin, folder: string): Promise<string[]> {
  const options = { now: Date.parse(args.now), kind: "before-delete" } as const;
  const { name, bytes } = await backUpInto(args.data, folder, options);
  const entry = { action: "data.backed_up", production_id: null, detail: { file: name, bytes } };
  return [`the backup before it is ${folder}@${name}`, ...recordRead(admin, entry)];
}

const maxShown = 200;

/**
 * What still has the name of an erased person: the command does not change scripts, scenes, paths of files and ordinary
 * words.
 */
function keptLines(kept: readonly KeptName[]): string[] {
  const lines = kept.map(
    ({ table, column, id, only = "name" }) =>
      `still has the ${only}: ${column} of ${table}${id === null ? "" : ` ${id}`}`,
  );
  const more = kept.length > maxShown ? [`and ${kept.length - maxShown} more; --json lists all`] : [];
  return [...lines.slice(0, maxShown), ...more];
}

export const commands: readonly Command[] = [
  dataCommand({
    words: "productions list",
    summary: "lists productions, last use and size",
    example: "tallylight productions list",
    run: (_args, { store }) => {
      const rows = measureProductions(store);
      const shown = rows.map(({ frozen_at, media_bytes, database_bytes, ...row }) => ({
        ...row,
        frozen: frozen_at !== null,
        media: megabytes(media_bytes),
        database: megabytes(database_bytes),
      }));
      const columns = ["id", "title", "format", "status", "phase", "frozen", "last_use", "media", "database"] as const;
      return { document: rows, lines: tabled(shown, columns) };
    },
  }),
  freezing("freeze"),
  freezing("thaw"),
  dataCommand({
    words: "productions archive",
    summary: "writes one production into one file",
    details:
      "Everything of it: document, script text, history, activity and media, but no keys, no sign-ins, and not which programs are notified. restore opens the file in an empty data directory.",
    example: "tallylight productions archive 1 my-show.tar",
    positionals: ["ID-OR-TITLE", "FILE"],
    run: async (args, admin) => {
      const { store } = admin;
      const [named = "", file = ""] = args.positionals;
      const { id, title } = findProduction(store, named);
      const options = {
        now: Date.parse(args.now),
        prepare: (copy: Database.Database) => {
          removeOtherProductions(copy, id);
          forgetAccess(copy);
          writeAgain(copy);
        },
      };
      const { bytes, members } = await stoppable(file, (progress, signal) =>
        backUp(args.data, file, { ...options, progress, signal }),
      );
      const entry = { action: "production.archived", production_id: id, detail: { title, bytes } };
      const media = members.length - 1;
      return {
        document: { file, production_id: id, title, media, bytes },
        lines: [`${file}: ${title} with ${media} media, ${megabytes(bytes)}`],
        notes: [
          `it has no keys, sign-ins and webhooks; ${commandText("restore FILE --data DIR")} opens it in an empty directory`,
          ...recordRead(admin, entry),
        ],
      };
    },
  }),
  dataCommand({
    words: "productions delete",
    summary: "deletes a production; cannot be undone",
    details: "With everything of it; the log of admins stays. Refuses if no backup is newer than its last change.",
    example: 'tallylight productions delete 1 --confirm "My Show"',
    positionals: ["ID-OR-TITLE"],
    flags: {
      confirm: { value: "TITLE", required: true, summary: "the title of the production" },
      "no-backup": { summary: "also deletes it if no backup is newer than its last change" },
    },
    run: async (args, admin, blobs) => {
      const [named = ""] = args.positionals;
      const production = findProduction(admin.store, named);
      const confirmed = args.text("confirm") as string; // present: parseCommandArgs checks required flags
      const options = { confirmed, withoutBackup: args.has("no-backup") };
      const folder =
        args.has("no-backup") || confirmed !== production.title ? undefined : settingsOf(args.data)?.backup?.folder;
      const notes = folder === undefined ? [] : await backUpBefore(args, admin, folder);
      await deleteProduction(admin, blobs, production, options);
      return {
        notes,
        document: production,
        lines: [`production ${production.id}, ${production.title}, is deleted`],
      };
    },
  }),
  dataCommand({
    words: "people erase",
    summary: "erases a person; cannot be undone",
    details:
      "Ends their keys and replaces the name in everything that is recorded or was written about the production: also with the surname first, over two lines, without its accents, with ue for ü or ü for ue, and in names of files. What the person did stays. Scripts, scenes, the paths of files, and a name of one word inside of a text are not changed, nor is the first name alone, or the family name alone or with an initial, which may be somebody else's: the command lists each place that still has one of them, but for first names in scripts, and exits with 1 unless all that is left is a first name.",
    example: 'tallylight people erase "Mira Holt" --production 1',
    positionals: ["ID-OR-NAME"],
    flags: { production: { value: "ID", required: true, summary: "the production" } },
    run: (args, admin) => {
      const { id: production_id } = args.production;
      const [named = ""] = args.positionals;
      const id = idOf(admin.store, "person", named, production_id);
      const erased = erasePerson(admin, production_id, id);
      const line = erased.was_erased
        ? "was erased already"
        : `is erased: the name is removed from ${erased.rows} records`;
      return {
        document: erased,
        lines: [`person ${id} ${line}`],
        failed: erased.kept.some(({ only }) => only === undefined),
        notes: erased.was_erased
          ? []
          : [
              ...keptLines(erased.kept),
              "backups, and copies of the database beside it, that were made before still have the name, until they are removed",
            ],
      };
    },
  }),
];
