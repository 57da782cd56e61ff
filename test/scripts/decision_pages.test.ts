// The pages of a draft: one that agrees with every scene is applied from the import page, and a decision shows its
// warnings.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { openImports, script } from "../support/import.ts";
import { openAsAdmin, signIn } from "../support/pages.ts";

const scenes = ["HALL", "YARD", "QUAY"].map((set, at) => `INT. ${set} - DAY #${at + 1}#\n\nSomebody waits in ${set}.`);
const schedule = "Scene,Pages\n1,1\n2,1\n3,1\nEnd of Day 1 - 2026-05-05";
const test = suite("the pages of a draft");

/** A browser beside a production. */
async function openBrowser(production: Awaited<ReturnType<typeof openImports>>) {
  const server = await openTestServer({ data: dirname(production.store.file) });
  return { server, admin: await openAsAdmin(server, production.production_id) };
}

test("a decision shows what is left to people, behind the form and to nobody else", async () => {
  const production = await openImports(script(scenes, "white.fountain"));
  await production.import({ name: "schedule.csv", text: schedule }, { as: "schedule" });
  await production.import(script(scenes.toSpliced(1, 1), "blue.fountain"));
  const { server, admin } = await openBrowser(production);
  const path = "/settings/script-changes";
  assert.not.match(await admin.text(path), />Warnings</);
  const ids = production.changes().map(({ id }) => String(id));
  const sent = await admin.send(path, { ids, decision: "approved" });
  assert.is(sent.status, 303);
  const location = sent.headers.get("location") ?? "";
  assert.match(await admin.text(location), />Warnings<[\s\S]*scene 2/i);
  assert.not.match(await admin.text(path), />Warnings</);
  await server.stop();
});

const speech = (who: string, text: string) => `\n\n${who}\n${text}`;
const long = (set: string) => Array.from({ length: 30 }, (_, at) => `${set}${at}`.toLowerCase()).join(" ");
const room = (number: string, set: string, more = "") => `INT. ${set} - DAY #${number}#\n\n${long(set)}.${more}`;

test("the page of a draft has groups in the order of the script, and says what each approval brings", async () => {
  const ray = (who: string) => ["PIER", "DOCK"].map((set, at) => room(`${at + 6}`, set, speech(who, "Go.")));
  const before = [
    room("1", "HALL", ` ${long("LOFT")}.`),
    room("2", "YARD"),
    room("3", "QUAY"),
    room("4", "ROOF", speech("ADA", "Look.")),
    room("5", "WELL"),
    ...ray("RAY"),
  ];
  const after = [
    room("1", "HALL"),
    `INT. HALL - DAY #1A#\n\n${long("LOFT")}.`,
    room("3B", "QUAY"),
    room("4", "ROOF", speech("BEN", "Look.")),
    room("5", "WELL", " Rain."),
    ...ray("RAYMOND"),
  ];
  const production = await openImports(script(before, "white.fountain"));
  const days = "Scene,Pages\n1,1\n2,1\n3,1\nEnd of Day 1 - 2026-05-05\n2,1\n5,1\nEnd of Day 2 - 2026-05-06";
  await production.import({ name: "schedule.csv", text: days }, { as: "schedule" });
  await production.import(script(after, "blue.fountain"));
  const { server, admin } = await openBrowser(production);
  const text = (await admin.text("/settings/script-changes")).replace(/<[^>]+>/g, "");
  const parts = ["Scenes", "If approved, it is on no shoot day; with what follows, it goes after scene 1 on day 1"];
  parts.push("If approved, the scene stays on day 1", "as an omitted one; with what follows, it leaves there.");
  parts.push("will show it as 3B.", "If approved, days, links and numbers stay.");
  parts.push("Names", "If approved, RAY is called RAYMOND in all scenes");
  parts.push("Cast", "BEN is linked to it; the link to ADA goes, unless a person made it.");
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    assert.ok(found >= 0, `${part} in ${text}`);
    at = found;
  }
  assert.match(text, /day 1, [^:]*: 1A may go after 1, 2 is omitted, 3 becomes 3B/);
  assert.match(text, /day 2, [^:]*: 2 is omitted/);
  await server.stop();
});

test("what an approval of all changes on a shoot day names every scene, also where many wait", async () => {
  const all = Array.from({ length: 30 }, (_, at) => room(`${at + 1}`, `SET${at}X`));
  const production = await openImports(script(all, "white.fountain"));
  const rows = all.map((_, at) => `${at + 1},1`).join("\n");
  const schedule = { name: "schedule.csv", text: `Scene,Pages\n${rows}\nEnd of Day 1 - 2026-05-05` };
  await production.import(schedule, { as: "schedule" });
  await production.import(script(all.slice(0, 3), "blue.fountain"));
  const { server, admin } = await openBrowser(production);
  const text = (await admin.text("/settings/script-changes")).replace(/<[^>]+>/g, "");
  const omitted = all.slice(3).map((_, at) => `${at + 4} is omitted`);
  assert.ok(text.includes(omitted.join(", ")));
  assert.not.match(text, /and \d+ more/);
  await production.approve();
  assert.not.match(await admin.text("/settings/script-changes"), /What an approval of all/);
  await server.stop();
});

test("a change says which number it takes, and on which days a scene is planned again", async () => {
  const all = ["HALL", "YARD", "QUAY"].map((set, at) => room(`${at + 1}`, set));
  const open = async () => {
    const production = await openImports(script(all, "white.fountain"));
    const schedule = { name: "schedule.csv", text: "Scene,Pages\n1,1\n2,1\n3,1\nEnd of Day 1 - 2026-05-05" };
    await production.import(schedule, { as: "schedule" });
    const { server, admin } = await openBrowser(production);
    const shown = async () => (await admin.text("/settings/script-changes")).replace(/<[^>]+>/g, "");
    return { production, shown, stop: () => server.stop() };
  };
  const renumbered = await open();
  const shifted = [room("1", "HALL"), room("3", "YARD"), room("4", "QUAY")];
  await renumbered.production.import(script(shifted, "blue.fountain"));
  const freed = /If approved, it takes the number of scene 3, whose change must be approved with it; day 1/;
  assert.match(await renumbered.shown(), freed);
  await renumbered.stop();
  const { production, shown, stop } = await open();
  await production.import(script(all.toSpliced(1, 1), "pink.fountain"));
  await production.approve();
  await production.import(script([room("1", "HALL"), room("2", "QUAY")], "green.fountain"));
  assert.match(await shown(), /the omitted scene 2 gets another number, such as 2 \(omitted\); day 1/);
  await production.import(script(all, "white.fountain"));
  assert.match(await shown(), /If approved, the scene is planned again on day 1/);
  assert.match(await shown(), /day 1, [^:]*: 2 is planned again/);
  await stop();
});

test("a first draft that agrees in every field is applied from the import page, and the next one asks", async () => {
  const whole = await (await openImports(script(scenes))).export();
  const { document, document_version, production: fields, assets } = whole;
  const production = await openImports({
    document,
    document_version,
    production: fields,
    scenes: whole.scenes,
    assets,
  });
  const { server } = await openBrowser(production);
  const key = mint(server.store, { production_id: production.production_id, scopes: ["read", "edit", "admin"] });
  const editor = await signIn(server, key);
  const path = "/settings/import";
  const choose = async (text: string) => {
    const form = new FormData();
    form.append("proof", /name="proof" value="([^"]+)"/.exec(await editor.text(path))?.[1] as string);
    form.append("action", "preview");
    form.append("files", new Blob([text]), "white.fountain");
    const headers = { cookie: editor.cookies(), accept: "text/html", origin: server.url };
    return (await fetch(server.url + path, { method: "POST", body: form, headers })).text();
  };
  const page = await choose(`${scenes.join("\n\n")}\n`);
  assert.match(page, /<button name="action" value="apply">Apply the text<\/button>/);
  const form = /<form method="post" action="\/settings\/import" class="stack panel">[\s\S]*?<\/form>/.exec(page)?.[0];
  const kept: Record<string, string[]> = {};
  for (const [, name = "", value = ""] of (form ?? "").matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g))
    if (name !== "proof") kept[name] = [...(kept[name] ?? []), value];
  assert.is((await editor.send(path, { ...kept, action: "apply" })).status, 200);
  assert.not.match(await choose(`${scenes.join("\n\n")}\n`), /value="apply"/);
  const next = await production.import(script(scenes.with(0, `${scenes[0]}\n\nRain.`), "blue.fountain"));
  assert.is(next.changes.length, 1);
  await server.stop();
});

test.run();
