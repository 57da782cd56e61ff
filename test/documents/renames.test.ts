// Documents with `was`, imported a second time: renames that were done are not done again, except where names go round in a ring.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isRenamable, keyOf, namings, sectionNames, sections } from "../../src/features/documents/sections/sections.ts";
import { root } from "../support/command.ts";
import { isThorough } from "../support/proportion.ts";
import { type Json, openProduction, silverButton } from "../support/update.ts";

const renames = suite("renames, imported twice");

/** A production, the names of its first scenes, and its numbers by the id of the scene. */
async function openScenes() {
  const production = await openProduction();
  const { scenes } = await production.export();
  const [a, b, c] = scenes.map(({ number }: Json) => number as string) as [string, string, string];
  const numbers = () =>
    Object.fromEntries(production.rows("SELECT node_id, number FROM scenes").map((row) => [row.node_id, row.number]));
  const before = numbers();
  /** The new number of each scene that was renumbered, by its former one. */
  const renumbered = () =>
    Object.entries(numbers()).flatMap(([id, number]) => (number === before[id] ? [] : [`${before[id]} ${number}`]));
  return { production, a, b, c, renumbered };
}

for (const order of ["in the order of the numbers", "in the opposite order"])
  renames(`a chain of renames ${order} plans nothing the second time`, async () => {
    const { production, a, b, c, renumbered } = await openScenes();
    const scenes = [
      { number: b, was: a },
      { number: c, was: b },
      { number: "99Z", was: c, synopsis: "The last one." },
    ];
    const document = { scenes: order.startsWith("in the order") ? scenes : scenes.toReversed() };
    assert.is((await production.update(document)).changes.length, 3);
    const expected = [`${a} ${b}`, `${b} ${c}`, `${c} 99Z`];
    assert.equal(renumbered(), expected);
    assert.equal((await production.update(document)).changes, []);
    assert.equal(renumbered(), expected);
  });

renames("a chain that was done sets other fields by the new names", async () => {
  const { production, a, b } = await openScenes();
  const chain = (synopsis: string) => ({
    scenes: [
      { number: "99Z", was: b, synopsis },
      { number: b, was: a },
    ],
  });
  await production.update(chain("One."));
  const { changes } = await production.update(chain("Two."));
  assert.equal(
    changes.map(({ key, fields }) => [key, fields]),
    [["99Z", { synopsis: { from: "One.", to: "Two." } }]],
  );
});

renames("a chain of which only a part can have been done is refused", async () => {
  const { production, a, b } = await openScenes();
  const [problem] = await production.problems({
    scenes: [
      { number: a, was: "no such scene" },
      { number: "99Z", was: a },
      { number: b, synopsis: "Never written." },
    ],
  });
  assert.match(problem as string, /is the same thing as scenes\[0\]/);
});

renames("chains of assets and departments are done once too, and what refers to them follows once", async () => {
  const { production } = await openScenes();
  const before = await production.export();
  const [one, two] = before.departments.map(({ slug }: Json) => slug);
  const props = before.assets.filter(({ kind }: Json) => kind === "prop").map(({ label }: Json) => label);
  const document = {
    departments: [
      { slug: two, was: one, name: "The first" },
      { slug: "the-second", was: two },
    ],
    assets: [
      { label: props[1], was: props[0] },
      { label: "Another label", was: props[1] },
    ],
  };
  await production.update(document);
  const after = await production.export();
  const inDepartment = (of: Json, slug: string) =>
    of.assets.filter(({ department }: Json) => department === slug).length;
  assert.is(inDepartment(after, "the-second"), inDepartment(before, two));
  assert.is(inDepartment(after, two), inDepartment(before, one));
  assert.equal((await production.update(document)).changes, []);
});

renames(
  "a swap, which shows nowhere whether it is done, swaps again the second time, and the plan says so",
  async () => {
    const { production, a, b, renumbered } = await openScenes();
    const swap = {
      scenes: [
        { number: a, was: b },
        { number: b, was: a },
      ],
    };
    const { revision } = await production.update(swap, { dry_run: true });
    await production.update(swap, { if_revision: revision });
    assert.equal(renumbered(), [`${a} ${b}`, `${b} ${a}`]);
    assert.is((await production.update(swap, { dry_run: true })).changes.length, 2);
    const refusal = await production.update(swap, { if_revision: revision }).catch(({ message }) => message);
    assert.match(refusal, /changed/);
    await production.update(swap);
    assert.equal(renumbered(), []);
  },
);

const episodic = join(root, "fixtures/the-saknussemm-cipher.json");

/** A rename of each thing of a section. */
const renamesOf = (section: (typeof sectionNames)[number], things: readonly Json[]): Json[] =>
  things.map((thing, at) => {
    const { noun, key } = sections[section];
    const field = noun === undefined ? (key?.[0] as string) : namings[noun].field;
    const name = section === "vendors" ? { name: thing } : thing;
    const now = { day_number: 1000 + at, week_of: `2031-01-${10 + at}`, slug: `now-${at}` }[field] ?? `Now ${at}`;
    return {
      ...(section === "scenes" && thing.episode !== undefined && { episode: thing.episode }),
      ...(section === "engagements" && { vendor: thing.vendor }),
      ...(thing.ref === undefined ? { [field]: now } : { ref: `Now ${at}`, [field]: thing[field] }),
      was: keyOf(section, name),
    };
  });

for (const file of isThorough ? [silverButton, episodic] : [episodic])
  for (const section of sectionNames.filter(isRenamable))
    renames(`${section} renamed by the second document are known by the first one again, in ${file}`, async () => {
      const production = await openProduction(file);
      const { document: _, document_version: __, production: own, ...whole } = await production.export();
      const things = whole[section] ?? [];
      if (things.length === 0) return;
      const lists = Object.fromEntries(
        Object.entries<Json>(whole).filter(([name]) => !sections[name as keyof typeof sections].history),
      );
      const { episodes = [], ...rest } = lists;
      const current = own.current_episode === undefined ? {} : { production: { current_episode: own.current_episode } };
      // An episode keeps its scenes, and an engagement its grants.
      const both = [
        { ...current, ...(episodes.length > 0 && { episodes }), ...rest },
        { [section]: renamesOf(section, things) },
      ];
      const { changes } = await production.update(both);
      const after = await production.export();
      assert.ok(changes.length >= things.length);
      assert.equal((await production.update(both)).changes, []);
      assert.equal(await production.export(), after);
      const reversed = await production.problems(both.toReversed());
      assert.ok(
        reversed.some((sentence) => /which given0\.json of the same update renames to/.test(sentence)),
        `the reverse is refused: ${reversed}`,
      );
    });

const [one, two, three] = ["Ring, hero", "Ring, stunt", "Ring, spare"];
const rings = { assets: [one, two].map((label) => ({ label, kind: "prop" })) };
const day = (...who: string[]) => ({
  schedule: [{ day_number: 1, calls: who.map((who) => ({ who, time: "07:00" })) }],
});
const called: Record<string, { documents: Json[]; calls: (string | undefined)[] }> = {
  "a chain in one document": {
    documents: [
      {
        assets: [
          { label: two, was: one },
          { label: three, was: two },
        ],
      },
      {
        assets: [
          { label: three, was: two },
          { label: two, was: one },
        ],
      },
    ],
    calls: [two, three],
  },
  "a chain through documents": {
    documents: [{ assets: [{ label: "Between", was: one }] }, { assets: [{ label: three, was: "Between" }] }],
    calls: [three, two],
  },
};
for (const [name, { documents, calls }] of Object.entries(called))
  renames(`a day's calls follow ${name}, and stay the second time`, async () => {
    for (const chain of name.endsWith("one document") ? documents.map((one) => [one]) : [documents]) {
      const production = await openProduction();
      await production.update(rings);
      const both = [day(one, two, "Somebody"), ...chain];
      await production.update(both);
      const whoIsCalled = async () => (await production.export()).schedule[0].calls.map(({ who }: Json) => who);
      assert.equal(await whoIsCalled(), [...calls, "Somebody"]);
      assert.equal((await production.update(both)).changes, []);
      assert.equal(await whoIsCalled(), [...calls, "Somebody"]);
      // A text that a later document sets is only a text.
      await production.update(day(one));
      assert.equal(await whoIsCalled(), [one]);
      assert.equal((await production.update([...chain, day(one)])).changes, []);
    }
  });

renames("a swap swaps the second time what an earlier document says of the things, too", async () => {
  const production = await openProduction();
  await production.update(rings);
  const swap = {
    assets: [
      { label: one, was: two },
      { label: two, was: one },
    ],
  };
  const both = [day(one), swap];
  const whoIsCalled = async () => (await production.export()).schedule[0].calls.map(({ who }: Json) => who);
  await production.update(both);
  assert.equal(await whoIsCalled(), [two]);
  assert.ok((await production.update(both, { dry_run: true })).changes.length >= 2, "the plan says so");
  await production.update(both);
  assert.equal(await whoIsCalled(), [two], "each time by the names that stand then");
});

for (const [first, second] of [
  [one, two],
  [two, one],
] as const)
  renames(`two files that exchange names are refused, ${first} first`, async () => {
    const production = await openProduction();
    await production.update(rings);
    const found = await production.problems([
      { assets: [{ label: second, was: first }] },
      { assets: [{ label: first, was: second }] },
    ]);
    assert.match(found.join("\n"), /\.was is the name .* names are exchanged or passed on within one file/);
    const passed = await production.problems([
      { assets: [{ label: second, was: first }] },
      { assets: [{ label: three, was: second }] },
    ]);
    assert.match(passed.join("\n"), /\.was is the name .* names are exchanged or passed on within one file/);
  });

renames("a thing may have a name that an earlier update took from another one", async () => {
  const production = await openProduction();
  await production.update(rings);
  const rename = { assets: [{ label: three, was: one }] };
  await production.update(rename);
  await production.update({ assets: [{ label: one, kind: "prop" }] });
  assert.match((await production.problems(rename))[0] as string, /assets/);
});

renames("of a later document leave what an earlier one says checked", async () => {
  const production = await openProduction();
  const found = await production.problems([
    { assets: [{ label: one, kind: "prop", cast_number: "1" }] },
    { assets: [{ label: three, was: two }] },
  ]);
  assert.match(found.join("\n"), /cast_number is allowed only on an asset of kind character/);
});

renames.run();
