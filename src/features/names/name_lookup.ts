// Finds the thing that an admin names, by its id or by the name that documents use for it.
import { HttpError, unprocessable } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { commandText } from "../../core/program.ts";
import type { Store } from "../../core/store/store.ts";
import { cut, firstOf, sameName } from "../../core/wording.ts";
import { listProductions } from "../../graph/find_production.ts";
import { type Noun, namedRows } from "./name_rules.ts";

interface Candidate {
  id: number;
  /** The name that no other thing of the production has. */
  name: string;
  /** Other names of the thing; several things may share them. */
  others: readonly string[];
}

/** The things of a noun. */
const candidatesOf = (store: Store, production_id: ProductionId, noun: Noun): Candidate[] =>
  namedRows(store, production_id, noun).map(({ id, name, label, kind }) => {
    if (noun === "scene") return { id, name: `scene ${name}`, others: [name, label, `scene ${label}`] };
    const kinds = kind === null ? [] : ["asset", kind];
    return { id, name, others: [label, ...kinds.flatMap((one) => [`${one} ${name}`, `${one} ${label}`])] };
  });

/**
 * For each noun that a flag may name: the nouns of documents among which it is looked up, and the section that lists
 * it.
 */
const lookups = {
  node: { section: "scenes", of: ["scene", "asset"] },
  asset: { section: "assets", of: ["asset"] },
  department: { section: "departments", of: ["department"] },
  person: { section: "people", of: ["person"] },
  delivery: { section: "deliveries", of: ["delivery"] },
  engagement: { section: "engagements", of: ["engagement"] },
  approval: { section: "approvals", of: ["approval"] },
} as const satisfies Record<string, { section: string; of: readonly Noun[] }>;

/** A noun that a flag may name. */
export type NamedNoun = keyof typeof lookups;

/** The first five candidates, for a message: "Hero lamp (asset 37), Lamp (asset 40)". */
const namesOf = (noun: NamedNoun, found: readonly Candidate[]): string =>
  firstOf(found.map(({ id, name }) => `${name} (${noun} ${id})`));

/** The candidates whose names contain the text, otherwise those that share a word of at least three letters with it. */
export function similarTo<C extends { readonly name: string }>(text: string, candidates: readonly C[]): C[] {
  const words = sameName(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2 && word !== "scene" && word !== "asset");
  const whole = candidates.filter(({ name }) => sameName(name).includes(sameName(text)));
  if (whole.length > 0) return whole;
  return candidates.filter(({ name }) => words.some((word) => sameName(name).includes(word)));
}

/** The 404 of a name that nothing has, with what is similar. */
function noSuchName(
  noun: NamedNoun,
  text: string,
  candidates: readonly Candidate[],
  production_id?: ProductionId,
): HttpError {
  const similar = similarTo(text, candidates);
  const listing = `${commandText(`list ${lookups[noun].section} --production ${production_id ?? "ID"}`)} shows all of them`;
  const hint = similar.length === 0 ? listing : `similar names: ${namesOf(noun, similar)}`;
  return new HttpError(404, `there is no ${noun} "${cut(text)}"; ${hint}`);
}

/** The id of the thing that a flag names, as idOf finds it; undefined if the flag is absent. */
export const idIfGiven = (store: Store, noun: NamedNoun, text: string | undefined, production_id?: ProductionId) =>
  text === undefined ? undefined : idOf(store, noun, text, production_id);

/**
 * Returns the id of the thing that `text` names. Digits are an id, which is not looked up; anything else is a name, in
 * one production or in all. If no name is equal, another form of it, in case, spaces or accents, is used. Throws 404
 * for an unknown name, and 422 if several things have the name; the messages list candidates.
 */
export function idOf(store: Store, noun: NamedNoun, text: string, production_id?: ProductionId): number {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    if (id === 0 || !Number.isSafeInteger(id))
      throw unprocessable(`${cut(text)} is not an id: an id is a positive integer`);
    return id;
  }
  const productions = production_id === undefined ? listProductions(store).map(({ id }) => id) : [production_id];
  const candidates = productions.flatMap((id) => lookups[noun].of.flatMap((of) => candidatesOf(store, id, of)));
  const named = (as: (name: string) => string): Candidate[] =>
    candidates.filter(({ name, others }) => [name, ...others].some((one) => as(one) === as(text)));
  const same = named((name) => name);
  const found = same.length > 0 ? same : named(sameName);
  const [first] = found;
  if (first === undefined) throw noSuchName(noun, text, candidates, production_id);
  if (found.length > 1)
    throw unprocessable(
      `"${text}" is the name of ${found.length} things: ${namesOf(noun, found)}; use the id or the whole name`,
    );
  return first.id;
}
