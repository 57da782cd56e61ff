// The operations of the admin API that update a production from documents, answering the plan, and that answer its document.
import * as v from "valibot";
import { largeJsonBody } from "../../body_limits.ts";
import { fileProblem, HttpError, unprocessable } from "../../errors.ts";
import { describe, flag, text, uploads } from "../../inputs.ts";
import { loadLater } from "../../network.ts";
import { operation, Pieces } from "../../operations/operation.ts";
import { flagEntries, flagNames } from "../../paperwork/flags.ts";
import { free, record } from "../../records.ts";
import { adminOf } from "../admin.ts";
import { recordAction } from "../audit.ts";
import { type JobFile, maxProblems, runJob } from "../import_job.ts";
import { changesLimit, planSchema } from "../plan_schema.ts";

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
    dry_run: v.optional(describe(flag, "Answers the plan, but writes nothing."), false),
    exact: v.optional(
      describe(flag, "Removes what the documents do not list in the sections that they contain."),
      false,
    ),
    if_revision: v.optional(describe(text(500), "Refuses with 409 if the production is at another revision.")),
    limit: changesLimit,
    ...flagEntries,
    document: v.optional(
      describe(v.record(v.string(), v.unknown(), "must be an object"), "A document, as the JSON body."),
    ),
    files: v.optional(
      describe(
        uploads,
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
    const { problemsOfValues } = await loadLater<typeof import("../../document/read/read.ts")>(
      "../../document/read/read.ts",
      import.meta,
    );
    const problems = document === undefined ? [] : problemsOfValues(document);
    if (problems.length > 0)
      throw new HttpError(
        422,
        problems
          .slice(0, maxProblems)
          .map(({ sentence }) => `the document: ${sentence}`)
          .join("; "),
        {},
        problems.map((one) => fileProblem({ file: "the document", ...one })),
      );
    if (document !== undefined) files.push({ document, file: "the document" });
    if (files.length === 0) throw unprocessable("files or a document is required");
    const { production_id } = context.caller;
    const request = { production_id, dry_run, exact, if_revision };
    return runJob(context, { kind: "import", files, flags, request }, limit);
  },
});

const productionDocument = record(
  "ProductionDocument",
  describe(
    v.looseObject({
      document: v.literal("tallylight production"),
      document_version: v.literal(1),
      production: free,
    }),
    "A production as one document, with a list for each section and its media as base64. An import reads it.",
  ),
);

export const getProductionDocument = operation({
  name: "get_production_document",
  summary:
    "The production as one document, media included, as `tallylight export` prints it. It is as large as the production's media and a third.",
  path: "/admin/export",
  scope: "admin",
  output: productionDocument,
  noStore: true,
  async run(context) {
    const { app, write } = context;
    const { production_id } = context.caller;
    const [{ fileNameOf }, { exportedPieces }, { findProduction }] = await Promise.all([
      loadLater<typeof import("../../document/export/export.ts")>("../../document/export/export.ts", import.meta),
      loadLater<typeof import("../exports.ts")>("../exports.ts", import.meta),
      loadLater<typeof import("../productions.ts")>("../productions.ts", import.meta),
    ]);
    const { title } = findProduction(app.store, String(production_id));
    if (app.replica === undefined)
      await write((context) =>
        recordAction(adminOf(context), { action: "production.exported", production_id, detail: { title } }),
      );
    return new Pieces(await exportedPieces(context), `${fileNameOf(title, "production")}.json`);
  },
});
