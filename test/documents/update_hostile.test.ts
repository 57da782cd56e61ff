// Random damage to documents that update a production: each is applied or refused with sentences, and a refused one
// writes nothing.
// Thorough: only --all runs it.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { parseDocument } from "../../src/features/documents/read/json.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { sampling } from "../support/sampling.ts";
import { documentOf, type Json, openProduction, silverButton } from "../support/update.ts";

const document = documentOf(silverButton);
const production = await openProduction();
const test = suite("damaged documents");

/** Small documents with a few things of each section. */
const sample: Json = Object.fromEntries(
  Object.entries(document as Json).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 3) : value]),
);

interface Damage {
  path: readonly number[];
  value: unknown;
}
const damage: fc.Arbitrary<Damage> = fc.record({
  path: fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
  value: fc.oneof(
    fc.constantFrom(
      null,
      undefined,
      0,
      -1,
      1e308,
      "",
      "x",
      "\u0000",
      [],
      {},
      [null],
      [[]],
      { was: "x" },
      { was: 7 },
      true,
    ),
    fc.constantFrom("omitted", "sent", "102/3A", { name: "x", was: "y" }, [{ was: null }], "__proto__", {
      file: "/etc/passwd",
    }),
  ),
});

/** Replaces the value that a path of positions leads to; the last step that exists is the one that is replaced. */
function damaged(value: Json, { path, value: replacement }: Damage): Json {
  const copy = structuredClone(value);
  let at: Json = copy;
  for (const [step, position] of path.entries()) {
    const keys = Object.keys(at);
    const key = keys[position % Math.max(1, keys.length)];
    if (key === undefined) return copy;
    const next = at[key];
    if (step === path.length - 1 || typeof next !== "object" || next === null) {
      if (replacement === undefined) delete at[key];
      else at[key] = replacement;
      return copy;
    }
    at = next;
  }
  return copy;
}

test("are applied or refused with sentences, and never leave a part", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), fc.boolean(), async (damages, exact) => {
      const given = damages.reduce(damaged, sample);
      const before = JSON.stringify(await production.export());
      try {
        await production.update(given, { exact, dry_run: true });
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        assert.ok(
          error.problems.length > 0 && error.problems.every(({ sentence }) => sentence.length > 5),
          error.message,
        );
      }
      assert.is(JSON.stringify(await production.export()), before);
    }),
    sampling(10, 1),
  );
});

test("leave a sound production if they are applied", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), fc.boolean(), async (damages, exact) => {
      const refused = (error: unknown) => assert.instance(error, CliError);
      await production.update(damages.reduce(damaged, sample), { exact }).catch(refused);
      assert.equal(production.store.database.pragma("foreign_key_check"), []);
      assert.equal((await production.update(await production.export(), { exact: true, dry_run: true })).changes, []);
    }),
    sampling(7, 1),
  );
});

test("a section of 200,000 rows is refused with a sentence", async () => {
  const people = Array.from({ length: 200_000 }, (_, at) => ({ name: `Person ${at}`, role: "extra" }));
  const error = await production.update({ people }, { dry_run: true }).catch((error: unknown) => error);
  assert.instance(error, CliError);
  assert.match((error as CliError).lines.join(), /at most 30,000 people/);
});

test("a message repeats at most 200 characters of a key, a number or a name", async () => {
  const long = "x".repeat(1_000_000);
  const digits = `1${"0".repeat(500_000)}1`;
  const given = [
    { [long]: 1 },
    { people: [{ name: "A", role: "B", [long]: 1 }] },
    { people: [{ name: "A", role: "B", was: long }] },
    { people: [{ name: "A", role: "B", department: long }] },
    { people: [{ name: long, role: "B" }] },
    { scenes: [{ number: "1", elements: { [long]: Number.NaN } }] },
    { scenes: [{ number: long }] },
    { assets: [{ label: "A", kind: long }] },
  ];
  const documents = [
    ...given.map((one) => JSON.stringify(one)),
    `{"scenes":[{"number":"1","elements":{"a":${digits}}}]}`,
    `{"scenes":[{"number":"1","elements":{"a":0.${digits}}}]}`,
    `{"scenes":[{"number":"1","elements":{"${long}":1e${digits}}}]}`,
  ];
  for (const text of documents) {
    const refusal = (error: unknown) => JSON.stringify([String(error), (error as CliError).lines, error]);
    const message = await partialDocument(parseDocument(text, "a.json") as Json, "a.json", ".")
      .then((one) => production.update(one, { dry_run: true }))
      .then(() => "", refusal);
    assert.ok(message.length < 10_000, `${text.slice(0, 60)}: ${message.length}`);
  }
});

test.run();
