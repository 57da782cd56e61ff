// Guesses the kind of a list from its headings, for a file of which nobody says what it is.
import { listed } from "../../core/wording.ts";
import { type ListKind, listKinds } from "../documents/kinds.ts";
import { utf8Of } from "../paperwork/bytes.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import { csvLimits, headerKey, headsOf } from "./csv.ts";
import type { Headings, List } from "./list.ts";

/** How much more than the second kind the first must have. */
const clear = 0.5;

/** The evidence that says more than any heading. */
const proof = 3;

/** Headings that lists of every kind have. They alone do not say of which kind a list is. */
const general = new Set(
  "Name, Title, Description, Type, Kind, Category, Status, Date, Note, Notes, Comment, Comments, Code, ID, No, Item"
    .split(", ")
    .map(headerKey),
);

/**
 * The kind of which the headings of a file are, by the columns that each kind knows: one that few kinds know says more. Throws FormatError if
 * several kinds may be meant, or none.
 */
export function guessKind(bytes: Uint8Array, listOf: (kind: ListKind) => List): ListKind {
  const heads = headsOf(utf8Of(bytes, csvLimits.bytes, new Findings()));
  const found = listKinds.flatMap((kind) => {
    const headings = listOf(kind).headings(heads);
    return headings === undefined ? [] : [{ kind, ...headings }];
  });
  const knownBy = (key: string) => found.filter(({ known }) => known.has(key)).length;
  const weight = ({ known, unknown, evidence }: Headings) =>
    [...known].reduce((sum, [key, isFirst]) => sum + 0.5 + 1 / knownBy(key) ** 2 + (isFirst ? 0.5 : 0), evidence) -
    0.5 * unknown;
  const ranked = found
    .map((one) => ({ ...one, weight: weight(one) }))
    .toSorted((one, other) => other.weight - one.weight);
  const [first] = ranked;
  if (first === undefined) return ask([]);
  if (first.evidence >= proof) return first.kind;
  const near = ranked.filter(({ weight }) => weight > first.weight - clear).map(({ kind }) => kind);
  const countOf = (kind: ListKind) => first.headers.filter((header) => listOf(kind).knows(header)).length;
  const better = listKinds.filter((kind) => !near.includes(kind) && countOf(kind) > countOf(first.kind));
  const isGeneral = first.evidence <= 0 && [...first.known.keys()].every((key) => general.has(key));
  if (near.length === 1 && better.length === 0 && !isGeneral) return first.kind;
  const all = near.length === 1 && isGeneral ? found.map(({ kind }) => kind) : near;
  return ask([...new Set([...all, ...better])]);
}

/** Asks what a file is whose headings may be those of these kinds. */
function ask(kinds: readonly ListKind[]): never {
  const hint = kinds.length > 1 ? `; its headings may be those of ${listed(kinds, "or")}` : "";
  return refuse(`--as must say what the file is: ${listKinds.join(", ")}${hint}`);
}
