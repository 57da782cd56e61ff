// Things that share a name and have no reference of their own, as the API adds them: documents tell them apart by
// generated references.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { namings, type SectionName, sections } from "../../src/features/documents/sections/sections.ts";
import { type Json, openProduction } from "../support/update.ts";

const shared = suite("things of one name");

const fieldsOf = ({ vendors, people }: Json): Partial<Record<SectionName, Json>> => ({
  ingredients: { kind: "image" },
  assets: { kind: "costume" },
  engagements: { vendor: vendors[0] },
  deliveries: { kind: "internal" },
  approvals: { steps: [{ person: people[0].name }] },
});

for (const section of ["ingredients", "assets", "engagements", "deliveries", "approvals"] as const) {
  const { table, noun } = sections[section];
  const { field } = namings[noun as "asset"];
  /** A production with three things, of which only the ids tell which is which. */
  const openShared = async () => {
    const production = await openProduction();
    const fields = fieldsOf(await production.export())[section];
    const refs = [undefined, "two", "three"];
    await production.update({ [section]: refs.map((ref) => ({ ...fields, [field]: "Coat", ...(ref && { ref }) })) });
    production.store.database.exec(`UPDATE ${table} SET ref = NULL WHERE ${field} = 'Coat'`);
    const things = async (): Promise<Json[]> => (await production.export())[section].slice(-3);
    const names = async () => (await things()).map((one) => one.ref ?? one[field]);
    assert.equal(await names(), ["Coat", "Coat #2", "Coat #3"]);
    return { production, names, things };
  };

  shared(`keep their references when the first of the ${section} is renamed`, async () => {
    const { production, names, things } = await openShared();
    const [, ...others] = await things();
    const rename = { [section]: [{ [field]: "Jacket", was: "Coat" }] };
    await production.update(rename);
    assert.equal(await names(), ["Jacket", "Coat #2", "Coat #3"]);
    assert.equal((await things()).slice(1), others);
    assert.equal((await production.update(rename)).changes, []);
  });

  shared(`are renamed by their generated references: ${section}`, async () => {
    const { production, names } = await openShared();
    const rename = { [section]: [{ [field]: "Jacket", was: "Coat #2" }] };
    await production.update(rename);
    assert.equal(await names(), ["Coat", "Jacket", "Coat #3"]);
    assert.equal((await production.update(rename)).changes, []);
  });
}

shared.run();
