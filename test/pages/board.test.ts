// The forms of the board: strips are moved, days are swapped and moved, and what changed meanwhile is a conflict.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dateAt, shifted } from "../../src/core/zones.ts";
import { shiftedDate } from "../../src/features/documents/pages/board_forms.ts";
import { mint, openTestServer } from "../support/app.ts";
import { editFields, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, production, submitterKey } = seedDataOf(store);
const key = mint(store, { production_id: feature });
const editorOf = (production_id: number, label: string) =>
  signIn(server, mint(store, { production_id, scopes: ["read", "write", "edit"], label }));
const editor = await editorOf(feature, "First AD");

type Day = {
  id: number;
  day_number: number;
  date: string;
  general_call: string | null;
  scenes: { node_id: number; number: string }[];
};
const daysOf = (of = key): Promise<Day[]> => server.get(of, "/schedule");
const numbers = ({ scenes }: Day) => scenes.map(({ number }) => number);
const dayOf = async (id: number) => (await daysOf()).find((day) => day.id === id) as Day;
const send = (fields: Record<string, string | string[]>) => editor.send("/schedule", fields);

const board = suite("the board");

board("moves a strip to another day before a scene, says so and is undone", async () => {
  const [from, to] = (await daysOf()).filter(({ scenes }) => scenes.length >= 2) as [Day, Day];
  const [moved] = from.scenes as [Day["scenes"][number]];
  const before = to.scenes[1] as Day["scenes"][number];
  const fields = {
    action: "move",
    scene_id: `${moved.node_id}`,
    day: `${from.id}`,
    to: `${to.id}`,
    before_id: `${before.node_id}`,
  };
  const response = await send(fields);
  assert.is(response.status, 303, await response.text());
  const location = response.headers.get("location") as string;
  assert.match(location, new RegExp(`^/schedule\\?saved=\\d+#day-${to.id}$`));
  assert.equal(numbers(await dayOf(to.id)), numbers(to).toSpliced(1, 0, moved.number));
  assert.equal(numbers(await dayOf(from.id)), numbers(from).slice(1));
  assert.match(await editor.text(location.split("#")[0] as string), /Saved[\s\S]*undo=1/);

  const again = await send(fields);
  assert.is(again.status, 409, "it is not on that day any more");
  assert.match(
    await again.text(),
    new RegExp(`Scene ${moved.number} is no longer on day ${from.day_number}: First AD changed that day at`),
  );

  const back = await send({
    action: "move",
    scene: moved.number,
    to: `${from.id}`,
    before: from.scenes[1]?.number ?? "",
  });
  assert.is(back.status, 303, "by its number, without saying where it was");
  assert.equal(numbers(await dayOf(from.id)), numbers(from));
  assert.equal(numbers(await dayOf(to.id)), numbers(to));
});

board("moves the scene that was typed over the one of the handle, from wherever it is", async () => {
  const [from, to] = (await daysOf()).filter(({ scenes }) => scenes.length >= 2) as [Day, Day];
  const [shown] = from.scenes as [Day["scenes"][number]];
  const all = (await daysOf()).flatMap(numbers);
  const typed = to.scenes.find(({ number }) => all.filter((one) => one === number).length === 1)?.number as string;
  const path = `/schedule?scene_id=${shown.node_id}&scene=${shown.number}&day=${from.id}`;
  const form = /<form[^>]*action="\/schedule"[\s\S]*?<\/form>/.exec(await editor.text(path))?.[0] ?? "";
  const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  assert.match(form, new RegExp(`<option value="${from.id}" selected>`), "its own day is offered first");
  const sent = await send({ ...Object.fromEntries(hidden), scene: typed, to: `${from.id}`, before: "" });
  assert.is(sent.status, 303, await sent.text());
  assert.equal(numbers(await dayOf(from.id)), [...numbers(from), typed]);
  const before = numbers(to)[numbers(to).indexOf(typed) + 1] ?? "";
  assert.is((await send({ action: "move", scene: typed, to: `${to.id}`, before })).status, 303);
});

board("moves a strip within its day, takes it off the schedule and puts it on again", async () => {
  const day = (await daysOf()).find(({ scenes }) => scenes.length >= 2) as Day;
  const [first, second] = day.scenes as [Day["scenes"][number], Day["scenes"][number]];
  await send({ action: "move", scene: second.number, day: `${day.id}`, to: `${day.id}`, before: first.number });
  assert.equal(numbers(await dayOf(day.id)).slice(0, 2), [second.number, first.number]);
  assert.is((await send({ action: "move", scene: second.number, to: "0" })).status, 303);
  assert.not.ok(numbers(await dayOf(day.id)).includes(second.number));
  assert.is((await send({ action: "move", scene: second.number, day: "0", to: `${day.id}` })).status, 303);
  assert.is(numbers(await dayOf(day.id)).at(-1), second.number);
});

board("moves several strips at once, from wherever they are, and keeps the banner before one of them", async () => {
  const [a, b, to] = (await daysOf()).filter(({ scenes }) => scenes.length >= 2).slice(-3) as [Day, Day, Day];
  const strips = [a, b].map(({ id, scenes }) => `${id}:${scenes[0]?.node_id}`);
  const at = `${b.scenes[0]?.number}`;
  const parts = [{ scene: at, text: "pt2", pages: "2/8" }];
  const banner = { schedule: [{ day_number: b.day_number, banners: [{ before: at, text: "Lunch" }], parts }] };
  const admin = mint(store, { production_id: feature, scopes: ["read", "admin"] });
  const given = { method: "POST", body: JSON.stringify(banner), headers: { "content-type": "application/json" } };
  assert.is((await server.ask(admin, "/api/v1/admin/import", given)).status, 200);
  const part = new RegExp(`class="number">${at} pt2<[\\s\\S]*?class="eighths">2/8<`);
  assert.match(await editor.text("/schedule?from=all"), part);
  assert.match(await editor.text(`/days/${b.id}/sheet`), new RegExp(`>${at} pt2</a>[\\s\\S]*?<td>2/8</td>`));
  const response = await send({ action: "move", strips, to: `${to.id}`, before: to.scenes[0]?.number ?? "" });
  assert.is(response.status, 303, await response.text());
  const moved = [a, b].map(({ scenes }) => scenes[0]?.number as string);
  assert.equal(numbers(await dayOf(to.id)), [...moved, ...numbers(to)]);
  assert.equal([numbers(await dayOf(a.id)), numbers(await dayOf(b.id))], [numbers(a).slice(1), numbers(b).slice(1)]);
  const [kept] = ((await dayOf(b.id)) as Day & { banners: { before: string; text: string }[] }).banners;
  assert.equal([kept?.before, kept?.text], [b.scenes[1]?.number, "Lunch"]);
  const partsOn = async ({ id }: Day) =>
    ((await dayOf(id)) as Day & { parts?: { number: string; text: string }[] }).parts?.map(
      ({ number, text }) => `${number} ${text}`,
    );
  assert.equal([await partsOn(b), await partsOn(to)], [undefined, [`${at} pt2`]], "a part goes with its strip");

  const again = await send({ action: "move", strips, to: `${to.id}` });
  assert.is(again.status, 409);
  assert.match(await again.text(), /is no longer on day \d+: First AD changed that day at[\s\S]*Nothing was moved/);
  const mixed = await send({ action: "move", strips, scene: moved[0] as string, to: `${a.id}` });
  assert.match(await mixed.text(), /Either choose strips, or give the number of a scene/);
  const none = await send({ action: "move", to: `${a.id}` });
  assert.match(await none.text(), /Choose the strips that move, or give the number of a scene/);

  for (const day of [a, b]) {
    const first = day.scenes[0] as Day["scenes"][number];
    await send({
      action: "move",
      strips: `${to.id}:${first.node_id}`,
      to: `${day.id}`,
      before: day.scenes[1]?.number ?? "",
    });
    assert.equal(numbers(await dayOf(day.id)), numbers(day));
  }
});

board("is one column of strips with cast numbers, eighths and colours, which opens at the next day", async () => {
  const page = await editor.text("/schedule");
  const days = (await daysOf()).toSorted((a, b) => a.date.localeCompare(b.date));
  const today = dateAt(null, Date.now());
  const isLeft = days.some(({ date }) => date >= today);
  const over = days.filter(({ date }) => isLeft && date <= shifted(today, -7));
  const [earlier = "", rest = ""] = over.length > 0 ? page.split("</ol></details>") : ["", page];
  for (const day of days)
    assert.is((over.includes(day) ? earlier : rest).includes(`id="day-${day.id}"`), true, day.date);
  const numbers = [over[0], over.at(-1)].map((day) => day?.day_number).join(" to ");
  if (over.length > 1) assert.match(earlier, new RegExp(`<details class="fold earlier"><summary>Days ${numbers}, \\d`));
  const cast: { node_id: number; cast_number: string }[] = await server.get(key, "/assets?kind=character");
  const scene = (await server.get(key, "/scenes?include=assets")).find(
    (one: { elements: { pages?: string }; asset_ids: number[] }) =>
      one.elements.pages && cast.filter(({ node_id }) => one.asset_ids.includes(node_id)).length > 1,
  );
  const strip =
    new RegExp(`<li class="strip [\\w-]+"><a href="/scenes/${scene.node_id}">.*?</li>`, "s").exec(page)?.[0] ?? "";
  const shown = /class="cast">([^<]*)</.exec(strip)?.[1]?.split(", ") ?? [];
  for (const { node_id, cast_number } of cast)
    if (scene.asset_ids.includes(node_id)) assert.ok(shown.includes(cast_number), `${cast_number} in ${shown}`);
  assert.match(strip, /class="eighths">\d/);
});

board("refuses a scene or a day that does not exist", async () => {
  const [day] = (await daysOf()) as [Day];
  assert.match(
    await (await send({ action: "move", scene: "999Z", to: `${day.id}` })).text(),
    /There is no scene with this number/,
  );
  const [scene] = day.scenes as [Day["scenes"][number]];
  assert.match(await (await send({ action: "move", scene: scene.number, to: "99999" })).text(), /no such shoot day/);
});

board("swaps what is shot on two days, and each keeps its number and date", async () => {
  const [one_, other] = (await daysOf()).filter(({ scenes }) => scenes.length > 0) as [Day, Day];
  assert.is((await send({ action: "swap", one: `${one_.id}`, other: `${other.id}` })).status, 303);
  const [a, b] = [await dayOf(one_.id), await dayOf(other.id)];
  assert.equal([numbers(a), a.date, a.general_call], [numbers(other), one_.date, other.general_call]);
  assert.equal([numbers(b), b.date, b.general_call], [numbers(one_), other.date, one_.general_call]);
  assert.is((await send({ action: "swap", one: `${one_.id}`, other: `${one_.id}` })).status, 409);
  assert.is((await send({ action: "swap", one: `${one_.id}`, other: `${other.id}` })).status, 303);
});

board("moves the day and all later ones, in their order, and back", async () => {
  const before = (await daysOf()).toSorted((a, b) => a.date.localeCompare(b.date));
  const first = before[Math.floor(before.length / 2)] as Day;
  const shift = (by: number, weekends: string) =>
    send({ action: "shift", first: `${first.id}`, by: `${by}`, weekends });
  assert.is((await shift(3, "shoot")).status, 303);
  for (const day of before) {
    const expected = day.date < first.date ? day.date : shiftedDate(day.date, 3, false);
    assert.is((await dayOf(day.id)).date, expected, `day ${day.day_number}`);
  }
  assert.is((await shift(-3, "shoot")).status, 303);
  assert.equal(
    (await daysOf()).map(({ date }) => date).sort(),
    before.map(({ date }) => date),
  );
  assert.is((await shift(1, "skip")).status, 303);
  for (const day of before.filter(({ date }) => date >= first.date)) {
    const weekday = new Date(`${(await dayOf(day.id)).date}T00:00:00Z`).getUTCDay();
    assert.ok(weekday > 0 && weekday < 6, `day ${day.day_number}`);
  }
  assert.is((await shift(0, "skip")).status, 409);
});

board(
  "refuses to swap or to move days that others changed since the form was shown, and says who changed what",
  async () => {
    const other = await editorOf(feature, "Second AD");
    const days = (await daysOf()).toSorted((a, b) => a.date.localeCompare(b.date));
    const [first, second, third] = days.slice(-3) as [Day, Day, Day];
    const seenIn = (text: string) => /id="swap"[\s\S]*?name="seen" value="(\d+)"/.exec(text)?.[1] as string;
    const seen = seenIn(await editor.text("/schedule?form=swap"));
    const path = `/edit/schedule/${second.id}`;
    const changed = await other.post(path, { ...(await editFields(other, path)), general_call: "04:40" });
    assert.is(changed.status, 303, await changed.text());
    const swap = { action: "swap", one: `${first.id}`, other: `${second.id}`, seen };
    const refused = await send(swap);
    const text = await refused.text();
    assert.is(refused.status, 409);
    assert.match(text, new RegExp(`Day ${second.day_number}: Second AD changed its crew call at`));
    assert.equal(await dayOf(first.id), first, "nothing was moved");
    const shift = { action: "shift", first: `${first.id}`, by: "1", weekends: "shoot" };
    assert.is((await send({ ...shift, seen })).status, 303, "a call is no date");
    const stale = await send({ ...shift, by: "-1", seen });
    assert.is(stale.status, 409, "its own dates were moved since");
    assert.match(await stale.text(), new RegExp(`Day ${first.day_number}: First AD changed its date at`));
    assert.is((await send({ ...shift, by: "-1", seen: seenIn(await editor.text("/schedule?form=swap")) })).status, 303);
    assert.is(
      (await send({ ...swap, one: `${third.id}`, seen: seenIn(text) })).status,
      409,
      "the answer has what was seen then",
    );
    assert.is((await send({ ...swap, seen: seenIn(await editor.text("/schedule?form=swap")) })).status, 303);
  },
);

board("counts days over weekends or passes them over", () => {
  assert.is(shiftedDate("2026-11-20", 1, true), "2026-11-23");
  assert.is(shiftedDate("2026-11-20", 1, false), "2026-11-21");
  assert.is(shiftedDate("2026-11-23", -1, true), "2026-11-20");
  assert.is(shiftedDate("2026-12-31", 2, true), "2027-01-04");
});

board("names the scenes of a series with their episodes", async () => {
  const series = mint(store, { production_id: production });
  const days = (await daysOf(series)).filter(({ scenes }) => scenes.length > 0) as [Day, Day];
  const [moved] = days[0].scenes as [Day["scenes"][number]];
  const coordinator = await editorOf(production, "Coordinator");
  const fields = { action: "move", scene_id: `${moved.node_id}`, day: `${days[0].id}`, to: `${days[1].id}` };
  const response = await coordinator.send("/schedule", fields);
  assert.is(response.status, 303, await response.text());
  const after = (await daysOf(series)).find(({ id }) => id === days[1].id) as Day;
  assert.is(after.scenes.at(-1)?.node_id, moved.node_id);
});

board("shows no forms to those who may not edit, and refuses what they send", async () => {
  const writer = await signIn(server, key);
  assert.not.match(await writer.text("/schedule"), /data-move|action="\/schedule"/);
  const [day] = (await daysOf()) as [Day];
  const fields = { action: "swap", one: `${day.id}`, other: `${(await daysOf())[1]?.id}` };
  assert.is((await writer.send("/schedule", fields, "/approvals")).status, 403);
  const vendor = await signIn(server, mint(store, submitterKey));
  assert.is((await vendor.send("/schedule", fields, "/turnovers")).status, 404);
});

board.after(() => server.stop());
board.run();
