// The table of sections: strings that no section has do not compile, and what it names exists.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import "../../src/features.ts";
import { isEventType } from "../../src/core/store/event_types.ts";
import type { RawOf } from "../../src/features/documents/sections/form.ts";
import { type Section, sections } from "../../src/features/documents/sections/sections.ts";
import type { ListBuilding } from "../../src/features/lists/list.ts";

const table = suite("the table of sections");

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
  next: RawOf<"deliveries">,
  crew: ListBuilding<{ name: { aliases: ["Name"]; cell: never } }, never>,
) {
  const called: readonly ["day"] = ["day"];
  const day = { title: "Schedule", table: "shoot_days", tables: [], recorded: [], called, listed: [] };
  // @ts-expect-error: a kind that no event has
  const kind: Section = { ...day, kind: "shoot_dy" };
  // @ts-expect-error: a key field that a shoot day lacks
  const key: Section<"day_number"> = { ...day, kind: "shoot_day", key: ["day_numbr"] };
  // @ts-expect-error: a list that a shoot day lacks
  const parts: Section<"calls"> = { ...day, kind: "shoot_day", parts: { callz: { table: "day_calls", of: "x" } } };
  // @ts-expect-error: a field that a delivery lacks
  next.sent_att = "2026-01-01T00:00:00.000Z";
  // @ts-expect-error: a column that the list does not have
  crew.headerOf("nmae");
  return { kind, key, parts };
}
