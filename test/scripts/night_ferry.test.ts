// Three drafts of an episode, each as Fountain and as a Final Draft file: a title page, a split with an A-scene, a
// scene before another one, an omitted slot that comes back, dual dialogue, revision marks, a renamed character and two
// people under one cue.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, type PaperFile } from "../support/import.ts";

const test = suite("drafts of an episode");

const episode = "103";
const draft = (name: string): PaperFile => ({
  name,
  text: readFileSync(new URL(`night_ferry/${name}`, import.meta.url), "utf8"),
});
type Production = Awaited<ReturnType<typeof openImports>>;

const asked = (production: Production): string[] =>
  production.changes().map(({ summary }) => summary.replace(/, pages \S+ -> \S+/, ""));
const scenesOf = async (production: Production): Promise<string[]> =>
  (await production.export()).scenes.map(
    ({ number, status, elements }: any) =>
      `${number}${status === "omitted" ? " omitted" : ""}: ${(elements.cast ?? []).join(", ")}`,
  );
const planned = async (production: Production, name: string) => {
  const { changes, warnings } = await production.import(draft(name), { episode });
  const [titlePage, ...others] = warnings;
  assert.match(titlePage ?? "nothing", /what the title page says in these lines was not read: .*Ida Holt & Jon Ruud/);
  return [changes, others];
};

for (const [format, other] of [
  ["fountain", "fdx"],
  ["fdx", "fountain"],
] as const) {
  test(`in ${format} ask what changed, and come to the scenes of the last draft`, async () => {
    const production = await openImports(draft(`white.${format}`), { episode });
    assert.equal(
      (await scenesOf(production)).map((one) => one.split(":")[0]),
      Array.from({ length: 12 }, (_, at) => `${at + 1}`),
      "the title page is no scene",
    );
    const ids = production.rows("SELECT node_id FROM scenes ORDER BY script_order");
    await production.import(draft(`blue.${format}`), { episode });
    assert.equal(asked(production), [
      "103/2: text changed",
      "103/4: text changed, cast TOVE, EMIL -> nobody",
      "103/4A added after 103/4: INT. FERRY - SALOON - LATER",
      "103/5: omitted",
      "103/7: slugline INT. FERRY - CABIN 12 - NIGHT -> INT. FERRY - CABIN 14 - NIGHT",
      "103/A10 added after 103/9: EXT. SEA - DAWN",
    ]);
    await production.approve();
    assert.equal(await planned(production, `blue.${format}`), [[], []]);
    await production.import(draft(`pink.${format}`), { episode });
    assert.equal(asked(production), [
      "103/5: in the script again",
      "103/8: text changed, cast PASSENGER, OSKAR -> nobody",
      "103/11: text changed, cast DECKHAND -> DECKHAND, HALVOR, NORA",
      "103/12: omitted",
      "103/6: text changed, moved after 103/11",
      "103/4A, 9: character EMIL -> ELIAS in 2 scenes",
    ]);
    for (const { id } of production.changes()) {
      await production.approve([id]);
      assert.equal(await planned(production, `pink.${format}`), [[], []]);
    }
    assert.equal(await scenesOf(production), [
      ...["1: DECKHAND", "2: NORA", "3: OSKAR, NORA", "4: ", "4A: TOVE, ELIAS", "5: ", "7: NORA", "8: ", "9: ELIAS"],
      ...["A10: ", "10: OSKAR, NORA", "11: DECKHAND, HALVOR, NORA", "6: HALVOR", "12 omitted: "],
    ]);
    assert.equal(
      production.rows("SELECT node_id FROM scenes").filter(({ node_id }) => ids.some((one) => one.node_id === node_id))
        .length,
      12,
      "every scene keeps its id",
    );
  });

  test(`in ${format} are the same drafts as in ${other}`, async () => {
    const production = await openImports(draft(`white.${format}`), { episode });
    for (const color of ["white", "blue", "pink"]) {
      await production.import(draft(`${color}.${format}`), { episode });
      const pending = production.changes();
      await production.import(draft(`${color}.${other}`), { episode });
      assert.equal(
        production.changes().map(({ id }) => id),
        pending.map(({ id }) => id),
      );
      if (color === "blue") await production.dismiss();
    }
  });
}

test("of a Final Draft file have the colours of their revisions", async () => {
  const production = await openImports(draft("white.fdx"), { episode });
  for (const color of ["blue", "pink"]) {
    await production.import(draft(`${color}.fdx`), { episode });
    const drafted = production.changes().filter(({ draft }) => draft?.file === `${color}.fdx`);
    const colors = drafted.filter(({ kind, fields }) => kind !== "omitted" && !fields.character);
    assert.equal([...new Set(colors.map(({ revision_color }) => revision_color))], [color]);
    assert.is(drafted[0]?.draft?.color, color);
    await production.approve();
  }
});

test.run();
