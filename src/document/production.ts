// Checks, writes and reads the production itself, its episodes, departments and people.
import { bulkInsert, change } from "../store/statements.ts";
import type { Changes, Item, Production } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { deleteOf, removeAll, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportDepartments = exported("export_departments");
const exportEpisodes = exported("export_episodes");
const exportPeople = exported("export_people");
export const exportProduction = exported("export_production");

const insertProduction = bulkInsert("import_production");
const updateProduction = change<Columns>("update_production");
const insertEpisode = bulkInsert("import_episode");
const updateEpisode = updateOf("update_episode");
const parkEpisode = updateOf("park_episode");
const deleteEpisode = deleteOf("delete_episode");
const insertDepartment = bulkInsert("import_department");
const updateDepartment = updateOf("update_department");
const parkDepartment = updateOf("park_department");
const deleteDepartment = deleteOf("delete_department");
const insertPerson = bulkInsert("import_person");
const updatePerson = updateOf("update_person");
const parkPerson = updateOf("park_person");
const deletePerson = deleteOf("delete_person");

export const onEpisodic = "on an episodic production";

export function checkProduction(validator: Validator): void {
  const { format, document } = validator;
  if (format === undefined) return;
  const episodic = format === "episodic";
  validator.present("production.season_number", document.production.season_number, episodic, onEpisodic);
  if (!episodic)
    validator.present("production.current_episode", document.production.current_episode, false, onEpisodic);
  if (!episodic && validator.isUsable("episodes") && document.episodes.length > 0)
    validator.report("episodes", `is allowed only ${onEpisodic}`);
}

const columnsOfProduction = (writer: Writer, production: Production): Columns => {
  const { title, logline, status, phase, accent, format, season_number = null } = production;
  const current_episode_id = writer.id("episode", production.current_episode);
  return { title, logline, status, phase, accent, format, season_number, current_episode_id };
};

/** The row of the production: before all others if it is new, whose current episode is checked at the commit; else after its episodes. */
export function writeProduction(writer: Writer, production: Production | undefined, isNew: boolean): void {
  if (production === undefined) return;
  const { store, production_id: id, now } = writer;
  const columns = columnsOfProduction(writer, production);
  if (isNew) writer.insert(insertProduction, { ...columns, id, created_at: production.created_at ?? now });
  else updateProduction(store, { ...columns, production_id: id });
}

export function writeEpisodes(writer: Writer, changes: Changes): void {
  const { added, changed, removed } = changes.of("episodes");
  for (const { id } of removed) parkEpisode(writer, id);
  for (const { id, item, order } of added)
    writer.insert(insertEpisode, { id, code: item.code, title: item.title, position: order });
  updateAll(writer, changed, {
    ...{ unique: ["code"], park: parkEpisode },
    update: ({ id, item, order }) => updateEpisode(writer, id, { code: item.code, title: item.title, position: order }),
  });
}

function columnsOfDepartment(department: Item<"departments">): Columns {
  const { slug, name, cluster, phases, mission, key_roles, privacy, unveiled, registry } = department;
  const lists = { phases: JSON.stringify(phases), key_roles: JSON.stringify(key_roles) };
  return {
    slug,
    name,
    cluster,
    ...lists,
    mission,
    privacy,
    unveiled: Number(unveiled),
    registry: JSON.stringify(registry),
  };
}

export function writeDepartments(writer: Writer, changes: Changes): void {
  const { added, changed, removed } = changes.of("departments");
  for (const { id } of removed) parkDepartment(writer, id);
  for (const { id, item } of added) writer.insert(insertDepartment, { id, ...columnsOfDepartment(item) });
  updateAll(writer, changed, {
    ...{ unique: ["slug"], park: parkDepartment },
    update: ({ id, item }) => updateDepartment(writer, id, columnsOfDepartment(item)),
  });
}

function columnsOfPerson(writer: Writer, person: Item<"people">): Columns {
  const { name, role, is_hod, is_admin, active } = person;
  const flags = { is_hod: Number(is_hod), is_admin: Number(is_admin), active: Number(active) };
  return { name, role, department_id: writer.id("department", person.department), ...flags };
}

export function writePeople(writer: Writer, changes: Changes): void {
  const { added, changed, removed } = changes.of("people");
  for (const { id } of removed) parkPerson(writer, id);
  for (const { id, item } of added) writer.insert(insertPerson, { id, ...columnsOfPerson(writer, item) });
  updateAll(writer, changed, {
    ...{ unique: ["name"], park: parkPerson },
    update: ({ id, item }) => updatePerson(writer, id, columnsOfPerson(writer, item)),
  });
}

/** After everything that referred to them. */
export function removePeople(writer: Writer, changes: Changes): void {
  removeAll(writer, changes.of("people").removed, "people", ({ id }) => deletePerson(writer, id));
  removeAll(writer, changes.of("episodes").removed, "episodes", ({ id }) => deleteEpisode(writer, id));
  removeAll(writer, changes.of("departments").removed, "departments", ({ id }) => deleteDepartment(writer, id));
}

const parsed = (text: unknown): unknown => JSON.parse(text as string);

export function collectProduction(exporter: Exporter): Row {
  const [production = {}] = exporter.rows(exportProduction); // one that is not stored yet has no row
  return { ...production, current_episode: exporter.name("episode", production.current_episode_id) };
}

export const collectEpisodes = (exporter: Exporter): Row[] => exporter.rows(exportEpisodes);

export const collectDepartments = (exporter: Exporter): Row[] =>
  exporter.rows(exportDepartments).map((row) => ({
    ...row,
    phases: parsed(row.phases),
    key_roles: parsed(row.key_roles),
    unveiled: row.unveiled === 1,
    registry: parsed(row.registry),
  }));

export const collectPeople = (exporter: Exporter): Row[] =>
  exporter.rows(exportPeople).map((row) => ({
    ...row,
    department: exporter.name("department", row.department_id),
    is_hod: row.is_hod === 1,
    is_admin: row.is_admin === 1,
    active: row.active === 1,
  }));
