// Makes the demo's script as a Final Draft file from the Fountain draft and from the demo document (lengths and tags).
// `node test/support/paperwork.ts` rewrites the files after the Fountain drafts change.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEighths } from "../../src/features/names/page_lengths.ts";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import type { Script } from "../../src/features/scripts/script.ts";
import { type TagDefinition, writeFdx } from "./fdx_writer.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** The bytes of a file in fixtures/paperwork. */
export const paperwork = (name: string): Buffer => readFileSync(join(fixtures, "paperwork", name));

interface DemoScene {
  episode?: string;
  number: string;
  slugline: string;
  status: string;
  synopsis?: string;
  elements?: { cast?: string[]; pages?: string };
  assets?: string[];
}

/** The scenes and assets of a demo production's document. */
export function demoProduction(name = "the-silver-button"): {
  scenes: DemoScene[];
  assets: { label: string; kind: string }[];
} {
  return JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8"));
}

/** The words of the text that name an asset of the demo. */
const words: Record<string, RegExp> = {
  "Letter to the laird of Shaws": /\bletter\b/,
  "Recipe for lily of the valley water": /\brecipe\b/,
  "Ebenezer's blunderbuss": /\bblunderbuss\b/,
  "Chapbook with the brothers' inscription": /\bchapbook\b/,
  "Thirty-seven guinea pieces": /\bGold\b/,
  "Key to the stair tower": /\bkey\b/,
  "Alan's money belt": /\b(?:money belt|belt)\b/,
  "Alan's small-sword": /\b(?:small-sword|sword)\b/,
  "Brace of ship's pistols": /\bpistols?\b/,
  "Ship's cutlasses, rack of eight": /\bcutlass(?:es)?\b/,
  "Ransome's pannikin": /\bpannikin\b/,
  "Brandy case, round-house locker": /\bbrandy\b/,
  "Round-house lantern": /\blantern\b/,
  "Yard-arm spar": /\b(?:yard-arm|spar)\b/,
  "Silver button": /\b(?:silver )?button\b/,
  "Limpets and buckies": /\blimpet\b/,
  "Alan's fishing rod": /\bfishing rod\b/,
  "Long musket, Lettermore": /\blong gun\b/,
  "Buried arms of Aucharn": /\bswords\b/,
  "Wanted bill, both descriptions": /\bsheet of print\b/,
  "Fiery cross of birch and fir": /\bcross\b/,
  "Cluny's greasy cards": /\bcards\b/,
  "Two sets of pipes": /\bleather and reeds\b/,
  "Bread and cheese, Limekilns": /\bbread and cheese\b/,
  "Rankeillor's forgotten spectacles": /\bspectacles\b/,
  "Covenant skiff": /\bskiff\b/,
  "Jacobite fishing boat": /\bfishing boat\b/,
  "Torosay ferry": /\bferry\b/,
  "Emigrant ship at anchor": /\bbig ship at anchor\b/,
  "Red Fox's grey": /\btall grey\b/,
  "Collie of Aucharn": /\bcollie\b/,
};
const categories: Record<string, string> = { prop: "Props", vehicle: "Vehicles", creature: "Animals" };

function demoTags(): TagDefinition[] {
  const { scenes, assets } = demoProduction();
  return assets.flatMap(({ label, kind }) => {
    const [found, category] = [words[label], categories[kind]];
    if (found === undefined || category === undefined) return [];
    const needs = scenes.filter((scene) => scene.assets?.includes(label)).map(({ number }) => number);
    return [{ category, label, words: found, scenes: new Set(needs) }];
  });
}

const lengths = (): Map<string, number> =>
  new Map(
    demoProduction().scenes.flatMap(({ number, elements }) => {
      const eighths = parseEighths(elements?.pages ?? "");
      return eighths === undefined ? [] : [[number, eighths] as const];
    }),
  );

/** The first draft as a Final Draft file, with the demo's page lengths and tags. */
export const firstDraft = (): string =>
  writeFdx(readFountain(paperwork("the-silver-button.fountain")), { lengths: lengths(), tags: demoTags() });

/** The revised draft as a Final Draft file. Text that the first draft does not have is marked as blue. */
export function blueDraft(): string {
  const script: Script = readFountain(paperwork("the-silver-button-blue.fountain"));
  const old = new Set<string>();
  for (const { slugline, paragraphs } of readFountain(paperwork("the-silver-button.fountain")).scenes)
    for (const text of [slugline, ...paragraphs.map((paragraph) => paragraph.text)]) old.add(text);
  return writeFdx(script, {
    lengths: new Map([...lengths(), ["49A", 7], ["52A", 3]]),
    tags: demoTags(),
    colors: ["Blue"],
    revisionOf: (_, text) => (old.has(text) ? 0 : 1),
  });
}

/** The script of an episode of the other demo as a Final Draft file. */
export const episodeDraft = (): string => writeFdx(readFountain(paperwork("the-saknussemm-cipher-101.fountain")), {});

if (import.meta.main) {
  writeFileSync(join(fixtures, "paperwork", "the-saknussemm-cipher-101.fdx"), episodeDraft());
  writeFileSync(join(fixtures, "paperwork", "the-silver-button.fdx"), firstDraft());
  writeFileSync(join(fixtures, "paperwork", "the-silver-button-blue.fdx"), blueDraft());
}
