// Finds a production by its id or its title.
import { HttpError } from "../core/errors.ts";
import type { ProductionId } from "../core/ids.ts";
import { commandText } from "../core/program.ts";
import { many, one } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

/** A production, as `tallylight productions list` shows it. */
export interface ProductionRow {
  id: ProductionId;
  title: string;
  format: string;
  status: string;
  phase: string;
  created_at: string;
}

const allProductions = many<object, ProductionRow>("list_productions");
const productionOf = one<{ id: number | null; title: string | null }, { id: ProductionId; title: string }>(
  "find_production",
);

/** Every production of the directory, frozen ones too. */
export const listProductions = (store: Store): ProductionRow[] => allProductions(store, {});

/** The production of an id in digits, or of a title. Throws 404 if there is none. */
export function findProduction(store: Store, named: string): { id: ProductionId; title: string } {
  const id = /^[1-9]\d{0,14}$/.test(named) ? Number(named) : null;
  const found =
    (id === null ? undefined : productionOf(store, { id, title: null })) ??
    productionOf(store, { id: null, title: named });
  if (found === undefined)
    throw new HttpError(404, `there is no production ${named}; ${commandText("productions list")} shows all of them`);
  return found;
}
