// The keys with which the compared programs are asked: of an admin, of editors with and without a person, and of a
// person who decides.
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { tokenHash } from "../../src/core/access/callers.ts";

const scopesOf = {
  admin: ["read", "write", "admin", "edit", "read:money"],
  edit: ["read", "write", "edit"],
  person: ["read", "write", "edit"],
} as const;

/** Who asks; `person` is bound to the first person of the production. */
export type KeyName = keyof typeof scopesOf;
export const keyNames = Object.keys(scopesOf) as KeyName[]; // its keys

/** The same for a name in each run. */
export const tokenOf = (name: string): string => `tl_${createHash("sha256").update(name).digest("base64url")}`;

export const keyOf = (name: KeyName, production_id: number): string => `${name} of ${production_id}`;

/** Adds the keys of every production to a database. */
export function addKeys(file: string, now: string): void {
  const database = new Database(file);
  const productions = database.prepare<[], number>("SELECT id FROM productions").pluck().all();
  const firstPerson = database.prepare<[number], number>("SELECT min(id) FROM people WHERE production_id = ?").pluck();
  const insert = database.prepare(
    `INSERT INTO api_keys (production_id, engagement_id, person_id, label, prefix, token_sha256, scopes, created_at, expires_at)
     VALUES (?, NULL, ?, ?, ?, ?, ?, ?, NULL)`,
  );
  for (const production_id of productions)
    for (const name of keyNames) {
      const token = tokenOf(keyOf(name, production_id));
      const person_id = name === "person" ? firstPerson.get(production_id) : null;
      const scopes = JSON.stringify(scopesOf[name]);
      insert.run(production_id, person_id, name, token.slice(0, 11), tokenHash(token), scopes, now);
    }
  database.close();
}
