// Documents with a few values that do not belong where they are: of another type, unknown, repeated, too long, or with
// signs that nobody sees.
import type { Json } from "../support/update.ts";
import { chance, integer, type Known, pick } from "./known.ts";

const odd: readonly Json[] = [
  null,
  "",
  " ",
  0,
  -1,
  1e21,
  0.1,
  true,
  [],
  {},
  [null],
  [[]],
  "__proto__",
  "a\u0000b",
  "a\u200bb",
  "\u2800",
  "e\u0301",
  "A".repeat(10_001),
  "2026-02-30",
  "2026-11-01T00:00:00+02:00",
  "25:99",
  "NaN",
  ["1", "1"],
  { name: "x", was: "y" },
];

/** Every object and list inside a value. */
function* holders(value: Json): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  yield value;
  for (const one of Object.values(value)) yield* holders(one);
}

function spoil(known: Known, document: Json): void {
  const found = [...holders(document)].filter((one) => Object.keys(one).length > 0);
  const holder = pick<Json>(known, found.slice(0, 2_000));
  const name = pick(known, Object.keys(holder));
  const value = holder[name];
  if (Array.isArray(holder)) {
    if (chance(known, 0.4)) holder.push(structuredClone(value));
    else holder[Number(name)] = pick(known, odd);
    return;
  }
  const kind = integer(known, 8);
  if (kind === 0) holder.unknown_field = 1;
  else if (kind === 1) delete holder[name];
  else if (kind < 4 && typeof value === "string")
    holder[name] = pick(known, [value.toUpperCase(), `${value} `, value.normalize("NFD"), `${value}?`]);
  else if (kind === 4) holder.was = pick(known, ["nobody", value, null]);
  else holder[name] = pick(known, odd);
}

export function hostile(known: Known, document: Json): Json {
  const spoilt = structuredClone(document);
  for (let left = 1 + integer(known, 2); left > 0; left--) spoil(known, spoilt);
  return spoilt;
}
