// Lists the crew.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { unprocessable } from "../errors.ts";
import { describe } from "../inputs.ts";
import { id, record, text } from "../records.ts";
import type { Store } from "../store/database.ts";
import { document, many } from "../store/statements.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

const person = record(
  "Person",
  v.object({
    id,
    name: text,
    role: text,
    department: v.nullable(text),
    is_hod: v.boolean(),
    is_admin: v.boolean(),
    active: describe(v.boolean(), "False if the person left the production."),
  }),
);

const peopleOf = document<Reach, v.InferOutput<typeof person>[]>("list_people");

export const listPeople = operation({
  name: "list_people",
  summary: "Lists the crew, without contact details.",
  method: "GET",
  path: "/people",
  scope: "read",
  reach: "production",
  input: v.object({}),
  output: v.array(person),
  errors: [],
  run: (context) => read(context, peopleOf, {}),
});

interface Person {
  id: number;
  name: string;
  /** 0: the person left the production. */
  active: 0 | 1;
}

const namesOfPeople = many<{ production_id: number }, Person>("list_people_names");
const caseFolded = (name: string): string => name.normalize("NFC").trim().toLowerCase();

/**
 * The person with the full name `decided_by`, otherwise with that id. Throws 422 if there is no such person or more than one, or
 * if the person left.
 */
export function findPerson(store: Store, production_id: number, decided_by: string): Person {
  const people = namesOfPeople(store, { production_id });
  const named = people.filter(({ name }) => caseFolded(name) === caseFolded(decided_by));
  if (named.length > 1) throw unprocessable("decided_by is the name of more than one person; send the id instead");
  const person = named[0] ?? people.find(({ id }) => String(id) === decided_by.trim());
  if (person === undefined)
    throw unprocessable("decided_by must be the full name or the id of a person of this production");
  if (person.active === 0)
    throw unprocessable(`decided_by is ${person.name}, who left the production; nothing was recorded`);
  return person;
}
