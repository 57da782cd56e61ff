// A data directory with the production of the first fixture, or of a document, that a test updates.
import type { Plan } from "../../src/features/documents/planned.ts";
import "../../src/features.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { updateFrom } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { root } from "./command.ts";
import { joined, now, stateOf } from "./small_document.ts";
import { folderWith, openData } from "./template.ts";

export type Json = any; // documents are built and taken apart field by field

export const silverButton = join(root, "fixtures/the-silver-button.json");
export const documentOf = (file: string): Json => JSON.parse(readFileSync(file, "utf8"));

export interface UpdateOptions {
  exact?: boolean;
  dry_run?: boolean;
  if_revision?: string | undefined;
  /** The time of the update. */
  now?: string;
  /** The time of its commit, if that is another one. */
  committed?: string;
}

export async function openProduction(file = silverButton) {
  const folder = await folderWith([file], now);
  const { store, blobs } = openData(folder);
  const production_id = store.database.prepare("SELECT id FROM productions").pluck().get() as number;
  const update = async (documents: Json | Json[], { committed, ...options }: UpdateOptions = {}): Promise<Plan> => {
    const given = await Promise.all(
      [documents].flat().map((document, at) => partialDocument(structuredClone(document), `given${at}.json`, folder)),
    );
    const request = { production_id, exact: false, dry_run: false, ...options };
    return updateFrom(localAdmin(store, options.now ?? now), blobs, given, request, async (work) =>
      store.writeSync(() => work(committed)),
    );
  };
  const state = (): string => stateOf(store, production_id);
  return {
    folder,
    store,
    blobs,
    production_id,
    update,
    /** The problems for which an update is refused. */
    async problems(documents: Json | Json[], options: UpdateOptions = {}): Promise<string[]> {
      const before = state();
      try {
        await update(documents, options);
      } catch (error) {
        assert.instance(error, CliError);
        assert.is(state(), before, "nothing was written");
        return (error as CliError).problems.map(({ sentence }) => sentence);
      }
      throw new Error("the update was not refused");
    },
    export: async (): Promise<Json> => JSON.parse(await joined(exportDocument(store, blobs, production_id))),
    rows: (sql: string): Json[] => store.database.prepare(sql).all(),
  };
}
