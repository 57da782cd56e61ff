// The operations of the admin API that do what no partial document does: remove one thing, and change the files of a delivery.
import { realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import * as v from "valibot";
import type { Raw } from "../../document/sections/form.ts";
import { unprocessable } from "../../errors.ts";
import { describe, flag, id, list, oneOf, upload } from "../../inputs.ts";
import { loadLater } from "../../network.ts";
import { getDelivery } from "../../operations/deliveries.ts";
import { operation, read } from "../../operations/operation.ts";
import { noFlags } from "../../paperwork/flags.ts";
import { cleanLabel } from "../../store/media.ts";
import { adminOf } from "../admin.ts";
import { editableSections } from "../edit.ts";
import { runJob } from "../import_job.ts";
import { planSchema } from "../plan_schema.ts";

export const removeThing = operation({
  name: "remove_thing",
  summary: "Removes a thing of the show's own content by its id. Answers the plan.",
  method: "POST",
  path: "/admin/remove",
  scope: "edit",
  input: v.object({
    section: oneOf(editableSections),
    id,
    dry_run: v.optional(describe(flag, "Answers the plan, but writes nothing."), false),
  }),
  output: planSchema,
  errors: [404],
  run: (context, request) =>
    runJob(context, { kind: "remove", request: { ...request, production_id: context.caller.production_id } }),
});

export const changeFiles = operation({
  name: "change_files",
  summary: "Adds files to a delivery's own, or removes one of them. Answers the plan.",
  method: "POST",
  path: "/admin/files",
  scope: "edit",
  input: v.object({
    delivery_id: id,
    files: v.optional(describe(list(upload, 100), "The files that are added."), []),
    removed: v.optional(describe(id, "The id of the file that is removed.")),
  }),
  body: "multipart",
  output: planSchema,
  errors: [404],
  async run(context, { delivery_id, files: added, removed }) {
    const { app, caller, now } = context;
    const [{ storedThing }, { namingOf }, { hashOfFile }] = await Promise.all([
      loadLater<typeof import("../things.ts")>("../things.ts", import.meta),
      loadLater<typeof import("../../document/sections/sections.ts")>(
        "../../document/sections/sections.ts",
        import.meta,
      ),
      loadLater<typeof import("../../document/nouns/stored.ts")>("../../document/nouns/stored.ts", import.meta),
    ]);
    const { raw, revision } = storedThing(adminOf(context), "deliveries", delivery_id);
    const { media: stored }: { media: { id: number }[] } = JSON.parse(
      read(context, getDelivery.statement, { delivery_id }),
    );
    const gone = stored.findIndex(({ id }) => id === removed);
    if (removed !== undefined && gone < 0) throw unprocessable("removed must be the id of a file of the delivery");
    const folder = realpathSync(dirname(app.blobs.staging));
    const placeOf = (file: string) => relative(folder, realpathSync(file));
    const kept = ((raw.media ?? []) as Raw[]) // the form of a delivery
      .filter((_, at) => at !== gone)
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
    return runJob(context, { kind: "import", files, flags: noFlags, request });
  },
});
