// References in documents and forms to a name that nothing has: the only one that differs in accents, said; a question
// where several do.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestServer } from "../support/app.ts";
import { openAsAdmin } from "../support/pages.ts";
import { writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const document = {
  document: "tallylight production",
  document_version: 1,
  production: { title: "Accents" },
  departments: [{ slug: "camera", name: "Kamera und Licht" }],
  people: [
    { name: "René Groß", role: "DP" },
    { name: "Işıl Demir", role: "Loader" },
  ],
  scenes: [{ number: "1", slugline: "INT. HALL - DAY" }],
  assets: [
    { label: "Zoé", kind: "character", performer: "Anaïs Ek" },
    { label: "Åsa", kind: "character", performer: "Bo Ek" },
    { label: "Asá", kind: "character", performer: "Bo Ek" },
    { label: "किरण", kind: "character" },
  ],
  schedule: [{ day_number: 1, date: "2026-12-01", scenes: ["1"], calls: [{ who: "Jose", time: "07:00" }] }],
};
const open = (changed: Json = {}) => openProduction(writeDocument({ ...document, ...changed } as Json));
const callsOf = (...whos: string[]): Json => ({
  schedule: [{ day_number: 1, calls: whos.map((who) => ({ who, time: "08:00" })) }],
});
const calledOn = async (production: Awaited<ReturnType<typeof open>>): Promise<string[]> =>
  (await production.export()).schedule[0].calls.map(({ who }: Json) => who);

const names = suite("a reference of a document");

names("is to the only one that differs in accents alone, which is said once for all that are so", async () => {
  const production = await open();
  const plan = await production.update({
    scenes: [{ number: "1", assets: ["ZOE"] }],
    approvals: [{ title: "Look", steps: [{ person: "Rene Gross" }] }],
  });
  assert.equal(plan.warnings.filter((one) => /read as/.test(one)).sort(), [
    'approval Look: "Rene Gross" was read as "René Groß"',
    'scene 1: "ZOE" was read as "Zoé"',
  ]);
  assert.equal((await production.export()).scenes[0].assets, ["Zoé"]);
});

names("is a problem where several differ so, or a letter or a mark of another script does", async () => {
  const production = await open();
  const refused = (name: string) => production.problems({ scenes: [{ number: "1", assets: [name] }] });
  assert.equal(await refused("Asa"), [
    'scenes[0] (scene 1).assets[0] names no asset: "Asa" may be "Åsa" or "Asá"; write one of them',
  ]);
  assert.equal(await refused("करण"), ['scenes[0] (scene 1).assets[0] names no asset: "करण"']);
});

names("calls a character by the performer, a department by its name, and somebody without accents", async () => {
  const production = await open();
  const plan = await production.update(callsOf("ANAÏS EK", "kamera und licht", "Rene Gross", "Anais Ek", "Kiran"));
  assert.equal(await calledOn(production), ["Zoé", "camera", "René Groß", "Zoé", "Kiran"]);
  assert.equal(
    plan.warnings.filter((one) => /read as|calls what/.test(one)),
    [
      "day 1 calls what is no asset, person or department: Kiran",
      'day 1: "Rene Gross" was read as "René Groß"',
      'day 1: "Anais Ek" was read as "Zoé"',
    ],
  );
  for (const who of ["Asa", "Bo Ek"])
    assert.match((await production.problems(callsOf(who))).join(), /who names nobody: ".+" may be "Åsa" or "Asá"/, who);
});

names("of a performer that the same document gives or takes away counts", async () => {
  const production = await open();
  const given = { assets: [{ label: "Zoé", performer: "Mia Ro" }], ...callsOf("Mia Ro", "Anaïs Ek") };
  await production.update(given);
  assert.equal(await calledOn(production), ["Zoé", "Anaïs Ek"]);
});

names("as text that is stored stays so; one who comes later takes the call", async () => {
  const production = await open();
  assert.equal((await production.update(await production.export())).changes, []);
  await production.update({ people: [{ name: "José", role: "Grip" }] });
  assert.equal(await calledOn(production), ["José"]);
  const both = await open({
    people: [
      { name: "José", role: "Grip" },
      { name: "Josè", role: "Grip" },
    ],
  });
  assert.equal(await calledOn(both), ["Jose"]);
  assert.equal((await both.update(await both.export())).changes, [], "what is stored is no question");
  assert.match((await both.problems(callsOf("Jose", "JOSE"))).join(), /"JOSE" may be "José" or "Josè"/);
});

names("in a form is the same, and the page says so; so are characters that turn the direction of text", async () => {
  const { folder, production_id } = await open();
  const server = await openTestServer({ data: folder });
  const admin = await openAsAdmin(server, production_id);
  const address = `/edit/schedule/${server.store.database.prepare("SELECT id FROM shoot_days").pluck().get()}`;
  const form = /<form method="post"[\s\S]*?<\/form>/.exec(await admin.text(address))?.[0] ?? "";
  const fields: Record<string, string> = {};
  for (const [, tag = ""] of form.matchAll(/<(?:input|textarea) ([^>]*)>/g)) {
    const [, name = ""] = /name="([^"]*)"/.exec(tag) ?? [];
    if (name !== "proof") fields[name] = /value="([^"]*)"/.exec(tag)?.[1] ?? "";
  }
  const who = Object.keys(fields).find((name) => /^calls.*who$/.test(name) && fields[name] === "Jose") as string;
  const sent = await admin.send(address, { ...fields, [who]: "Rene \u202eGross" });
  assert.is(sent.status, 303, await sent.text());
  const page = await admin.text((sent.headers.get("location") ?? "").split("#")[0] as string);
  assert.match(page, /Warnings/);
  assert.match(page, /Characters that turn the direction of text were taken out of 1 name/);
  assert.match(page, /“?Rene Gross.* was read as .*René Groß/);
  await server.stop();
});

names.run();
