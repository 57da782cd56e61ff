// Writes and reads the production itself, its episodes, departments and people.
import { bulkInsert, change } from "../../../core/store/statements.ts";
import type { Production } from "../sections/sections.ts";
import { rowsOf } from "./columns.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import type { Writer } from "./writer.ts";

export const exportProduction = exported("export_production");
bulkInsert("import_production");
const updateProduction = change("update_production");

function columnsOfProduction(writer: Writer, production: Production) {
  const { title, logline, status, phase, accent, format, season_number = null } = production;
  const current_episode_id = writer.id("episode", production.current_episode);
  return { title, logline, status, phase, accent, format, season_number, current_episode_id };
}

/** The row of the production: before all others if it is new, whose current episode is checked at the commit; else after its episodes. */
export function writeProduction(writer: Writer, production: Production | undefined, isNew: boolean): void {
  if (production === undefined) return;
  const { store, production_id: id, now } = writer;
  const columns = columnsOfProduction(writer, production);
  if (isNew) writer.insert("import_production", { ...columns, id, created_at: production.created_at ?? now });
  else updateProduction(store, { ...columns, production_id: id });
  writer.tables.add("productions");
}

export function collectProduction(exporter: Exporter): Row {
  const [production = {}] = exporter.rows(exportProduction); // one that is not stored yet has no row
  return { ...production, current_episode: exporter.name("episode", production.current_episode_id) };
}

export const episodes = rowsOf("episodes")({
  read: exported("export_episodes"),
  insert: ["import_episode"],
  unique: ["code"],
  fields: {},
  further: ({ order }) => ({ position: order }),
});

export const departments = rowsOf("departments")({
  read: exported("export_departments"),
  insert: ["import_department"],
  unique: ["slug"],
  fields: {},
});

export const people = rowsOf("people")({
  read: exported("export_people"),
  insert: ["import_person"],
  unique: ["name"],
  fields: {},
});
