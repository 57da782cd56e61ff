// Resolves the elements of a Universal Schedule: their names, categories and cast numbers, and what they say about a
// scene.
import { firstOf, plural } from "../../core/wording.ts";
import { isRecord } from "../documents/sections/form.ts";
import { fold, quoted } from "../names/names.ts";
import { isCastCategory } from "../paperwork/categories.ts";
import { oneLineOf } from "../paperwork/clean_text.ts";
import type { Findings } from "../paperwork/findings.ts";
import { UnreadFields } from "../paperwork/unread_fields.ts";
import { repeated } from "../sequences/sequences.ts";
import { castName } from "./sheets.ts";

export type UssObject = Readonly<Record<string, unknown>>;

export const ussText = (value: unknown): string =>
  typeof value === "string" ? oneLineOf(value) : typeof value === "number" ? String(value) : "";
export const ussList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const ussObjects = (value: unknown): readonly UssObject[] => ussList(value).filter(isRecord);

/** What the elements of a category are: by the number of the category, otherwise by its name. All others are tags. */
const roles = [
  ["set", 0, "set", "sets", "motiv", "motive", "decor", "decors"],
  ["int_ext", 1, "intext", "interiorexterior", "ie", "innenaußen", "innenaussen", "ia", "interieurexterieur"],
  ["time_of_day", 2, "daynight", "timeofday", "dn", "tageszeit", "tagnacht", "journuit"],
  ["script_day", 3, "scriptday", "storyday", "spieltag", "handlungstag"],
  ["location", 6, "location", "locations", "drehort", "drehorte", "lieu", "lieux"],
  ["cast", 100],
] as const satisfies readonly (readonly [role: string, id: number, ...names: string[]])[];
type Role = (typeof roles)[number][0] | "tag";

/** The role of a category, of which `id` is the number in the Category Identification Standard. */
function roleOf(category: string, id: unknown): Role {
  const name = fold(category);
  const found =
    roles.find(([, own]) => own === id) ?? roles.find(([, , ...names]) => names.some((one) => one === name));
  return found?.[0] ?? (isCastCategory(category) ? "cast" : "tag");
}

/** Warns of what must be a list of objects and is none, and of ids that several things have. */
export function nameShapes(root: UssObject, findings: Findings): void {
  const listIn = (owner: UssObject, name: string, place = name): readonly UssObject[] => {
    const value = owner[name];
    if (value !== undefined && value !== null && !Array.isArray(value))
      findings.warn(`${place} is no list and was ignored`);
    const list = ussObjects(value);
    const strange = ussList(value).length - list.length;
    if (strange > 0)
      findings.warn(
        `${place} has ${plural(strange, "entry", "entries")} that ${strange === 1 ? "is" : "are"} no object`,
      );
    return list;
  };
  for (const name of ["breakdowns", "elements", "categories", "calendars"])
    nameTwice(listIn(root, name), name, findings);
  for (const [at, stripboard] of listIn(root, "stripboards").entries())
    listIn(stripboard, "boards", `stripboards[${at}].boards`);
  const odd = ussObjects(root.breakdowns).flatMap(({ elements }, at) =>
    Array.isArray(elements) || elements === undefined || elements === null ? [] : [`breakdowns[${at}]`],
  );
  if (odd.length > 0) findings.warn(`elements that are no list were ignored: ${firstOf(odd)}`);
}

function nameTwice(list: readonly UssObject[], name: string, findings: Findings): void {
  const twice = repeated(list.map(({ id }) => id).filter((id) => id !== undefined));
  if (twice.length > 0)
    findings.warn(
      `${name} have ids twice, of which the last counts: ${firstOf(twice.map((id) => quoted(String(id))))}`,
    );
}

/** The fields that are read, that say who made something and when, or that a program counts a day out of days by. */
const knownFields: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    file: `id author company created name project source ussVersion version scriptColor schedColor scriptDate schedDate episode season
      breakdowns categories elements stripboards calendars`,
    breakdowns: "id created type scene pages description comments bannerText unit elements",
    elements: `id created name category elementId isDood isDrop isHold isIdLock dropDayCount doodDropAllow doodDropDays doodHoldAllow doodInclude
      elementIdLock`,
    categories: "id created name ucid catId elements",
    stripboards: "id created name calendar boards",
    calendars: "id created name daysOff events",
  }).map(([owner, fields]) => [owner, new Set(fields.split(/\s+/))]),
);

/** What a value of a field that is not read says. */
function saying(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  const isEmpty =
    value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return isEmpty ? "" : JSON.stringify(value);
}

/** Warns of what the file says in fields that are not read. */
export function nameFields(root: UssObject, findings: Findings): void {
  const unread = new UnreadFields();
  const lists = ["breakdowns", "elements", "categories", "stripboards", "calendars"];
  for (const owner of ["file", ...lists])
    for (const one of owner === "file" ? [root] : ussObjects(root[owner]))
      for (const [field, value] of Object.entries(one))
        if (!knownFields[owner]?.has(field))
          unread.saw(owner === "file" ? field : `${field} of ${owner}`, saying(value));
  findings.warnOf(unread);
}

export interface Element {
  name: string;
  category: string;
  role: Role;
}

/**
 * Elements by id. Version 0.1 lists them in their category, 1.0 names the category in each element; of two categories
 * the first counts. One without a name or a category is none.
 */
export function elementsOf(root: UssObject, findings: Findings): Map<unknown, Element> {
  const categories = ussObjects(root.categories);
  const listing = new Map<unknown, UssObject>();
  const twice = new Set<unknown>();
  for (const category of categories)
    for (const id of ussList(category.elements))
      if (!listing.has(id)) listing.set(id, category);
      else if (listing.get(id) !== category) twice.add(id);
  // An element may name its category in place of the id.
  const keys = (["ucid", "name", "id"] as const).flatMap((key) => categories.map((one) => [one[key], one] as const));
  const byId = new Map(keys.filter(([key]) => key !== undefined && key !== null));
  for (const { id, category } of ussObjects(root.elements)) {
    const own = byId.get(category);
    if (own !== undefined && listing.has(id) && listing.get(id) !== own) twice.add(id);
  }
  nameSecond(twice, root, listing, findings);
  const shared = new Map(
    categories.map((one) => {
      const category = ussText(one.name);
      return [one, { category, role: roleOf(category, one.ucid ?? one.catId) }];
    }),
  );
  return new Map(
    ussObjects(root.elements).flatMap((element): [unknown, Element][] => {
      const category = listing.get(element.id) ?? byId.get(element.category);
      const own = category === undefined ? undefined : shared.get(category);
      const name = findings.clean(ussText(element.name));
      return name === "" || own === undefined ? [] : [[element.id, { name, ...own }]];
    }),
  );
}

/** Warns of elements that several categories have. */
function nameSecond(
  ids: ReadonlySet<unknown>,
  root: UssObject,
  listing: ReadonlyMap<unknown, UssObject>,
  findings: Findings,
): void {
  const named = ussObjects(root.elements).flatMap(({ id, name }) =>
    ids.has(id) ? [`${quoted(ussText(name))} in ${quoted(ussText(listing.get(id)?.name))}`] : [],
  );
  if (named.length > 0)
    findings.warn(`elements are in several categories, of which the first was read: ${firstOf(named)}`);
}

/** The cast numbers of the file, by name. */
export const castNumbersOf = (
  root: UssObject,
  elements: ReadonlyMap<unknown, Element>,
  findings: Findings,
): Map<string, string> =>
  new Map(
    ussObjects(root.elements).flatMap(({ id, elementId }): [string, string][] => {
      const [element, number] = [elements.get(id), findings.clean(ussText(elementId), 50)];
      return number === "" || element === undefined || element.role !== "cast"
        ? []
        : [[castName(element.name, findings), number]];
    }),
  );

/** The elements of a breakdown, and the names of those that have a role. */
export function elementsIn(breakdown: UssObject, elements: ReadonlyMap<unknown, Element>) {
  const own = ussList(breakdown.elements).flatMap((id) => elements.get(id) ?? []);
  const named = (role: Role): string[] => own.filter((element) => element.role === role).map(({ name }) => name);
  return { own, named, location: named("location").join("; ") || undefined };
}
