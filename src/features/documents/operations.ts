// The operations of the admin API that change the production as updates, each answering the plan: from documents, by
// removing one thing, and by changing the files of a delivery; and the one that answers its document.
import { realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { Pieces } from "../../core/answers.ts";
import { largeJsonBody } from "../../core/body_limits.ts";
import type { Context } from "../../core/context.ts";
import { conflict, HttpError, unprocessable } from "../../core/errors.ts";
import * as input from "../../core/inputs.ts";
import { describe, oneOf, withEveryKey } from "../../core/inputs.ts";
import { operation, read } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { adminOf } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";
import { getDelivery } from "../../graph/deliveries.ts";
import { cleanLabel } from "../../graph/media_rows.ts";
import { editableSections } from "./edit_scope.ts";
import type { MarkedDocument } from "./export/export.ts";
import { flagEntries, flagNames, noFlags } from "./import_flags.ts";
import type { ExportJob } from "./jobs/export_thread.ts";
import { areLarge, type JobFile, jobsOf, runJob } from "./jobs/import_job.ts";
import type { ImportRequest } from "./jobs/import_work.ts";
import { unnamedDocument } from "./kinds.ts";
import { changesLimit, dry_run, if_revision, planSchema } from "./plan_schema.ts";
import type { Plan } from "./planned.ts";
import type { RemovalRequest } from "./production_update.ts";
import { refusalIn } from "./refusals.ts";
import type { Raw } from "./sections/form.ts";

const module = new URL("./jobs/import_work.ts", import.meta.url).href;

/** Updates the production of the caller from files. Returns the plan, with at most `limit` changes. */
function importFiles(context: Context, asked: Omit<ImportRequest, "production_id">, limit?: number) {
  const request: ImportRequest = { ...asked, production_id: context.caller.production_id };
  return runJob(context, { module, request, is_large: areLarge(request.files) }, limit);
}

export const importDocuments = operation({
  name: "import_documents",
  summary:
    "Updates the production from documents, which may be partial, and from scripts, schedules and lists of other programs, in one transaction. Answers the plan.",
  method: "POST",
  path: "/admin/import",
  scope: "edit",
  query: ["dry_run", "exact", "if_revision", "limit", ...flagNames],
  whole_body: "document",
  input: v.object({
    dry_run,
    exact: v.optional(
      describe(input.flag, "Removes what the documents do not list in the sections that they contain."),
      false,
    ),
    if_revision,
    limit: changesLimit,
    ...flagEntries,
    document: v.optional(
      describe(withEveryKey(v.record(v.string(), v.unknown(), "must be an object")), "A document, as the JSON body."),
    ),
    files: v.optional(
      describe(
        input.uploads,
        "Documents, scripts, schedules and lists as files of a multipart body; their extensions say what they are.",
      ),
    ),
  }),
  body: "json or multipart",
  body_limit: largeJsonBody,
  output: planSchema,
  async run(context, { dry_run, exact, if_revision, limit, document, files: uploaded = [], ...flags }) {
    const files: JobFile[] = uploaded.map(({ file_name, staged }, at) => ({
      path: staged.file,
      file: file_name ?? `file ${at + 1}`,
    }));
    const { problemsOfValues } = await import("./read/read.ts");
    const problems = document === undefined ? [] : problemsOfValues(document);
    if (problems.length > 0) {
      const refusal = refusalIn(problems.map((one) => ({ file: unnamedDocument, ...one })));
      throw new HttpError(422, refusal.detail, {}, refusal.problems);
    }
    if (document !== undefined) files.push({ document, file: unnamedDocument });
    if (files.length === 0) throw unprocessable("files or a document is required");
    return importFiles(context, { files, flags, dry_run, exact, if_revision }, limit);
  },
});

const productionDocument = out.record(
  "ProductionDocument",
  describe(
    v.looseObject({
      document: v.literal("tallylight production"),
      document_version: v.literal(1),
      production: out.free,
    }),
    "A production as one document, with a list for each section and its media as base64. An import reads it.",
  ),
);

export const getProductionDocument = operation({
  name: "get_production_document",
  summary:
    "The production as one document, media included, as the command `export` prints it. It is as large as the production's media and a third.",
  path: "/admin/export",
  scope: "admin",
  output: productionDocument,
  noStore: true,
  async run(context) {
    const { app, write, onClose } = context;
    const { production_id } = context.caller;
    const [{ fileNameOf, larger, withMedia }, { findProduction }] = await Promise.all([
      import("./export/export.ts"),
      import("../../graph/find_production.ts"),
    ]);
    const { title } = findProduction(app.store, String(production_id));
    if (app.copy === undefined)
      await write((context) =>
        recordAction(adminOf(context), { action: "production.exported", production_id, detail: { title } }),
      );
    // A thread collects the document, because that takes long for a large production.
    const data: ExportJob = { data: dirname(app.store.file), production_id, isReplica: app.copy !== undefined };
    const script = new URL("./jobs/export_thread.ts", import.meta.url);
    const document = await jobsOf(app).run<MarkedDocument>({ production_id, script, data, noun: "export", onClose });
    return new Pieces(larger(withMedia(document, app.blobs)), `${fileNameOf(title, "production")}.json`);
  },
});

export const removeThing = operation({
  name: "remove_thing",
  summary: "Removes a thing of the show's own content by its id. Answers the plan.",
  method: "POST",
  path: "/admin/remove",
  scope: "edit",
  input: v.object({
    section: oneOf(editableSections),
    id: input.id,
    dry_run,
  }),
  output: planSchema,
  errors: [404],
  run(context, asked) {
    const request: RemovalRequest = { ...asked, production_id: context.caller.production_id };
    return runJob(context, { module, request, is_large: false });
  },
});

/** The most files that one call adds. */
const maxAdded = 100;

export const changeFiles = operation({
  name: "change_files",
  summary: "Adds files to a delivery's own, or removes one of them. Answers the plan.",
  method: "POST",
  path: "/admin/files",
  scope: "edit",
  input: v.object({
    delivery_id: input.id,
    files: v.optional(describe(input.list(input.upload, maxAdded), "The files that are added."), []),
    removed: v.optional(describe(input.id, "The id of the file that is removed.")),
  }),
  body: "multipart",
  output: planSchema,
  errors: [404, 409],
  async run(context, { delivery_id, files: added, removed }) {
    const { app, caller, now } = context;
    const [{ storedThing }, { namingOf }, { hashOfFile }] = await Promise.all([
      import("./things.ts"),
      import("./sections/sections.ts"),
      import("./sections/form.ts"),
    ]);
    const readDelivery = () => storedThing(adminOf(context), "deliveries", delivery_id, new Set(["media"])).raw;
    const raw = readDelivery();
    const { media: stored }: { media: { id: number }[] } = JSON.parse(
      read(context, getDelivery.statement, { delivery_id }),
    );
    const gone = stored.findIndex(({ id }) => id === removed);
    if (removed !== undefined && gone < 0) throw unprocessable("removed must be the id of a file of the delivery");
    const folder = realpathSync.native(dirname(app.blobs.staging));
    const placeOf = (file: string) => relative(folder, realpathSync.native(file));
    const kept = ((raw.media ?? []) as Raw[]) // the form of a delivery
      .filter((_, at) => at !== gone)
      // stored
      .map(({ file, ...medium }) => ({ ...medium, file: placeOf(app.blobs.fileOf(hashOfFile(file) as string)) }));
    const media = [
      ...kept,
      ...added.map(({ file_name, staged }) => ({
        label: cleanLabel(file_name, "file"),
        created_by: caller.label,
        created_at: now,
        kind: staged.content_type.startsWith("image/") ? "image" : "document",
        file: placeOf(staged.file),
      })),
    ];
    const document = { deliveries: [{ ...namingOf("deliveries", raw), media }] };
    const files = [{ document, file: "the files of a delivery", folder }];
    const request = { files, flags: noFlags };
    const { revision: if_revision }: Plan = JSON.parse(await importFiles(context, { ...request, dry_run: true }, 1));
    // What was planned changes the files of which the document was made.
    if (!isDeepStrictEqual(readDelivery(), raw))
      throw conflict("the delivery was changed meanwhile; nothing was changed; try again");
    return importFiles(context, { ...request, if_revision });
  },
});
