// Times of day as people type them, in lists, in `set` and in forms of pages, and in no document.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { typedTime } from "../../src/features/names/typed_times.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { documentOf, names, problemsOf } from "../support/lists.ts";
import { editFields, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const times = suite("a time of day");
const read: readonly (readonly [typed: string, stored: string | undefined])[] = [
  ["7am", "07:00"],
  ["0700", "07:00"],
  ["7:00", "07:00"],
  ["07.00", "07:00"],
  ["7", "07:00"],
  ["19", "19:00"],
  ["7 p.m.", "19:00"],
  ["12am", "00:00"],
  ["7h30", "07:30"],
  ["7 Uhr", "07:00"],
  ["\uff17:\uff10\uff10", "07:00"],
  ["24", undefined],
  ["25:99", undefined],
  ["seven", undefined],
  ["0.25", undefined],
  ["-7", undefined],
];

times("is read as people type it, a bare hour as one of 24", () => {
  for (const [typed, stored] of read) assert.is(typedTime(typed), stored, typed);
});

times("of a list is stored as HH:MM, or refused by its place", () => {
  const known = names({ scenes: ["1"], people: ["Bob"] });
  for (const [typed, stored] of read) {
    const text = `Day,Date,Scenes,Call,Wrap\n1,2027-05-04,1,${typed},${typed}\n`;
    if (stored === undefined)
      assert.equal(
        problemsOf("schedule", text, { known }),
        ["Call", "Wrap"].map((column) => `line 2, column ${column}: "${typed}" is not a time of day`),
      );
    else {
      const [day] = documentOf("schedule", text, { known }).schedule ?? [];
      assert.equal([day?.general_call, day?.wrap], [stored, stored]);
    }
  }
});

times("of a call may be a word of call sheets, and is refused where it is no time", () => {
  const known = names({ scenes: ["1"], people: ["Bob"] });
  const calls = (line: string) => `Day,Date,Scenes,Calls\n1,2027-05-04,1,${line}\n`;
  for (const [line, time] of [
    ["hold Bob", "HOLD"],
    ["Bob: tbc", "TBC"],
    ["w/n Bob", "W/N"],
    ["Bob", "O/C"],
    ["7am Bob", "07:00"],
  ])
    assert.equal(documentOf("schedule", calls(line as string), { known }).schedule?.[0]?.calls, [{ who: "Bob", time }]);
  assert.equal(problemsOf("schedule", calls("25:99 Bob"), { known }), [
    'line 2, column Calls: "25:99 Bob" does not begin with a time of day',
  ]);
});

times("in a form of a page is stored as HH:MM; the API takes HH:MM alone", async () => {
  const server = await openTestServer();
  const { feature } = seedDataOf(server.store);
  const key = mint(server.store, { production_id: feature, scopes: ["read", "write", "edit"] });
  const editor = await signIn(server, key);
  const id = one(server.store, "SELECT min(id) FROM shoot_days WHERE production_id = ?", feature);
  const path = `/edit/schedule/${id}`;
  const stored = () => one<string>(server.store, "SELECT general_call FROM shoot_days WHERE id = ?", id);
  const day_number = one(server.store, "SELECT day_number FROM shoot_days WHERE id = ?", id);
  assert.is((await editor.post(path, { ...(await editFields(editor, path)), general_call: "5am" })).status, 303);
  assert.is(stored(), "05:00");
  assert.is((await editor.post(path, { ...(await editFields(editor, path)), general_call: "25:99" })).status, 422);
  const sent = await server.ask(key, "/api/v1/admin/import", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ schedule: [{ day_number, general_call: "6am" }] }),
  });
  assert.is(sent.status, 422);
  assert.is(stored(), "05:00");
  await server.stop();
});

times.run();
