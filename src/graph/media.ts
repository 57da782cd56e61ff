// Returns media by id or by ticket, creates tickets for the media route, and prepares uploaded files for the operations
// that store them. The SQL statements decide visibility: media out of reach have no row. docs/api.md, "Media".
import * as v from "valibot";
import { callerOfKey, isSignInLive, needKey } from "../core/access/callers.ts";
import { Bytes } from "../core/answers.ts";
import type { App, Context, Reach } from "../core/context.ts";
import { HttpError, notFound, unprocessable } from "../core/errors.ts";
import { contribution } from "../core/features.ts";
import { describe, flag, type Upload } from "../core/inputs.ts";
import { updatedSince } from "../core/listing.ts";
import { operation, reachOf, reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { one } from "../core/store/statements.ts";
import { timestampOf } from "../core/times.ts";
import { ticketsOf } from "./tickets.ts";

/** The fields of a file by which a client knows whether it has these bytes, and how many there are. */
const fileFields = {
  sha256: describe(out.text, "The SHA-256 of the bytes, in hex."),
  size: out.count,
  content_type: out.text,
};

/** A file, as the lists of files have it. */
export const mediaFile = out.record("MediaFile", v.object({ id: out.id, label: out.text, ...fileFields }));

const mediaDetail = out.record(
  "MediaDetail",
  v.object({
    id: out.id,
    kind: out.text,
    label: out.text,
    node_id: v.optional(v.nullable(out.id)),
    delivery_id: v.optional(v.nullable(out.id)),
    work_item_id: describe(v.optional(v.nullable(out.id)), "Set only for media submitted on a turnover."),
    submission_id: describe(v.optional(v.nullable(out.id)), "The same id as work_item_id."),
    created_by: v.optional(v.nullable(out.text)),
    created_at: v.optional(v.nullable(out.timestamp)),
    ...fileFields,
  }),
);

const mediaTicket = out.record(
  "MediaTicket",
  v.object({ ticket: out.text, expires_at: out.timestamp, production_id: out.id }),
);

type BytesRow = ConstructorParameters<typeof Bytes>[0];
const contentOf = one<Reach & { id: number }, BytesRow>("get_media_content");
const contentAtPath = one<Reach & { path: string }, BytesRow>("get_media_at_path");

const listedMedium = out.record(
  "ListedMedium",
  v.object({
    id: out.id,
    kind: out.text,
    label: out.text,
    ...fileFields,
    node_id: describe(v.nullable(out.id), "The asset of the version."),
    version_id: v.nullable(out.id),
    delivery_id: v.nullable(out.id),
    work_item_id: describe(v.nullable(out.id), "The submission that brought it."),
    created_at: v.nullable(out.timestamp),
    updated_at: out.timestamp,
  }),
);

export const listMedia = reading({
  name: "list_media",
  summary:
    "Lists every medium of the production, oldest id first: stills of versions, files of deliveries, submitted work, and what the storage agent sends.",
  path: "/media",
  scope: "read",
  input: v.object({ updated_since: updatedSince }),
  output: v.array(listedMedium),
});

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

/**
 * A smaller picture of a medium, or the medium itself if there is none. Throws 404 if the caller does not reach it
 * before and after the picture is made.
 */
async function smallerOf(context: Context, id: number, width: number): Promise<Bytes> {
  const medium = bytesOf(contentOf(context.app.store, { ...reachOf(context), id }));
  const pictures = await contribution("pictures")?.();
  const picture = await pictures?.pictureOf(context, medium, width);
  if (picture === undefined) return medium;
  // throws 404: the picture may have taken long
  bytesOf(contentOf(context.app.store, { ...reachOf(context.renew()), id }));
  return picture;
}

/** The preview of a film. Throws 404 as above, and if there is none. */
async function previewOf(context: Context, id: number): Promise<Bytes> {
  const medium = bytesOf(contentOf(context.app.store, { ...reachOf(context), id }));
  const preview = await (await contribution("pictures")?.())?.previewOf(context, medium);
  bytesOf(contentOf(context.app.store, { ...reachOf(context.renew()), id }));
  if (preview === undefined) throw notFound();
  return preview;
}

export const getMediaContent = operation({
  name: "get_media_content",
  summary:
    "Returns the bytes of one medium. The ETag is their SHA-256 in hex, in quotes. With width, a picture of an image or a frame of a film that is no wider; the medium itself if none can be made. With preview, a film that browsers play in place of the medium: 503 until it is made, 404 if there is none.",
  path: "/media/:id/content",
  scope: "read",
  reach: "engagement",
  input: v.object({
    width: v.optional(
      describe(
        v.picklist(pictureWidths, widthMessage),
        "A picture that is at most so many pixels wide, with an ETag of its own.",
      ),
    ),
    preview: v.optional(
      describe(
        flag,
        "Whether to return an MP4 of at most 1280 pixels, with an ETag of its own. Not together with width.",
      ),
    ),
  }),
  output: "bytes",
  errors: [404, 416, 503],
  run: (context, { id, width, preview = false }) => {
    const medium = bytesOf(contentOf(context.app.store, { ...reachOf(context), id }));
    if (preview && width !== undefined) throw unprocessable("preview must not be given together with width");
    if (preview) return previewOf(context, id);
    return width === undefined ? medium : smallerOf(context, id, width);
  },
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
 * The bytes at a media path. Throws 401 if the ticket is malformed or expired, or if its key or sign-in has ended; 404
 * if the key does not reach the path.
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
 * Prepares uploaded bytes before the transaction that stores them. A finished resumable upload can be used once. Throws
 * 422, which names the upload, for one that was used, and 409 if another request is using it. The transport ends the
 * claims.
 */
export async function prepareFiles({ app }: Context, files: readonly Upload[]): Promise<void> {
  for (const { earlier } of files) earlier?.claim();
  await app.blobs.prepare(files.map(({ staged }) => staged));
}

/**
 * Marks resumable uploads as used, within the transaction that stores them. Throws 422 if another request was faster.
 */
export function useFiles(files: readonly Upload[]): void {
  for (const { earlier } of files) earlier?.use();
}
