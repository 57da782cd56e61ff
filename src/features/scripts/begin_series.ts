// tallylight episodes begin: makes a series of a single production. All its scenes, and its script, go to the first
// episode.
import type { Command } from "../../core/command.ts";
import { conflict, UsageError } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { many } from "../../core/store/statements.ts";
import { cut } from "../../core/wording.ts";
import type { Admin } from "../../graph/admin.ts";
import { dataCommand } from "../../graph/data_command.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import { outputOf, requestOf } from "../documents/commands/update_commands.ts";
import type { WorkModule } from "../documents/jobs/import_job.ts";
import type { Plan } from "../documents/planned.ts";
import { type UpdateRequest, updateFrom } from "../documents/production_update.ts";
import { partialDocument } from "../documents/read/read.ts";
import { StoredProduction } from "../documents/stored.ts";
import type { Planning, WritePlan } from "../documents/update_input.ts";
import { changed } from "./script_store.ts";

type ScriptTable = "script_drafts" | "script_scenes" | "script_changes";
const rowsOfScripts = many<{ production_id: number }, { section: ScriptTable; id: number }>("list_rows_of_scripts");

/** The stored script goes to the episode that the documents add. */
function withScript({ store, production_id, operations }: Planning): RowOperation[] {
  const added = operations.find(({ section, from }) => section === "episodes" && from === null);
  const episode_id = added?.key.id ?? null;
  const moved = rowsOfScripts(store, { production_id }).flatMap(({ section, id }) =>
    changed(store, section, id, { episode_id }),
  );
  return [...operations, ...moved];
}

interface NewSeries {
  code: string;
  title?: string | undefined;
  season?: number | undefined;
}

/** Makes a series of a production, in one change set. Throws 409 if it is one. */
export async function beginSeries(
  admin: Admin,
  blobs: Blobs,
  { code, title = code, season = 1 }: NewSeries,
  request: Omit<UpdateRequest, "exact">,
  write: WritePlan,
): Promise<Plan> {
  const { store } = admin;
  const { production_id } = request;
  const stored = store.database.transaction(() => {
    const read = new StoredProduction(store, production_id);
    return { format: read.production?.format, scenes: read.items("scenes").map(({ raw }) => raw) };
  })();
  if (stored.format === "episodic") throw conflict("the production is a series already");
  const document = await partialDocument(
    {
      production: { format: "episodic", season_number: season, current_episode: code },
      episodes: [{ code, title }],
      scenes: stored.scenes.map(({ number }) => ({ was: number, number, episode: code })),
    },
    `episodes begin ${code}`,
    undefined,
  );
  const reading = () => ({
    documents: [document],
    begins_series: true as const,
    beside: { operations: withScript },
  });
  return updateFrom(admin, blobs, reading, request, write);
}

/** The series that a page begins. */
export type SeriesRequest = NewSeries & { production_id: number };

/** The work of a thread that begins a series. */
export const perform: WorkModule["perform"] = (admin, blobs, request, write) => {
  const { production_id, ...series } = request as SeriesRequest; // the page made it
  return beginSeries(admin, blobs, series, { production_id }, write);
};

/** The number of a season. Throws UsageError for anything else. */
function seasonIn(text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`--season takes a number from 1, not ${cut(text)}`);
  return text === undefined ? undefined : Number(text);
}

export const commands: readonly Command[] = [
  dataCommand({
    words: "episodes begin",
    summary: "makes a series of a single production",
    details: "All its scenes go to the episode. It can be undone while the series has one episode.",
    example: "tallylight episodes begin 101 --production 1",
    positionals: ["CODE"],
    flags: {
      production: { value: "ID", summary: "the production", required: true },
      title: { value: "TEXT", summary: "the title of the episode; its code by default" },
      season: { value: "N", summary: "the number of the season; 1 by default" },
      "dry-run": { summary: "prints the plan, but writes nothing" },
      "if-revision": { value: "R", summary: "refuses if the production is at another revision" },
    },
    run: async (args, admin, blobs, write) => {
      const [code = ""] = args.positionals;
      const { id: production_id, title } = args.production;
      const { dry_run, if_revision } = requestOf(args);
      const series = { code, title: args.text("title"), season: seasonIn(args.text("season")) };
      const plan = await beginSeries(admin, blobs, series, { production_id, dry_run, if_revision }, write);
      return outputOf(plan, title);
    },
  }),
];
