// tallylight people erase: removes a person's name from everything that a production has recorded.
import { erasePerson } from "../admin/erasure.ts";
import { idOf } from "../admin/names.ts";
import type { Command } from "./arguments.ts";
import { asAdmin, productionOf } from "./data.ts";

const erase: Command = {
  words: "people erase",
  summary: "erases a person: revokes their keys and removes the name everywhere; this cannot be undone",
  positionals: ["ID-OR-NAME"],
  flags: { production: { value: "ID", required: true, summary: "the production" } },
  run: (args) =>
    asAdmin(args, (admin) => {
      const { id: production_id } = productionOf(admin.store, args);
      const id = idOf(admin.store, "person", args.positionals[0] as string, production_id);
      const erased = erasePerson(admin, production_id, id);
      const line = erased.was_erased
        ? "was erased already"
        : `is erased: the name is removed from ${erased.rows} records`;
      return {
        document: erased,
        lines: [`person ${id} ${line}`],
        notes: erased.was_erased
          ? []
          : [
              "backups, and copies of the database beside it, that were made before still have the name, until they are removed",
            ],
      };
    }),
};

export const commands: readonly Command[] = [erase];
