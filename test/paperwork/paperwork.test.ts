// The paperwork of the demo productions, in both script formats.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { draftOf } from "../../src/features/scripts/compare/drafts.ts";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import type { Script } from "../../src/features/scripts/script.ts";
import { breakdownOf } from "../scripts/scripts.ts";
import { compareDrafts } from "../support/compared_drafts.ts";
import { blueDraft, demoProduction, firstDraft, paperwork } from "../support/paperwork.ts";
import { readFdx } from "../support/script_readers.ts";

const test = suite("the demo's paperwork");

const read = (name: string): Script => (name.endsWith(".fdx") ? readFdx : readFountain)(paperwork(name));
const draft = (name: string) => draftOf(read(name));
const isOfTitlePage = ({ sentence }: { sentence: string }): boolean => sentence.startsWith("what the title page says");
const capitals = (list: readonly string[]): string[] => list.map((name) => name.toUpperCase()).sort();

for (const name of ["the-silver-button.fountain", "the-silver-button.fdx"])
  test(`${name} has the demo's scenes, synopses and cast`, () => {
    const { scenes, problems, warnings } = read(name);
    assert.equal([problems, warnings.filter((one) => !isOfTitlePage(one))], [[], []]);
    assert.match(warnings[0]?.sentence ?? "", "Adapted for the screen");
    const demo = demoProduction().scenes;
    assert.equal(
      scenes.map(({ number, slugline, synopsis, omitted }) => [number, slugline, synopsis, omitted]),
      demo.map(({ number, slugline, synopsis, status }) => [number, slugline, synopsis ?? null, status === "omitted"]),
    );
    for (const [at, { number, status, elements }] of demo.entries())
      if (status !== "omitted")
        assert.equal(capitals([...(scenes[at]?.characters ?? [])]), capitals(elements?.cast ?? []), number);
  });

for (const episode of ["101", "102", "103"])
  test(`the script of episode ${episode} has the demo's scenes and synopses, each with its text, and no other cast`, () => {
    const { scenes, problems, warnings } = read(`the-saknussemm-cipher-${episode}.fountain`);
    assert.equal([problems, warnings.filter((one) => !isOfTitlePage(one))], [[], []]);
    const demo = demoProduction("the-saknussemm-cipher").scenes.filter((scene) => scene.episode === episode);
    assert.equal(
      scenes.map(({ number, synopsis, omitted }) => [number, synopsis, omitted]),
      demo.map(({ number, synopsis, status }) => [number, synopsis ?? null, status === "omitted"]),
    );
    for (const [at, { number, slugline, status, elements }] of demo.entries())
      if (status !== "omitted") {
        const { slugline: heading, paragraphs = [], characters = [] } = scenes[at] ?? {};
        assert.is(heading, slugline);
        assert.ok(paragraphs.length > 2, `${number} has text`);
        const known = capitals(elements?.cast ?? []);
        assert.equal(
          capitals([...characters]).filter((name) => !known.includes(name)),
          [],
          number,
        );
      }
  });

test("the Final Draft file has the demo's lengths, and its tags are assets of the demo", () => {
  const { scenes, assets } = breakdownOf(read("the-silver-button.fdx"));
  const demo = demoProduction();
  for (const [at, { elements, status }] of demo.scenes.entries())
    if (status !== "omitted")
      assert.equal([scenes[at]?.elements.pages, scenes[at]?.elements.pages_estimated], [elements?.pages, undefined]);
  const tagged = assets.filter(({ kind }) => kind !== "character");
  assert.is(tagged.length, 31);
  for (const { label, kind } of tagged)
    assert.ok(
      demo.assets.some((asset) => asset.label === label && asset.kind === kind),
      label,
    );
});

test("the Final Draft files are what the writer makes of the Fountain drafts and the demo", () => {
  assert.is(paperwork("the-silver-button.fdx").toString(), firstDraft());
  assert.is(paperwork("the-silver-button-blue.fdx").toString(), blueDraft());
});

test("both formats of one draft contain the same script", () => {
  for (const name of ["the-silver-button", "the-silver-button-blue"]) {
    const contentOf = ({ title, scenes }: Script) => [
      title,
      scenes.map(({ number, slugline, synopsis, omitted, paragraphs, characters }) => ({
        number,
        slugline,
        synopsis,
        omitted,
        paragraphs,
        characters,
      })),
    ];
    assert.equal(contentOf(read(`${name}.fdx`)), contentOf(read(`${name}.fountain`)));
  }
});

for (const format of ["fountain", "fdx"])
  test(`the blue draft in ${format} changes seven scenes`, () => {
    const { changes, silent } = compareDrafts(
      draft(`the-silver-button.${format}`),
      draft(`the-silver-button-blue.${format}`),
    );
    assert.equal(
      changes.map(
        ({ kind, number, fields }) =>
          `${kind} ${number} ${Object.keys(fields).filter((name) => !["pages", "tags"].includes(name))}`,
      ),
      [
        "changed 28 text",
        "changed 31 text",
        "changed 33 slugline",
        "changed 49A number",
        "added 52A number,slugline,cast,order",
        "omitted 54 omitted",
        "changed 62 text,cast",
      ],
    );
    assert.is(silent.filter(({ fields }) => Object.keys(fields).length === 0).length, 61);
  });

test("the blue Final Draft file marks changed text as blue", () => {
  const { scenes } = breakdownOf(read("the-silver-button-blue.fdx"));
  const blue = scenes.filter(({ revision_color }) => revision_color === "blue").map(({ number }) => number);
  assert.equal(blue, ["28", "31", "33", "52A", "62"]);
});

test("the lighthouse is an unnumbered script of twelve scenes", () => {
  const { scenes, assets } = breakdownOf(read("the-lighthouse.fountain"));
  assert.equal(
    scenes.map(({ number }) => number),
    Array.from({ length: 12 }, (_, at) => String(at + 1)),
  );
  assert.equal(
    assets.map(({ label }) => label),
    ["AGNES", "TOM", "FIRST PORTER", "SECOND PORTER", "HELMSMAN", "GIRL"],
  );
});

test.run();
