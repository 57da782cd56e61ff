// What the edit forms of the pages do that no document of the API does: remove one thing, and change the files of a delivery. These
// operations are not in the table of the API.
import { realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import * as v from "valibot";
import type { Raw } from "../../document/sections/form.ts";
import { describe, flag, id, list, oneOf, Upload } from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { noFlags } from "../../paperwork/flags.ts";
import { cleanLabel } from "../../store/media.ts";
import { adminOf } from "../admin.ts";
import { editableSections } from "../edit.ts";
import { runImportJob, runRemovalJob } from "../import_job.ts";
import { planSchema } from "../plan_schema.ts";

export const removeThingOfPage = operation({
  name: "remove_thing",
  summary: "Removes a thing of the show's own content. Answers the plan.",
  method: "POST",
  path: "/admin/remove",
  scope: "edit",
  reach: "production",
  input: v.object({ section: oneOf(editableSections), id, dry_run: v.optional(flag, false) }),
  output: planSchema,
  errors: [404],
  run: (context, request) => runRemovalJob(context, { ...request, production_id: context.caller.production_id }),
});

export const changeFilesOfPage = operation({
  name: "change_files",
  summary: "Adds files to a delivery's own, or removes one of them. Answers the plan.",
  method: "POST",
  path: "/admin/files",
  scope: "edit",
  reach: "production",
  input: v.object({
    delivery_id: id,
    added: list(v.instance(Upload, "must be a file"), 100),
    removed: describe(
      v.optional(v.pipe(v.number(), v.integer())),
      "The place of the file in the list of them, from 0.",
    ),
  }),
  output: planSchema,
  errors: [404],
  async run(context, { delivery_id, added, removed }) {
    const { app, caller, now } = context;
    const [{ storedThing }, { namingOf }, { hashOfFile }] = await Promise.all([
      import("../things.ts"), // they read documents, which other pages do not need
      import("../../document/sections/sections.ts"),
      import("../../document/nouns/stored.ts"),
    ]);
    const { raw, revision } = storedThing(adminOf(context), "deliveries", delivery_id);
    const folder = realpathSync(dirname(app.blobs.staging));
    const placeOf = (file: string) => relative(folder, realpathSync(file));
    const kept = ((raw.media ?? []) as Raw[]) // the form of a delivery
      .filter((_, at) => at !== removed)
      .map(({ file, ...medium }) => ({ ...medium, file: placeOf(app.blobs.fileOf(hashOfFile(file) as string)) })); // stored
    const media = [
      ...kept,
      ...added.map(({ file_name, staged }) => ({
        ...{ label: cleanLabel(file_name, "file"), created_by: caller.label, created_at: now },
        kind: staged.content_type.startsWith("image/") ? "image" : "document",
        file: placeOf(staged.file),
      })),
    ];
    const document = { deliveries: [{ ...namingOf("deliveries", raw), media }] };
    const request = { production_id: caller.production_id, dry_run: false, exact: false, if_revision: revision };
    const files = [{ document, file: "the files of a delivery", folder }];
    return runImportJob(context, { files, flags: noFlags, request }, undefined);
  },
});
