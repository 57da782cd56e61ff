// Merges the texts of a form with what is stored now: what its sender changed is theirs, and what others changed since
// it was shown stays. The form carries marks of the texts that it showed.
import { hash } from "node:crypto";
import type { FieldControl } from "./controls.ts";
import { alignedRows } from "./row_alignment.ts";
import type { Texts } from "./values.ts";

/** Marks of texts by what follows the name of their field in their names; an empty text has none. */
type Marks = ReadonlyMap<string, string>;

const markOf = (text: string): string | undefined =>
  text === "" ? undefined : hash("sha256", text, "base64url").slice(0, 10);

const marksOf = (name: string, texts: Texts): Marks =>
  new Map(
    Object.entries(texts).flatMap(([key, text]) => {
      const mark = markOf(text);
      return mark === undefined ? [] : [[key.slice(name.length), mark]];
    }),
  );

/** Stands for texts that are all empty, because a form without marks did not have the field. */
const nothing = "-";

/** The marks of texts as a form carries them. */
export const markText = (name: string, texts: Texts): string =>
  [...marksOf(name, texts)].map(([key, mark]) => `${encodeURIComponent(key)}=${mark}`).join(" ") || nothing;

/** The marks that a form has carried. What is no mark changes nothing: then its text counts as changed. */
const marksIn = (text: string): Marks =>
  new Map(
    text.split(" ").flatMap((pair) => {
      const [, key = "", mark] = /^([\w.~%!'()*-]*)=([\w-]{10})$/.exec(pair) ?? [];
      return mark === undefined ? [] : [[decoded(key), mark]];
    }),
  );

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // no form of this server has it
  }
}

export interface Merged {
  texts: Texts;
  /** The names of texts that the sender changed, and others too, to something else. */
  conflicts: readonly string[];
  /** Whether others changed something since the form was shown. */
  isOthers: boolean;
}

/** Texts by what follows the start of their names, of which some are merged. */
type Part = ReadonlyMap<string, string>;

class Merging {
  readonly texts: Record<string, string> = Object.create(null); // a part can be called __proto__
  readonly conflicts: string[] = [];
  isOthers = false;

  /** Merges the texts whose names have that start. */
  part(start: string, was: Marks, sent: Part, now: Part): void {
    for (const key of new Set([...was.keys(), ...sent.keys(), ...now.keys()])) {
      const [mine, theirs] = [sent.get(key) ?? "", now.get(key) ?? ""];
      const isMine = markOf(mine) !== was.get(key);
      const isTheirs = markOf(theirs) !== was.get(key);
      this.texts[start + key] = isMine ? mine : theirs;
      if (isTheirs) this.isOthers = true;
      if (isMine && isTheirs && mine !== theirs) this.conflicts.push(start + key);
    }
  }
}

const partOf = (name: string, texts: Texts): Part =>
  new Map(Object.entries(texts).map(([key, text]) => [key.slice(name.length), text]));

/**
 * The rows of a list, from what follows its name: ".3.person" belongs to row 3. Rows that are empty at the end are
 * none.
 */
function rowsOf(values: Part): Map<string, string>[] {
  const rows: Map<string, string>[] = [];
  for (const [key, value] of values) {
    const [, at = "", rest = ""] = /^\.(\d{1,4})(\..*)$/s.exec(key) ?? [];
    if (rest === "" || value === "") continue;
    for (let next = rows.length; next <= Number(at); next++) rows.push(new Map());
    rows[Number(at)]?.set(rest, value);
  }
  return rows;
}

const marksOfRow = (row: Part): Marks => marksOf("", Object.fromEntries(row));
const rowText = (row: Marks): string => JSON.stringify([...row].sort());
/** What a row is known by where others changed the rest of it: its first text. */
const rowName = (row: Marks): string => row.values().next().value ?? "";

/** Merges the rows of a list: they keep the places that they have now, and what the sender added comes after them. */
function mergeRows(merging: Merging, name: string, was: Marks, sent: Part, now: Part): void {
  const [base, mine, theirs] = [rowsOf(was), rowsOf(sent), rowsOf(now)];
  const marks = theirs.map(marksOfRow);
  const placeOf = alignedRows(base.map(rowText), marks.map(rowText), base.map(rowName), marks.map(rowName));
  const none: Part = new Map();
  const known = new Set(placeOf);
  for (const [at, row] of theirs.entries()) if (!known.has(at)) merging.part(`${name}.${at}`, new Map(), none, row);
  let next = theirs.length;
  for (let at = 0; at < Math.max(base.length, mine.length); at++) {
    const [before = none, row = none] = [base[at], mine[at]];
    const place = placeOf[at];
    if (place !== undefined) {
      merging.part(`${name}.${place}`, before, row, theirs[place] ?? none);
      continue;
    }
    const isSame = rowText(marksOfRow(row)) === rowText(before);
    if (at < base.length && before.size > 0) merging.isOthers = true; // they removed it
    if (isSame || row.size === 0) continue;
    if (at >= base.length && marks.some((one, other) => !known.has(other) && rowText(one) === rowText(marksOfRow(row))))
      continue; // they added the same
    const start = `${name}.${next++}`;
    for (const [key, text] of row) merging.texts[start + key] = text;
    if (at < base.length) merging.conflicts.push(start + (row.keys().next().value ?? ""));
  }
}

/**
 * Merges the texts that were sent for a field with those that are stored. `was`: what the form carried of the texts
 * that it showed; empty if it did not have the field, and then what is stored stays.
 */
export function mergedTexts({ name, control }: FieldControl, was: string, sent: Texts, stored: Texts): Merged {
  if (was === "") return { texts: stored, conflicts: [], isOthers: false };
  const merging = new Merging();
  const [base, mine, theirs] = [marksIn(was), partOf(name, sent), partOf(name, stored)];
  if (control.kind === "rows" || control.kind === "records") mergeRows(merging, name, base, mine, theirs);
  else merging.part(name, base, mine, theirs);
  return merging;
}

/** Whether texts say the same; empty ones say nothing. */
export const isSameText = (one: Texts, other: Texts): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) => (one[key] ?? "") === (other[key] ?? ""));
