// docs/format.md names every field of a production document in the section that has it, and marks the optional ones.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type * as v from "valibot";
import { documentSchema } from "../../src/features/documents/sections/schema.ts";
import { codeWordsOf, headingsOf, pageAt, sectionOf, tablesOf } from "../support/documentation.ts";

/** The properties of valibot's schemas that fields depend on. */
type AnySchema = v.GenericSchema & { entries?: Record<string, AnySchema>; item?: AnySchema; wrapped?: AnySchema };

/**
 * The fields of a schema and of what it contains, as the page writes them: `name` or `name?`. Media has a table of its
 * own.
 */
function fieldsOf({ entries = {}, item, wrapped }: AnySchema): string[] {
  const inner = item ?? wrapped;
  if (inner !== undefined) return fieldsOf(inner);
  return Object.entries(entries).flatMap(([name, field]) => [
    field.type === "optional" ? `${name}?` : name,
    ...(name === "media" ? [] : fieldsOf(field)),
  ]);
}

const page = pageAt("docs/format.md");
const sections = Object.entries(documentSchema.entries as Record<string, AnySchema>).filter(
  ([name]) => !name.startsWith("document"),
);
const test = suite("docs/format.md");

test("has a section for every list of a document, in the order of the document", () => {
  const written = headingsOf(page).flatMap(({ level, text }) => (level === 3 ? [text] : []));
  assert.equal(
    written,
    sections.map(([name]) => `\`${name}\``),
  );
});

for (const [name, schema] of sections)
  test(`${name}: every field is named, and no other is marked as optional`, () => {
    const words = codeWordsOf(sectionOf(page, `\`${name}\``));
    const fields = fieldsOf(schema);
    assert.equal(
      fields.filter((field) => !words.includes(field)),
      [],
      "these fields are missing",
    );
    assert.equal(
      words.filter((word) => word.endsWith("?") && !fields.includes(word)),
      [],
      "these fields are not in the schema, or not optional there",
    );
  });

test("has every field of media", () => {
  const { ingredients } = documentSchema.entries as unknown as { ingredients: AnySchema };
  const media = ingredients.wrapped?.item?.entries?.media as AnySchema;
  const [table] = tablesOf(page, "The rules of the format").filter(({ columns }) => columns[0] === "field");
  assert.equal(
    table?.rows.flatMap(([cell = ""]) => codeWordsOf(cell)),
    fieldsOf(media),
  );
});

test.run();
