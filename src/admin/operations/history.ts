// The operations of the admin API that show the history of the production.
import * as v from "valibot";
import { describe, id, limit } from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { adminOf } from "../admin.ts";
import { changeSet, changeSetRow, listSets, shownSet } from "../history.ts";
import { thing } from "./inputs.ts";

export const listHistory = operation({
  name: "list_history",
  summary: "Lists what changed the production by document, list, script decision, reopening or undo, newest first.",
  method: "GET",
  path: "/admin/history",
  scope: "admin",
  reach: "production",
  input: v.object({
    limit: v.optional(limit, 50),
    before: v.optional(describe(id, "Return only change sets older than the one with this id.")),
  }),
  output: v.array(changeSetRow),
  errors: [],
  run: ({ app, caller: { production_id } }, { limit, before = null }) =>
    listSets(app.store, { production_id, before, limit }),
});

export const getChangeSet = operation({
  name: "get_change_set",
  summary: "Returns a change set with every field that it changed: before and after.",
  method: "GET",
  path: "/admin/history/:id",
  scope: "admin",
  reach: "production",
  input: thing,
  output: changeSet,
  errors: [404],
  run: (context, { id }) => shownSet(adminOf(context), id),
});
