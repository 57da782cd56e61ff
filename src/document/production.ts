// The production itself, its episodes, departments and people: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { Writing } from "./writing.ts";

export const onEpisodic = "on an episodic production";

export function checkProduction(checking: Checking): void {
  const { format, document } = checking;
  if (format !== undefined) {
    const episodic = format === "episodic";
    checking.present("production.season_number", document.production.season_number, episodic, onEpisodic);
    if (!episodic)
      checking.present("production.current_episode", document.production.current_episode, false, onEpisodic);
    if (!episodic && checking.isUsable("episodes") && document.episodes.length > 0)
      checking.report("episodes", `must be left out except ${onEpisodic}`);
  }
  if (format !== "single" && checking.isUsable("production"))
    checking.refer("production.current_episode", "episode", document.production.current_episode);
  checking.each("people", (person, place) => checking.refer(`${place}.department`, "department", person.department));
}

export function insertProduction(writing: Writing): void {
  const { production, episodes, departments, people } = writing.document;
  const own = writing.production_id;
  const { title, logline, status, phase, accent, format, created_at } = production;
  const current = writing.id("episode", production.current_episode);
  const season = production.season_number ?? null;
  writing.row("import_production", own, title, logline, status, phase, accent, format, season, current, created_at);
  episodes.forEach(({ code, title }, at) => {
    writing.row("import_episode", writing.idAt("episode", at), own, code, title, at + 1);
  });
  departments.forEach(({ slug, name, cluster, phases, mission, key_roles, privacy, unveiled, registry }, at) => {
    const texts = [JSON.stringify(phases), mission, JSON.stringify(key_roles), privacy];
    const id = writing.idAt("department", at);
    writing.row(
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
    const id = writing.idAt("person", at);
    writing.row(
      "import_person",
      id,
      own,
      name,
      role,
      writing.id("department", department),
      Number(is_hod),
      Number(is_admin),
    );
  });
}

const parsed = (text: unknown): unknown => JSON.parse(text as string);

export function collectProduction(collecting: Collecting): Row {
  const production = collecting.rows("export_production")[0] as Row;
  return {
    document: "tallylight production",
    document_version: 1,
    production: { ...production, current_episode: collecting.name("episode", production.current_episode_id) },
    episodes: collecting.rows("export_episodes"),
    departments: collecting.rows("export_departments").map((row) => ({
      ...row,
      phases: parsed(row.phases),
      key_roles: parsed(row.key_roles),
      unveiled: row.unveiled === 1,
      registry: parsed(row.registry),
    })),
    people: collecting.rows("export_people").map((row) => ({
      ...row,
      department: collecting.name("department", row.department_id),
      is_hod: row.is_hod === 1,
      is_admin: row.is_admin === 1,
    })),
  };
}
