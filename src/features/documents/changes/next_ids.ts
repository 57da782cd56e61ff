// The ids of what an update adds: those after the last ones of each table.
import { sectionNames, sections } from "../sections/sections.ts";
import type { Rows } from "./rows.ts";

export class NextIds {
  readonly #rows: Rows;
  readonly #next = new Map<string, number>();
  /** The last id of each table when it was read. */
  readonly #read = new Map<string, number>();
  /** Of a new production, how much is added to the ids of things: they were counted from 1. */
  readonly #shift = new Map<string, number>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The next id of a table. If another writer takes it first, the operation finds a row where it expects none. */
  next(table: string): number {
    const id = (this.#next.get(table) ?? this.#lastNow(table)) + 1;
    this.#next.set(table, id);
    return id;
  }

  #lastNow(table: string): number {
    const id = this.#last(table);
    this.#read.set(table, id);
    return id;
  }

  #last(table: string): number {
    // Triggers keep the ids of what was removed.
    const kept =
      table === "media" ? "SELECT seq FROM sqlite_sequence WHERE name = ?" : "SELECT id FROM last_ids WHERE part = ?";
    const sql = `SELECT max(ifnull((SELECT max(id) FROM ${table}), 0), ifnull((${kept}), 0)) AS id`;
    return this.#rows.all<{ id: number }>(sql, table)[0]?.id ?? 0;
  }

  /** Things that were counted from 1 get their places after what is stored. */
  settle(): void {
    this.#next.clear();
    for (const name of sectionNames) this.#shift.set(sections[name].table, this.#lastNow(sections[name].table));
    for (const [table, shift] of this.#shift) this.#next.set(table, shift);
  }

  /** Whether the ids of a new production are still those after what is stored. */
  areNext(): boolean {
    return [...this.#read].every(([table, id]) => this.#last(table) === id);
  }

  settled(table: string, id: number): number {
    return id + (this.#shift.get(table) ?? 0);
  }
}
