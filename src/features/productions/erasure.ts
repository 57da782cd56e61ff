// Erases a person: the name goes from every record of the production, and what the person did stays, as that of a
// removed person.
import type Database from "better-sqlite3";
import type { PersonId, ProductionId } from "../../core/ids.ts";
import { change, many } from "../../core/store/statements.ts";
import { refuseFrozen } from "../../core/store/transactions.ts";
import { sameName } from "../../core/wording.ts";
import { type Admin, noSuch, recordChange } from "../../graph/admin.ts";
import { revokeKeys } from "../../graph/keys.ts";
import { ownedTables, withoutTraces } from "../backup/production_rows.ts";
import { recordedNamesOf } from "../names/former_names.ts";
import { actorColumns, jsonColumns, textColumns } from "./erased_columns.ts";
import { type KeptName, keptNames } from "./kept_names.ts";
import {
  familyNameOf,
  firstNameOf,
  havingFamilyName,
  havingFirstName,
  likeOf,
  longerThan,
  mayHaveName,
  replacing,
} from "./name_pattern.ts";

/** What stands in the place of the name. Names are unique, so further ones are numbered. */
const removedName = "Person removed";

interface Person {
  id: PersonId;
  name: string;
}
const peopleOf = many<{ production_id: ProductionId }, Person>("list_person_names");
const rename = change("erase_person");
const eraseSignatures = [change("erase_signatures"), change("erase_former_signatures")] as const;
const touchAllNodes = change("touch_all_nodes");
const touchAllMedia = change("touch_all_media");
const forgetAnswers = change("forget_answers");

/** As a part of a JSON text. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Whether a text is a JSON object or list. */
function isJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A JSON text with replaced texts, also in a text that is JSON itself: the cell of a column of JSON in a change set.
 */
const inStrings = (json: string, replace: (text: string) => string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"?/gs, (found) => {
    const text = String(JSON.parse(found));
    const next = isJson(text) ? inStrings(text, replace) : replace(text);
    return next === text ? found : JSON.stringify(next);
  });

/**
 * Replaces a name in every record of a production, but not in the names of other people. Returns how many rows changed.
 */
function rewrite(
  database: Database.Database,
  production_id: ProductionId,
  name: string,
  others: readonly string[],
  to: string,
): number {
  const wanted = sameName(name);
  const longer = longerThan(name, others);
  const everywhere = replacing(name, longer, to);
  const whole = (text: string) => (sameName(text) === wanted ? to : text);
  const isPhrase = /\s/.test(name.trim());
  const kinds = [
    [actorColumns, everywhere],
    [textColumns, isPhrase ? everywhere : whole],
    [jsonColumns, (text: string) => inStrings(text, isPhrase ? everywhere : whole)],
  ] as const;
  const owned = ownedTables(database);
  let changed = 0;
  for (const [columns, replace] of kinds) {
    database.function("without_name", { deterministic: true }, (text) => replace(String(text)));
    for (const [table, names] of Object.entries(columns))
      for (const column of names)
        changed += database
          .prepare(
            `UPDATE ${table} SET ${column} = without_name(${column})
             WHERE (${owned.get(table)}) AND ${mayHaveName(column)} AND without_name(${column}) <> ${column}`,
          )
          .run({ production_id, like: likeOf(name) }).changes;
  }
  return changed;
}

export interface ErasedPerson {
  id: number;
  /** What stands in the place of the name now. */
  name: string;
  was_erased: boolean;
  /** How many rows named the person, besides the person's own. */
  rows: number;
  /** The rows that still have the name. */
  kept: KeptName[];
}

/** The texts of the script: its characters have first names, too. */
const isOfScript = ({ table }: KeptName): boolean => table === "scenes" || table.startsWith("script_");

/**
 * The rows that still have one of the names, or its family name or its first name alone, not as a part of somebody
 * else's.
 */
function stillNamed(
  database: Database.Database,
  production_id: ProductionId,
  names: ReadonlySet<string>,
  others: readonly string[],
): KeptName[] {
  const othersInTexts = [...new Set([...others, ...others.map(inJson), ...others.map(inJson).map(inJson)])];
  const kept = [...names].flatMap((name) => {
    const longer = longerThan(name, others);
    const without = [replacing(name, longer, ""), replacing(inJson(name), longer.map(inJson), "")];
    const hasName = (text: string) => without.some((replace) => replace(text) !== text);
    const [family, first] = [familyNameOf(name), firstNameOf(name)];
    return [
      ...keptNames(database, production_id, name, hasName),
      ...(family === undefined
        ? []
        : keptNames(database, production_id, family, havingFamilyName(family, othersInTexts))),
      ...(first === undefined
        ? []
        : keptNames(database, production_id, first, havingFirstName(first, othersInTexts))
            .filter((one) => !isOfScript(one))
            .map((one) => ({ ...one, only: "first name" as const }))),
    ];
  });
  const placeOf = ({ table, column, id }: KeptName): string => JSON.stringify([table, column, id]);
  return [...new Map(kept.toReversed().map((one) => [placeOf(one), one])).values()].toReversed(); // the first one stays
}

/**
 * Erases a person of a production: revokes their keys and removes their name from every record. In texts that people
 * wrote, a name of one word is replaced only where it is the whole text, because it may be an ordinary word. Throws 404
 * for an unknown person, 409 if the production is frozen.
 */
export const erasePerson = (admin: Admin, production_id: ProductionId, id: PersonId): ErasedPerson =>
  withoutTraces(admin.store, () => admin.store.writeSync(() => erase(admin, production_id, id)));

function erase(admin: Admin, production_id: ProductionId, id: PersonId): ErasedPerson {
  const { store } = admin;
  refuseFrozen(store, production_id);
  const people = peopleOf(store, { production_id });
  const person = people.find((one) => one.id === id);
  if (person === undefined) throw noSuch(admin, `person ${id}`, "list people --production ID");
  const { name } = person;
  if (name.startsWith(removedName) && /^(?: \d+)?$/.test(name.slice(removedName.length)))
    return { id, name, was_erased: true, rows: 0, kept: [] };
  const taken = new Set(people.map((one) => one.name));
  const free = (number: number): string => {
    const next = number === 1 ? removedName : `${removedName} ${number}`;
    return taken.has(next) ? free(number + 1) : next;
  };
  const to = free(1);
  revokeKeys(admin, { production_id, person_id: id });
  const others = people.flatMap((one) => (one.id === id ? [] : [one.name]));
  const former = recordedNamesOf(store, production_id)
    .filter((one) => one.id === id)
    .map((one) => one.name);
  const names = new Set([name, ...former]).difference(new Set(others));
  const rows = [...names].reduce((sum, one) => sum + rewrite(store.database, production_id, one, others, to), 0);
  forgetAnswers(store, { production_id });
  // Also where a signature has a former name that another person has now.
  for (const sign of eraseSignatures) sign(store, { production_id, id, name: to });
  rename(store, { production_id, id, name: to });
  touchAllNodes(store, { production_id, now: admin.now });
  touchAllMedia(store, { production_id, now: admin.now }); // whatever a list shows of them may have had the name
  recordChange(
    admin,
    { production_id, summary: `Erased person ${id}`, detail: { id, rows } },
    { type: "person.erased", subject: { kind: "person", id }, data: {} },
  );
  return { id, name: to, was_erased: false, rows, kept: stillNamed(store.database, production_id, names, others) };
}
