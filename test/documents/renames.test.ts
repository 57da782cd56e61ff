// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Json, openProduction } from "../support/update.ts";

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
  assert.match(problem as string, /scenes/);
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

renames("a character who gets a name that a cast has already is in it once, and the export plans nothing", async () => {
  const production = await openProduction();
  const { scenes } = await production.export();
  const [{ number, elements }] = scenes;
  await production.update({ assets: [{ label: "Old Hand", kind: "character" }] });
  await production.update({ scenes: [{ number, elements: { ...elements, cast: ["Old Hand", "Deck Hand"] } }] });
  await production.update({ assets: [{ label: "Deck Hand", was: "Old Hand" }] });
  const document = await production.export();
  assert.equal(document.scenes[0].elements.cast, ["Deck Hand"]);
  assert.equal((await production.update(document, { dry_run: true })).changes, []);
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

const [one, two, three] = ["Ring, hero", "Ring, stunt", "Ring, spare"];
const rings = { assets: [one, two].map((label) => ({ label, kind: "prop" })) };

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
