// Lists turnovers (the deliveries within an engagement's reach), and records and lists the work that vendors submit on
// them. docs/api.md, "Writing".
import * as v from "valibot";
import { type JsonText, jsonText } from "../core/answers.ts";
import type { Context, Reach } from "../core/context.ts";
import { conflict, forbidden, notFound, tooLarge, unprocessable } from "../core/errors.ts";
import type { DeliveryId, EngagementId, Id, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation, reachOf, read, reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, document, one, value } from "../core/store/statements.ts";
import { leastIdAt } from "../core/times.ts";
import { recordActivity } from "./activity.ts";
import { deliveryFilters } from "./deliveries.ts";
import { checkQuota } from "./engagement_quota.ts";
import { asRepeated, externalIdFields, givenExternalId, repeatedField, takenBy } from "./external_ids.ts";
import { nodeReference } from "./me.ts";
import { mediaFile, prepareFiles, useFiles } from "./media.ts";
import { cleanLabel, createAllMedia, sentAs } from "./media_rows.ts";
import { deliveryStatuses } from "./values.ts";
import { sentName } from "./versions.ts";

const { describe } = input;

const turnover = out.record(
  "Turnover",
  v.object({
    id: describe(out.id, "The delivery's id."),
    title: out.text,
    status: v.picklist(deliveryStatuses),
    due: v.optional(out.text),
    external_to: v.optional(out.text),
    spec: v.array(out.free),
    sent_at: v.nullable(out.timestamp),
    can_submit: v.boolean(),
    nodes: describe(v.array(nodeReference), "The scenes and assets of the delivery that the engagement reaches."),
    media: describe(v.array(mediaFile), "The delivery's own files, without the work that was submitted on it."),
  }),
);
/** A delivery, as a vendor sees it. */
export type Turnover = v.InferOutput<typeof turnover>;

/** The fields of submitted work. */
const submissionEntries = {
  id: out.id,
  delivery_id: out.id,
  status: describe(out.text, "An open set: submitted, and accepted or returned once the production has answered."),
  title: out.text,
  note: v.optional(out.text),
  decision_note: describe(v.optional(out.text), "What the production answered."),
  created_at: v.optional(v.nullable(out.timestamp)),
  ...externalIdFields,
  answers: describe(
    v.optional(v.nullable(out.id)),
    "The earlier submission of the same engagement on the same delivery that it answers.",
  ),
  decided_at: describe(v.optional(v.nullable(out.timestamp)), "When the production answered last."),
  decided_by: describe(
    v.optional(v.nullable(out.text)),
    "The name of the person whose key answered, as it was then; null for a key of nobody.",
  ),
  media: v.array(v.object({ ...mediaFile.entries, kind: out.text, sent_as: v.optional(sentName) })),
};

const turnoverSubmission = out.record("TurnoverSubmission", v.object({ ...submissionEntries, ...repeatedField }));
/** Submitted work, as the production sees it. */
export const vendorSubmission = out.record(
  "VendorSubmission",
  v.object({ ...submissionEntries, vendor: describe(out.text, "The name of the vendor that submitted it.") }),
);
type TurnoverSubmission = v.InferOutput<typeof turnoverSubmission>;

interface ReachedTurnover {
  id: DeliveryId;
  title: string;
  can_submit: 0 | 1;
}

const turnoverOf = one<Reach & { delivery_id: DeliveryId }, ReachedTurnover>("get_turnover");
const insertSubmission = change("create_submission");
const submissionOf = document<Reach & { id: number }, Omit<TurnoverSubmission, "repeated">>("get_submission");

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
    ...deliveryFilters,
    include: v.optional(
      describe(
        input.listOf(["nodes"]),
        "Takes nodes, as /deliveries does, and changes nothing: the rows always have it.",
      ),
    ),
  }),
  output: v.array(turnover),
  tool: { omit: ["status", "due_before", "include"] },
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

/**
 * The delivery that the caller may submit work on. Throws 404 if it is not reached, 403 if the engagement has only a
 * read grant on it.
 */
function requireTurnover(context: Context, path: { delivery_id: DeliveryId }): ReachedTurnover {
  const turnover = reachedTurnover(context, path);
  if (turnover.can_submit === 0) throw forbidden("the key's engagement has no live submit grant on this delivery");
  return turnover;
}

const submittableOf = one<Pick<Reach, "engagement_id" | "now">, { delivery_id: DeliveryId }>("find_submittable");

/** Throws 403 if the caller's engagement may submit no work: then there is nothing that its uploads could be for. */
export function requireSubmittable({ app, caller: { engagement_id }, now }: Context): void {
  if (engagement_id !== null && submittableOf(app.store, { engagement_id, now }) === undefined)
    throw forbidden("the key's engagement has no live submit grant, so there is nothing to upload for");
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
    title: v.optional(describe(input.lineLabel(300), "The title; the delivery's title by default.")),
    note: v.optional(input.text()),
    answers: v.optional(
      describe(input.id, "The id of an earlier submission of the engagement on this delivery that this one answers."),
    ),
    external_id: givenExternalId,
    files: input.uploads,
  }),
  output: turnoverSubmission,
  errors: [404, 409, 413, 507],
  tool: { omit: ["answers", "external_id"] },
  authorize(context, path) {
    requireTurnover(context, path);
    // before the files are sent, or the uploads are named
    checkQuota(context, { files: 1, bytes: 0 }, { beforeUploads: true });
  },
  run: async (context, submission) => {
    checkNames(submission.files);
    if (storedSubmission(context, submission) !== undefined)
      return context.write((context) => recordSubmission(context, submission, true));
    // an upload counts already
    checkQuota(context, useOf(submission.files.filter(({ earlier }) => earlier === undefined)));
    await prepareFiles(context, submission.files);
    return context.write((context) => recordSubmission(context, submission));
  },
});

interface Submission {
  delivery_id: DeliveryId;
  title?: string | undefined;
  note?: string | undefined;
  answers?: number | undefined;
  external_id?: string | undefined;
  files: readonly input.Upload[];
}

type OwnSubmissions = { production_id: ProductionId; engagement_id: EngagementId };
const namedSubmission = one<
  OwnSubmissions & { external_id: string },
  { id: Id<"submission">; delivery_id: DeliveryId; hashes: string }
>("find_submission_by_external_id");

/** The stored submission of an external_id, if the request says the same. Throws 409 if it says something else. */
function storedSubmission({ app, caller }: Context, submission: Submission): number | undefined {
  const { external_id, delivery_id, files } = submission;
  if (external_id === undefined) return undefined;
  const { production_id } = caller;
  const engagement_id = caller.engagement_id as EngagementId; // safe: requireTurnover throws without an engagement
  const found = namedSubmission(app.store, { production_id, engagement_id, external_id });
  if (found === undefined) return undefined;
  const holder = `submission ${found.id}`;
  if (found.delivery_id !== delivery_id) throw takenBy(external_id, holder, `another delivery: ${found.delivery_id}`);
  if (found.hashes !== JSON.stringify(files.map(({ staged }) => staged.sha256).sort()))
    throw takenBy(external_id, holder, "other files");
  return found.id;
}

const answeredOf = value<OwnSubmissions & { delivery_id: DeliveryId; answers: number | null }, number>("find_answered");
/** The same for what does not exist and for what is another's. */
const notAnswered = "answers must be the id of an earlier submission of this engagement on this delivery";

/**
 * Records the work: its row, a medium of each file, the activity entry and the event; or answers what is stored for its
 * external_id, which must be there if it `isStored`. Throws as requireTurnover, checkQuota and useFiles.
 */
function recordSubmission(context: Context, submission: Submission, isStored = false): JsonText<TurnoverSubmission> {
  const { delivery_id, title, note, answers, external_id = null, files } = submission;
  const { app, caller, now } = context;
  const { store, blobs } = app;
  const turnover = requireTurnover(context, { delivery_id }); // checked again, because the upload may have taken long
  const stored = storedSubmission(context, submission);
  if (stored !== undefined) return asRepeated<TurnoverSubmission>(read(context, submissionOf, { id: stored }));
  if (isStored)
    throw conflict("the submission with this external_id was removed meanwhile; nothing was stored; try again");
  useFiles(files);
  checkQuota(context, useOf(files)); // others of the engagement may have submitted meanwhile
  const { production_id, label: created_by } = caller;
  const engagement_id = caller.engagement_id as EngagementId; // safe: requireTurnover throws without an engagement
  const workTitle = title ?? turnover.title;
  const about = { production_id, delivery_id, engagement_id, answers: answers ?? null };
  if (answers !== undefined && answeredOf(store, about) === undefined) throw unprocessable(notAnswered);
  const row = { ...about, external_id, title: workTitle, note: note ?? null, created_by, now };
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
  return withSentNames(read(context, submissionOf, { id }), labelled, files);
}

/**
 * A new submission with the names of its files as they were sent, where their labels are others. Its media are in the
 * order of the files.
 */
function withSentNames(
  submission: JsonText<Omit<TurnoverSubmission, "repeated">>,
  labelled: readonly { label: string }[],
  files: readonly input.Upload[],
): JsonText<TurnoverSubmission> {
  const sent = files.map(({ file_name }, at) => sentAs(file_name, labelled[at]?.label ?? ""));
  if (sent.every(({ sent_as }) => sent_as === undefined)) return submission;
  const row: TurnoverSubmission = JSON.parse(submission);
  return jsonText({ ...row, media: row.media.map((medium, at) => ({ ...medium, ...sent[at] })) });
}
