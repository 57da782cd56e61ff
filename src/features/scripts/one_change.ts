// Reads one script change.
import type * as v from "valibot";
import type { ProductionId } from "../../core/ids.ts";
import { document } from "../../core/store/statements.ts";
import type { scriptChange } from "../../graph/script_changes.ts";

/** One script change as JSON text; undefined if the production has none with the id. */
export const scriptChangeOf = document<{ production_id: ProductionId; id: number }, v.InferOutput<typeof scriptChange>>(
  "get_script_change",
);
