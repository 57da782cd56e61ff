// The cookies of the pages: the session's token, and the visitor's secret that proves forms before there is a session;
// and the reading of forms: one from another origin, or without its proof, is refused before it has any effect.
import { createHash, timingSafeEqual } from "node:crypto";
import { forbidden, HttpError } from "../../core/errors.ts";
import { bodyText, readBodyAs } from "../../core/http/body.ts";
import { clientOf } from "../../core/http/client.ts";
import type { ReceivedForm } from "../../core/http/multipart.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { RequestFiles } from "../../core/http/request_files.ts";
import type { Upload } from "../../core/inputs.ts";
import { formPairsOf } from "./form_pairs.ts";
import { html, type Markup } from "./html.ts";
import type { FormFields, SubmittedForm } from "./page.ts";
import { sessionLifetime } from "./sessions.ts";

// In bytes, each of them.
/** A form of a page, without files. */
const pageForm = 256 << 10;
/** The form of a visitor who has not signed in. */
export const visitorForm = 16 << 10;
/** A form whose session has ended, which is kept until its sender has signed in again. */
const keptForm = 64 << 10;

/** The name carries the port, because browsers share cookies between all ports of a host. */
const nameOf = ({ req }: RequestContext, kind: "session" | "visitor"): string =>
  `tallylight_${kind}_${req.socket.localPort}`;

/** Returns the value of a cookie; undefined if it is absent or malformed. */
export function cookieOf(ctx: RequestContext, kind: "session" | "visitor"): string | undefined {
  const name = `${nameOf(ctx, kind)}=`;
  const pair = (ctx.req.headers.cookie ?? "").split(";").find((part) => part.trim().startsWith(name));
  const value = pair?.trim().slice(name.length) ?? "";
  return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

/**
 * A Set-Cookie header. Without a value, it removes the cookie. The cookie of a session lives as long as the session
 * may.
 */
export function setCookie(ctx: RequestContext, kind: "session" | "visitor", value: string | undefined): string {
  const secure = ctx.app.addresses.base_url.startsWith("https:") ? "; Secure" : "";
  const age = value === undefined ? 0 : sessionLifetime / 1000;
  return `${nameOf(ctx, kind)}=${value ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
}

/**
 * The proof that a form was made by this server for the holder of a secret cookie. The secret cannot be computed from
 * it.
 */
export const csrfTokenOf = (secret: string): string =>
  createHash("sha256").update(`tallylight form ${secret}`).digest("base64url");

const csrfField = "proof";
const csrfTokenIn = /(?:^|&)proof=([^&]*)/;
/** The header with which the script of a page proves its requests. */
const csrfHeader = "tallylight-proof";

/** The hidden field that every form contains. */
export const csrfToken = (secret: string): Markup =>
  html`<input type="hidden" name="${csrfField}" value="${csrfTokenOf(secret)}">`;

/**
 * Throws 403 if a browser says that the request comes from another site. Browsers send Origin with every form. The host
 * is compared with the Host header, which is safe here: a page that chooses its own host gets no cookie of this server.
 */
function checkSameOrigin({ req, app }: RequestContext): void {
  const { origin, host, "sec-fetch-site": site } = req.headers;
  const proxied =
    app.config.public_url === undefined
      ? "; behind a proxy, the setting `public_url` must be the address of these pages"
      : "";
  const refused = () => forbidden(`the form was sent from another site; nothing was changed${proxied}`);
  if (site !== undefined && site !== "same-origin" && site !== "none") throw refused();
  if (origin === undefined) return;
  const sender = URL.parse(origin);
  const isOurs = Object.values(app.addresses).some((address: string) => URL.parse(address)?.origin === origin);
  if (sender === null || !(isOurs || sender.host === host)) throw refused();
}

/** A form that is refused while it is read: its page shows again what of it was read. */
export class UnreadForm extends HttpError {
  readonly fields: readonly (readonly [string, string])[];
  constructor({ status, message, headers }: HttpError, fields: readonly (readonly [string, string])[]) {
    super(status, message, headers);
    this.fields = fields;
  }
}

/** One whose proof is of an earlier session. */
export class StaleForm extends UnreadForm {}

/** The form of fields that were sent, whatever brought them. Nothing is done for it. */
export const fieldsFrom = (
  fields: readonly (readonly [string, string])[],
  files = new Map<string, Upload[]>(),
): FormFields => {
  const byName = Map.groupBy(fields, ([name]) => name);
  const texts = (name: string) => byName.get(name)?.map(([, text]) => text.trim()) ?? [];
  const text = (name: string) => texts(name).at(-1) ?? "";
  return {
    text,
    texts,
    optional: (name) => text(name) || undefined,
    files: (name) => files.get(name) ?? [],
    names: () => [...byName.keys()].filter((name) => name !== csrfField),
  };
};

/** The form of fields whose proof was checked. Only this file may make one. */
// safe: the brand has no value
const provenForm = (...given: Parameters<typeof fieldsFrom>): SubmittedForm => fieldsFrom(...given) as SubmittedForm;

/** Another form of the same request, which has the proof of the first. */
export const formWith = (_proven: SubmittedForm, fields: Readonly<Record<string, string>>): SubmittedForm =>
  provenForm(Object.entries(fields));

/**
 * Returns what makes the form of a right proof. Throws 403 if it is wrong, and 429 if the network of the request has
 * sent too many such forms.
 */
function checkCsrfToken(ctx: RequestContext, secret: string | undefined, given: string): typeof provenForm {
  const expected = Buffer.from(csrfTokenOf(secret ?? ""));
  const received = Buffer.from(given);
  if (secret !== undefined && received.length === expected.length && timingSafeEqual(received, expected))
    return provenForm;
  ctx.app.failures.check(clientOf(ctx).network, ctx.app.clock());
  throw forbidden("the form has no valid token, or it is from an earlier session; open the page again");
}

/** Throws 403 unless a request of the page's script carries its proof and comes from a page of this server. */
export function checkScriptCsrfToken(ctx: RequestContext, secret: string): void {
  checkSameOrigin(ctx);
  checkCsrfToken(ctx, secret, String(ctx.req.headers[csrfHeader] ?? ""));
}

const isForm = ({ req }: RequestContext): boolean =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(req.headers["content-type"] ?? "");

const withoutCsrfToken = (pairs: readonly (readonly [string, string])[]) =>
  pairs.filter(([name]) => name !== csrfField);

/** Stands for all visitors in the limit of uploads of one key. */
const nobody = -1;

/** The fields that a form has before its first file. The files are not read. */
async function fieldsBeforeFiles({ app, req }: RequestContext): Promise<ReceivedForm["fields"]> {
  const { readMultipart } = await import("../../core/http/multipart.ts");
  let read: ReceivedForm["fields"] = [];
  const enough = new HttpError(401, "the session has ended");
  const check = (fields: ReceivedForm["fields"]): never => {
    read = fields;
    throw enough;
  };
  try {
    await readMultipart(req, new RequestFiles(app, nobody), { check });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return read;
}

/**
 * The fields of a form that has no session, and so no proof; undefined if they cannot be kept. They must have no
 * effect.
 */
export async function readFormWithoutSession(ctx: RequestContext): Promise<UnreadForm["fields"] | undefined> {
  checkSameOrigin(ctx);
  if (isForm(ctx)) return withoutCsrfToken(await readBodyAs(ctx, keptForm, (body) => formPairsOf(bodyText(body))));
  const fields = withoutCsrfToken(await fieldsBeforeFiles(ctx));
  return fields.reduce((sum, [, text]) => sum + text.length, 0) > keptForm ? undefined : fields;
}

/**
 * Reads a form without files. Throws 403 without its proof, a StaleForm with the proof of an earlier session, 415 for
 * another content type, 413 for more than `limit` bytes.
 */
export async function readForm(
  ctx: RequestContext,
  secret: string | undefined,
  limit: number = pageForm,
): Promise<SubmittedForm> {
  checkSameOrigin(ctx);
  if (!isForm(ctx)) throw new HttpError(415, "content-type must be application/x-www-form-urlencoded");
  return readBodyAs(ctx, limit, (body) => {
    const text = bodyText(body);
    const given = csrfTokenIn.exec(text)?.[1] ?? ""; // a proof has no character that is encoded
    let formOf: typeof provenForm;
    try {
      formOf = checkCsrfToken(ctx, secret, given); // before the rest is parsed
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 403 || given === "" || body.length > keptForm) throw error;
      throw new StaleForm(error, withoutCsrfToken(formPairsOf(text)));
    }
    return formOf(formPairsOf(text));
  });
}

/**
 * Reads a form of a visitor, who has no session. Two tabs that open at the same time get a cookie each, and the browser
 * keeps one of them: the form of the other tab has a proof that is not the cookie's. It is read if the browser names
 * this server as its origin. Throws as readForm does, also without that name.
 */
export async function readVisitorForm(ctx: RequestContext): Promise<SubmittedForm> {
  try {
    return await readForm(ctx, cookieOf(ctx, "visitor"), visitorForm);
  } catch (error) {
    if (error instanceof StaleForm && ctx.req.headers.origin !== undefined) return provenForm(error.fields);
    throw error;
  }
}

/**
 * Reads a form with files, whose first field is the proof. The caller ends its files. `limit` is the most bytes of all
 * files together; without it, each has the configured limit. Throws as readForm does, before a file is stored, and an
 * UnreadForm with the fields before the files if these are refused.
 */
export async function readFileForm(
  ctx: RequestContext,
  secret: string | undefined,
  staged: RequestFiles,
  limit?: number,
): Promise<SubmittedForm> {
  checkSameOrigin(ctx);
  // loaded with the first form, to save memory at rest
  const { readMultipart } = await import("../../core/http/multipart.ts");
  let formOf: typeof provenForm | undefined;
  let before: ReceivedForm["fields"] = [];
  const check = (fields: ReceivedForm["fields"]): void => {
    before = fields;
    formOf = checkCsrfToken(ctx, secret, fields.find(([name]) => name === csrfField)?.[1] ?? "");
  };
  try {
    const read = await readMultipart(ctx.req, staged, { limit, check });
    if (formOf === undefined) throw new Error("a form was read without its proof");
    return formOf(read.fields, read.files);
  } catch (error) {
    const hasProof = before.some(([name]) => name === csrfField);
    if (!(error instanceof HttpError) || !hasProof || error.status === 429) throw error;
    throw new (formOf === undefined ? StaleForm : UnreadForm)(error, withoutCsrfToken(before));
  }
}
