// A year of a production in a released version: drafts of its script with changes that wait, an approval in rounds,
// changes of fields, a webhook, and a row of notes, activity and events for each change of each day.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";

/** Runs a command of the released version; returns what `--json` printed. */
type Tallylight = (...argv: string[]) => any;

const draft = (name: string): string => fileURLToPath(new URL(`../scripts/former/${name}.fountain`, import.meta.url));

/** The id in what an import printed: a list in some versions, and one thing in others. */
const idOf = (printed: any): number => [printed].flat()[0].production_id;

/** Version 1.0.0 imports documents alone: one of its demos with another title. Returns the id of the production. */
function beginWithDocument(tallylight: Tallylight, folder: string, document: string): number {
  const content = JSON.parse(readFileSync(document, "utf8"));
  content.production.title = "A year";
  const file = join(folder, "fixtures", "a-year.json");
  writeFileSync(file, JSON.stringify(content));
  return idOf(tallylight("import", file));
}

/** Two drafts, of whose changes one is approved, one dismissed and the others wait; and an approval in two rounds. */
function beginWithDrafts(tallylight: Tallylight): number {
  const production = String(idOf(tallylight("import", draft("white"), "--title", "A year")));
  tallylight("import", draft("pink"), "--production", production, "--color", "pink");
  const waiting = tallylight("script-changes", "list", "--production", production);
  const [first, second] = (Array.isArray(waiting) ? waiting : waiting.items).filter(
    ({ summary }: { summary: string }) => summary.includes(": text changed"),
  );
  tallylight("script-changes", "approve", String(first.id));
  tallylight("script-changes", "dismiss", String(second.id));
  for (const synopsis of ["A ferry.", "A ferry that is late."])
    tallylight("set", "scenes", "1", `synopsis=${synopsis}`, "--production", production);
  return Number(production);
}

/** The rows of `days` days with `changes` changes each, spread over the things of the production. */
function fill(file: string, production: number, days: number, changes: number): void {
  const database = new Database(file);
  database.exec(`
    BEGIN;
    CREATE TEMP TABLE year AS
      WITH RECURSIVE one (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM one WHERE n < ${days} * ${changes} - 1)
      SELECT n, strftime('%Y-%m-%dT%H:%M:%S.000Z', '2025-11-05T06:00:00Z',
        printf('+%d seconds', n / ${changes} * 86400 + n % ${changes} * 100)) AS time FROM one;
    CREATE TEMP TABLE things AS
      SELECT row_number() OVER (ORDER BY id) - 1 AS at, id FROM nodes WHERE production_id = ${production};
    INSERT INTO notes (production_id, node_id, text, author, created_at)
      SELECT ${production}, id, 'Change ' || n || ': the hem of the left sleeve is two fingers longer', 'Wardrobe', time
      FROM year JOIN things ON at = n % (SELECT count(*) FROM things);
    INSERT INTO activity (production_id, verb, summary, actor, node_id, created_at)
      SELECT ${production}, 'noted', 'Change ' || n, 'Wardrobe', id, time
      FROM year JOIN things ON at = n % (SELECT count(*) FROM things) ORDER BY n;
    COMMIT`);
  // from 1.1
  const hasEvents = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
  if (hasEvents)
    database.exec(`
      INSERT INTO events (production_id, type, subject_kind, subject_id, actor, data, created_at)
      SELECT ${production}, 'note.created', 'note', n, 'Wardrobe', '{}', time FROM year`);
  database.close();
}

/**
 * Adds a production with a year of `days` days to the data directory `data` of the version, before it is served.
 * `document` is a demo of that version.
 */
export function addYear(tallylight: Tallylight, version: string, data: string, document: string, days: number): void {
  const isFirst = version === "1.0.0";
  const production = isFirst ? beginWithDocument(tallylight, join(data, ".."), document) : beginWithDrafts(tallylight);
  fill(join(data, "tallylight.db"), production, days, 500);
  if (!isFirst) tallylight("webhooks", "add", "--production", String(production), "--url", "http://127.0.0.1:9/hook");
}
