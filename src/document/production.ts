// The production itself, its episodes, departments and people: checked, written and collected.

import type { Exporter, Row } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { Validator } from "./validator.ts";

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
  importer.row("import_production", own, title, logline, status, phase, accent, format, season, current, created_at);
  episodes.forEach(({ code, title }, at) => {
    importer.row("import_episode", importer.idAt("episode", at), own, code, title, at + 1);
  });
  departments.forEach(({ slug, name, cluster, phases, mission, key_roles, privacy, unveiled, registry }, at) => {
    const texts = [JSON.stringify(phases), mission, JSON.stringify(key_roles), privacy];
    const id = importer.idAt("department", at);
    importer.row(
      "import_department",
      id,
      own,
      slug,
      name,
      cluster,
      ...texts,
      Number(unveiled),
      JSON.stringify(registry),
    );
  });
  people.forEach(({ name, role, department, is_hod, is_admin }, at) => {
    const id = importer.idAt("person", at);
    importer.row(
      "import_person",
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
  const production = exporter.rows("export_production")[0] as Row;
  return {
    document: "tallylight production",
    document_version: 1,
    production: { ...production, current_episode: exporter.name("episode", production.current_episode_id) },
    episodes: exporter.rows("export_episodes"),
    departments: exporter.rows("export_departments").map((row) => ({
      ...row,
      phases: parsed(row.phases),
      key_roles: parsed(row.key_roles),
      unveiled: row.unveiled === 1,
      registry: parsed(row.registry),
    })),
    people: exporter.rows("export_people").map((row) => ({
      ...row,
      department: exporter.name("department", row.department_id),
      is_hod: row.is_hod === 1,
      is_admin: row.is_admin === 1,
    })),
  };
}
