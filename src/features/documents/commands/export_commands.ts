// tallylight init, export: prints a document to start from, and writes a production as one that can be imported again.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command, Output, ParsedArgs } from "../../../core/command.ts";
import { choiceOf, UsageError } from "../../../core/errors.ts";
import { contribution } from "../../../core/features.ts";
import type { Blobs } from "../../../core/store/blobs.ts";
import type { Store } from "../../../core/store/store.ts";
import { dataCommand } from "../../../graph/data_command.ts";
import { productionFormats } from "../../../graph/values.ts";
import { listCastDays, shootDatesOf } from "../../cast/cast_days.ts";
import { dayOutOfDaysText } from "../../cast/day_out_of_days.ts";
import { type Delimiter, delimiters } from "../../csv/csv.ts";
import { recordRead } from "../../work/recorded_reads.ts";
import { exportDocument, exportWithMedia, fileNameOf, larger, writeWithMedia } from "../export/export.ts";
import { exportedKinds } from "../kinds.ts";
import { StoredProduction } from "../stored.ts";

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

/** The kind that is only written: no import reads it. */
const dayOutOfDays = "day-out-of-days";
const loadExporters = contribution("exporters");
const scripts = contribution("scriptExporters");
const formats = scripts?.formats ?? [];
const kinds: readonly string[] = [...exportedKinds(["whole", "of episodes too"]), dayOutOfDays, ...formats];

/** The lists that can be those of one episode. */
const ofEpisodes: readonly string[] = [...exportedKinds(["of episodes too"]), dayOutOfDays];

/** How a list is written. */
interface ListForm {
  delimiter: Delimiter;
  /** The code of the episode to which it belongs. */
  episode: string | undefined;
}

const dayOutOfDaysOf = (store: Store, production_id: number, now: string, { delimiter, episode }: ListForm): string =>
  store.database.transaction(() => {
    const ids = episode === undefined ? undefined : new StoredProduction(store, production_id).ids("episode");
    const id = ids?.get(episode ?? "");
    if (ids !== undefined && id === undefined) throw new UsageError(`there is no episode ${episode}`);
    const ofEpisode = id === undefined ? {} : { episode_id: [id] };
    const { text } = listCastDays.statement(store, { production_id, engagement_id: null, now, ...ofEpisode });
    return dayOutOfDaysText(JSON.parse(text), shootDatesOf(store, { production_id }), delimiter);
  })();

/** What stands between the cells of a list, also by the name of a tab, which a shell does not type. */
function delimiterOf(args: ParsedArgs): Delimiter {
  const given = args.text("delimiter") ?? ",";
  const found = delimiters.find((one) => one === (["tab", "\\t"].includes(given) ? "\t" : given));
  if (found === undefined) throw new UsageError("--delimiter must be one of , ; | and tab");
  return found;
}

/** A part of the production as CSV, or its script. */
async function listOf(store: Store, production: { id: number; title: string }, args: ParsedArgs): Promise<string> {
  const production_id = production.id;
  const kind = choiceOf("--as", args.text("as") ?? "", kinds);
  if (args.text("out") !== undefined) throw new UsageError("--as writes to standard output, without --out");
  const episode = args.text("episode");
  const delimiter = delimiterOf(args);
  if (scripts !== undefined && formats.includes(kind) && args.text("delimiter") !== undefined)
    throw new UsageError("--delimiter is for lists: a script has no columns");
  if (scripts !== undefined && formats.includes(kind)) {
    const { scriptOfProduction } = await scripts.load();
    return scriptOfProduction(store, production, kind, episode);
  }
  if (episode !== undefined && !ofEpisodes.includes(kind))
    throw new UsageError(`--episode is for --as ${[...ofEpisodes, ...formats].join(", ")}`);
  if (kind === dayOutOfDays || loadExporters === undefined)
    return dayOutOfDaysOf(store, production_id, args.now, { delimiter, episode });
  const { listOfProduction } = await loadExporters();
  return listOfProduction(store, production_id, kind, { delimiter, episode });
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
      delimiter: {
        value: "CHARACTER",
        summary:
          "with a list: what stands between its cells, one of , ; | and tab; spreadsheets in German and French open ; in columns",
      },
      ...(formats.length > 0 && {
        episode: { value: "CODE", summary: "with --as: what belongs to one episode of a series" },
      }),
      force: { summary: "with --out: overwrites files with different content" },
    },
    run: async (args, admin, blobs) => {
      const { store } = admin;
      const { production } = args;
      if (args.text("as") === undefined && args.text("delimiter") !== undefined)
        throw new UsageError("--delimiter needs --as: it is for lists");
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
