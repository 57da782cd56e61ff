// Returns media by id or by ticket, creates tickets for the media route, and prepares uploaded files for the operations that store them. The SQL
// statements decide visibility: media out of reach have no row. docs/api.md, "Media".
import * as v from "valibot";
import { callerOfKey, isSignInLive, needKey } from "../core/access/callers.ts";
import { Bytes } from "../core/answers.ts";
import type { App, Context, Reach } from "../core/context.ts";
import { HttpError, notFound } from "../core/errors.ts";
import { loadContribution } from "../core/features.ts";
import { describe, type Upload } from "../core/inputs.ts";
import { operation, reachOf, reading } from "../core/operation.ts";
import { count, id, record, text, timestamp } from "../core/records.ts";
import { one } from "../core/store/statements.ts";
import { timestampOf } from "../core/times.ts";
import { ticketsOf } from "./tickets.ts";

/** The fields of a file by which a client knows whether it has these bytes, and how many there are. */
const fileFields = { sha256: describe(text, "The SHA-256 of the bytes, in hex."), size: count, content_type: text };

/** A file, as the lists of files have it. */
export const mediaFile = record("MediaFile", v.object({ id, label: text, ...fileFields }));

const mediaDetail = record(
  "MediaDetail",
  v.object({
    id,
    kind: text,
    label: text,
    node_id: v.optional(v.nullable(id)),
    delivery_id: v.optional(v.nullable(id)),
    work_item_id: describe(v.optional(v.nullable(id)), "Set only for media submitted on a turnover."),
    submission_id: describe(v.optional(v.nullable(id)), "The same id as work_item_id."),
    created_by: v.optional(v.nullable(text)),
    created_at: v.optional(v.nullable(timestamp)),
    ...fileFields,
  }),
);

const mediaTicket = record("MediaTicket", v.object({ ticket: text, expires_at: timestamp, production_id: id }));

type BytesRow = ConstructorParameters<typeof Bytes>[0];
const contentOf = one<Reach & { id: number }, BytesRow>("get_media_content");
const contentAtPath = one<Reach & { path: string }, BytesRow>("get_media_at_path");

export const getMedia = reading({
  name: "get_media",
  summary: "Returns the details of one medium.",
  path: "/media/:id",
  scope: "read",
  reach: "engagement",
  output: mediaDetail,
});

/** The widths of pictures, in pixels. */
const pictureWidths = [160, 320, 640, 1280] as const;
const widthMessage = `must be one of ${pictureWidths.join(", ")}`;

/** The module of the feature that makes pictures. */
interface Pictures {
  pictureOf(context: Context, image: Bytes, width: number): Promise<Bytes | undefined>;
}

/** A smaller picture of an image, or the medium itself if there is none. Throws 404 if the caller does not reach it before and after the picture is made. */
async function smallerOf(context: Context, id: number, width: number): Promise<Bytes> {
  const medium = bytesOf(contentOf(context.app.store, { ...reachOf(context), id }));
  const pictures = await loadContribution<Pictures>("pictures");
  const picture = await pictures?.pictureOf(context, medium, width);
  if (picture === undefined) return medium;
  bytesOf(contentOf(context.app.store, { ...reachOf(context.renew()), id })); // throws 404: the picture may have taken long
  return picture;
}

export const getMediaContent = operation({
  name: "get_media_content",
  summary:
    "Returns the bytes of one medium. The ETag is their SHA-256 in hex, in quotes. With width, a JPEG of an image that is no wider; the medium itself if it is no image, or if no smaller picture of it can be made.",
  path: "/media/:id/content",
  scope: "read",
  reach: "engagement",
  input: v.object({
    width: v.optional(
      describe(
        v.pipe(v.number(widthMessage), v.picklist(pictureWidths, widthMessage)),
        "A picture that is at most so many pixels wide, with an ETag of its own.",
      ),
    ),
  }),
  output: "bytes",
  errors: [404, 416],
  run: (context, { id, width }) =>
    width === undefined
      ? bytesOf(contentOf(context.app.store, { ...reachOf(context), id }))
      : smallerOf(context, id, width),
});

export const getMediaTicket = operation({
  name: "get_media_ticket",
  summary: "Creates a short-lived ticket for the media route, with the same reach as the key.",
  path: "/media-ticket",
  scope: "read",
  output: mediaTicket,
  noStore: true,
  tool: false,
  run: ({ app, caller }: Context) => {
    const { key_id, production_id, access_token_sha256 } = caller;
    const expires = app.clock() + ticketsOf(app).lifetime;
    const ticket = ticketsOf(app).sign({ key_id: needKey(key_id), production_id, expires, access_token_sha256 });
    return { ticket, expires_at: new Date(expires).toISOString(), production_id };
  },
});

function bytesOf(row: BytesRow | undefined): Bytes {
  if (row === undefined) throw notFound();
  return new Bytes(row);
}

/**
 * The bytes at a media path. Throws 401 if the ticket is malformed or expired, or if its key or sign-in has ended; 404 if the key
 * does not reach the path.
 */
export function getMediaAtPath(app: App, path: string, ticket: string | undefined): Bytes {
  const now = timestampOf(app);
  const { key_id, production_id, access_token_sha256 } = ticketsOf(app).verify(ticket, app.clock());
  const caller = callerOfKey(app.store, key_id, now);
  if (caller === undefined || caller.production_id !== production_id)
    throw new HttpError(401, "the key of this media ticket is revoked or expired");
  if (access_token_sha256 !== undefined && !isSignInLive(app.store, { key_id, token_sha256: access_token_sha256 }, now))
    throw new HttpError(401, "the sign-in of this media ticket has ended");
  if (!caller.scopes.includes("read")) throw notFound();
  return bytesOf(contentAtPath(app.store, { ...reachOf({ caller, now }), path }));
}

/**
 * Prepares uploaded bytes before the transaction that stores them. A finished resumable upload can be used once. Throws 422, which names
 * the upload, for one that was used, and 409 if another request is using it. The transport ends the claims.
 */
export async function prepareFiles({ app }: Context, files: readonly Upload[]): Promise<void> {
  for (const { earlier } of files) earlier?.claim();
  await app.blobs.prepare(files.map(({ staged }) => staged));
}

/** Marks resumable uploads as used, within the transaction that stores them. Throws 422 if another request was faster. */
export function useFiles(files: readonly Upload[]): void {
  for (const { earlier } of files) earlier?.use();
}
