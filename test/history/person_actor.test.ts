// Who a change set and its activity name: the person of a key; and what the change set of a decision lists.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { openImports, script } from "../support/import.ts";
import type { Json } from "../support/update.ts";

const test = suite("the actor of a change set");

const scenes = [
  "INT. KITCHEN - DAY #1#\n\nTea.\n\nADA\nHe is late.",
  "EXT. YARD - NIGHT #2#\n\nRain.\n\nADA\nLeave it.",
];

async function open() {
  const production = await openImports(script(scenes, "white.fountain"));
  await production.import({ name: "people.json", text: '{"people":[{"name":"Zoë Quill","role":"Script"}]}' });
  await production.import(
    script([scenes[0]?.replace("late", "gone") ?? "", scenes[1]?.replace("Rain", "Snow") ?? ""], "blue.fountain"),
  );
  const server = await openTestServer({ data: dirname(production.store.file) });
  const person_id = server.store.database.prepare("SELECT id FROM people").pluck().get() as number;
  const keyOf = (given: object) =>
    mint(server.store, { production_id: 1, label: "tablet", scopes: ["read", "edit"], ...given });
  const post = async (key: string, path: string, body: object): Promise<Json> => {
    const headers = { "content-type": "application/json" };
    const answer = await server.ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.is(answer.status, 200, text);
    return JSON.parse(text);
  };
  return { production, server, person: keyOf({ person_id }), tool: keyOf({}), person_id, post };
}

test("is the person of the key, of every kind of change, and otherwise the label of the key", async () => {
  const { production, server, person, tool, person_id, post } = await open();
  const [first, second] = production.changes().map(({ id }) => id) as [number, number];
  const steps: readonly (readonly [path: string, body: object])[] = [
    ["/admin/import", { scenes: [{ number: "1", synopsis: "Tea." }] }],
    [`/script-changes/${first}/decide`, { decision: "approved" }],
    [`/script-changes/decide`, { ids: [second], decision: "dismissed" }],
    ["/admin/remove", {}],
  ];
  for (const [path, body] of steps.slice(0, 3)) {
    await post(person, path, body);
    const [set] = await server.get(person, "/admin/history?limit=1");
    assert.is(set.actor, "Zoë Quill", path);
    const entries: Json[] = await server.get(person, "/activity?limit=3");
    for (const entry of entries.slice(0, 1))
      assert.equal([entry.actor_person_id], [person_id], `${path} ${entry.summary}`);
  }
  const [latest] = await server.get(person, "/admin/history?limit=1");
  await post(person, `/admin/history/${latest.id}/undo`, {});
  const [undo] = await server.get(person, "/admin/history?limit=1");
  assert.equal([undo.actor, undo.undoes], ["Zoë Quill", latest.id]);
  const [told] = await server.get(person, "/activity?limit=1");
  assert.match(told.summary, /^Undid: /);
  assert.is(told.actor_person_id, person_id);
  await post(tool, "/admin/import", { scenes: [{ number: "2", synopsis: "Rain." }] });
  assert.is((await server.get(tool, "/admin/history?limit=1"))[0].actor, "tablet");
  await server.stop();
});

test("lists what was decided: neither the change set of an approval nor that of a dismissal is empty", async () => {
  const { production, server, tool, post } = await open();
  const [first, second] = production.changes().map(({ id }) => id) as [number, number];
  for (const [id, decision] of [
    [first, "approved"],
    [second, "dismissed"],
  ] as const) {
    await post(tool, `/script-changes/${id}/decide`, { decision });
    const [{ id: set }] = await server.get(tool, "/admin/history?limit=1");
    const { changes, counts } = await server.get(tool, `/admin/history/${set}`);
    const rows = changes.filter(({ section }: Json) => section === "script_changes");
    assert.equal(
      rows.map((row: Json) => [row.id, row.action, row.fields.status]),
      [[id, "change", { from: "pending", to: decision }]],
    );
    assert.ok(counts.changed >= 1);
  }
  await server.stop();
});

test.run();
