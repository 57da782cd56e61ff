// What a scene keeps that an omission took out of the script and a later draft brings back, and which new scenes are
// parts of others.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, type PaperFile, script } from "../support/import.ts";

const fileOf = (name: string): PaperFile => ({
  name,
  text: readFileSync(new URL(`restored/${name}`, import.meta.url), "utf8"),
});

const test = suite("a scene that comes back");

async function restored(follow: boolean) {
  const production = await openImports(fileOf("r1-white.fountain"));
  await production.import(fileOf("r1-breakdown.csv"), { as: "breakdown" });
  await production.import(fileOf("r1-schedule.csv"), { as: "schedule" });
  for (const draft of ["r2-blue.fountain", "r3-pink.fountain"]) {
    await production.import(fileOf(draft));
    const { plan } = await production.approve(undefined, { follow: follow && draft.startsWith("r3") });
    if (draft.startsWith("r3")) return { plan, ...(await production.export()) };
  }
  throw new Error("there are two drafts");
}

test("keeps what a list put on it", async () => {
  const { scenes } = await restored(false);
  const scene = scenes.find(({ number }: { number: string }) => number === "2");
  assert.equal(scene.elements.background, ["12 villagers"]);
  assert.equal(scene.elements.stunts, ["Stunt double, fall"]);
  assert.ok(scene.assets.includes("tankard"));
  assert.equal(scene.elements.cast, ["NORA"]);
  assert.is(scene.status, "planned");
});

test("keeps its day, and a new scene beside it that has only a similar number is on none, which is said", async () => {
  const { plan, schedule } = await restored(true);
  assert.equal(schedule[0].scenes, ["1", "2"]);
  assert.ok(plan?.warnings.includes("scene 1B is new and on no shoot day"), plan?.warnings.join());
});

const draftNamed = (name: string) => ({
  name: "hand.json",
  text: JSON.stringify({ scenes: [{ number: "2", ...{ elements: { cast: ["NORA", name] } } }] }),
});

test("keeps whom a person put in its cast while it was omitted, and the names that a person gave meanwhile", async () => {
  const production = await openImports(fileOf("r1-white.fountain"));
  await production.import(fileOf("r2-blue.fountain"));
  await production.approve();
  await production.import(draftNamed("LANDLORD"));
  await production.import({ name: "n.json", text: JSON.stringify({ assets: [{ label: "Norah", was: "NORA" }] }) });
  await production.import(fileOf("r3-pink.fountain"));
  await production.approve();
  const { scenes, assets } = await production.export();
  const scene = scenes.find(({ number }: { number: string }) => number === "2");
  assert.equal(scene.elements.cast, ["NORAH", "LANDLORD"]);
  assert.equal(
    assets.map(({ label }: { label: string }) => label),
    ["Norah", "TOBY", "GOAT"],
  );
});

test("loses whom its draft cuts, also their link, and keeps whom a person put there, who is asked about", async () => {
  const production = await openImports(fileOf("r1-white.fountain"));
  await production.import(fileOf("r2-blue.fountain"));
  await production.approve();
  await production.import(draftNamed("TOBY"));
  const { name, text } = fileOf("r3-pink.fountain");
  const cut = String(text).replace("\n\nNORA\nNobody signs", "\n\nGOAT\nNobody signs");
  await production.import({ name, text: cut });
  const { plan } = await production.approve();
  const { scenes } = await production.export();
  const scene = scenes.find(({ number }: { number: string }) => number === "2");
  assert.equal(
    [scene.elements.cast, scene.assets],
    [
      ["GOAT", "TOBY"],
      ["TOBY", "GOAT"],
    ],
  );
  assert.equal(plan?.warnings, []);
});

test("is said to be on no day if its omission took it off, as are all new ones", async () => {
  const production = await openImports(fileOf("r1-white.fountain"));
  await production.import(fileOf("r1-schedule.csv"), { as: "schedule" });
  const said: (readonly string[] | undefined)[] = [];
  for (const draft of ["r2-blue.fountain", "r3-pink.fountain"]) {
    await production.import(fileOf(draft));
    said.push((await production.approve(undefined, { follow: true })).plan?.warnings);
  }
  assert.equal(said, [
    ["scene 1A is new and on no shoot day"],
    ["scene 1B is new and on no shoot day", "scene 2 is in the script again and on no shoot day"],
  ]);
  const { name, text } = fileOf("r3-pink.fountain");
  await production.import({
    name,
    text: `${text}\nINT. CELLAR - DAY #4#\n\nDark.\n\nINT. ATTIC - DAY #5#\n\nDarker.\n`,
  });
  assert.equal((await production.approve()).plan?.warnings, ["scenes 4 and 5 are new and on no shoot day"]);
});

test("has the tags of the draft in place of those that the script had, and what a person put on it", async () => {
  const tagged = (label: string): PaperFile => ({
    name: "draft.fdx",
    text: `<?xml version="1.0"?><FinalDraft Version="5"><Content>
<Paragraph Type="Scene Heading" Number="1"><Text>INT. A - DAY</Text></Paragraph>
<Paragraph Type="Action"><Text TagNumber="1">It stands there.</Text></Paragraph>
<Paragraph Type="Scene Heading" Number="2"><Text>INT. B - DAY</Text></Paragraph>
<Paragraph Type="Action"><Text TagNumber="2">She waits with the ${label}.</Text></Paragraph>
</Content><TagData><TagCategories><TagCategory Id="c" Name="Sounds"/></TagCategories><TagDefinitions>
<TagDefinition Id="d1" CatId="c" Label="bell"/><TagDefinition Id="d2" CatId="c" Label="${label}"/></TagDefinitions><Tags>
<Tag Number="1"><DefId>d1</DefId></Tag><Tag Number="2"><DefId>d2</DefId></Tag></Tags></TagData>
<TitlePage><Content><Paragraph Alignment="Center"><Text>Bells</Text></Paragraph></Content></TitlePage></FinalDraft>`,
  });
  const production = await openImports(tagged("horn"));
  const byHand = { scenes: [{ number: "2", elements: { notes_of_sound: ["quiet"] } }] };
  await production.import({ name: "hand.json", text: JSON.stringify(byHand) });
  await production.import(script(["INT. A - DAY #1#\n\nIt stands there."]));
  await production.approve();
  await production.import(tagged("whistle"));
  await production.approve();
  const { scenes } = await production.export();
  assert.equal(scenes[1].elements.sounds, ["whistle"]);
  assert.equal(scenes[1].elements.notes_of_sound, ["quiet"]);
});

test.run();
