// The operations of a change of one thing that is not made by documents: its rows before and after.
import type { ProductionId } from "../../../core/ids.ts";
import type { Store } from "../../../core/store/store.ts";
import type { PlannedChange } from "../planned.ts";
import type { SectionName } from "../sections/sections.ts";
import { changeOf } from "./plan.ts";
import type { RowOperation } from "./row_operation.ts";
import { Rows, type StoredRows } from "./rows.ts";
import { Update } from "./update.ts";

/** What `work` changes of a stored thing. Inside a write transaction. */
export function operationsOf(
  store: Store,
  { production_id, section, id, now }: { production_id: ProductionId; section: SectionName; id: number; now: string },
  work: () => void,
): { changes: PlannedChange[]; operations: RowOperation[] } {
  const update = new Update(new Rows(store, production_id), [], { now, exact: false, is_new: false });
  const item = update.item(section, id);
  if (item === undefined) throw new Error(`there is no ${section} ${id}`);
  work();
  const after = update.rows.load(section, [id]).get(id) as StoredRows; // it is still stored
  item.next = update.names.thingOf(section, after);
  const operations = update.operations.of(section, id, { before: item.stored, next: item.next, order: item.order });
  return { changes: [changeOf(update, section, id, item) ?? []].flat(), operations };
}
