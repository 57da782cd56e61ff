// tallylight set: sets fields of one thing; and how every command that updates a production prints its plan.
import type { Command, Output, ParsedArgs } from "../../../core/command.ts";
import { CliError, choiceOf } from "../../../core/errors.ts";
import { parseJson, RepeatedKey } from "../../../core/json.ts";
import { commandText } from "../../../core/program.ts";
import type { Store } from "../../../core/store/store.ts";
import { cut, firstOf, sameName } from "../../../core/wording.ts";
import { dataCommand } from "../../../graph/data_command.ts";
import { dayKey, dayOfKey } from "../../../graph/units.ts";
import { similarTo } from "../../names/name_lookup.ts";
import { withTypedLength } from "../../names/page_lengths.ts";
import { withTypedTimes } from "../../names/typed_times.ts";
import { factsOfChange, factText, nameOfChange } from "../plan_words.ts";
import type { Plan, PlannedChange } from "../planned.ts";
import { updateFrom } from "../production_update.ts";
import { partialDocument } from "../read/read.ts";
import { isRecord, isTextField, type Raw } from "../sections/form.ts";
import {
  hasMoney,
  isRenamable,
  keyOf,
  kindOf,
  namingFields,
  namingOf,
  type SectionName,
  sectionNames,
} from "../sections/sections.ts";
import { StoredProduction } from "../stored.ts";

const maxValue = 72;
const signs = { add: "+", change: "~", remove: "-" } as const;

/**
 * The lines of one change: the thing, and each field that changes; a thing that is added, with its fields, is one line.
 */
export function linesOf(change: PlannedChange): string[] {
  const { id, action } = change;
  const name = `${signs[action]} ${nameOfChange(change)}${id === null ? "" : ` (id ${id})`}`;
  const facts = factsOfChange(change);
  if (action === "change") return [name, ...facts.map((fact) => `    ${factText(fact, maxValue)}`)];
  const fields = facts.map((fact) => factText(fact, maxValue, " ")).join(", ");
  return [fields === "" ? name : `${name}: ${fields}`];
}

/** What the flags of a command say about its update. */
export const requestOf = (args: ParsedArgs) => ({
  dry_run: args.has("dry-run"),
  exact: args.has("exact"),
  if_revision: args.text("if-revision"),
});

/** A plan as commands print it. */
export function outputOf(plan: Plan, title: string): Output {
  const { dry_run } = plan;
  const { added, changed, removed, unchanged } = plan.counts;
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  const last =
    plan.changes.length === 0
      ? `${title}: nothing changes`
      : `${title}: ${counts}${dry_run ? "; nothing was written" : ""}`;
  return {
    document: plan,
    lines: [...plan.changes.flatMap(linesOf), last, `revision ${plan.revision}`],
    notes: plan.warnings.map((warning) => `warning: ${warning}`),
  };
}

/** The stored thing of a key, and what names it. Throws CliError if there is none. */
function thingOfKey(store: Store, production_id: number, section: SectionName, key: string): { naming: Raw; raw: Raw } {
  return store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    const known = section === "schedule" ? dayKeyOf(key) : key;
    const named = stored.keys(section).filter((one) => sameName(one.key) === sameName(known));
    const found = named.find((one) => one.key === known) ?? (named.length === 1 ? named[0] : undefined);
    if (found === undefined) {
      const similar = similarTo(
        key,
        stored.keys(section).map((one) => ({ name: one.key })),
      ).map(({ name }) => name);
      const listing = `${commandText(`list ${section} --production ${production_id}`)} shows all of them`;
      const hint = similar.length === 0 ? listing : `similar names: ${firstOf(similar)}`;
      throw new CliError(`there is no ${kindOf(section)} "${key}"; ${hint}`);
    }
    return { naming: stored.namingOf(section, found.id), raw: stored.rawOf(section, found.id) ?? {} };
  })();
}

/** The key of a shoot day that a text such as "Second Unit 3" means. */
function dayKeyOf(text: string): string {
  const day = dayOfKey(text);
  return day === undefined ? text : dayKey(day);
}

/** How every JSON value begins. */
const beginsAsJson = /^\s*[[{"\-\dtfn]/;

/**
 * The value of field=value: JSON if it is JSON, otherwise text. Of a field of texts, only a text in quotes and null are
 * JSON.
 */
function parsedValue(text: string, isText: boolean): unknown {
  if (!beginsAsJson.test(text)) return text;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof RepeatedKey && !isText) throw new CliError(error.message);
    return text;
  }
  return isText && typeof value !== "string" && value !== null ? text : value;
}

function fieldsOf(section: SectionName | "production", pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new CliError(`${cut(pair)} is not field=value, such as status=sent`);
      const field = pair.slice(0, at);
      return [field, parsedValue(pair.slice(at + 1), isTextField(section, field))];
    }),
  );
}

function sectionOf(name: string): SectionName | "production" {
  return choiceOf("SECTION", name, ["production", ...sectionNames] as const);
}

const lengthRefusal = (sentence: string): CliError => new CliError(`pages: ${sentence}`);

/** The fields of a scene, whose length is one of its elements. */
function sceneFields({ pages, ...fields }: Readonly<Record<string, unknown>>, raw: Raw): Record<string, unknown> {
  const given = isRecord(fields.elements) ? fields.elements : undefined;
  if (pages === undefined)
    return given === undefined ? fields : { ...fields, elements: withTypedLength(given, lengthRefusal) };
  const { pages: _former, ...others } = given ?? (isRecord(raw.elements) ? raw.elements : {});
  return { ...fields, elements: pages === null ? others : withTypedLength({ ...others, pages }, lengthRefusal) };
}

/** The document of one thing with its new fields. A field of the key gets a new value by `was`. */
function documentOf(
  store: Store,
  { id, title }: { id: number; title: string },
  [name = "", key = "", ...pairs]: readonly string[],
) {
  const section = sectionOf(name);
  const given = fieldsOf(section, pairs);
  if (section === "production") {
    if (sameName(key) !== sameName(title)) throw new CliError(`production ${id} is "${title}", not "${key}"`);
    return { production: given };
  }
  const { naming: names, raw } = thingOfKey(store, id, section, key);
  const fields = section === "scenes" ? sceneFields(given, raw) : given;
  const stored = Object.entries(names);
  // an order that loses its number is known by the rest
  const item = Object.fromEntries(stored.filter(([field]) => fields[field] !== null));
  const known = namingFields(section, item);
  const naming = known.filter((field) => field in fields);
  if (naming.length > 0 && !isRenamable(section))
    throw new CliError(
      `${naming.join(" and ")} cannot be set: this ${kindOf(section)} is known by ${known.join(", ")}; a document can add another one`,
    );
  return {
    [section]: [{ ...namingOf(section, item), ...fields, ...(naming.length > 0 && { was: keyOf(section, item) }) }],
  };
}

export const commands: readonly Command[] = [
  dataCommand({
    words: "set",
    summary: "sets fields of one thing of a production",
    details: "Each as FIELD=VALUE, where a value is what the field takes: text or JSON.",
    example: 'tallylight set deliveries "Reel 1" status=sent --production 1',
    positionals: ["SECTION", "KEY", "FIELD=VALUE…"],
    flags: {
      production: { value: "ID", summary: "the production", required: true },
      "dry-run": { summary: "prints the plan, but writes nothing" },
      "if-revision": { value: "R", summary: "refuses if the production is at another revision" },
    },
    async run(args, admin, blobs, write) {
      const { id: production_id, title } = args.production;
      const document = withTypedTimes(documentOf(admin.store, args.production, args.positionals));
      // Without values, because this text names the change set also for those who may not see them; the keys of money
      // are values.
      const [section = "", key = "", ...pairs] = args.positionals;
      const fields = pairs.map((pair) => pair.slice(0, pair.indexOf("=")));
      const targetWords = [section, ...(hasMoney(section) ? [] : [key]), ...fields];
      const given = await partialDocument(document, `set ${targetWords.join(" ")}`, undefined);
      return outputOf(await updateFrom(admin, blobs, [given], { ...requestOf(args), production_id }, write), title);
    },
  }),
];
