// tallylight init, export: prints a document to start from, and writes a production as one that can be imported again.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command, Output, ParsedArgs } from "../../../core/command.ts";
import { choiceOf, UsageError } from "../../../core/errors.ts";
import { contribution, loadFile } from "../../../core/features.ts";
import type { Blobs } from "../../../core/store/blobs.ts";
import type { Store } from "../../../core/store/store.ts";
import { dataCommand } from "../../../graph/data_command.ts";
import { productionFormats } from "../../../graph/values.ts";
import { listCastDays, shootDatesOf } from "../../cast/cast_days.ts";
import { dayOutOfDaysText } from "../../cast/day_out_of_days.ts";
import { recordRead } from "../../work/recorded_reads.ts";
import { exportDocument, exportWithMedia, fileNameOf, larger, writeWithMedia } from "../export/export.ts";

/** Writes pieces to a stream, waiting whenever its buffer is full. */
async function writeAll(pieces: AsyncIterable<string> | Iterable<string>, stream: Writable): Promise<void> {
  for await (const piece of larger(pieces)) if (!stream.write(piece)) await once(stream, "drain");
}

async function exportInto(
  store: Store,
  blobs: Blobs,
  production: { id: number; title: string },
  options: { folder: string; force: boolean },
): Promise<Output> {
  const name = fileNameOf(production.title, "production");
  const beside = exportWithMedia(store, production.id, `media/${name}`);
  const { file } = await writeWithMedia(blobs, beside, { name, ...options });
  const media = beside.media.size;
  return { document: { file, media }, lines: [`wrote ${file} and ${media} media files next to it`] };
}

/** What the file of a feature's exporters exports. */
interface ExportersModule {
  listOfProduction(store: Store, production_id: number, kind: string): string;
}
interface ScriptExportersModule {
  scriptOfProduction(
    store: Store,
    production: { id: number; title: string },
    format: string,
    episode: string | undefined,
  ): string;
}

/** The kind that is only written: no import reads it. */
const dayOutOfDays = "day-out-of-days";
const exporters = contribution("exporters");
const scripts = contribution("scriptExporters");
const formats = scripts?.value.formats ?? [];
const kinds: readonly string[] = [...(exporters?.value.kinds ?? []), dayOutOfDays, ...formats];

const dayOutOfDaysOf = (store: Store, production_id: number, now: string): string =>
  store.database.transaction(() => {
    const { text } = listCastDays.statement(store, { production_id, engagement_id: null, now });
    return dayOutOfDaysText(JSON.parse(text), shootDatesOf(store, { production_id }));
  })();

/** A part of the production as CSV, or its script. */
async function listOf(store: Store, production: { id: number; title: string }, args: ParsedArgs): Promise<string> {
  const production_id = production.id;
  const kind = choiceOf("--as", args.text("as") ?? "", kinds);
  if (args.text("out") !== undefined) throw new UsageError("--as writes to standard output, without --out");
  const episode = args.text("episode");
  if (scripts !== undefined && formats.includes(kind)) {
    const { scriptOfProduction } = await loadFile<ScriptExportersModule>(scripts.feature, scripts.value.file);
    return scriptOfProduction(store, production, kind, episode);
  }
  if (episode !== undefined) throw new UsageError(`--episode is for --as ${formats.join(" and ")}`);
  if (kind === dayOutOfDays || exporters === undefined) return dayOutOfDaysOf(store, production_id, args.now);
  const { listOfProduction } = await loadFile<ExportersModule>(exporters.feature, exporters.value.file);
  return listOfProduction(store, production_id, kind);
}

export const commands: readonly Command[] = [
  {
    words: "init",
    summary: "prints a document to start from",
    details: "A small production with comments; it can be imported as it is.",
    example: "tallylight init > my-show.json",
    flags: {
      format: {
        value: "FORMAT",
        choices: productionFormats,
        summary: `one of ${productionFormats.join(", ")}; single by default`,
      },
    },
    run: (args) => {
      const format = args.text("format") ?? "single";
      const file = new URL(`../../../../fixtures/starter/${format}.json`, import.meta.url);
      const document: unknown = JSON.parse(readFileSync(file, "utf8"));
      return { document, lines: [JSON.stringify(document, null, 2)] };
    },
  },
  dataCommand({
    words: "export",
    summary: "writes a production as one document",
    details: "With its media, to standard output. It can be imported again.",
    example: "tallylight export --production 1 > my-show.json",
    flags: {
      production: { value: "ID", required: true, summary: "the production" },
      out: { value: "DIR", summary: "writes DIR/<title>.json instead, with its media as files next to it" },
      as: {
        value: "KIND",
        choices: kinds,
        summary: `writes a CSV list, or the script as it was last approved, instead: ${kinds.join(", ")}`,
      },
      ...(formats.length > 0 && {
        episode: { value: "CODE", summary: "with a format of scripts: the episode of a series" },
      }),
      force: { summary: "with --out: overwrites files with different content" },
    },
    run: async (args, admin, blobs) => {
      const { store } = admin;
      const { production } = args;
      const detail = { title: production.title, ...(args.text("as") !== undefined && { as: args.text("as") }) };
      const entry = { action: "production.exported", production_id: production.id, detail };
      for (const note of recordRead(admin, entry)) process.stderr.write(`${note}\n`);
      if (args.text("as") !== undefined) {
        await writeAll([await listOf(store, production, args)], process.stdout);
        return undefined;
      }
      const folder = args.text("out");
      if (folder !== undefined) return exportInto(store, blobs, production, { folder, force: args.has("force") });
      await writeAll(exportDocument(store, blobs, production.id), process.stdout);
      return undefined;
    },
  }),
];
