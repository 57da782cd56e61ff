// Guesses the kind of a list from its headings, for a file of which nobody says what it is.
import { listed } from "../../core/wording.ts";
import type { ListKind } from "../documents/kinds.ts";
import { utf8Of } from "../paperwork/bytes.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import type { KindReading } from "../paperwork/importers.ts";
import { greatest } from "../sequences/sequences.ts";
import { csvLimits, type Heads, headerKey, headsOf } from "./csv.ts";
import type { Headings } from "./list.ts";
import { knownKinds, listOfKind } from "./lists.ts";

/** How much more than the second kind the first must have. */
const clear = 0.5;

/** So many headings that a kind does not know are against the only one that it knows. */
const slight = 3;

/** The evidence that says more than any heading. */
const proof = 3;

/** Headings that lists of every kind have. They alone do not say of which kind a list is. */
const general = new Set(
  `Name, Title, Description, Desc, Descr, Type, Kind, Category, Cat, Status, Date, Note, Notes, Comment, Comments, Code, ID, No, Item,
  Department, Dept, Abteilung, Département, Titel, Titre, Nom, Bezeichnung, Beschreibung, Typ, Art, Kategorie, Catégorie, Datum, Notiz, Bemerkung, Remarque`
    .split(/,\s+/)
    .map(headerKey),
);

interface Candidate extends Headings {
  kind: ListKind;
}

/**
 * The kinds that have their headings in the file. Where the first row with several cells has known headings, words in a
 * row below it that has fewer are values and no headings.
 */
function candidatesIn(heads: Heads, kinds: ReadonlySet<string>): Candidate[] {
  const found = knownKinds.flatMap((kind) => {
    const headings = listOfKind(kind).headings(heads, kinds);
    return headings === undefined ? [] : [{ kind, ...headings }];
  });
  const countIn = (cells: readonly string[]) =>
    cells.filter((cell) => knownKinds.some((kind) => listOfKind(kind).knows(cell))).length;
  const most = greatest(
    heads.map(({ rows }) => countIn(rows.find(({ cells }) => cells.filter(Boolean).length > 1)?.cells ?? [])),
  );
  return found.filter(({ headers }) => countIn(headers) >= most);
}

/**
 * The kind of which the headings of a file are, by the columns that each kind knows: one that few kinds know says more.
 * Throws FormatError with the choices if several kinds may be meant, or none. `kinds` are those of the production's
 * assets.
 */
export function guessKind(bytes: Uint8Array, kinds: ReadonlySet<string> = new Set()): ListKind {
  const found = candidatesIn(headsOf(utf8Of(bytes, csvLimits.bytes, new Findings())), kinds);
  const knownBy = (key: string) => found.filter(({ known }) => known.has(key)).length;
  const weight = ({ known, unknown, evidence }: Headings) =>
    [...known].reduce((sum, [key, isFirst]) => sum + 0.5 + 1 / knownBy(key) ** 2 + (isFirst ? 0.5 : 0), evidence) -
    0.5 * unknown;
  const ranked = found
    .map((one) => ({ ...one, weight: weight(one) }))
    .toSorted((one, other) => other.weight - one.weight);
  const [first] = ranked;
  if (first === undefined) return ask([]);
  const [proven, another] = ranked.filter(
    ({ evidence, weight }) => evidence >= proof && weight > first.weight - proof - clear,
  );
  if (proven !== undefined && another === undefined) return proven.kind;
  const near = ranked.filter(({ weight }) => weight > first.weight - clear).map(({ kind }) => kind);
  const countOf = (kind: ListKind) => first.headers.filter((header) => listOfKind(kind).knows(header)).length;
  const better = knownKinds.filter((kind) => !near.includes(kind) && countOf(kind) > countOf(first.kind));
  const isOnly = found.length === 1;
  const strange = first.headers.filter((header) => !listOfKind(first.kind).knows(header)).length;
  // One heading that several languages have, such as Sequence, says little beside others that the kind does not know.
  const isSlight = first.known.size === 1 && strange >= slight;
  const isGeneral = !isOnly && [...first.known.keys()].every((key) => general.has(key));
  const isUnsure = first.evidence <= 0 && (isGeneral || isSlight);
  if (near.length === 1 && better.length === 0 && !isUnsure) return first.kind;
  const all = near.length === 1 && isUnsure ? found.map(({ kind }) => kind) : near;
  return ask([...new Set([...all, ...better])]);
}

/** Asks what a file is whose headings may be those of these kinds. */
function ask(kinds: readonly ListKind[]): never {
  const hint = kinds.length > 0 ? `; its headings may be those of ${listed(kinds, "or")}` : "";
  const choices = kinds.length > 0 ? kinds : knownKinds;
  return refuse(`--as must say what the file is: ${knownKinds.join(", ")}${hint}`, { choices });
}

/**
 * The first rows of a file as each of some kinds would read them; those kinds are left out that find no headings of
 * theirs.
 */
export function readAsEach(bytes: Uint8Array, kinds: readonly ListKind[]): KindReading[] {
  const heads = headsOf(utf8Of(bytes, csvLimits.bytes, new Findings()));
  return kinds.flatMap((kind) => {
    const { table } = listOfKind(kind).headings(heads) ?? {};
    return table === undefined ? [] : [{ kind, table }];
  });
}
