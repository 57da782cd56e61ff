// The row of a medium that an update adds.
import type { Raw } from "../sections/form.ts";
import type { Row } from "./rows.ts";

/** What a medium belongs to: the column with its id, and the thing in whose lists that is. */
interface MediumOwner {
  column: string;
  id: number;
  thing: number;
}

export function mediumRow(
  { id, production_id }: { id: number; production_id: number },
  medium: Raw,
  { column, id: owner, thing }: MediumOwner,
): Row {
  const none = { version_id: null, delivery_id: null, work_item_id: null, ingredient_id: null, asset_file_id: null };
  const { label, kind, sha256, created_by = null, created_at = null } = medium as Row; // as the schema has them
  const cells = { label: label ?? null, kind: kind ?? null, sha256: sha256 ?? null, created_by, created_at };
  const path = String(id); // what the type of its bytes adds is known once these are staged
  const isSubmitted = column === "work_item_id" && { delivery_id: thing };
  return { id, production_id, path, ...none, ...cells, ...isSubmitted, [column]: owner };
}
