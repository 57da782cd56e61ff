// The call sheet on its page: each need once, a call and a place where the day has none, and what has changed since it
// was issued.
// Thorough: only --all runs it.
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
const plain = (text: string) =>
  text
    .replace(/<\/?bdi>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
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

test("says since when it was issued what is new, differs or is gone, and for everybody", async () => {
  const [first, second] = day.scenes;
  const lines = [
    { label: "Base", text: "Yard" },
    { label: "Lunch", text: "13:00" },
  ];
  const calls = [
    { who: "Gaffer's crew", time: "06:00" },
    { who: "Painters", time: "06:15" },
  ];
  await update({ schedule: [{ day_number: day.day_number, lines, calls, banners: [{ text: "Wrap drinks" }] }] });
  assert.match(await sheet(), /Not issued yet\./);
  assert.not.match(await sheet(), /changed/);
  const issued = await editor.send(path, { issue: "1" });
  assert.is(issued.headers.get("location"), path);
  assert.match(await sheet(), /Issued as issue 1, [^;]*; nothing has changed since\./);
  assert.not.match(await sheet(), /changed(?! since)/);

  await update({
    schedule: [
      {
        day_number: day.day_number,
        general_call: "04:44",
        lines: [
          { label: "Base", text: "Upper field" },
          { label: "Hospital", text: "Infirmary" },
        ],
        calls: [{ who: "Gaffer's crew", time: "05:30", on_set: "06:10" }],
        scenes: [second.number, first.number, ...day.scenes.slice(2).map(({ number }: Json) => number)],
        banners: [{ before: first.number, text: "Lunch on the move" }],
      },
    ],
    scenes: [{ number: second.number, status: "omitted" }],
  });
  const writer = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write"] }));
  for (const one of [editor, writer, reader]) {
    const text = await sheet(one);
    assert.match(text, /Issued as issue 1, [^;]*; what changed since is marked\./);
    assert.match(text, /04:44 changed/);
    assert.match(text, /Upper field changed/);
    assert.match(text, /Infirmary changed/);
    assert.match(text, /Gaffer&#39;s crew 05:30 changed On set 06:10/);
    assert.match(text, /Scenes changed/, "the order");
    assert.match(text, /omitted changed/);
    assert.match(text, /Lunch on the move changed/);
    const gone = /No longer on this sheet changed : (.*?)\./.exec(text)?.[1];
    assert.is(gone?.trim(), "Lunch, the call of Painters, Wrap drinks");
  }
  assert.is((await writer.send(path, { issue: "1" })).status, 303);
  assert.match(await sheet(), /Issued as issue 2, [^;]*; nothing has changed since/);
  assert.not.match(await sheet(), /04:44 changed/);
});

test("is only printed by who may not write, and is nobody else's", async () => {
  const page = await reader.text(path);
  assert.match(page, /<button type="button" data-print>/);
  assert.not.match(page, /name="issue"/);
  const issues = () => store.database.prepare("SELECT * FROM day_issues").all();
  const before = issues();
  await reader.send(path, { issue: "1" }, "/");
  assert.equal(issues(), before);
  const vendor = await signIn(server, mint(store, submitterKey));
  assert.is((await vendor.send(path, { issue: "1" }, "/turnovers")).status, 404);
  assert.is((await visitor(server).post(path, { issue: "1" })).status, 303, "to the sign-in");
  assert.equal(issues(), before);
});

test("has the lines in their places, calls by department, and the call of who looks", async () => {
  const people: Json[] = await server.get(key, "/people");
  const head = people.find(({ is_hod, department, active }) => is_hod && active && department === "camera");
  const lines = [
    "Base",
    "Hospital",
    "Emergency",
    "Weather",
    "Sunrise",
    "Sunset",
    "First shot",
    "Lunch",
    "Channels",
    "Warning",
  ];
  const calls = [
    { who: "camera", time: "06:50" },
    { who: head.name, time: "06:20", pickup: "05:40" },
  ];
  await update({
    schedule: [
      {
        day_number: day.day_number,
        calls,
        lines: [...lines.map((label) => ({ label, text: `The ${label}` })), { label: "Dogs", text: "None" }],
      },
    ],
  });
  const page = await editor.text(path);
  for (const label of lines) assert.ok(page.includes(`The ${label}`), label);
  assert.match(page, /<p class="warning text" dir="auto"><b>Warning:<\/b> The Warning/);
  assert.match(plain(page), /Dogs None/);
  assert.match(
    plain(page),
    new RegExp(`Camera ${head.name}, ${head.role} 06:50 .*?${head.name} Camera 06:20 (?:changed )?Pick-up 05:40`),
  );
  const own = await signIn(server, mint(store, { production_id: feature, scopes: ["read"], person_id: head.id }));
  assert.match(await sheet(own), /Your call 06:20 Camera/);
});

test("has the earliest call where there is no general one, and the sets where there is no location", async () => {
  const calls = [
    { who: "Camera", time: "06:10" },
    { who: "Catering", time: "O/C" },
  ];
  await update({ schedule: [{ day_number: day.day_number, general_call: null, location: null, calls }] });
  const text = await sheet();
  assert.match(text, /Crew call 06:10, the earliest call/);
  assert.not.match(text, /Location not set yet/);
});

test("says which of the production's days one is if its number is not its place", async () => {
  const number = Math.max(...days.map((one) => one.day_number)) + 50;
  await update({ schedule: [{ day_number: number, date: "2027-03-01" }] });
  const { id } = (await server.get(key, "/schedule")).find((one: Json) => one.day_number === number);
  const all = days.length + 1;
  assert.match(plain(await editor.text(`/days/${id}`)), new RegExp(`Day ${number} \\(${all} of ${all}\\)`));
  assert.match(plain(await editor.text(`/days/${id}/sheet`)), new RegExp(`Day ${number} \\(${all} of ${all}\\)`));
});

test.after(() => server.stop());
test.run();
