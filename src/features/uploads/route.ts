// Resumable uploads: tus 1.0 at /api/v1/uploads, with the extensions creation, creation-with-upload, termination,
// expiration and checksum. An upload is visible only to the key that created it.
import { needKey, type Scope } from "../../core/access/callers.ts";
import { refuseEmpty } from "../../core/body_limits.ts";
import type { Context } from "../../core/context.ts";
import { conflict, forbidden, HttpError, notFound, tooLarge } from "../../core/errors.ts";
import { acceptBody, incompleteBody } from "../../core/http/body.ts";
import { nameIgnored } from "../../core/http/ignored_parameters.ts";
import { hasBody, methodNotAllowed, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import type { KeyId } from "../../core/ids.ts";
import { openContext } from "../../core/pipeline.ts";
import { refuseFrozen } from "../../core/store/transactions.ts";
import { checkQuota } from "../../graph/engagement_quota.ts";
import { requireSubmittable } from "../../graph/turnovers.ts";
import { uploadsPath } from "../addresses/paths.ts";
import {
  checksumAlgorithms,
  checksumIn,
  checkVersion,
  extensions,
  lengthIn,
  metadataIn,
  offsetIn,
  tusVersion,
} from "./headers.ts";
import { appendPart, createUpload, interruptUpload, removeUpload } from "./receiving.ts";
import { type ResumableUpload, storedUpload } from "./resumable_uploads.ts";
import { resumableOf } from "./state.ts";

/** A key with one of these scopes may upload. */
const uploadScopes: readonly Scope[] = ["write", "submit:turnover"];
/** The content type of a part. */
const partType = "application/offset+octet-stream";

/**
 * The context of the request. Throws 401 or 403 if it may not upload; if it would send bytes, also 403 where its
 * engagement may submit nothing, and 409 if the production is frozen.
 */
function contextOf({ app, credentials }: RequestContext, sends: boolean): Context {
  const context = openContext(app, credentials);
  const { caller } = context;
  if (!uploadScopes.some((scope) => caller.scopes.includes(scope)))
    throw forbidden(`key has neither the \`${uploadScopes.join("` nor the `")}\` scope`);
  if (sends) {
    requireSubmittable(context);
    refuseFrozen(app.store, caller.production_id);
  }
  return context;
}

function send({ res }: RequestContext, status: number, headers: Readonly<Record<string, string | number>>): void {
  res.writeHead(status, { "cache-control": "no-store", ...headers });
  res.end();
}

const expiryOf = ({ expires_at }: ResumableUpload): string => new Date(expires_at).toUTCString();

/** The upload of the path. Throws 404 if it is unknown, expired, used or another key's. */
function requireUpload({ app }: RequestContext, id: string, key_id: KeyId): ResumableUpload {
  const upload = storedUpload(resumableOf(app), id, key_id);
  if (upload === undefined || upload.used_at !== null) throw notFound();
  return upload;
}

/** Stores the body as the next part of an upload. Returns the upload after it. */
async function receive(ctx: RequestContext, upload: ResumableUpload): Promise<ResumableUpload> {
  const { app, req } = ctx;
  const checksum = checksumIn(req.headers);
  const left = upload.length - upload.received;
  const announced = Number(req.headers["content-length"] ?? 0);
  if (announced > left) throw tooLarge(`the upload has only ${left} bytes left`);
  if (!hasBody(req) && checksum === undefined) return upload;
  if (req.destroyed) throw incompleteBody();
  acceptBody(req);
  try {
    await appendPart(resumableOf(app), upload, { source: req, checksum }, announced);
  } catch (error) {
    throw !(error instanceof HttpError) && !req.complete ? incompleteBody() : error;
  }
  return requireUpload(ctx, upload.id, upload.key_id);
}

function checkPartType({ headers }: RequestContext["req"]): void {
  if (headers["content-type"]?.toLowerCase() !== partType) throw new HttpError(415, `content-type must be ${partType}`);
}

/** The path of an upload below the configured address, which a client resolves against the address that it used. */
const locationOf = ({ app }: RequestContext, id: string): string =>
  `${new URL(app.addresses.base_url).pathname.replace(/\/$/, "")}${uploadsPath}/${id}`;

async function create(ctx: RequestContext, key_id: KeyId, context: Context): Promise<void> {
  const { app, req } = ctx;
  const length = lengthIn(req.headers, resumableOf(app).ceiling);
  const metadata = metadataIn(req.headers);
  refuseEmpty(metadata.file_name, length);
  if (hasBody(req)) checkPartType(req);
  checksumIn(req.headers); // before anything is created
  if (Number(req.headers["content-length"] ?? 0) > length) throw tooLarge(`the upload has only ${length} bytes`);
  // It counts from now on: a client could otherwise fill the disk without ever submitting.
  const check = () => checkQuota(context, { files: 1, bytes: length }, { what: "upload" });
  const created = await createUpload(resumableOf(app), { key_id, length, ...metadata }, check);
  const upload = await receive(ctx, created);
  send(ctx, 201, {
    location: locationOf(ctx, upload.id),
    "upload-offset": upload.received,
    "upload-expires": expiryOf(upload),
    "content-length": 0,
  });
}

async function describe(ctx: RequestContext, id: string, key_id: KeyId): Promise<void> {
  requireUpload(ctx, id, key_id);
  await interruptUpload(resumableOf(ctx.app), id);
  const upload = requireUpload(ctx, id, key_id);
  send(ctx, 200, {
    "upload-offset": upload.received,
    "upload-length": upload.length,
    "upload-expires": expiryOf(upload),
    ...(upload.metadata !== "" && { "upload-metadata": upload.metadata }),
  });
}

async function append(ctx: RequestContext, id: string, key_id: KeyId): Promise<void> {
  requireUpload(ctx, id, key_id);
  checkPartType(ctx.req);
  const offset = offsetIn(ctx.req.headers);
  await interruptUpload(resumableOf(ctx.app), id);
  const upload = requireUpload(ctx, id, key_id);
  if (offset !== upload.received) throw conflict(`Upload-Offset must be ${upload.received}`);
  const after = await receive(ctx, upload);
  send(ctx, 204, { "upload-offset": after.received, "upload-expires": expiryOf(after) });
}

async function remove(ctx: RequestContext, id: string, key_id: KeyId): Promise<void> {
  await removeUpload(resumableOf(ctx.app), requireUpload(ctx, id, key_id));
  send(ctx, 204, {});
}

/** What the server supports; public, like the description of the API. */
function discover(ctx: RequestContext): void {
  send(ctx, 204, {
    "tus-version": tusVersion,
    "tus-extension": extensions,
    "tus-max-size": resumableOf(ctx.app).ceiling,
    "tus-checksum-algorithm": [...checksumAlgorithms.keys()].join(","),
  });
}

const methodsOfUpload = { HEAD: describe, PATCH: append, DELETE: remove } as const;

export const uploadsTransport: Transport = {
  async answer(ctx) {
    const { req, res, path } = ctx;
    const method = String(req.headers["x-http-method-override"] ?? req.method).toUpperCase();
    const id = path.slice(uploadsPath.length + 1);
    ctx.operation = "uploads";
    nameIgnored(ctx);
    res.setHeader("tus-resumable", tusVersion);
    if (method === "OPTIONS") return discover(ctx);
    const allowed = id === "" ? ["POST"] : Object.keys(methodsOfUpload);
    if (!allowed.includes(method)) throw methodNotAllowed([...allowed, "OPTIONS"]);
    const context = contextOf(ctx, method === "POST" || method === "PATCH");
    const key_id = needKey(context.caller.key_id);
    checkVersion(req.headers);
    if (id === "") return create(ctx, key_id, context);
    return methodsOfUpload[method as keyof typeof methodsOfUpload](ctx, id, key_id); // allowed has only its keys
  },
};

export const openTransport = (): Transport => uploadsTransport;
