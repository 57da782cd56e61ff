// Assets of drafts that share a label: two of different kinds stay two, and one of the same kind stays one, whether the
// changes of several episodes are approved at once or one episode after the other.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import { writeFdx } from "../support/fdx_writer.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";

const hall = "INT. HALL - DAY #1#\n\nNobody is here.";
const yard = "EXT. YARD - NIGHT #2#\n\nA lantern swings over the gate.";
/** The same scene with somebody called Lantern in it. */
const called = `${yard}\n\nLANTERN\nWho goes there?`;

const fountain = script([hall, called], "blue.fountain");
/** A draft of Final Draft in which the lantern of the yard is tagged. */
function tagged(category: string, label: string, scenes = [hall, yard]): PaperFile {
  const tag = { category, label, words: /\blantern\b/, scenes: new Set(["2"]) };
  return { name: "blue.fdx", text: writeFdx(readFountain(Buffer.from(script(scenes).text)), { tags: [tag] }) };
}

type Imports = Awaited<ReturnType<typeof openImports>>;

/** A series whose episodes have a draft each; the changes of their later drafts are pending. */
async function openSeries(...drafts: PaperFile[]): Promise<{ production: Imports; codes: string[] }> {
  const codes = drafts.map((_, at) => String(101 + at));
  const production = await openImports(script([hall]), { episode: "101" });
  for (const code of codes.slice(1)) {
    await production.import({ name: "a.json", text: JSON.stringify({ episodes: [{ code, title: code }] }) });
    await production.import(script([hall]), { episode: code });
  }
  for (const [at, draft] of drafts.entries()) await production.import(draft, { episode: codes[at] as string });
  assert.is(production.changes().length, drafts.length);
  return { production, codes };
}

/** The assets, and for each scene of the yard what its assets are. */
async function lanternsOf(production: Imports): Promise<{ assets: string[]; scenes: string[][] }> {
  const { assets, scenes } = await production.export();
  const names = new Map(assets.map(({ ref, label, kind }: any) => [ref ?? label, `${label}, ${kind}`]));
  const yards = scenes.filter(({ number }: any) => number === "2");
  return {
    assets: [...names.values()] as string[],
    scenes: yards.map((scene: any) => (scene.assets ?? []).map((name: string) => names.get(name))),
  };
}

/** The ways in which the changes of every episode can be approved. */
const ways: Readonly<Record<string, (production: Imports, codes: readonly string[]) => Promise<void>>> = {
  async "at once"(production) {
    await production.approve();
  },
  async "one episode after the other"(production, codes) {
    for (const code of codes)
      await production.approve(
        production.changes().flatMap(({ id, episode_code }) => (episode_code === code ? [id] : [])),
      );
  },
};

const test = suite("assets of one label in several drafts");

for (const [way, approve] of Object.entries(ways)) {
  test(`a prop and a character of one label stay two, approved ${way}`, async () => {
    const { production, codes } = await openSeries(tagged("Props", "LANTERN"), fountain);
    await approve(production, codes);
    assert.equal(await lanternsOf(production), {
      assets: ["LANTERN, prop", "LANTERN (character), character"],
      scenes: [["LANTERN, prop"], ["LANTERN (character), character"]],
    });
  });

  test(`a character and a prop of one label stay two, approved ${way}`, async () => {
    const { production, codes } = await openSeries(fountain, tagged("Props", "LANTERN"));
    await approve(production, codes);
    assert.equal(await lanternsOf(production), {
      assets: ["LANTERN, character", "LANTERN (prop), prop"],
      scenes: [["LANTERN, character"], ["LANTERN (prop), prop"]],
    });
  });

  test(`props of one label, in whatever case, are one, approved ${way}`, async () => {
    const { production, codes } = await openSeries(tagged("Props", "Lantern"), tagged("Props", "LANTERN"));
    await approve(production, codes);
    assert.equal(await lanternsOf(production), {
      assets: ["Lantern, prop"],
      scenes: [["Lantern, prop"], ["Lantern, prop"]],
    });
  });

  test(`an asset that was named with its kind is used by every later draft, approved ${way}`, async () => {
    const lantern = tagged("Props", "Lantern", [hall, called]);
    const { production, codes } = await openSeries(fountain, lantern, tagged("Props", "lantern"));
    await approve(production, codes);
    assert.equal(await lanternsOf(production), {
      assets: ["LANTERN, character", "Lantern (prop), prop"],
      scenes: [["LANTERN, character"], ["LANTERN, character", "Lantern (prop), prop"], ["Lantern (prop), prop"]],
    });
  });
}

test.run();
