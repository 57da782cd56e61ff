// GET and POST /authorize: shows the consent page for an app's request, and redirects the person back to the app with
// the result (RFC 6749 section 4.1; PKCE, RFC 7636, is required).
import { callerOfKey, type KeyCaller, signInScopes } from "../../core/access/callers.ts";
import type { App } from "../../core/context.ts";
import { HttpError } from "../../core/errors.ts";
import { clientOf } from "../../core/http/client.ts";
import { type RequestContext, wantsHtml } from "../../core/http/request_context.ts";
import { RateLimiter } from "../../core/limits.ts";
import { minute, timestampOf } from "../../core/times.ts";
import { checkOrigin } from "../addresses/origins.ts";
import { callerWhoSignsIn, signingIn } from "../pages/signing_caller.ts";
import { allowsRedirect, findClient, type OAuthClient } from "./clients.ts";
import { sendProblemPage, sendReview, sendSignIn, sendUnknownAppProblem } from "./consent.ts";
import { parameter, readUrlEncoded, requiredParameter, resourceAddress, unknownClient } from "./form.ts";
import { type AuthorizationRequest, openRequests, type SealedRequest } from "./requests.ts";
import { narrowScopes, OAuthError } from "./settings.ts";
import { createCode, describeSigner } from "./sign_ins.ts";

const wrongKeysAMinute = 20;

type Destination = Pick<AuthorizationRequest, "redirect_uri" | "state">;

/** The app's address with the result as its query. It always contains the issuer (RFC 9207). */
function redirectAddress(
  { app }: RequestContext,
  { redirect_uri, state }: Destination,
  result: Record<string, string>,
): string {
  const query = new URLSearchParams({ ...result, ...(state !== undefined && { state }), iss: app.addresses.auth_url });
  const join = !redirect_uri.includes("?") ? "?" : /[?&]$/.test(redirect_uri) ? "" : "&";
  return `${redirect_uri}${join}${query}`;
}

/** Redirects the person back to the app with the result. */
function redirect(ctx: RequestContext, destination: Destination, result: Record<string, string>): void {
  const { res } = ctx;
  // 303, so that the browser does not send the form with the key to the app (RFC 9700 section 4.12).
  res.writeHead(303, {
    location: redirectAddress(ctx, destination, result),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-length": 0,
  });
  res.end();
}

/**
 * The client and its redirect address. Errors of these two are never sent to that address, because it is not trusted
 * yet.
 */
function redirectTargetOf(
  { app }: RequestContext,
  form: URLSearchParams,
): { client: OAuthClient; redirect_uri: string } {
  const client_id = requiredParameter(form, "client_id");
  const client = findClient(app.store, client_id, timestampOf(app), app.config.oauth_redirect_schemes);
  if (client === undefined) throw new OAuthError("invalid_client", unknownClient);
  const redirect_uri = requiredParameter(form, "redirect_uri");
  if (!allowsRedirect(client, redirect_uri))
    throw new OAuthError("invalid_request", "redirect_uri is not registered for this client");
  return { client, redirect_uri };
}

/** The request's other parameters. Throws an OAuthError, which may be sent to the app. */
function requestOf({ app }: RequestContext, form: URLSearchParams) {
  if (requiredParameter(form, "response_type") !== "code")
    throw new OAuthError("unsupported_response_type", "response_type must be code");
  const code_challenge = requiredParameter(form, "code_challenge");
  if (parameter(form, "code_challenge_method") !== "S256")
    throw new OAuthError("invalid_request", "code_challenge_method must be S256");
  if (!/^[A-Za-z0-9_-]{43}$/.test(code_challenge))
    throw new OAuthError("invalid_request", "code_challenge must be 43 characters of base64url");
  const resource = resourceAddress(app.addresses, parameter(form, "resource"));
  return { code_challenge, resource, scope: parameter(form, "scope") };
}

/** The endpoint. */
export class Authorization {
  readonly #app: App;
  readonly #requests = openRequests();
  readonly #wrongKeys = new RateLimiter<string>(wrongKeysAMinute, minute);

  constructor(app: App) {
    this.#app = app;
  }

  /** An error that cannot be sent to the app is sent as a page to a person, and as JSON to a program. */
  async answer(ctx: RequestContext): Promise<void> {
    try {
      if (ctx.req.method === "POST") await this.#handleForm(ctx);
      else this.#showSignIn(ctx, new URLSearchParams(ctx.query));
    } catch (error) {
      if (error instanceof HttpError && wantsHtml(ctx)) sendProblemPage(ctx, error.status, error.message);
      else throw error;
    }
  }

  /**
   * Shows the sign-in page. The error of an invalid request is sent to the app's redirect address only if the app has
   * completed a sign-in before. Any other app is unverified, so nobody is redirected to it without an action of their
   * own (RFC 9700 section 4.11.2): a person gets a page with the error, and a program gets the error as JSON.
   */
  #showSignIn(ctx: RequestContext, form: URLSearchParams): void {
    const { client, redirect_uri } = redirectTargetOf(ctx, form);
    const states = form.getAll("state");
    const state = states.length === 1 ? states[0] : undefined;
    try {
      if (states.length > 1) throw new OAuthError("invalid_request", "state must appear only once");
      const requested = requestOf(ctx, form);
      const sealed = { client_id: client.client_id, redirect_uri, state, ...requested };
      const request = this.#requests.seal(sealed, this.#app.clock());
      sendSignIn(ctx, { client: client.name, redirect_uri, request }, narrowScopes(requested.scope, signInScopes));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const result = { error: error.error, error_description: error.message };
      if (client.known) redirect(ctx, { redirect_uri, state }, result);
      else if (wantsHtml(ctx)) {
        const back = redirectAddress(ctx, { redirect_uri, state }, result);
        sendUnknownAppProblem(ctx, { client: client.name, redirect_uri, back }, error.status, error.message);
      } else throw error;
    }
  }

  async #handleForm(ctx: RequestContext): Promise<void> {
    const { store, addresses, clock, config } = this.#app;
    checkOrigin(ctx.req.headers.origin, addresses);
    const form = await readUrlEncoded(ctx);
    const request = this.#requests.open(form.get("request") ?? "", clock());
    const now = timestampOf(this.#app);
    const client = request && findClient(store, request.client_id, now, config.oauth_redirect_schemes);
    if (request === undefined || client === undefined)
      throw new HttpError(400, "this page has expired or was already used");
    // Cancel grants nothing, so it needs no key and the request stays unused. It redirects to any app, because the page
    // says where Cancel leads (RFC 9700 section 4.11.2 leaves the decision to an informed person).
    if (form.get("step") === "deny")
      redirect(ctx, request, { error: "access_denied", error_description: "the person declined" });
    else await this.#signIn(ctx, request, client.name, form);
  }

  /**
   * Checks the key. Shows the review page if the form's step is `review`, otherwise creates a code and redirects to the
   * app.
   */
  async #signIn(ctx: RequestContext, request: SealedRequest, client: string, form: URLSearchParams): Promise<void> {
    const { store, clock } = this.#app;
    const requests = this.#requests;
    const { redirect_uri, scope } = request;
    const found = signingIn(() => this.#callerOf(ctx, request, form.get("api_key") ?? ""));
    if ("problem" in found) {
      const again = { client, redirect_uri, request: requests.seal({ ...request, key_id: undefined }, clock()) };
      return sendSignIn(ctx, again, narrowScopes(scope, signInScopes), found.problem);
    }
    const { caller } = found;
    const { key_id } = caller;
    ctx.credentials.key_id = key_id;
    const scopes = narrowScopes(scope, caller.scopes);
    if (form.get("step") === "review") {
      const signed = { client, redirect_uri, request: requests.signIn(request, key_id) };
      return sendReview(ctx, signed, { ...describeSigner(store, caller), scopes });
    }
    requests.markUsed(request, clock());
    redirect(ctx, request, {
      code: await createCode(this.#app, { ...request, key_id, scopes }, timestampOf(this.#app)),
    });
  }

  /**
   * The caller of the live key that the person pasted here or signed in with on the page before; undefined if there is
   * none.
   */
  #callerOf(ctx: RequestContext, { key_id }: SealedRequest, pasted: string): KeyCaller | undefined {
    const { store, clock } = this.#app;
    const now = timestampOf(this.#app);
    if (key_id !== undefined) return callerOfKey(store, key_id, now);
    const caller = callerWhoSignsIn(store, pasted.trim(), now);
    // Only wrong keys count: a valid key is accepted however many wrong ones came from its network.
    if (caller === undefined) this.#wrongKeys.check(clientOf(ctx).network, clock());
    return caller;
  }
}
