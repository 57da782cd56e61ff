// The people of the crew by the texts with which forms name them.
import { listed, samePerson } from "../../../core/wording.ts";
import type { listPeople } from "../../../graph/people.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";

type Person = OutputOf<typeof listPeople>[number];

/** A person, with the text by which a field names them: the name, with the id if several have it. */
export interface Named {
  person: Person;
  text: string;
  /** The form in which the name is compared. */
  form: string;
}

export async function namedPeople(visit: Visit, people: readonly Person[]): Promise<Named[]> {
  const forms = await visit.each(people, ({ name }) => samePerson(name));
  const counts = new Map<string, number>();
  for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1);
  return visit.each(people.entries(), ([at, person]) => {
    const form = forms[at] ?? "";
    const { id, name } = person;
    return { person, form, text: (counts.get(form) ?? 0) > 1 ? `${name} (person ${id})` : name };
  });
}

/** The people whom a text names: the one whom a field names by it, otherwise all who have the name. */
export function peopleCalled(named: readonly Named[], text: string): Named[] {
  const own = named.find((one) => one.text === text);
  const wanted = samePerson(text);
  return own === undefined ? named.filter(({ form }) => form === wanted) : [own];
}

/** The question that a name of several people is answered with. */
export const whichOf = (called: readonly Named[]): string =>
  `several people have this name: choose one of ${listed(called.map(({ text }) => text))}`;
