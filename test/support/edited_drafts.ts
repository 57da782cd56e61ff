// Makes an earlier and a later draft of a random script that differ by one edit, and says what the comparison has to
// find.
import { Draftsman, type KnownScene } from "./mutations.ts";

interface Edited {
  number: string;
  slugline: string;
  text: string;
}

export const edits = [
  "a reworded text",
  "a rewritten half",
  "another slugline",
  "a new scene",
  "a scene that is left out",
  "a scene that is moved",
  "a speaker more",
  "a split",
  "a split with most of the text in the second part",
  "a split with another slugline for the second part",
  "a merge",
  "a merge into the shorter one",
  "a merge with a slugline of its own",
  "three splits and merges beside a reworded text",
] as const;
export type Edit = (typeof edits)[number];

interface Made {
  scenes: Edited[];
  expected: string[];
}

const wordsOf = (text: string): string[] => text.split(" ");
const numbered = ({ number, slugline, text }: KnownScene): Edited => ({ number, slugline, text });

/** A slugline that no scene has. */
function otherSlugline(scenes: readonly Edited[], draftsman: Draftsman): string {
  const { slugline } = draftsman.scene();
  return scenes.some((scene) => scene.slugline === slugline) ? otherSlugline(scenes, draftsman) : slugline;
}

/** Changes the scene at a place; answers the new list and what changed. */
type Making = (scenes: Edited[], at: number, draftsman: Draftsman) => Made;

const changed = (scenes: Edited[], at: number, part: Partial<Edited>): Made => {
  const scene = scenes[at] as Edited;
  return { scenes: scenes.with(at, { ...scene, ...part }), expected: [`changed ${scene.number}`] };
};
const reworded =
  (part: number): Making =>
  (scenes, at, draftsman) => {
    const words = wordsOf((scenes[at] as Edited).text);
    const other = draftsman.scene().text.split(" ");
    const count = Math.max(1, Math.floor(words.length * part));
    const from = draftsman.integer(words.length - count + 1);
    return changed(scenes, at, {
      text: words.toSpliced(from, count, ...other.slice(0, count), "indeed").join(" "),
    });
  };

/** Splits a scene; `share` is the part of the words that the first keeps. */
const split =
  (share: number, hasOwnSlugline = false): Making =>
  (scenes, at, draftsman) => {
    const scene = scenes[at] as Edited;
    const words = wordsOf(scene.text);
    const cut = Math.max(5, Math.floor(words.length * share));
    const [first, second] = [words.slice(0, cut).join(" "), words.slice(cut).join(" ")];
    const slugline = hasOwnSlugline ? otherSlugline(scenes, draftsman) : scene.slugline;
    const parts = [
      { ...scene, text: first },
      { number: `${scene.number}A`, slugline, text: second },
    ];
    return {
      scenes: scenes.toSpliced(at, 1, ...parts),
      expected: [`added ${scene.number}A`, `changed ${scene.number}`],
    };
  };

/** Puts a scene and the next one into one, which has the number of the first. */
const merge =
  (isOwnSlugline = false): Making =>
  (scenes, at, draftsman) => {
    const [one, next] = [scenes[at], scenes[at + 1]] as [Edited, Edited];
    const slugline = isOwnSlugline ? otherSlugline(scenes, draftsman) : one.slugline;
    const merged = { ...one, slugline, text: `${one.text} ${next.text}` };
    return { scenes: scenes.toSpliced(at, 2, merged), expected: [`changed ${one.number}`, `omitted ${next.number}`] };
  };

/** Makes the edits, each in its part of the script; the last one first, so that the places of the others stay. */
const together =
  (parts: readonly Edit[]): Making =>
  (scenes, _, draftsman) =>
    [...parts.entries()].reduceRight<Made>(
      (made, [at, edit]) => {
        const size = Math.floor(scenes.length / parts.length);
        const place = at * size + placeOf(edit, scenes.slice(at * size, (at + 1) * size), draftsman);
        const { scenes: next, expected } = makings[edit](made.scenes, place, draftsman);
        return { scenes: next, expected: [...made.expected, ...expected] };
      },
      { scenes, expected: [] },
    );

const makings: Readonly<Record<Edit, Making>> = {
  "a reworded text": reworded(0.15),
  "a rewritten half": reworded(0.5),
  "another slugline": (scenes, at, draftsman) => changed(scenes, at, { slugline: otherSlugline(scenes, draftsman) }),
  "a new scene": (scenes, at, draftsman) => {
    const { number } = scenes[at] as Edited;
    const added = { ...numbered(draftsman.scene()), number: `${number}A` };
    return { scenes: scenes.toSpliced(at + 1, 0, added), expected: [`added ${number}A`] };
  },
  "a scene that is left out": (scenes, at) => ({
    scenes: scenes.toSpliced(at, 1),
    expected: [`omitted ${(scenes[at] as Edited).number}`],
  }),
  "a scene that is moved": (scenes, at) => {
    const scene = scenes[at] as Edited;
    const to = at < scenes.length / 2 ? scenes.length - 2 : 1;
    return { scenes: scenes.toSpliced(at, 1).toSpliced(to, 0, scene), expected: [`changed ${scene.number}`] };
  },
  "a speaker more": (scenes, at) => {
    const { text } = scenes[at] as Edited;
    return changed(scenes, at, { text: `${text}\n\nMR. OSSIAN\nAre you still here?` });
  },
  "a split": split(0.5),
  "a split with most of the text in the second part": split(0.15),
  "a split with another slugline for the second part": split(0.3, true),
  "a merge": merge(),
  "a merge into the shorter one": merge(),
  "a merge with a slugline of its own": merge(true),
  "three splits and merges beside a reworded text": together([
    "a split with most of the text in the second part",
    "a reworded text",
    "a merge into the shorter one",
    "a split with another slugline for the second part",
  ]),
};

/** Where an edit is made: a split needs a long scene, and some merges a short one before a long one. */
function placeOf(edit: Edit, scenes: readonly Edited[], draftsman: Draftsman): number {
  const lengths = scenes.map(({ text }) => wordsOf(text).length);
  const fits = (at: number): boolean => {
    const [own = 0, next = 0] = [lengths[at], lengths[at + 1]];
    if (edit.includes("split")) return own >= 40;
    if (edit === "a merge into the shorter one") return own >= 6 && own * 2 < next;
    if (edit === "a merge with a slugline of its own") return own >= next;
    return own >= 12 && (!edit.includes("merge") || next >= 6);
  };
  const places = [...scenes.keys()].slice(1, -2).filter(fits);
  return places[draftsman.integer(places.length)] as number; // a script of 60 scenes has one of each kind
}

const lines = (scenes: readonly Edited[], isNumbered: boolean): string[] =>
  scenes.flatMap(({ number, slugline, text }) => [`${slugline}${isNumbered ? ` #${number}#` : ""}`, "", text, ""]);

/** The lines of two drafts in Fountain, and the changes that are right, such as "changed 2". */
export function revisedBy(edit: Edit, seed: number, isNumbered: boolean) {
  const draftsman = new Draftsman(seed);
  const scenes = draftsman.script(edit.startsWith("three") ? 240 : 60).map(numbered);
  const { scenes: later, expected } = makings[edit](scenes, placeOf(edit, scenes, draftsman), draftsman);
  return { before: lines(scenes, isNumbered), after: lines(later, isNumbered), expected };
}
