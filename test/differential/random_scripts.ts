// Random drafts of a script in Fountain: most scenes of a production, or of an episode, with a few edits.
import type { Json } from "../support/update.ts";
import { chance, integer, type Known, pick } from "./known.ts";

interface Drafted {
  number: string | undefined;
  heading: string;
  text: string;
}

const words = "They look at the %, and somebody counts the steps to the door while the others wait for the tide. ";

/** A speech of one of the characters, or of somebody new. */
function speech(known: Known): string {
  const characters = known.document.assets.filter(({ kind }: Json) => kind === "character");
  const name: string =
    chance(known, 0.8) && characters.length > 0 ? pick<Json>(known, characters).label : "A NEW VOICE";
  return `\n\n${name.toUpperCase()}\nNothing is heard ${known.number}.`;
}

type Edit = (known: Known, scenes: Drafted[], at: number) => void;
const changed = (scenes: Drafted[], at: number, part: (scene: Drafted) => Partial<Drafted>): void => {
  const scene = scenes[at] as Drafted;
  Object.assign(scene, part(scene));
};
const edits: readonly Edit[] = [
  ({ number }, scenes, at) => changed(scenes, at, ({ text }) => ({ text: `${text}It takes ${number} minutes.` })),
  (known, scenes, at) => changed(scenes, at, ({ text }) => ({ text: `${text}${speech(known)}` })),
  ({ number }, scenes, at) => changed(scenes, at, () => ({ heading: `EXT. ELSEWHERE ${number} - NIGHT` })),
  (_, scenes, at) => void scenes.splice(at, 1),
  (known, scenes, at) => void scenes.splice(integer(known, scenes.length), 0, ...scenes.splice(at, 1)),
  (known, scenes, at) => {
    const number = chance(known, 0.7) ? `${known.number}Y` : undefined;
    scenes.splice(at, 0, { number, heading: `INT. CELLAR ${known.number}`, text: `It is dark.${speech(known)}` });
  },
  (_, scenes, at) => {
    const { number, heading, text } = scenes[at] as Drafted;
    const half = Math.floor(text.length / 2);
    const parts = [text.slice(0, half), text.slice(half)];
    scenes.splice(
      at,
      1,
      ...parts.map((part, index) => ({ number: index ? `${number ?? "1"}A` : number, heading, text: part })),
    );
  },
];

/** A draft, with the code of its episode. */
export function randomDraft(known: Known): { episode: string | undefined; text: string } {
  const { scenes, episodes = [] } = known.document;
  const episode: string | undefined = episodes.length > 0 ? pick<Json>(known, episodes).code : undefined;
  const drafted: Drafted[] = (scenes as Json[])
    .filter((scene) => scene.episode === episode && scene.status !== "omitted")
    .map(({ slugline, number }) => ({ number, heading: slugline, text: words.replace("%", slugline).repeat(3) }));
  for (let left = integer(known, 5); left > 0 && drafted.length > 0; left--)
    pick(known, edits)(known, drafted, integer(known, drafted.length));
  if (drafted.length === 0)
    drafted.push({ number: "1", heading: "INT. HUT - DAY", text: `They wait.${speech(known)}` });
  const isNumbered = chance(known, 0.95);
  const lines = drafted.map(
    ({ heading, number, text }) => `${heading}${isNumbered && number !== undefined ? ` #${number}#` : ""}\n\n${text}\n`,
  );
  return { episode, text: ["Title: Random", "", ...lines].join("\n") };
}
