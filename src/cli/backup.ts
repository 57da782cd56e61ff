// tallylight backup, restore: copies a data directory into one file and back.
import { basename } from "node:path";
import { recordAction } from "../admin/audit.ts";
import { CliError } from "../errors.ts";
import { backUp, type Progress } from "../store/backup.ts";
import { migrations } from "../store/migrations.ts";
import { restoreBackup } from "../store/restore.ts";
import type { Command, ParsedArgs } from "./arguments.ts";
import { asAdmin, openData, recordRead, requireData, using } from "./data.ts";
import { progressOn } from "./import.ts";
import { stopSignals } from "./serve.ts";

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Shows progress on a terminal. `done` clears the line. */
export function showing(what: string): { progress: Progress; done(): void } {
  const show = progressOn(process.stderr);
  return {
    progress: (bytes, total) => show(`${what}: ${megabytes(bytes)} of ${megabytes(total)}`),
    done: () => show(""),
  };
}

/** A signal that ends the work, so that it removes its own files. `done` stops listening. */
function openStop(): { signal: AbortSignal; done(): void } {
  const stop = new AbortController();
  const listeners = stopSignals.map((name) => {
    const listener = () => stop.abort(new CliError(`stopped by ${name}; nothing was written`));
    process.once(name, listener);
    return () => process.off(name, listener);
  });
  return { signal: stop.signal, done: () => listeners.forEach((remove) => void remove()) };
}

/** Records a backup. Opening a database of an older version would upgrade it, so its backup leaves no entry. */
async function recorded(args: ParsedArgs, schema: number, entry: Parameters<typeof recordRead>[2]): Promise<string[]> {
  if (schema < migrations().length) return [];
  try {
    return await using(openData(args.data), (data) => recordRead(data, args, entry));
  } catch (error) {
    if (error instanceof CliError) return [`the audit log has no entry of this: ${error.message}`];
    throw error;
  }
}

const backup: Command = {
  words: "backup",
  summary: "copies the database and its media into one file; a server may be running",
  positionals: ["FILE"],
  flags: {
    "allow-missing": { summary: "omits media whose bytes are missing or damaged, and lists them" },
    "allow-broken": { summary: "also backs up a database that restore would refuse, and records what is broken in it" },
  },
  async run(args) {
    requireData(args.data);
    const file = args.positionals[0] as string;
    const { progress, done } = showing(file);
    const stop = openStop();
    try {
      const { members, missing, broken, bytes, created_at, schema } = await backUp(args.data, file, {
        now: Date.parse(args.now),
        allowMissing: args.has("allow-missing"),
        allowBroken: args.has("allow-broken"),
        ...{ progress, signal: stop.signal },
      });
      const media = members.length - 1;
      const entry = { action: "data.backed_up", production_id: null, detail: { file: basename(file), bytes } };
      const unrecorded = await recorded(args, schema, entry);
      return {
        document: { file, created_at, schema, media, missing, broken, bytes },
        lines: [`${file}: the database and ${media} media, ${megabytes(bytes)}`],
        notes: [
          ...missing.map((sha256) => `omitted, because its bytes are missing or damaged: ${sha256}`),
          ...broken.map((sentence) => `broken: ${sentence}`),
          ...(broken.length > 0 ? ["restore accepts this backup only with --allow-broken"] : []),
          ...unrecorded,
        ],
      };
    } finally {
      stop.done();
      done();
    }
  },
};

const restoring: Command = {
  words: "restore",
  summary: "verifies a backup and restores it into an empty data directory",
  positionals: ["FILE"],
  flags: { "allow-broken": { summary: "also restores a broken database, and prints what is broken in it" } },
  async run(args) {
    const file = args.positionals[0] as string;
    const { progress, done } = showing(file);
    const stop = openStop();
    try {
      const options = { allowBroken: args.has("allow-broken"), progress, signal: stop.signal };
      const { created_at, members, missing, broken } = await restoreBackup(file, args.data, options);
      const detail = { file: basename(file), created_at, ...(broken.length > 0 && { broken: broken.length }) };
      await asAdmin(args, (admin) =>
        admin.store.writeSync(() => recordAction(admin, { action: "data.restored", production_id: null, detail })),
      );
      const media = members.length - 1;
      return {
        document: { data: args.data, created_at, media, missing, broken },
        lines: [`restored the backup of ${created_at} to ${args.data}: the database and ${media} media`],
        notes: [
          ...broken.map((sentence) => `broken: ${sentence}`),
          ...(broken.length > 0 ? ["tallylight doctor --repair removes the rows that are certainly orphaned"] : []),
        ],
      };
    } finally {
      stop.done();
      done();
    }
  },
};

export const commands: readonly Command[] = [backup, restoring];
