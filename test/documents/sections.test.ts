// The table of sections: strings that no section has do not compile, and what it names exists.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isEventType } from "../../src/core/store/event_types.ts";
import { node, recordedParts, rowsOf } from "../../src/features/documents/nouns/columns.ts";
import type { Entry } from "../../src/features/documents/nouns/entries.ts";
import { exported } from "../../src/features/documents/nouns/exporter.ts";
import type { Writer } from "../../src/features/documents/nouns/writer.ts";
import { exportedTables } from "../../src/features/documents/revision.ts";
import type { RawOf } from "../../src/features/documents/sections/form.ts";
import { type Section, sections } from "../../src/features/documents/sections/sections.ts";
import type { ListBuilding } from "../../src/features/lists/list.ts";

const table = suite("the table of sections");

table("names tables that a revision tells of", () => {
  for (const [name, { table, tables = [] }] of Object.entries(sections))
    for (const one of [table, ...tables]) assert.ok(exportedTables.includes(one), `${name}: ${one}`);
});

table("names nouns of events", () => {
  const without = Object.values(sections).filter(({ kind }) => !isEventType(`${kind}.added`));
  assert.equal(
    without.map(({ kind }) => kind),
    ["note", "script_change", "activity", "storage_install"], // these have events of their own, or none
  );
});

table.run();

/** Nothing calls it: the compiler reads it. */
export function mistakes(
  scene: Entry<"scenes">,
  next: RawOf<"deliveries">,
  writer: Writer,
  crew: ListBuilding<{ name: { aliases: ["Name"]; cell: never } }, never>,
) {
  const called: readonly ["day"] = ["day"];
  const day = { title: "Schedule", table: "shoot_days", called, listed: [] };
  // @ts-expect-error: a kind that no event has
  const kind: Section = { ...day, kind: "shoot_dy" };
  // @ts-expect-error: a key field that a shoot day lacks
  const key: Section<"day_number"> = { ...day, kind: "shoot_day", key: ["day_numbr"] };
  // @ts-expect-error: a field that a scene lacks
  scene.fields.has("asets");
  // @ts-expect-error: a field that a delivery lacks
  next.sent_att = "2026-01-01T00:00:00.000Z";
  // @ts-expect-error: a misspelled column
  writer.insert("import_episode", { id: 1, code: "E1", titel: "One", position: 1 });
  const grants = recordedParts("engagements", "grants");
  const kept = { read: exported("export_grants"), by: "engagement_id", table: "grants" } as const;
  grants("import_grant", { ...kept, fields: { scene: node("scene"), asset: node("asset") } });
  // @ts-expect-error: a field that no writer writes
  grants("import_grant", { ...kept, fields: { scene: node("scene") } });
  const other = { ...node("scene"), column: "nod_id" };
  // @ts-expect-error: a column that the statement does not have
  grants("import_grant", { ...kept, fields: { scene: other, asset: node("asset") } });
  const ingredients = { read: exported("export_ingredients"), insert: ["import_ingredient"] } as const;
  // @ts-expect-error: a field of a section that no writer writes
  rowsOf("ingredients")({ ...ingredients, fields: {} });
  // @ts-expect-error: a column that the list does not have
  crew.headerOf("nmae");
  return { kind, key };
}
