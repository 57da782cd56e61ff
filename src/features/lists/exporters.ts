// Writes the CSV lists of a production, which an import reads back without a change.
import { UsageError } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import type { Store } from "../../core/store/store.ts";
import { zoneOf } from "../../graph/production.ts";
import { csvFile, csvText, type Delimiter } from "../csv/csv.ts";
import type { ListKind } from "../documents/kinds.ts";
import { parsedItem } from "../documents/sections/form.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { type SectionName, sceneName } from "../documents/sections/sections.ts";
import { StoredProduction } from "../documents/stored.ts";
import { listOfKind } from "./lists.ts";

/** The list of a kind as a file. */
export const writeList = (kind: ListKind, document: ProductionDocument, delimiter?: Delimiter): string =>
  csvFile([csvText(listOfKind(kind).table?.(document) ?? [], delimiter)]);

/** The sections that lists are made of. */
const read = [
  ...(["departments", "people", "scenes", "assets", "schedule", "deliveries", "approvals"] as const),
  ...(["purchase_orders", "cost_reports"] as const),
];

/** The list of a kind as CSV: of the production, or of one episode. Throws UsageError if there is no such episode. */
export const listOfProduction = (
  store: Store,
  production_id: ProductionId,
  kind: ListKind,
  { delimiter, episode }: { delimiter?: Delimiter | undefined; episode?: string | undefined } = {},
): string =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    const items = (name: SectionName) => stored.items(name).map(({ raw }) => parsedItem(name, raw));
    const production = { time_zone: zoneOf(store, { production_id }) };
    const lists: object = { production, ...Object.fromEntries(read.map((name) => [name, items(name)])) };
    const document = lists as ProductionDocument; // no list reads another section, or more of the production
    if (episode !== undefined && !stored.ids("episode").has(episode))
      throw new UsageError(`there is no episode ${episode}`);
    return writeList(kind, episode === undefined ? document : ofEpisode(document, episode), delimiter);
  })();

/** What belongs to an episode: its scenes, what they need, and the days with their strips. */
function ofEpisode(document: ProductionDocument, episode: string): ProductionDocument {
  const scenes = document.scenes.filter((scene) => scene.episode === episode);
  const needed = new Set(scenes.flatMap(({ assets }) => assets));
  const isOwn = (reference: string) => reference.startsWith(sceneName("", episode));
  const schedule = document.schedule.flatMap((day) => {
    const own = day.scenes.filter(isOwn);
    const banners = day.banners.filter(({ before }) => (before ?? undefined) === undefined || isOwn(before ?? ""));
    const parts = day.parts.filter(({ scene }) => isOwn(scene));
    return own.length === 0 ? [] : [{ ...day, scenes: own, banners, parts }];
  });
  return {
    ...document,
    scenes,
    assets: document.assets.filter(({ ref, label }) => needed.has(ref ?? label)),
    schedule,
  };
}
