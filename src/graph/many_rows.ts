// Writes many rows with one INSERT.
import type { WithIds } from "../core/ids.ts";
import { composed } from "../core/store/composed.ts";
import { declare, type Taking } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

/** The rows of one statement. With more, SQLite gains little; the fewer, the more calls. */
const together = 25;

/**
 * Declares an INSERT for many rows: it writes several with each statement, which takes two thirds of the time. The
 * named parameters are common to all rows; the question marks are the values of one row. Returns the number of rows
 * written.
 */
export function changeMany<P extends object>(
  name: Taking<P>,
): (store: Store, rows: readonly (readonly unknown[])[], common: WithIds<P>) => number {
  declare(name);
  const severalOf = ({ database }: Store, one: ReturnType<Store["statement"]>): ReturnType<Store["statement"]> =>
    composed(
      database,
      one.source.replace(/VALUES (\([^()]*\))/, (_, row) => `VALUES ${Array(together).fill(row).join(", ")}`),
    );
  return (store, rows, common) => {
    if (!store.database.inTransaction) throw new Error(`${name} must be run in a write transaction`);
    const one = store.statement(name);
    let changes = 0;
    let values: unknown[] = [];
    let at = 0;
    for (const end = rows.length - (rows.length % together); at < end; at++) {
      for (const value of rows[at] ?? []) values.push(value);
      if (at % together !== together - 1) continue;
      changes += severalOf(store, one).run(values, common).changes;
      values = [];
    }
    for (; at < rows.length; at++) changes += one.run(rows[at], common).changes;
    return changes;
  };
}
