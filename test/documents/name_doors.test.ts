// Two forms of one name are one name where things are filtered, searched, broken down and erased, and a list of the
// cast has one order.
// Thorough: only --all runs it.
import { dirname } from "node:path";
import { parse } from "csv-parse/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { openImports, script } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";
import { callTool, resultOf } from "../support/rpc.ts";
import { writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const doors = suite("forms of a name at further doors");
const cast: readonly (readonly [number: string | undefined, label: string])[] = [
  ["10A", "Ida"],
  ["2", "Zoë"],
  [undefined, "ben"],
  ["10", "Émile"],
  ["1", "Tom"],
  [undefined, "Ann"],
];
const ordered = ["Tom", "Zoë", "Émile", "Ida", "Ann", "ben"];

async function open() {
  const production = await openProduction(
    writeDocument({
      ...{
        document: "tallylight production",
        document_version: 1,
        production: { title: "Forms", current_episode: undefined },
      },
      departments: [{ slug: "costume", name: "Costume" }],
      people: [{ name: "Zoë Quill", role: "DP" }],
      scenes: [
        {
          number: "1",
          slugline: "INT. CAFÉ - DAY",
          elements: { cast: ["Zoë"], set: "CAFÉ" },
          assets: cast.map(([, label]) => label),
        },
      ],
      assets: cast.map(([cast_number, label]) => ({
        label,
        kind: "character",
        ...(cast_number !== undefined && { cast_number }),
      })),
      schedule: [{ day_number: 1, date: "2026-02-02", scenes: ["1"] }],
    } as Json),
  );
  const server = await openTestServer({ data: dirname(production.store.file) });
  const key = mint(server.store, { production_id: 1, scopes: ["read", "write", "edit"] });
  return { production, server, key };
}

doors("find the same thing by every form: search, use, the filters of the script page", async () => {
  const { server, key } = await open();
  const admin = await openAsAdmin(server, 1);
  for (const name of ["Zoë", "zoë", "ZOË"].flatMap((one) => [one.normalize("NFC"), one.normalize("NFD")])) {
    const given = encodeURIComponent(name);
    const found: Json[] = await server.get(key, `/search?q=${given}`);
    assert.ok(
      found.some(({ label }) => label === "Zoë"),
      name,
    );
    assert.is(
      (await server.get(key, `/assets/usage?label=${given}`)).label ??
        (await server.get(key, `/assets/usage?label=${given}`)).asset?.label,
      "Zoë",
    );
    assert.match(await admin.text(`/scenes?cast=${given}`), /href="\/scenes\/\d+">CAFÉ</);
  }
  for (const name of ["café", "CAFÉ".normalize("NFD"), "  café ".normalize("NFD")])
    assert.match(await admin.text(`/scenes?set=${encodeURIComponent(name)}`), /href="\/scenes\/\d+">CAFÉ</);
  assert.not.match(await admin.text("/scenes?cast=Zoa"), /href="\/scenes\/\d+">CAFÉ</);
  await server.stop();
});

doors("are one character in a script and in a breakdown", async () => {
  const twins = ["Zoë", "Zoë".normalize("NFD"), "ZOË".normalize("NFD"), "Zoë\u00a0"];
  const text = (name: string) => `INT. ROOM - DAY\n\nTea.\n\n@${name}\nHello.`;
  const production = await openImports(script(twins.map(text)));
  const labels = async () => (await production.export()).assets.filter(({ kind }: Json) => kind === "character").length;
  assert.is(await labels(), 1);
  const rows = twins.map((name, at) => `${at + 1},Cast,${name}`).join("\n");
  const other = await openImports(
    script(["INT. A - DAY\n\nx.", "INT. B - DAY\n\ny.", "INT. C - DAY\n\nz.", "INT. D - DAY\n\nw."]),
  );
  await other.import({ name: "list.csv", text: `Scene,Category,Element\n${rows}\n` }, { as: "breakdown" });
  assert.is((await other.export()).assets.length, 1);
});

doors("are erased with the person, in texts too", async () => {
  const { production, server } = await open();
  const { store, folder } = server;
  const forms = ["Zoë Quill", "Zoë Quill".normalize("NFD"), "ZOË QUILL".normalize("NFD"), "Zoë\u00a0Quill"];
  const add = store.database.prepare(
    "INSERT INTO activity (production_id, verb, summary, actor, created_at) VALUES (1, 'x', ?, ?, '2026-11-20')",
  );
  store.writeSync(() => {
    for (const form of forms) add.run(`Approved by ${form}, today`, form);
  });
  await answerOf("people", "erase", "Zoë Quill".normalize("NFD"), "--production", "1", "--data", folder);
  const rows = store.database.prepare("SELECT summary, actor FROM activity WHERE created_at = '2026-11-20'").all();
  for (const row of rows) assert.equal(row, { summary: "Approved by Person removed, today", actor: "Person removed" });
  assert.is(rows.length, forms.length);
  assert.is(production.store.database.prepare("SELECT name FROM people").pluck().get(), "Person removed");
  await server.stop();
});

doors("give the cast in the order of its numbers, then by name, in every answer, page and list", async () => {
  const { server, key } = await open();
  const { folder } = server;
  const labels = (rows: Json[]): string[] => rows.map(({ label }) => label);
  assert.equal(labels(await server.get(key, "/cast/days")), ordered);
  assert.equal(labels(await server.get(key, "/cast/days?limit=4")), ordered.slice(0, 4));
  assert.equal(labels((await server.get(key, "/bundles/day?date=2026-02-02")).cast), ordered);
  const tool = await resultOf(await callTool(server, key, "list_cast_days", {}, "/mcp?tools=all"));
  assert.equal(labels(JSON.parse(tool.content[0].text)), ordered);
  const admin = await openAsAdmin(server, 1);
  const places = (text: string): string[] =>
    ordered.toSorted((a, b) => text.indexOf(`>${a}<`) - text.indexOf(`>${b}<`));
  for (const path of ["/cast", "/days/1/sheet"]) {
    const text = await admin.text(path);
    for (const name of ordered) assert.match(text, new RegExp(`>${name}<`), path);
    assert.equal(places(text), ordered, path);
  }
  const csv = parse(await admin.text("/cast.csv"), { bom: true, from: 3 }) as string[][];
  assert.equal(
    csv.slice(0, 6).map((row) => row[1]),
    ordered,
  );
  const { out } = await tallylight("export", "--as", "cast", "--production", "1", "--data", folder);
  const list = parse(out, { bom: true, columns: true }) as Json[];
  assert.equal(
    list.map((row) => row.Character ?? row.Name),
    ordered,
  );
  await server.stop();
});

doors("take values of `set` by the type of the field", async () => {
  const { production, server } = await open();
  const set = (...words: string[]) => tallylight("set", ...words, "--production", "1", "--data", server.folder);
  for (const [words, field, value] of [
    [["assets", "ben", "cast_number=6"], "cast_number", "6"],
    [["assets", "ben", "cast_number=06"], "cast_number", "06"],
    [["assets", "ben", "performer=7"], "performer", "7"],
    [["assets", "ben", "performer=true"], "performer", "true"],
    [["assets", "ben", "performer=null"], "performer", undefined],
  ] as const) {
    const { status, err } = await set(...words);
    assert.is(status, 0, err);
    const { assets } = await production.export();
    assert.is(assets.find(({ label }: Json) => label === "ben")[field], value, words.join(" "));
  }
  assert.is((await set("people", "Zoë Quill".normalize("NFD"), "is_hod=true")).status, 0);
  assert.is((await production.export()).people[0].is_hod, true);
  assert.is((await set("people", "Zoë Quill", "is_hod=maybe")).status, 1);
  await server.stop();
});

doors("give an asset without a department null, in every answer", async () => {
  const { server, key } = await open();
  const [first]: Json[] = await server.get(key, "/assets");
  assert.is(first.department, null);
  assert.is((await server.get(key, `/assets/${first.node_id}`)).department, null);
  assert.is((await server.get(key, `/bundles/asset/${first.node_id}`)).asset.department, null);
  const { scenes }: Json = await server.get(key, "/bundles/day?date=2026-02-02");
  assert.is(scenes[0].assets[0].department, null);
  const headers = { "content-type": "application/json" };
  const created = await server.ask(key, "/api/v1/assets", { method: "POST", headers, body: '{"label":"Lamp"}' });
  assert.is(((await created.json()) as Json).department, null);
  const description: Json = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
  const told = Object.values<Json>(description.components.schemas).filter(
    ({ properties }) =>
      properties?.department?.description === "The department's slug; null if the asset has no department.",
  );
  assert.ok(told.length > 0);
  for (const { properties, required } of told) {
    assert.match(JSON.stringify(properties.department), /"null"/);
    // of a row that may come with some fields alone, none is required
    assert.ok(required?.includes("department") ?? true);
  }
  assert.ok(told.some(({ required }) => required?.includes("department")));
  await server.stop();
});

doors.run();
