// Guesses the kind of a list from its headings, for a file of which nobody says what it is.
import { listed } from "../../core/wording.ts";
import { type ListKind, listKinds } from "../documents/kinds.ts";
import { utf8Of } from "../paperwork/bytes.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import { csvLimits, headsOf } from "./csv.ts";
import type { Headings, List } from "./list.ts";

/** How much more than the second kind the first must have. */
const clear = 0.5;

/** The kind of which the headings of a file are, by the columns that each kind knows: one that few kinds know says more. Throws FormatError if two kinds may be meant, or none. */
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
    .map((one) => ({ kind: one.kind, weight: weight(one) }))
    .toSorted((one, other) => other.weight - one.weight);
  const [first, second] = ranked;
  if (first !== undefined && (second === undefined || first.weight - second.weight >= clear)) return first.kind;
  const near = ranked.filter(({ weight }) => weight > (first?.weight ?? 0) - clear).map(({ kind }) => kind);
  const hint = near.length > 1 ? `; its headings may be those of ${listed(near, "or")}` : "";
  return refuse(`--as must say what the file is: ${listKinds.join(", ")}${hint}`);
}
