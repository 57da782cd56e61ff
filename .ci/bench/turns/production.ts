// A data directory with the demo and a production whose every list is long: 2,000 scenes, assets, people and approvals,
// a day with all of a long schedule's kinds of rows, an asset with many versions and notes, a delivery with many
// submissions and files.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../../src/core/store/database.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { fixtureFiles, importedAt, one } from "../../../test/support/app.ts";
import { temporaryFolder } from "../../../test/support/folder.ts";
import { writeLarger } from "../../../test/support/larger.ts";
import { folderWith } from "../../../test/support/template.ts";
import type { Measured } from "./case.ts";

export const title = "Larger";
/** Scenes, and what else a production has about as many of. */
export const many = 2_000;
/** What one thing has of another: versions of an asset, submissions of a delivery. */
const some = 500;

async function document(): Promise<string> {
  const file = join(temporaryFolder(), "larger.json");
  await writeLarger(file, { title, scenes: many, assets: many, versions: 2, engagements: 100 });
  const larger = JSON.parse(readFileSync(file, "utf8"));
  for (let at = larger.people.length; at < many; at++) larger.people.push({ name: `Crew Member ${at}`, role: "Crew" });
  for (let at = 0; at < many - larger.scenes.length / 10; at++)
    larger.approvals.push({
      title: `Approve thing ${at}`,
      status: "pending",
      mode: "chain",
      asset: `Thing ${at}`,
      steps: [1, 2, 3].map((n) => ({ person: `Crew Member ${n}`, status: "pending" })),
    });
  const [day] = larger.schedule;
  day.scenes = Array.from({ length: 50 }, (_, at) => `${at + 1}`);
  day.calls = Array.from({ length: 300 }, (_, at) => ({ who: `Crew Member ${at}`, time: "06:00", note: "at base" }));
  larger.deliveries[0].scenes = larger.scenes.map(({ number }: { number: string }) => number);
  larger.department_notes = Array.from({ length: some }, (_, at) => ({
    department: "art",
    scene: "1",
    summary: `What art owes the first scene, part ${at}: ${"a lamp, ".repeat(20)}`,
  }));
  writeFileSync(file, JSON.stringify(larger));
  return file;
}

/** Adds rows by an INSERT … SELECT in which `i` counts from 1. */
function fill(store: Store, count: number, table: string, columns: string, values: string): void {
  store.database.exec(
    `INSERT INTO ${table} (${columns}) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     SELECT ${values} FROM n`,
  );
}

/** The ids of the production and of its things with the most of everything. */
export function idsOf(store: Store) {
  const production = one(store, "SELECT id FROM productions WHERE title = ?", title);
  const find = <T = number>(sql: string) => one<T>(store, sql, production);
  return {
    production,
    scene: find("SELECT node_id FROM scenes WHERE production_id = ? AND number = '1'"),
    asset: find("SELECT id FROM nodes WHERE production_id = ? AND label = 'Thing 0'"),
    character: find("SELECT id FROM nodes WHERE production_id = ? AND kind = 'character'"),
    delivery: find("SELECT min(id) FROM deliveries WHERE production_id = ?"),
    engagement: find("SELECT min(id) FROM engagements WHERE production_id = ?"),
    person: find("SELECT id FROM people WHERE production_id = ? AND name = 'Crew Member 1'"),
    day: find("SELECT id FROM shoot_days WHERE production_id = ? AND day_number = 1"),
    date: find<string>("SELECT date FROM shoot_days WHERE production_id = ? AND day_number = 1"),
    department: find("SELECT id FROM departments WHERE production_id = ? AND slug = 'art'"),
    install: find("SELECT id FROM storage_installs WHERE production_id = ?"),
    vendor: find("SELECT min(id) FROM vendors WHERE production_id = ?"),
    find,
  };
}
export type Ids = ReturnType<typeof idsOf>;

/** What documents do not have, and what would take long to import. */
function fillAll(store: Store, ids: Ids): void {
  const { production, asset, delivery, engagement, department, install, vendor } = ids;
  const sha256 = one<string>(store, "SELECT sha256 FROM blobs WHERE content_type = 'image/jpeg' LIMIT 1");
  const moment = `strftime('%Y-%m-%dT%H:%M:%fZ', '2026-11-19T08:00:00', '+' || i || ' seconds')`;
  const add = (count: number, table: string, columns: string, values: string) =>
    fill(store, count, table, `production_id, ${columns}`, `${production}, ${values}`);
  add(
    20_000,
    "activity",
    "verb, summary, actor, node_id, created_at",
    `'note.added', 'Note on Thing 0: part ' || i, 'Crew Member 1', ${asset}, ${moment}`,
  );
  add(
    some,
    "versions",
    "node_id, version, variant, status, note, archived, released, created_at",
    `${asset}, i + 2, 'Main', 'wip', 'Pass ' || i, 0, i % 2, ${moment}`,
  );
  add(
    many,
    "notes",
    "node_id, text, author, created_at",
    `${asset}, 'What somebody said of it, part ' || i, 'Crew Member 1', ${moment}`,
  );
  add(
    some,
    "submissions",
    "delivery_id, engagement_id, status, title, note, created_at",
    `${delivery}, ${engagement}, 'submitted', 'Comp v' || i, 'Grain matched.', ${moment}`,
  );
  const first = one(store, "SELECT min(id) FROM submissions WHERE production_id = ?", production);
  add(
    4 * some,
    "media",
    "path, kind, label, sha256, work_item_id, created_at",
    `'turns/' || i || '.jpg', 'image', 'sh' || i || '.jpg', '${sha256}', ${first} + i / 4 % ${some}, ${moment}`,
  );
  add(
    some,
    "media",
    "path, kind, label, sha256, version_id, created_at",
    `'stills/' || i || '.jpg', 'image', 'still' || i || '.jpg', '${sha256}', (SELECT id FROM versions WHERE node_id = ${asset} AND version = i + 2), ${moment}`,
  );
  add(
    many,
    "purchase_orders",
    "account, vendor_id, description, amount, status, date, department_id, number",
    `'4' || i, ${vendor}, 'Hire of part ' || i, i, 'open', '2026-11-02', ${department}, 'PO-' || i`,
  );
  add(100, "cost_reports", "week_of, active", "date('2026-01-02', '+' || (7 * i) || ' days'), i = 100");
  add(
    many,
    "cost_report_lines",
    "cost_report_id, account, department_id, budget, figures",
    `(SELECT max(id) FROM cost_reports WHERE production_id = ${production}), 'A' || i, ${department}, i, '{"spent": 1}'`,
  );
  add(
    5_000,
    "asset_files",
    "install_id, path, state, size, mtime_ns, detected_at",
    `${install}, 'dailies/' || i || '.mov', 'present', i, i, ${moment}`,
  );
  add(
    many,
    "storage_tasks",
    "install_id, src, dst, status, created_at",
    `${install}, 'dailies/' || i || '.mov', 'cut/' || i || '.mov', 'pending', ${moment}`,
  );
  add(many, "jobs", "kind, status, summary, created_at", `'image', 'done', 'A still of part ' || i, ${moment}`);
  add(
    1_000,
    "api_keys",
    "label, prefix, token_sha256, scopes, created_at",
    `'key ' || i, 'tl_' || i, printf('%064d', i), '["read"]', ${moment}`,
  );
  add(
    500,
    "sessions",
    "token_sha256, browser, created_at, expires_at",
    `printf('s%063d', i), 'Firefox ' || i, ${moment}, '2099-01-01T00:00:00.000Z'`,
  );
  add(
    1_000,
    "script_changes",
    "kind, status, scene_number, summary, revision_color, detected_at, decided_at",
    `'changed', 'dismissed', i, 'What changed in scene ' || i, 'pink', ${moment}, ${moment}`,
  );
  add(
    some,
    "change_sets",
    "created_at, actor, source, summary, added, changed, removed, changes",
    `${moment}, 'Crew Member 1', 'list.csv', 'Change ' || i, 0, 1, 0, '[]'`,
  );
  add(
    20_000,
    "events",
    "type, subject_kind, subject_id, actor, data, created_at",
    `'note.added', 'asset', ${asset}, 'Crew Member 1', '{}', ${moment}`,
  );
  fill(
    store,
    5_000,
    "audit",
    "created_at, actor, action, production_id, detail",
    `${moment}, 'link', 'key.minted', ${production}, '{"id": 1}'`,
  );
}

/** Makes the directory. */
export async function folderOfLimits(): Promise<string> {
  const folder = await folderWith([...fixtureFiles, await document()], importedAt);
  const store = openStore(join(folder, "tallylight.db"));
  fillAll(store, idsOf(store));
  store.close();
  return folder;
}

/** The text of a script of 2,000 scenes. The later draft has another line in every tenth. */
const draft = (isLater: boolean): string =>
  Array.from({ length: many }, (_, n) => {
    const talk = Array.from({ length: 6 }, (_, k) => `PLAYER ${(n + k) % 40}\nWhat is said in part ${k} of it.\n`);
    const line = isLater && n % 10 === 0 ? "We leave tonight." : "We stay until the morning.";
    return `${n % 2 === 0 ? "INT." : "EXT."} PLACE ${n % 97} - ${n % 3 === 0 ? "NIGHT" : "DAY"} #${n + 1}#\n\nDust.\n\n${talk.join("\n")}\nPLAYER 1\n${line}\n`;
  }).join("\n");

const synopses = (count: number, length: number, end: string) => ({
  scenes: Array.from({ length: count }, (_, n) => ({
    number: `${n + 1}`,
    synopsis: `${end} ${"a ".repeat(length / 2)}${end}`,
  })),
});

/** The ids of the change sets that prepare makes. */
export const changeSetsOf = ({ find }: Ids) => ({
  synopses: find("SELECT max(id) FROM change_sets WHERE changed = 500 AND production_id = ?"),
  large: find("SELECT max(id) FROM change_sets WHERE changed = 2000 AND production_id = ?"),
});

/**
 * What only the server itself makes: two drafts of the script, of which the later changes 200 scenes, and large change
 * sets.
 */
export async function prepare({ send, server: { store }, ids }: Measured): Promise<void> {
  const path = "/api/v1/admin/import?limit=1";
  for (const isLater of [false, true]) {
    const body = new FormData();
    body.append("files", new Blob([draft(isLater)]), isLater ? "pink.fountain" : "white.fountain");
    await send({ path, body });
    const pending = "UPDATE script_changes SET status = 'dismissed', decided_at = detected_at WHERE status = 'pending'";
    if (!isLater) store.writeSync(() => store.database.exec(pending));
  }
  for (const end of ["b", "c"]) {
    await send({ path, body: synopses(500, 1_300, end) });
    await send({ path, body: synopses(many, 3_000, end) });
  }
  for (let at = 0; at < 19; at++)
    await send({
      path: "/api/v1/admin/webhooks",
      body: { url: `http://127.0.0.1:9/hook${at}`, types: ["version.released"] },
    });
  const hook = ids.find("SELECT min(id) FROM webhooks WHERE production_id = ?");
  fill(
    store,
    1_000,
    "webhook_deliveries",
    "webhook_id, type, try, outcome, created_at",
    `${hook}, 'note.added', 1, 'delivered', '2026-11-19T08:00:00Z'`,
  );
}
