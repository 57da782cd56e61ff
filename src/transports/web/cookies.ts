// The cookies of the pages: the session's token, and the visitor's secret that proves forms before there is a session.
import { createHash } from "node:crypto";
import { sessionLifetime } from "../../access/sessions.ts";
import type { RequestContext } from "../http/request_context.ts";

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

/** A Set-Cookie header. Without a value, it removes the cookie. The cookie of a session lives as long as the session may. */
export function setCookie(ctx: RequestContext, kind: "session" | "visitor", value: string | undefined): string {
  const secure = ctx.app.addresses.base_url.startsWith("https:") ? "; Secure" : "";
  const age = value === undefined ? 0 : sessionLifetime / 1000;
  return `${nameOf(ctx, kind)}=${value ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
}

/** The proof that a form was made by this server for the holder of a secret cookie. It does not tell the secret. */
export const proofOf = (secret: string): string =>
  createHash("sha256").update(`tallylight form ${secret}`).digest("base64url");
