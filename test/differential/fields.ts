// Random values of fields of documents: names of what a production has, null, and media.
import type { Json } from "../support/update.ts";
import { chance, integer, type Known, thing } from "./known.ts";

export const few = <T>(known: Known, list: readonly T[] = [], most = 4): T[] =>
  list.length === 0 ? [] : [...new Set(Array.from({ length: integer(known, most + 1) }, () => thing(known, list)))];
export const nameOf = ({ ref, label, title }: Json): string => ref ?? label ?? title;
export const sceneNaming = ({ number, episode }: Json): Json => ({ number, ...(episode !== undefined && { episode }) });
export const sceneName = ({ number, episode }: Json): string =>
  episode === undefined ? number : `${episode}/${number}`;
export const named = ({ ref, label, title }: Json): Json =>
  ref === undefined ? (label === undefined ? { title } : { label }) : { ref };

/** Fields of which some are given. */
export const some = (known: Known, share: number, fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(() => chance(known, share)));
export const orNull = (known: Known, value: Json): Json => (chance(known, 0.2) ? null : value);

export const sceneNames = (known: Known, most = 4) => few<Json>(known, known.document.scenes, most).map(sceneName);
export const assetNames = (known: Known, most = 4) => few<Json>(known, known.document.assets, most).map(nameOf);
export const personName = (known: Known): string => thing(known, known.document.people).name;
export const slug = (known: Known): string => thing(known, known.document.departments).slug;
export const day = (known: Known): string => `2027-0${1 + integer(known, 9)}-1${integer(known, 10)}`;

export const medium = (known: Known): Json => ({
  label: `m${integer(known, 2)}.txt`,
  kind: "document",
  base64: Buffer.from(`medium ${integer(known, 3)}`).toString("base64"),
});

export const someOfCharacter = (known: Known): Json =>
  some(known, 0.4, {
    costumes: few<Json>(
      known,
      known.document.assets.filter(({ kind }: Json) => kind === "costume"),
    ).map(nameOf),
    cast_number: orNull(known, String(integer(known, 12))),
    performer: orNull(known, `Performer ${known.number}`),
  });

/** Makes a random document of a section or two. */
export type Making = (known: Known) => Json;
