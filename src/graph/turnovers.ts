// Lists turnovers (the deliveries within an engagement's reach), and records and lists the work that vendors submit on them. docs/api.md, "Writing".
import * as v from "valibot";
import type { JsonText } from "../core/answers.ts";
import type { Context, Reach } from "../core/context.ts";
import { forbidden, notFound, tooLarge } from "../core/errors.ts";
import type { DeliveryId, EngagementId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation, reachOf, read, reading } from "../core/operation.ts";
import { free, id, record, text, timestamp } from "../core/records.ts";
import { change, document, one } from "../core/store/statements.ts";
import { leastIdAt } from "../core/times.ts";
import { recordActivity } from "./activity.ts";
import { checkQuota } from "./engagement_quota.ts";
import { nodeReference } from "./me.ts";
import { mediaFile, prepareFiles, useFiles } from "./media.ts";
import { cleanLabel, createAllMedia } from "./media_rows.ts";
import { deliveryStatuses } from "./values.ts";

const { describe } = input;

const turnover = record(
  "Turnover",
  v.object({
    id: describe(id, "The delivery's id."),
    title: text,
    status: v.picklist(deliveryStatuses),
    due: v.optional(text),
    external_to: v.optional(text),
    spec: v.array(free),
    sent_at: v.nullable(timestamp),
    can_submit: v.boolean(),
    nodes: describe(v.array(nodeReference), "The scenes and assets of the delivery that the engagement reaches."),
    media: describe(v.array(mediaFile), "The delivery's own files, without the work that was submitted on it."),
  }),
);
/** A delivery, as a vendor sees it. */
export type Turnover = v.InferOutput<typeof turnover>;

const turnoverSubmission = record(
  "TurnoverSubmission",
  v.object({
    id,
    delivery_id: id,
    status: describe(text, "An open set: submitted, and accepted or returned once the production has answered."),
    title: text,
    note: v.optional(text),
    decision_note: describe(v.optional(text), "What the production answered."),
    created_at: v.optional(v.nullable(timestamp)),
    media: v.array(v.object({ id, label: text, kind: text })),
  }),
);
/** Submitted work, as the production sees it. */
export const vendorSubmission = record(
  "VendorSubmission",
  v.object({ ...turnoverSubmission.entries, vendor: describe(text, "The name of the vendor that submitted it.") }),
);
type TurnoverSubmission = v.InferOutput<typeof turnoverSubmission>;

interface ReachedTurnover {
  id: DeliveryId;
  title: string;
  can_submit: 0 | 1;
}

const turnoverOf = one<Reach & { delivery_id: DeliveryId }, ReachedTurnover>("get_turnover");
const insertSubmission = change("create_submission");
const submissionOf = document<Reach & { id: number }, TurnoverSubmission>("get_submission");

/** The delivery of the path. Throws 404 if it does not exist or is not reached. */
function reachedTurnover(context: Context, { delivery_id }: { delivery_id: DeliveryId }): ReachedTurnover {
  const turnover = turnoverOf(context.app.store, { ...reachOf(context), delivery_id });
  if (turnover === undefined) throw notFound();
  return turnover;
}

const submissionsReached = one<Reach & { delivery_id: DeliveryId }, { id: DeliveryId }>("find_submissions");

/** Throws 404 if the delivery does not exist, or is not reached and has no work of the caller's engagement. */
function requireSubmissions(context: Context, { delivery_id }: { delivery_id: DeliveryId }): void {
  if (submissionsReached(context.app.store, { ...reachOf(context), delivery_id }) === undefined) throw notFound();
}

export const listTurnovers = reading({
  name: "list_turnovers",
  summary:
    "Lists the deliveries that the key's engagement may read or submit work on. Empty for a production-wide key.",
  path: "/turnovers",
  scope: "read",
  reach: "engagement",
  input: v.object({
    include: v.optional(
      describe(
        input.listOf(["nodes"]),
        "Takes nodes, as /deliveries does, and changes nothing: the rows always have it.",
      ),
    ),
  }),
  output: v.array(turnover),
  tool: { omit: ["include"] },
});

export const listSubmissions = reading({
  name: "list_submissions",
  summary:
    "Lists the work that was submitted on a delivery, newest first: every vendor's, or the key's engagement's own, also after its grant on the delivery ended.",
  path: "/turnovers/:delivery_id/submissions",
  scope: "read",
  reach: "engagement",
  output: v.array(vendorSubmission),
  list: { limit: 500 },
  authorize: requireSubmissions,
});

/** The delivery that the caller may submit work on. Throws 404 if it is not reached, 403 if the engagement has only a read grant on it. */
function requireTurnover(context: Context, path: { delivery_id: DeliveryId }): ReachedTurnover {
  const turnover = reachedTurnover(context, path);
  if (turnover.can_submit === 0) throw forbidden("the key's engagement has no live submit grant on this delivery");
  return turnover;
}

/** In bytes, of the names of one submission's files together. */
const maxNames = 256 * 1024;

/** Throws 413 if the names of the files are too long together, because every list of submissions contains them. */
function checkNames(files: readonly input.Upload[]): void {
  const size = files.reduce((sum, { file_name }) => sum + Buffer.byteLength(file_name ?? ""), 0);
  if (size > maxNames) throw tooLarge(`the names of the files must have at most ${maxNames} bytes together`);
}

const useOf = (files: readonly input.Upload[]) => ({
  files: files.length,
  bytes: files.reduce((sum, { staged }) => sum + staged.size, 0),
});

export const submitTurnover = operation({
  name: "submit_turnover",
  summary: "Submits work on a delivery: one or more files, each of which becomes its own medium.",
  method: "POST",
  path: "/turnovers/:delivery_id/submissions",
  scope: "submit:turnover",
  reach: "bound",
  body: "json or multipart",
  files_in_json: "upload_ids",
  input: v.object({
    title: v.optional(describe(input.text(300), "The title; the delivery's title by default.")),
    note: v.optional(input.text()),
    files: input.uploads,
  }),
  output: turnoverSubmission,
  errors: [404, 413, 507],
  tool: {},
  authorize(context, path) {
    requireTurnover(context, path);
    checkQuota(context, { files: 1, bytes: 0 }, { beforeUploads: true }); // before the files are sent, or the uploads are named
  },
  run: async (context, submission) => {
    checkNames(submission.files);
    checkQuota(context, useOf(submission.files.filter(({ earlier }) => earlier === undefined))); // an upload counts already
    await prepareFiles(context, submission.files);
    return context.write((context) => recordSubmission(context, submission));
  },
});

interface Submission {
  delivery_id: DeliveryId;
  title?: string | undefined;
  note?: string | undefined;
  files: readonly input.Upload[];
}

/** Records the work: its row, a medium of each file, the activity entry and the event. Throws as requireTurnover, checkQuota and useFiles. */
function recordSubmission(
  context: Context,
  { delivery_id, title, note, files }: Submission,
): JsonText<TurnoverSubmission> {
  const { app, caller, now } = context;
  const { store, blobs } = app;
  useFiles(files);
  const turnover = requireTurnover(context, { delivery_id }); // checked again, because the upload may have taken long
  checkQuota(context, useOf(files)); // others of the engagement may have submitted meanwhile
  const { production_id, label: created_by } = caller;
  const engagement_id = caller.engagement_id as EngagementId; // safe: requireTurnover throws without an engagement
  const workTitle = title ?? turnover.title;
  const row = { production_id, delivery_id, engagement_id, title: workTitle, note: note ?? null, created_by, now };
  const least_id = leastIdAt(now);
  const { id } = insertSubmission(store, { ...row, least_id });
  const owner = { production_id, delivery_id, work_item_id: id, kind: "submission", created_by, created_at: now };
  const labelled = files.map(({ file_name, staged }, at) => ({
    staged,
    label: cleanLabel(file_name, `file ${at + 1}`),
  }));
  createAllMedia(store, blobs, labelled, owner, now);
  const summary = `Submitted ${workTitle} on ${turnover.title}`;
  recordActivity(
    context,
    { verb: "turnover.submitted", summary, delivery_id, work_item_id: id },
    {
      type: "submission.created",
      subject: { kind: "submission", id },
      data: { delivery_id, engagement_id, title: workTitle },
    },
  );
  return read(context, submissionOf, { id });
}
