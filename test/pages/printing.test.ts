// The call sheet on its page: each need once, a call and a place where the day has none, and what has changed since it was printed.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { signIn, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, submitterKey } = seedDataOf(store);
const key = mint(store, { production_id: feature, scopes: ["read", "write", "edit"], label: "Second AD" });
const editor = await signIn(server, key);
const reader = await signIn(server, mint(store, { production_id: feature, scopes: ["read"] }));

type Json = any;
const update = async (document: object) => {
  const headers = { "content-type": "application/json" };
  const response = await server.ask(key, "/api/v1/admin/import", {
    method: "POST",
    headers,
    body: JSON.stringify(document),
  });
  assert.is(response.status, 200, await response.text());
};
const days: Json[] = await server.get(key, "/schedule");
const day = days.find(({ scenes, location }) => scenes.length > 1 && location);
const path = `/days/${day.id}/sheet`;
const plain = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const sheet = async (by = editor) => plain(await by.text(path));

const test = suite("the call sheet's page");

test("names each need once, with its scenes", async () => {
  const { scenes }: Json = await server.get(key, `/bundles/day/${day.id}`);
  const counts = new Map<string, number>();
  for (const { assets } of scenes)
    for (const { label, kind } of assets) if (kind !== "character") counts.set(label, (counts.get(label) ?? 0) + 1);
  assert.ok(
    [...counts.values()].some((count) => count > 1),
    "a need of several scenes",
  );
  const needed = /<h2>Needed<\/h2><dl>([\s\S]*?)<\/dl>/.exec(await editor.text(path))?.[1] ?? "";
  for (const label of counts.keys())
    assert.is(needed.split(`<bdi>${label.replace(/'/g, "&#39;")}</bdi>`).length, 2, label);
});

test("names what a script tags once: as the asset, or in its category if there is no such asset", async () => {
  const { scenes }: Json = await server.get(key, `/bundles/day/${day.id}`);
  const [one, other] = scenes;
  const { label } = one.assets.find(({ kind }: Json) => kind !== "character");
  const tagged = (scene: Json, fog_effects: string[]) => ({
    number: scene.number,
    elements: { ...scene.elements, fog_effects },
  });
  await update({ scenes: [tagged(one, [label.toUpperCase(), "Fog machine"]), tagged(other, ["Fog machine", "Fan"])] });
  const needed = /<h2>Needed<\/h2><dl>([\s\S]*?)<\/dl>/.exec(await editor.text(path))?.[1] ?? "";
  const effects = plain(/<dt>Fog effects<\/dt><dd>([\s\S]*?)<\/dd>/.exec(needed)?.[1] ?? "").trim();
  assert.is(effects.replace(/\s+/g, " "), `Fog machine ${one.number}, ${other.number} · Fan ${other.number}`);
  assert.is(needed.split(`<bdi>${label.replace(/'/g, "&#39;")}</bdi>`).length, 2);
  await update({ scenes: [one, other].map(({ number, elements }) => ({ number, elements })) });
});

test("says since when it was printed what has changed, and for everybody", async () => {
  assert.not.match(await sheet(), /Changed since|Last printed/);
  const printed = await editor.send(path, { printed: "1" });
  assert.is(printed.headers.get("location"), `${path}?printed=1`);
  assert.match(await editor.text(`${path}?printed=1`), /data-printing/);
  assert.match(await sheet(), /Last printed .* by Second AD; nothing has changed since/);

  const [first, second] = day.scenes;
  await update({
    schedule: [
      {
        day_number: day.day_number,
        general_call: "04:44",
        scenes: [second.number, first.number, ...day.scenes.slice(2).map(({ number }: Json) => number)],
        banners: [{ before: first.number, text: "Lunch" }],
      },
    ],
    scenes: [{ number: second.number, status: "omitted" }],
  });
  const writer = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write"] }));
  for (const one of [editor, writer]) {
    const text = await sheet(one);
    assert.match(text, /Changed since it was printed .* by Second AD/);
    assert.match(text, new RegExp(`The general call : ${day.general_call} → 04:44`));
    assert.match(text, new RegExp(`The order of the scenes : ${first.number}, ${second.number}`));
    assert.match(text, new RegExp(`Between the scenes is new: Lunch before scene ${first.number}`));
    assert.match(text, new RegExp(`Scene ${second.number} : .* → omitted`));
  }
  assert.is((await writer.send(path, { printed: "1" })).status, 303);
  assert.not.match(await sheet(), /Changed since/);
});

test("is only printed by who may not write, and is nobody else's", async () => {
  const page = await reader.text(path);
  assert.match(page, /<button type="button" class="quiet" data-print hidden>/);
  assert.not.match(page, /Last printed/);
  const before = store.database.prepare("SELECT * FROM page_marks").all();
  await reader.send(path, { printed: "1" }, "/");
  assert.equal(store.database.prepare("SELECT * FROM page_marks").all(), before);
  const vendor = await signIn(server, mint(store, submitterKey));
  assert.is((await vendor.send(path, { printed: "1" }, "/turnovers")).status, 404);
  assert.is((await visitor(server).post(path, { printed: "1" })).status, 303, "to the sign-in");
  assert.equal(store.database.prepare("SELECT * FROM page_marks").all(), before);
});

test("has the earliest call where there is no general one, and the sets where there is no location", async () => {
  const calls = [
    { who: "Camera", time: "06:10" },
    { who: "Catering", time: "O/C" },
  ];
  await update({ schedule: [{ day_number: day.day_number, general_call: null, location: null, calls }] });
  const text = await sheet();
  assert.match(text, /General call 06:10, the earliest call/);
  assert.not.match(text, /Location not set yet/);
});

test("says which of the production's days one is if its number is not its place", async () => {
  const number = Math.max(...days.map((one) => one.day_number)) + 50;
  await update({ schedule: [{ day_number: number, date: "2027-03-01" }] });
  const { id } = (await server.get(key, "/schedule")).find((one: Json) => one.day_number === number);
  const all = days.length + 1;
  assert.match(plain(await editor.text(`/days/${id}`)), new RegExp(`Day ${number} \\(${all} of ${all}\\)`));
  assert.match(plain(await editor.text(`/days/${id}/sheet`)), new RegExp(`day ${number} \\(${all} of ${all}\\)`));
});

test.after(() => server.stop());
test.run();
