// GET and POST /authorize: an app's request becomes a page, the page's answer a redirect back to the app (RFC 6749 section
// 4.1, with PKCE, RFC 7636, always).
import { accessTokenPrefix, type Caller, callerOfKey, callerOfToken } from "../../access/callers.ts";
import { allowsRedirect, type Client, findClient } from "../../access/clients.ts";
import { narrowScopes, OAuthError } from "../../access/oauth.ts";
import { createCode, describeSigner } from "../../access/oauth_tokens.ts";
import { RateLimiter } from "../../access/rate_limiter.ts";
import type { App } from "../../context.ts";
import { HttpError } from "../../errors.ts";
import { scopes } from "../../inputs.ts";
import { addressOf } from "../http/client_address.ts";
import { checkOrigin } from "../http/origin.ts";
import type { RequestContext } from "../http/request_context.ts";
import { openStaticFiles } from "../web/static_files.ts";
import { sendProblemPage, sendReview, sendSignIn, sendUnknownAppProblem } from "./consent.ts";
import { parameter, readUrlEncoded, requiredParameter } from "./form.ts";
import { type AuthorizationRequest, type OpenRequest, openRequests, type Requests } from "./requests.ts";
import { resourceNamed } from "./resource.ts";

const minute = 60_000;
const wrongKeysAMinute = 20;

const timestampOf = (app: App): string => new Date(app.clock()).toISOString();

type Destination = Pick<AuthorizationRequest, "redirect_uri" | "state">;

/** The app's address with the answer (RFC 9207: always with the issuer). */
function addressWith(
  { app }: RequestContext,
  { redirect_uri, state }: Destination,
  answer: Record<string, string>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: app.addresses.auth_url });
  const join = !redirect_uri.includes("?") ? "?" : /[?&]$/.test(redirect_uri) ? "" : "&";
  return `${redirect_uri}${join}${query}`;
}

/** Sends the person back to the app with the answer. */
function redirect(ctx: RequestContext, destination: Destination, answer: Record<string, string>): void {
  const { res } = ctx;
  // 303: the browser must not send the key on (RFC 9700 section 4.12).
  res.writeHead(303, {
    location: addressWith(ctx, destination, answer),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-length": 0,
  });
  res.end();
}

/** The client and where it may be answered. What is wrong here must not be told to that address. */
function addresseeOf({ app }: RequestContext, form: URLSearchParams): { client: Client; redirect_uri: string } {
  const client = findClient(app.store, requiredParameter(form, "client_id"), timestampOf(app));
  if (client === undefined) throw new OAuthError("invalid_client", "the client is not registered here, or no more");
  const redirect_uri = requiredParameter(form, "redirect_uri");
  if (!allowsRedirect(client, redirect_uri))
    throw new OAuthError("invalid_request", "redirect_uri is not one that the client registered");
  return { client, redirect_uri };
}

/** What is asked of the person. Throws an OAuthError that the app is to read. */
function requestOf({ app }: RequestContext, form: URLSearchParams) {
  if (requiredParameter(form, "response_type") !== "code")
    throw new OAuthError("unsupported_response_type", "response_type must be code");
  const code_challenge = requiredParameter(form, "code_challenge");
  if (parameter(form, "code_challenge_method") !== "S256")
    throw new OAuthError("invalid_request", "code_challenge_method must be S256");
  if (!/^[A-Za-z0-9_-]{43}$/.test(code_challenge))
    throw new OAuthError("invalid_request", "code_challenge must be 43 characters of base64url");
  const resource = resourceNamed(app.addresses, parameter(form, "resource"));
  return { code_challenge, resource, scope: parameter(form, "scope") };
}

/** What the endpoint works with. */
interface AuthorizationContext {
  app: App;
  /** The stylesheet's address. */
  style: string;
  requests: Requests;
  wrongKeys: RateLimiter<string>;
}

/** Whether a person's browser asks, rather than a program. */
const readsPages = ({ req }: RequestContext): boolean => /\btext\/html\b/.test(req.headers.accept ?? "");

/**
 * Asks the person to sign in. What is wrong with the request goes back to an app that has completed a sign-in. Of any other
 * app nothing is known but what it said of itself, so nobody is sent to it before they act (RFC 9700 section 4.11.2): the
 * person reads here what is wrong, and a program gets it as a problem.
 */
function ask({ app, style, requests }: AuthorizationContext, ctx: RequestContext, form: URLSearchParams): void {
  const { client, redirect_uri } = addresseeOf(ctx, form);
  const states = form.getAll("state");
  const state = states.length === 1 ? states[0] : undefined;
  try {
    if (states.length > 1) throw new OAuthError("invalid_request", "state must stand once");
    const asked = requestOf(ctx, form);
    const request = requests.seal({ client_id: client.client_id, redirect_uri, state, ...asked }, app.clock());
    sendSignIn(ctx, { style, client: client.name, redirect_uri, request }, narrowScopes(asked.scope, scopes));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const answer = { error: error.error, error_description: error.message };
    if (client.known) redirect(ctx, { redirect_uri, state }, answer);
    else if (readsPages(ctx)) {
      const back = addressWith(ctx, { redirect_uri, state }, answer);
      sendUnknownAppProblem(ctx, { style, client: client.name, redirect_uri, back }, error.status, error.message);
    } else throw error;
  }
}

/** The live key that the person pasted, or signed in with on the page before. */
function signer(
  { app, wrongKeys }: AuthorizationContext,
  { req }: RequestContext,
  request: OpenRequest,
  pasted: string,
): Caller | undefined {
  const now = timestampOf(app);
  if (request.key_id !== undefined) return callerOfKey(app.store, request.key_id, now);
  const address = addressOf(req, app.config.trust_proxy);
  const token = pasted.trim();
  // A token is no key: it would outlive itself.
  const caller = token.startsWith(accessTokenPrefix) ? undefined : callerOfToken(app.store, token, now);
  // Counted only now: a good key is accepted however many wrong ones came from its network.
  if (caller === undefined) wrongKeys.check(address, app.clock());
  return caller;
}

/** Signs in, shows what the key opens where `review` asks for it, and otherwise hands the consent back to the app. */
async function accept(
  authorization: AuthorizationContext,
  ctx: RequestContext,
  request: OpenRequest,
  client: Client,
  form: URLSearchParams,
): Promise<void> {
  const { app, style, requests } = authorization;
  const asking = { style, client: client.name, redirect_uri: request.redirect_uri };
  const caller = signer(authorization, ctx, request, form.get("api_key") ?? "");
  if (caller === undefined) {
    const again = { ...asking, request: requests.seal({ ...request, key_id: undefined }, app.clock()) };
    const problem = "That is no live API key: it is unknown, revoked or expired.";
    sendSignIn(ctx, again, narrowScopes(request.scope, scopes), problem);
    return;
  }
  ctx.credentials.key_id = caller.key_id;
  const granted = narrowScopes(request.scope, caller.scopes);
  if (form.get("step") === "review") {
    const signed = { ...asking, request: requests.signIn(request, caller.key_id) };
    sendReview(ctx, signed, { ...describeSigner(app.store, caller), scopes: granted });
    return;
  }
  requests.answer(request, app.clock());
  const code = await createCode(app.store, { ...request, key_id: caller.key_id, scopes: granted }, timestampOf(app));
  redirect(ctx, request, { code });
}

async function decide(authorization: AuthorizationContext, ctx: RequestContext): Promise<void> {
  const { app, requests } = authorization;
  checkOrigin(ctx.req.headers.origin, app.addresses);
  const form = await readUrlEncoded(ctx);
  const request = requests.open(form.get("request") ?? "", app.clock());
  const client = request && findClient(app.store, request.client_id, timestampOf(app));
  if (request === undefined || client === undefined)
    throw new HttpError(400, "this page was used already, or is too old");
  // A no is not noted: it grants nothing, and nobody needs a key to say it. It leads back to any app: the person who says it
  // has read on our page where Cancel leads (RFC 9700 section 4.11.2 leaves the decision to an informed person).
  if (form.get("step") === "deny")
    redirect(ctx, request, { error: "access_denied", error_description: "the person declined" });
  else await accept(authorization, ctx, request, client, form);
}

export function openAuthorization(app: App) {
  const style = openStaticFiles().address("page.css");
  const wrongKeys = new RateLimiter<string>(wrongKeysAMinute, minute);
  const authorization = { app, style, requests: openRequests(), wrongKeys };
  /** What cannot go back to the app is a page for a person, and a problem for a program. */
  return async (ctx: RequestContext): Promise<void> => {
    const { req, query } = ctx;
    try {
      if (req.method === "POST") await decide(authorization, ctx);
      else ask(authorization, ctx, new URLSearchParams(query));
    } catch (error) {
      if (error instanceof HttpError && readsPages(ctx)) sendProblemPage(ctx, style, error.status, error.message);
      else throw error;
    }
  };
}
