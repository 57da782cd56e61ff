// The cases of npm run growth that compare a draft of a script with the stored one, and approve all that it changes.
import { openImports, script } from "../../../test/support/import.ts";
import { type Case, many, type Step } from "./cases.ts";

const words = "rain cart lamp door river coat bell smoke letter horse quiet broken under against before slowly".split(
  " ",
);
const textOf = (at: number): string =>
  many(24, (n) => `${words[(at * n) % 16]}${at % 7 === n % 7 ? at : ""}`).join(" ");
const scene = (at: number, number = at, more = "") => `INT. ROOM${at} - DAY #${number}#\n\n${textOf(at)}${more}`;

/** A scene in which one of the characters speaks of whom each is in two scenes. */
const speaking = (at: number, name: string) => scene(at, at, `\n\n${name}${at >> 1}\nGood day.`);

/**
 * What else a case of a draft does: the stored draft, scenes that are added by hand after it, and whether the later one
 * has only revised pages.
 */
interface More {
  first?: (at: number) => string;
  byHand?: (count: number) => object[];
  pages?: boolean;
}

/** A draft after a stored one: imported, again, approved, and imported once more. */
const draft = (name: string, size: number, later: (count: number) => readonly string[], more: More = {}): Case => ({
  name: `draft ${name}`,
  size,
  async open(count) {
    const production = await openImports(
      script(
        many(count, (at) => more.first?.(at) ?? scene(at)),
        "first.fountain",
      ),
    );
    const scenes = more.byHand?.(count);
    if (scenes !== undefined) await production.import({ name: "scenes.json", text: JSON.stringify({ scenes }) });
    const given = script(later(count), "later.fountain");
    const flags = { pages: more.pages ?? false };
    const steps: Step[] = [
      { name: "planned", repeats: true, run: () => production.import(given, { ...flags, dry_run: true }) },
      { name: "imported", repeats: false, run: () => production.import(given, flags) },
      { name: "again", repeats: true, run: () => production.import(given, { ...flags, dry_run: true }) },
      { name: "approved", repeats: false, run: () => production.approve() },
      { name: "again after it", repeats: true, run: () => production.import(given, { ...flags, dry_run: true }) },
    ];
    return { steps, close: () => production.store.close() };
  },
});

export const drafts: readonly Case[] = [
  draft("with every scene reworded", 80, (count) => many(count, (at) => scene(at, at, " And then it ends."))),
  draft("that numbers every scene one further", 80, (count) => [
    scene(0, 1),
    ...many(count, (at) => scene(at, at + 1)),
  ]),
  draft("in which new scenes take the numbers of omitted ones", 80, (count) =>
    many(count, (at) => scene(at + count * 2, at)),
  ),
  draft("that renames every character", 80, (count) => many(count, (at) => speaking(at, "BEN")), {
    first: (at) => speaking(at, "ANN"),
  }),
  draft("in the reverse order", 80, (count) => many(count, (at) => scene(at)).toReversed()),
  draft(
    "of a production with many scenes of its own",
    40,
    (count) => many(count, (at) => scene(at, at, " And then it ends.")),
    {
      byHand: (count) => many(count * 60, (at) => ({ number: `X${at}`, slugline: "INT. ROOM - DAY" })),
    },
  ),
  draft("of revised pages with new scenes alone", 200, (count) => many(count, (at) => scene(at + count, at + count)), {
    pages: true,
  }),
  draft(
    "of revised pages with new scenes between",
    500,
    (count) =>
      many(count, (at) => (at % 2 === 0 ? scene(at, at, " And then it ends.") : scene(at + count, at + count))),
    { pages: true },
  ),
];
