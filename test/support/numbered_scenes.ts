// Productions of scripts whose scenes have numbers and each a text of its own, with what is asked about them.
import { type openImports, type PaperFile, script } from "./import.ts";

export type Production = Awaited<ReturnType<typeof openImports>>;

const words = "rain cart lamp door river coat bell smoke letter horse quiet broken under against before slowly".split(
  " ",
);
/** The text of a scene, which no other name has. */
export const textOf = (name: string): string =>
  Array.from(
    { length: 24 },
    (_, at) => `${words[(name.length * 7 + name.charCodeAt(at % name.length) * (at + 3)) % 16]}${name}`,
  ).join(" ");
/** A scene of a name under a number; `more` is further text. */
export const scene = (name: string, number: string, more = ""): string =>
  `INT. ${name} - DAY #${number}#\n\n${textOf(name)}${more}`;
export const names = (count: number) => Array.from({ length: count }, (_, at) => `ROOM${at + 1}`);
export const numbered = (list: readonly string[]): string[] => list.map((name, at) => scene(name, `${at + 1}`));
export const draft = (scenes: readonly string[], name = "later.fountain"): PaperFile => script(scenes, name);
export const json = (document: object): PaperFile => ({ name: "a.json", text: JSON.stringify(document) });
export const asked = (production: Production): string[] =>
  production.changes().map(({ kind, scene_number, fields }) => `${kind} ${scene_number}: ${Object.keys(fields)}`);
/** The scenes of a production: their numbers, with a mark for those that are omitted, and their sets. */
export const shown = async (production: Production): Promise<string[]> =>
  (await production.export()).scenes.map(({ number, status, elements }: any) =>
    status === "omitted" ? `(${number})` : `${number} ${elements.set}`,
  );
export const id = (production: Production, number: string): number =>
  production.changes().find(({ scene_number }) => scene_number === number)?.id as number;
