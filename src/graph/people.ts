// Lists the crew, and finds the person in whose name a call decides.
import * as v from "valibot";
import type { Caller } from "../core/access/callers.ts";
import { forbidden, unprocessable } from "../core/errors.ts";
import type { PersonId, ProductionId } from "../core/ids.ts";
import { describe } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { many } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import { samePerson } from "../core/wording.ts";

const person = out.record(
  "Person",
  v.object({
    id: out.id,
    name: out.text,
    role: out.text,
    department: v.nullable(out.text),
    is_hod: v.boolean(),
    is_admin: v.boolean(),
    active: describe(v.boolean(), "False if the person left the production."),
  }),
);

export const listPeople = reading({
  name: "list_people",
  summary: "Lists the crew, without contact details.",
  path: "/people",
  scope: "read",
  output: v.array(person),
});

export const getPerson = reading({
  name: "get_person",
  summary: "Returns one person of the crew, without contact details.",
  path: "/people/:person_id",
  scope: "read",
  output: person,
});

interface Person {
  id: PersonId;
  name: string;
  /** 0: the person left the production. */
  active: 0 | 1;
}

const namesOfPeople = many<{ production_id: ProductionId }, Person>("list_people_names");

/**
 * The person with the full name `decided_by`, otherwise with that id. Throws 422 if there is no such person or more
 * than one.
 */
function findPerson(people: readonly Person[], decided_by: string): Person {
  const named = people.filter(({ name }) => samePerson(name) === samePerson(decided_by));
  if (named.length > 1) throw unprocessable("decided_by is the name of more than one person; send the id instead");
  const person = named[0] ?? people.find(({ id }) => String(id) === decided_by.trim());
  if (person === undefined)
    throw unprocessable("decided_by must be the full name or the id of a person of this production");
  return person;
}

/**
 * The person who decides: the one that `decided_by` names, otherwise the one that the key is bound to; undefined if
 * there is neither. Throws 422 if the person is unknown or left, 403 if the key is bound to another person.
 */
export function findDecider(
  store: Store,
  { production_id, person_id }: Pick<Caller, "production_id" | "person_id">,
  decided_by: string | undefined,
): Person | undefined {
  if (decided_by === undefined && person_id === null) return undefined;
  const people = namesOfPeople(store, { production_id });
  const holder = people.find(({ id }) => id === person_id);
  const person = decided_by === undefined ? holder : findPerson(people, decided_by);
  if (holder !== undefined && person !== holder)
    throw forbidden(`this key decides only as ${holder.name}, to whom it is bound; nothing was recorded`);
  if (person?.active === 0)
    // the person of the key is active, otherwise it makes no call
    throw unprocessable(`decided_by is ${person.name}, who left the production; nothing was recorded`);
  return person;
}
