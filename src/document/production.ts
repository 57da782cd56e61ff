// The production itself, its episodes, departments and people: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { Validator } from "./validator.ts";

const exportDepartments = exported("export_departments");
const exportEpisodes = exported("export_episodes");
export const exportProduction = exported("export_production");
const exportPeople = exported("export_people");
const importDepartment = bulkInsert("import_department");
const importEpisode = bulkInsert("import_episode");
const importPerson = bulkInsert("import_person");
const importProduction = bulkInsert("import_production");

export const onEpisodic = "on an episodic production";

export function checkProduction(validator: Validator): void {
  const { format, document } = validator;
  if (format !== undefined) {
    const episodic = format === "episodic";
    validator.present("production.season_number", document.production.season_number, episodic, onEpisodic);
    if (!episodic)
      validator.present("production.current_episode", document.production.current_episode, false, onEpisodic);
    if (!episodic && validator.isUsable("episodes") && document.episodes.length > 0)
      validator.report("episodes", `must be left out except ${onEpisodic}`);
  }
  if (format !== "single" && validator.isUsable("production"))
    validator.refer("production.current_episode", "episode", document.production.current_episode);
  validator.each("people", (person, place) => validator.refer(`${place}.department`, "department", person.department));
}

export function insertProduction(importer: Importer): void {
  const { production, episodes, departments, people } = importer.document;
  const own = importer.production_id;
  const { title, logline, status, phase, accent, format, created_at } = production;
  const current = importer.id("episode", production.current_episode);
  const season = production.season_number ?? null;
  importer.row(importProduction, own, title, logline, status, phase, accent, format, season, current, created_at);
  episodes.forEach(({ code, title }, at) => {
    importer.row(importEpisode, importer.idAt("episode", at), own, code, title, at + 1);
  });
  departments.forEach(({ slug, name, cluster, phases, mission, key_roles, privacy, unveiled, registry }, at) => {
    const texts = [JSON.stringify(phases), mission, JSON.stringify(key_roles), privacy];
    const id = importer.idAt("department", at);
    importer.row(importDepartment, id, own, slug, name, cluster, ...texts, Number(unveiled), JSON.stringify(registry));
  });
  people.forEach(({ name, role, department, is_hod, is_admin }, at) => {
    const id = importer.idAt("person", at);
    importer.row(
      importPerson,
      id,
      own,
      name,
      role,
      importer.id("department", department),
      Number(is_hod),
      Number(is_admin),
    );
  });
}

const parsed = (text: unknown): unknown => JSON.parse(text as string);

export function collectProduction(exporter: Exporter): Row {
  const production = exporter.rows(exportProduction)[0] as Row;
  return {
    document: "tallylight production",
    document_version: 1,
    production: { ...production, current_episode: exporter.name("episode", production.current_episode_id) },
    episodes: exporter.rows(exportEpisodes),
    departments: exporter.rows(exportDepartments).map((row) => ({
      ...row,
      phases: parsed(row.phases),
      key_roles: parsed(row.key_roles),
      unveiled: row.unveiled === 1,
      registry: parsed(row.registry),
    })),
    people: exporter.rows(exportPeople).map((row) => ({
      ...row,
      department: exporter.name("department", row.department_id),
      is_hod: row.is_hod === 1,
      is_admin: row.is_admin === 1,
    })),
  };
}
