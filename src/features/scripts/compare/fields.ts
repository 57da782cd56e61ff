// What differs between two versions of a scene: what someone decides about, and what applies without a decision.
import { isDeepStrictEqual } from "node:util";
import { sameName } from "../../../core/wording.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { textsIn } from "../../names/sluglines.ts";
import { type DraftScene, withoutMark } from "./drafts.ts";

export interface FieldChange {
  from: unknown;
  to: unknown;
}
export type FieldChanges = Record<string, FieldChange>;

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;

/** What someone decides about: of a scene, its place and the name of a character. */
const decidedFields = ["number", "slugline", "omitted", "text", "cast", "order", "character"];
/** The names of those of a change. */
export const askedFields = (fields: FieldChanges): string[] => decidedFields.filter((name) => name in fields);

/** What of a stored scene a change depends on. */
export interface SceneDependencies {
  number: string;
  slugline: string;
  omitted: boolean;
  cast: readonly string[];
  /** Whether somebody gave its length, so that no estimate replaces it. */
  isMeasured: boolean;
}

/** Equal for the same names in any case and order. */
export const sameNames = (names: readonly string[]): string => JSON.stringify(names.map(sameName).sort());

/** What someone decides about. The slugline and the length of an omitted scene stay as they are. */
export function differingFields(before: DraftScene, after: DraftScene): FieldChanges {
  const fields: FieldChanges = {};
  if (before === after) return fields;
  const note = (name: string, from: unknown, to: unknown) => {
    fields[name] = { from, to };
  };
  if (before.number !== after.number) note("number", before.number, after.number);
  if (before.omitted !== after.omitted) note("omitted", before.omitted, after.omitted);
  if (after.omitted) return fields;
  if (sameName(before.slugline) !== sameName(after.slugline)) note("slugline", before.slugline, after.slugline);
  if (before.text !== null && before.text !== after.text && !before.omitted) note("text", null, "changed");
  if (before.text !== null && sameNames(before.cast) !== sameNames(after.cast)) note("cast", before.cast, after.cast);
  return fields;
}

/** Whether nobody has to decide about what differs between two versions of a scene. */
export const isAsDecided = (before: DraftScene, after: DraftScene): boolean => isEmpty(differingFields(before, after));

const pagesOf = ({ eighths }: DraftScene): string | null => (eighths === null ? null : formatEighths(eighths));

const silentNames = ["pages", "synopsis", "script_day", "tags"];

/** Of the fields of a change those that apply without a decision where nothing else differs. */
export const silentOf = (fields: FieldChanges): FieldChanges =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => silentNames.includes(name)));

/**
 * What applies without a decision. What the later version does not say stays; an estimate replaces nothing known, of
 * the scene of the production either.
 */
export function silentFields(
  before: DraftScene,
  after: DraftScene,
  { isMeasured }: Pick<SceneDependencies, "isMeasured">,
): FieldChanges {
  const fields: FieldChanges = {};
  if (before === after || after.omitted) return fields;
  const isGuess = after.estimated && (isMeasured || (!before.estimated && before.eighths !== null));
  if (after.eighths !== null && before.eighths !== after.eighths && !isGuess)
    fields.pages = { from: pagesOf(before), to: pagesOf(after) };
  for (const name of ["synopsis", "script_day"] as const)
    if (after[name] !== null && before[name] !== after[name]) fields[name] = { from: before[name], to: after[name] };
  // Of a scene without a draft, a person may have made lists that no draft has.
  const known = Object.entries(before.tags).filter(([key]) => before.text !== null || key in after.tags);
  const from = Object.fromEntries(known);
  if (!isDeepStrictEqual(from, after.tags)) fields.tags = { from, to: after.tags };
  return fields;
}

/** A scene with what applies without a decision of another version. */
export const withSilent = (scene: DraftScene, { synopsis, eighths, estimated, script_day, tags }: DraftScene) => ({
  ...scene,
  ...{ synopsis, eighths, estimated, script_day, tags },
});

const contentOf = (scene: DraftScene) => {
  const { estimated: _, revision_color: __, shape: ___, draft: ____, last: _____, ...content } = scene;
  return content;
};
export const isSameScene = (one: DraftScene, other: DraftScene): boolean =>
  one === other || isDeepStrictEqual(contentOf(one), contentOf(other));

const dependencyFields = ["number", "slugline", "omitted", "cast"] as const;

/** Whether two values of a field are the same: names in any case, casts also in any order. */
export function isSameValue(name: string, one: unknown, other: unknown): boolean {
  if (name === "cast") return sameNames(textsIn(one)) === sameNames(textsIn(other));
  return name === "slugline" ? sameName(String(one)) === sameName(String(other)) : isDeepStrictEqual(one, other);
}

/** The fields of a change as they are for the stored scene: without those that it already has. */
export function fieldsForStored(fields: FieldChanges, stored: SceneDependencies): FieldChanges {
  const own = { ...fields };
  for (const name of dependencyFields) {
    const to = own[name]?.to;
    if (to === undefined) continue;
    if (isSameValue(name, stored[name], to)) delete own[name];
    else own[name] = { from: stored[name], to };
  }
  return own;
}

/** Whether what a change found is the same, but for the mark that an omitted scene's number got since. */
export function isSameFormer(name: string, one: unknown, other: unknown): boolean {
  const [former, now] = [one, other].map((value) => (typeof value === "string" ? withoutMark(value) : value));
  return isSameValue(name, former, now);
}

/** The fields of a change in which a stored scene is not any more what the change found. */
export const changedSince = (fields: FieldChanges, now: SceneDependencies): string[] =>
  dependencyFields.filter((name) => name in fields && !isSameFormer(name, fields[name]?.from, now[name]));
