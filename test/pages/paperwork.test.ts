// Scripts and schedules on the pages: a first draft that only stores its text, omitted scenes of a day, and sluglines
// without elements.
// Thorough: only --all runs it.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { openImports, script } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";

const test = suite("paperwork on the pages");
const server = await openTestServer();
const production = one(
  server.store,
  `SELECT id FROM productions WHERE format <> 'episodic' AND EXISTS (
     SELECT * FROM shoot_days JOIN strips ON shoot_day_id = shoot_days.id WHERE shoot_days.production_id = productions.id)`,
);
const key = mint(server.store, { production_id: production, scopes: ["read", "write", "admin"] });
const admin = await openAsAdmin(server, production);

type Json = any; // answers and documents are taken apart field by field
const scenes: Json[] = await server.get(key, "/scenes");

/** The fields of the form in a page that applies an import. */
const fieldsOf = (page: string): Record<string, string[]> => {
  const form = page.slice(page.indexOf("What would change"));
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const values = Map.groupBy(hidden, ([, name]) => name as string);
  const entries = [...values].map(([name, found]) => [name, found.map(([, , value]) => value as string)]);
  return { action: ["apply"], ...Object.fromEntries(entries) };
};

async function preview(name: string, text: string): Promise<string> {
  const body = new FormData();
  const proof = /name="proof" value="([^"]+)"/.exec(await admin.text("/settings/import"))?.[1];
  body.append("proof", proof as string);
  body.append("action", "preview");
  body.append("files", new Blob([text]), name);
  const headers = { cookie: admin.cookies(), accept: "text/html", origin: server.url };
  return (await fetch(`${server.url}/settings/import`, { method: "POST", body, headers })).text();
}

test("a first draft that agrees with every scene is applied once", async () => {
  const script = scenes
    .filter(({ status }) => status !== "omitted")
    .map(({ number, slugline }) => `.${slugline} #${number}#\n\nRain falls on ${number}.`)
    .join("\n\n");
  const page = await preview("draft.fountain", script);
  assert.match(page, /[Tt]he text of \d+ scenes is stored for the next comparison/);
  const stored = "SELECT count(*) FROM script_scenes WHERE scene LIKE '%Rain falls%'";
  const count = () => server.store.database.prepare(stored).pluck().get();
  assert.is(count(), 0, "a preview stores nothing");
  assert.match(await (await admin.post("/settings/import", fieldsOf(page))).text(), /Applied/);
  assert.ok((count() as number) > 0);
  assert.match(await preview("draft.fountain", script), /The production already has all of this/);
});

test("all changes that wait are decided at once, also those of further pages, as a renumbered script needs", async () => {
  const count = 1_102; // more than a request could name before
  const text = (at: number) => Array.from({ length: 12 }, (_, word) => `word${at}${"abcdefghijkl"[word]}`).join(" ");
  const draft = (numbers: readonly (number | undefined)[]) =>
    script(
      numbers.flatMap((number, at) =>
        number === undefined ? [] : [`.INT. ROOM ${at} - DAY #${number}#\n\n${text(at)}`],
      ),
    );
  const all = Array.from({ length: count }, (_, at) => at + 1);
  const production = await openImports(draft(all));
  await production.import(draft([1, undefined, ...all.slice(1, -1)])); // 2 is cut, and 3 becomes 2
  const long = await openTestServer({ data: dirname(production.store.file) });
  const admin = await openAsAdmin(long, production.production_id);
  const [path, waiting] = ["/settings/script-changes", () => production.changes().length];
  const [, newest] = /name="waiting" value="(\d+)"/.exec(await admin.text(path)) ?? [];
  assert.is(waiting(), count - 1);
  const page = await admin.text(/href="(\?after=[^"]+)"/.exec(await admin.text(path))?.[1]?.replace(/^/, path) ?? "");
  assert.not.match(page, /name="waiting"/);
  const shown = /name="shown" value="([\d ]+)"/.exec(page)?.[1] as string; // their numbers are those of the first page
  const refused = await admin.send(path, { every: "1", shown, decision: "approved" });
  assert.match(await refused.text(), /approve script changes 1 to \d+ with it/);
  const answer = await admin.send(path, { waiting: String(Number(newest) - 1), decision: "dismissed" });
  assert.is(answer.status, 303);
  assert.is(waiting(), 1, "one that is newer than what the page showed waits on");
  await admin.send(path, { ids: newest as string, decision: "dismissed" });
  await long.stop();
});

/** What the page of a day and the board say of it, beside its general call. */
const factsOf = async (id: number): Promise<[day: string, board: string]> => {
  const plain = (markup = "") => markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  const day = /<p class="facts">.*?<\/p>/s.exec(await admin.text(`/days/${id}`))?.[0];
  const board = new RegExp(`id="day-${id}">.*?<div class="daybar">(.*?)</div>`, "s").exec(
    await admin.text("/schedule"),
  )?.[1];
  return [plain(day), plain(board)];
};

test("an omitted scene stays on its day and counts in no number of scenes or pages", async () => {
  const days: Json[] = await server.get(key, "/schedule");
  const status = new Map(scenes.map((scene) => [scene.node_id, scene.status]));
  const day = days.find(
    (one) => one.scenes.length > 1 && one.scenes.every((s: Json) => status.get(s.node_id) !== "omitted"),
  );
  const [omitted] = day.scenes;
  const before = await factsOf(day.id);
  for (const facts of before) assert.match(facts, new RegExp(`\\b${day.scenes.length} sc(?:enes)?\\b`));
  const document = { scenes: [{ number: omitted.number, status: "omitted" }] };
  const response = await server.ask(key, "/api/v1/admin/import", { method: "POST", body: JSON.stringify(document) });
  assert.is(response.status, 200, await response.text());
  const after = await factsOf(day.id);
  for (const facts of after) assert.match(facts, new RegExp(`\\b${day.scenes.length - 1} sc(?:enes?)?\\b`));
  const pages = (facts: string) => /([\d/ ]+) (?:pg|pages)/.exec(facts)?.[1];
  for (const [at, facts] of after.entries()) assert.is.not(pages(facts), pages(before[at] as string));
  assert.match(
    await admin.text("/schedule"),
    new RegExp(`strip \\S+"><a href="/scenes/${omitted.node_id}">[^\n]*\n<span><b><s>`),
  );
  const now = (await server.get(key, "/schedule")).find(({ id }: Json) => id === day.id);
  assert.is(now.scenes.length, day.scenes.length, "the answer keeps the strip");
});

test("a slugline without elements is read as an import reads it", async () => {
  const [scene] = scenes.filter(({ status }) => status !== "omitted");
  const slugline = "INT. TRUNK -- NIGHT -- WHEN INSIDE";
  server.store.writeSync(() =>
    server.store.database
      .prepare("UPDATE scenes SET slugline = ?, elements = '{}' WHERE node_id = ?")
      .run(slugline, scene.node_id),
  );
  const strip = new RegExp(`<li class="strip ([\\w-]+)[^"]*"><a href="/scenes/${scene.node_id}">.*?</li>`, "s");
  const [markup = "", colour] = strip.exec(await admin.text("/schedule")) ?? [];
  assert.is(colour, "int-night");
  assert.match(markup, /TRUNK - WHEN INSIDE/);
});

test.after(() => server.stop());
test.run();
