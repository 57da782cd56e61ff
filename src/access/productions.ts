// Productions as an admin names them.
import { CliError } from "../errors.ts";
import type { Store } from "../store/database.ts";

export interface ProductionRow {
  id: number;
  title: string;
  format: string;
  status: string;
  phase: string;
  created_at: string;
}

export const listProductions = (store: Store): ProductionRow[] => store.all<ProductionRow>("list_productions", {});

/** The production of an id in digits, or of a title. Throws CliError where there is none. */
export function findProduction(store: Store, named: string): { id: number; title: string } {
  const id = /^[1-9]\d{0,14}$/.test(named) ? Number(named) : null;
  const found =
    (id === null ? undefined : store.get<{ id: number; title: string }>("find_production", { id, title: null })) ??
    store.get<{ id: number; title: string }>("find_production", { id: null, title: named });
  if (found === undefined)
    throw new CliError(`there is no production ${named}; \`tallylight productions list\` shows those there are`);
  return found;
}
