// Says in words what a plan or a change set changes: the same for commands, pages, the history and the activity feed.
import { isDeepStrictEqual } from "node:util";
import { wordOf } from "../../core/wording.ts";
import type { PlannedChange } from "./planned.ts";
import { type Field, type Form, isRecord, layoutOf } from "./sections/form.ts";
import { namingFields, sections } from "./sections/sections.ts";

/**
 * A value of what is added or removed, a value that is another one, what a list gained and lost, or the new order of a
 * list.
 */
export type Fact = { name: string } & (
  | { value: string }
  | { from: string; to: string }
  | { added: readonly string[]; removed: readonly string[] }
  | { order: readonly string[] }
);

type Change = Pick<PlannedChange, "section" | "key" | "action" | "fields">;

/** A key of a document as people read it: its timestamps end with the minute. */
const keyText = (key: string): string => key.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z/g, "$1 $2 UTC");

/** What a script change is about: "scene 22 changed". Its key is the episode, the number, the kind and the moment. */
const scriptChangeText = (key: string): string => {
  const [, number = key, kind = ""] = /^(.*?) \/ ([a-z]+) \/ [^/]*$/.exec(key) ?? [];
  return `scene ${number.replace(" / ", "/")} ${kind}`.trim();
};

/**
 * What a thing is called below the title of its section: "scene 22". A script change that is added says what it asks.
 */
export function keyOfChange({ section, key, fields }: Change): string {
  if (section === "schedule" && !/^\d+$/.test(key)) return key; // 2nd Unit 3
  if (section === "scenes" || section === "schedule") return `${sections[section].called[0]} ${key}`;
  if (section !== "script_changes") return keyText(key);
  const sentence = fields.summary?.to;
  return typeof sentence === "string" ? sentence : scriptChangeText(key);
}

/** What a thing is called anywhere: "delivery Reel 1". */
export function nameOfChange(change: Change): string {
  const { section } = change;
  if (section === "production") return "the production";
  if (section === "scenes" || section === "schedule") return keyOfChange(change);
  return `${section === "script_changes" ? "script change" : sections[section].called[0]} ${keyOfChange(change)}`;
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

const fieldOf = ({ fields = [] }: Form, name: string): Partial<Field> => fields.find((one) => one.name === name) ?? {};

/**
 * The fields of a thing that say something: neither empty, nor what they are where nothing is said, nor the hash of a
 * file.
 */
const tellingFields = (record: Record<string, unknown>, { fields = [] }: Form): [string, unknown][] =>
  Object.entries(record).filter(([name, value]) => {
    const usual = fields.find((one) => one.name === name)?.usual;
    return !isEmpty(value) && value !== false && name !== "sha256" && !isDeepStrictEqual(value, usual);
  });

/**
 * The name of the field that says what an object of a list is: its text, as of a banner, otherwise the first, as the
 * scene of a part.
 */
const namingField = (record: Record<string, unknown>): string | undefined =>
  "text" in record && !("scene" in record) ? "text" : Object.keys(record)[0];

/** A value as people read it. Of an object of a section, the field that says what it is stands first. */
function plannedText(value: unknown, form: Form = {}): string {
  if (isEmpty(value)) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value))
    return value.map((one) => plannedText(one, form.item)).join(value.some(isRecord) ? "; " : ", ");
  if (!isRecord(value)) return String(value);
  const naming = namingField(value);
  const parts = tellingFields(value, form)
    .toSorted(([one], [other]) => Number(other === naming) - Number(one === naming))
    .map(([name, one]) => {
      const inner = fieldOf(form, name);
      return {
        name: inner.noun === "scene" && name !== "scene" ? `${name} scene` : name,
        text: plannedText(one, inner),
      };
    });
  const [first, ...rest] = parts;
  if (first === undefined) return "nothing";
  if (form.fields === undefined) return parts.map(({ name, text }) => `${wordOf(name)} ${text}`).join(", ");
  const others = rest.map(({ name, text }) => `${wordOf(name)} ${text}`).join(", ");
  return others === "" ? first.text : `${first.text} (${others})`;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isList = (value: unknown): boolean => Array.isArray(value) || value === null || value === undefined;
const isObject = (value: unknown): boolean => isRecord(value) || value === null || value === undefined;

/** What identifies an object of a list: whom or what it is about. */
const subjectOf = (item: unknown): string => (isRecord(item) ? JSON.stringify(item[namingField(item) ?? ""]) : "");

/** The items of one list that the other does not have, each as often as it has more of it. */
function without(items: readonly unknown[], others: readonly unknown[]): unknown[] {
  const counts = new Map<string, number>();
  const keyOf = (item: unknown) => JSON.stringify(item);
  for (const other of others) counts.set(keyOf(other), (counts.get(keyOf(other)) ?? 0) + 1);
  return items.filter((item) => {
    const left = counts.get(keyOf(item)) ?? 0;
    counts.set(keyOf(item), left - 1);
    return left <= 0;
  });
}

/**
 * What differs between two lists: objects about the same subject by their fields, everything else by what came and
 * went.
 */
function listFacts(name: string, from: readonly unknown[], to: readonly unknown[], form: Form): Fact[] {
  const text = (item: unknown) => plannedText(item, form.item);
  const [gone, come] = [without(from, to), without(to, from)];
  if (gone.length + come.length === 0) return [{ name, order: to.map(text) }];
  const waiting = Map.groupBy(gone.filter(isRecord), subjectOf);
  const pairs = come.filter(isRecord).flatMap((item) => {
    const former = waiting.get(subjectOf(item))?.shift();
    return former === undefined ? [] : [[former, item] as const];
  });
  const paired = new Set<unknown>(pairs.flat());
  const added = come.filter((item) => !paired.has(item)).map(text);
  const removed = gone.filter((item) => !paired.has(item)).map(text);
  const inner = pairs.flatMap(([former, item]) => {
    const subject = plannedText(item[namingField(item) ?? ""]);
    return factsBetween(`${name} ${subject}`, former, item, form.item);
  });
  return [...inner, ...(added.length + removed.length > 0 ? [{ name, added, removed }] : [])];
}

/** What a field became. An object is told by its fields; with `isWhole` under their own names. */
export function factsBetween(name: string, from: unknown, to: unknown, form: Form = {}, isWhole = false): Fact[] {
  if (isDeepStrictEqual(from ?? null, to ?? null) || (isEmpty(from) && isEmpty(to))) return [];
  if (isObject(from) && isObject(to)) {
    // by isObject
    const [old, fresh] = [(from ?? {}) as Record<string, unknown>, (to ?? {}) as Record<string, unknown>];
    const parts = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
    return parts.flatMap((part) => {
      const partName = isWhole ? wordOf(part) : `${name} ${wordOf(part)}`;
      return factsBetween(partName, old[part], fresh[part], fieldOf(form, part));
    });
  }
  if (isList(from) && isList(to)) return listFacts(name, listOf(from), listOf(to), form);
  return [{ name, from: plannedText(from, form), to: plannedText(to, form) }];
}

const unsaid = /^(?:created|updated)_at$/;

/** The fields of a thing that was added or removed, those of an object in it under their own names. */
const valueFacts = (values: Record<string, unknown>, form: Form): Fact[] =>
  tellingFields(values, form).flatMap(([name, value]) =>
    isRecord(value)
      ? valueFacts(value, fieldOf(form, name))
      : [{ name: wordOf(name), value: plannedText(value, fieldOf(form, name)) }],
  );

/**
 * What a change does to the fields of a thing, without what stays. Of a thing that is added, everything that is not
 * usual; of one that is removed, nothing.
 */
export function factsOfChange({ section, key, action, fields }: Change): Fact[] {
  const form = layoutOf(section);
  if (action === "change")
    return Object.entries(fields).flatMap(([name, { from, to }]) => {
      if (section === "script_changes" && name === "decided_at") return []; // its status says that it is decided
      const field = fieldOf(form, name);
      const { usual = null } = field;
      return factsBetween(wordOf(name), from ?? usual, to ?? usual, field, isRecord(from) || isRecord(to));
    });
  if (action === "remove" || section === "script_changes") return []; // its name is the whole sentence
  const sides = Object.entries(fields).map(([name, { to }]) => [name, to] as const);
  const naming = section === "production" ? [] : namingFields(section, Object.fromEntries(sides));
  const printed = sides.filter(
    ([name, value]) =>
      !unsaid.test(name) && !(naming.includes(name) && (section === "schedule" || String(value) === key)),
  );
  return valueFacts(Object.fromEntries(printed), form);
}

/** How much of two long texts is shown before the place where they begin to differ. */
const context = 16;

/**
 * Both texts, cut to a length; where their beginnings are the same, from shortly before they differ, so that they never
 * look alike.
 */
function cutAlike(from: string, to: string, length: number): [string, string] {
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same++;
  const start = Math.max(from.length, to.length) > length && same > length - context ? same - context : 0;
  const cutText = (text: string): string => {
    const part = start === 0 ? text : `…${text.slice(start)}`;
    return (part.length > length ? `${part.slice(0, length)}…` : part).toWellFormed();
  };
  return [cutText(from), cutText(to)];
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ");
const cutTo = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;

/** A fact in one line; each text is cut to `length`: "pages: 2 -> 2 1/8", or with another mark after the name. */
export function factText(fact: Fact, length: number, mark = ": "): string {
  const list = (items: readonly string[]) => cutTo(inOneLine(items.join(", ")), length);
  const begin = `${fact.name}${mark}`;
  if ("value" in fact) return `${begin}${cutTo(inOneLine(fact.value), length)}`;
  if ("order" in fact) return `${begin}in another order: ${list(fact.order)}`;
  if ("from" in fact) return `${begin}${cutAlike(inOneLine(fact.from), inOneLine(fact.to), length).join(" -> ")}`;
  const { added, removed } = fact;
  const parts = [added.length > 0 && `added ${list(added)}`, removed.length > 0 && `removed ${list(removed)}`];
  return `${begin}${parts.filter((part) => part !== false).join("; ")}`;
}
