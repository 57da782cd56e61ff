// Loads the database engine. On Deno an import statement would also read each of its files for the names that it exports: half a MiB.
import { createRequire } from "node:module";
import type Database from "better-sqlite3";

export const Engine: typeof Database = createRequire(import.meta.url)("better-sqlite3");
