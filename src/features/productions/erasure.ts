// Erases a person: the name goes from every record of the production, and what the person did stays, as that of a removed person.

import type Database from "better-sqlite3";
import { type Admin, noSuch, recordDone } from "../../core/admin.ts";
import type { PersonId, ProductionId } from "../../core/ids.ts";
import { sameName } from "../../core/spelling.ts";
import { change, many } from "../../core/store/statements.ts";
import { refuseFrozen } from "../../core/store/transactions.ts";
import { formerNamesOf, signedNamesOf } from "../../graph/former_names.ts";
import { revokeKeys } from "../../graph/keys.ts";
import { withoutTraces } from "../backup/production_rows.ts";
import { wholeWords } from "../names/names.ts";

/** What stands in the place of the name. Names are unique, so further ones are numbered. */
const removedName = "Person removed";

/** The columns of each table that name people: who acted, and sentences about it. */
const actors: Readonly<Record<string, readonly string[]>> = {
  activity: ["actor", "summary"],
  events: ["actor"],
  audit: ["actor"],
  change_sets: ["actor", "summary", "source"],
  versions: ["created_by"],
  submissions: ["created_by"],
  media: ["created_by"],
  jobs: ["created_by", "summary"],
  notes: ["author"],
  script_changes: ["decided_by"],
  approval_steps: ["signed_as"],
  former_steps: ["signed_as"],
  api_keys: ["label"],
  nodes: ["performer"],
  day_calls: ["who"],
};
/** Columns of texts that people wrote. */
const texts: Readonly<Record<string, readonly string[]>> = {
  approvals: ["title"],
  approval_steps: ["note"],
  former_steps: ["note"],
  notes: ["text"],
  versions: ["note"],
  submissions: ["title", "note", "decision_note"],
  department_notes: ["summary"],
  shoot_days: ["notes", "location"],
  day_calls: ["note"],
  day_banners: ["text"],
  script_changes: ["note", "summary"],
  purchase_orders: ["description"],
  deliveries: ["external_to"],
  departments: ["mission"],
  engagements: ["title"],
  script_drafts: ["file"],
};
/** Columns of JSON, in which names are values or parts of values. */
const documents: Readonly<Record<string, readonly string[]>> = {
  audit: ["detail"],
  events: ["data"],
  change_sets: ["changes", "inverse"],
  deliveries: ["spec"],
  departments: ["key_roles"],
};

/** Every column in which a name is looked for, as table.column. */
export const erasedColumns: readonly string[] = [actors, texts, documents].flatMap((columns) =>
  Object.entries(columns).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
);

interface Person {
  id: number;
  name: string;
}
const peopleOf = many<{ production_id: ProductionId }, Person>("list_person_names");
const rename = change("erase_person");
const eraseSignatures = [change("erase_signatures"), change("erase_former_signatures")] as const;
const forgetAnswers = change("forget_answers");

/** The forms in which a text may have a name: as it is, composed and decomposed. */
const forms = (name: string): string[] => [...new Set([name, name.normalize("NFC"), name.normalize("NFD")])];

/** Replaces a name as whole words, but not as a part of one of the longer names. */
function replacing(name: string, longer: readonly string[], to: string): (text: string) => string {
  const [pattern, kept] = [
    wholeWords([...longer, name].flatMap(forms), "giu"),
    wholeWords(longer.flatMap(forms), "iu"),
  ];
  return (text) => text.replace(pattern, (found) => (longer.length > 0 && kept.test(found) ? found : to));
}

/** As a part of a JSON text. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Replaces a name in every record of a production, but not in the names of other people. Returns how many rows changed. */
function rewrite(
  database: Database.Database,
  production_id: ProductionId,
  name: string,
  others: readonly string[],
  to: string,
): number {
  const wanted = sameName(name);
  const longer = others.filter((other) => sameName(other).includes(wanted));
  const everywhere = replacing(name, longer, to);
  const whole = (text: string) => (sameName(text) === wanted ? to : text);
  const value = (text: string) =>
    text.replace(/"(?:[^"\\]|\\.)*"/g, (found) =>
      sameName(JSON.parse(found) as string) === wanted ? JSON.stringify(to) : found,
    );
  const isPhrase = /\s/.test(name.trim());
  const kinds = [
    [actors, name, everywhere],
    [texts, name, isPhrase ? everywhere : whole],
    [documents, name, isPhrase ? replacing(inJson(name), longer.map(inJson), to) : value],
  ] as const;
  let changed = 0;
  for (const [columns, written, replace] of kinds) {
    database.function("without_name", { deterministic: true }, (text) => replace(String(text)));
    // LIKE ignores the case of ASCII letters only; other characters, and how many an accent and a space are, and what JSON escapes, are any.
    const like = `%${written
      .normalize("NFD")
      .replace(/[%_^]/g, "^$&")
      .replace(/\w?\P{ASCII}+|[\s"\\]+/gu, "%")}%`;
    for (const [table, names] of Object.entries(columns))
      for (const column of names)
        changed += database
          .prepare(
            `UPDATE ${table} SET ${column} = without_name(${column})
             WHERE production_id = ? AND ${column} LIKE ? ESCAPE '^' AND without_name(${column}) <> ${column}`,
          )
          .run(production_id, like).changes;
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
}

/**
 * Erases a person of a production: revokes their keys and removes their name from every record. In texts that people wrote, a name of one
 * word is replaced only where it is the whole text, because it may be an ordinary word. Throws 404 for an unknown person, 409 if the production is frozen.
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
  if (new RegExp(`^${removedName}( \\d+)?$`).test(name)) return { id, name, was_erased: true, rows: 0 };
  const taken = new Set(people.map((one) => one.name));
  const free = (number: number): string => {
    const next = number === 1 ? removedName : `${removedName} ${number}`;
    return taken.has(next) ? free(number + 1) : next;
  };
  const to = free(1);
  revokeKeys(admin, { production_id, person_id: id });
  const others = people.flatMap((one) => (one.id === id ? [] : [one.name]));
  const recorded = [
    ...formerNamesOf(store, { production_id, section: "people", field: "name" }),
    ...signedNamesOf(store, { production_id }),
  ];
  const former = recorded.filter((one) => one.id === id).map((one) => one.name);
  const names = new Set([name, ...former]).difference(new Set(others));
  const rows = [...names].reduce((sum, one) => sum + rewrite(store.database, production_id, one, others, to), 0);
  forgetAnswers(store, { production_id });
  // Also where a signature has a former name that another person has now.
  for (const sign of eraseSignatures) sign(store, { production_id, id, name: to });
  rename(store, { production_id, id, name: to });
  recordDone(admin, "person.erased", { production_id, summary: `Erased person ${id}`, detail: { id, rows } });
  return { id, name: to, was_erased: false, rows };
}
