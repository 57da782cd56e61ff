// The ids of what an update adds: those after the last ones of each table.
import { sectionNames, sections } from "../sections/sections.ts";
import type { Rows } from "./rows.ts";

export class NextIds {
  readonly #rows: Rows;
  /** The last id of each table when it was read. */
  readonly #last = new Map<string, number>();
  /** How many ids of each table were given since. */
  readonly #given = new Map<string, number>();
  /** Of a new production, how much is added to the ids of things: they were counted from 1. */
  #shift: ReadonlyMap<string, number> = new Map();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The next id of a table. If another writer takes it first, the operation finds a row where it expects none. */
  next(table: string): number {
    const last = this.#last.get(table) ?? this.#read(table);
    const given = (this.#given.get(table) ?? 0) + 1;
    this.#last.set(table, last);
    this.#given.set(table, given);
    return last + given;
  }

  #read(table: string): number {
    // Triggers keep the ids of what was removed.
    const kept =
      table === "media" ? "SELECT seq FROM sqlite_sequence WHERE name = ?" : "SELECT id FROM last_ids WHERE part = ?";
    const sql = `SELECT max(ifnull((SELECT max(id) FROM ${table}), 0), ifnull((${kept}), 0)) AS id`;
    return this.#rows.all<{ id: number }>(sql, table)[0]?.id ?? 0;
  }

  /** The things of a new production get their ids, once it has a database. */
  settle(): void {
    for (const ids of [this.#last, this.#given]) ids.clear();
    for (const name of sectionNames) this.#last.set(sections[name].table, this.#read(sections[name].table));
    this.#shift = new Map(this.#last);
  }

  /** Whether the ids of a new production are still those after what is stored. */
  areNext(): boolean {
    return [...this.#last].every(([table, id]) => this.#read(table) === id);
  }

  settled(table: string, id: number): number {
    return id + (this.#shift.get(table) ?? 0);
  }
}
