// GET and POST /authorize: an app's request becomes a page, the page's answer a redirect back to the app (RFC 6749 section
// 4.1, with PKCE, RFC 7636, always).
import { accessTokenPrefix, type Caller, callerOfKey, callerOfToken } from "../../access/callers.ts";
import { allowsRedirect, type Client, findClient } from "../../access/clients.ts";
import { narrowScopes, OAuthRefusal } from "../../access/oauth.ts";
import { createCode, describeSigner } from "../../access/signins.ts";
import type { App } from "../../context.ts";
import { Refusal } from "../../errors.ts";
import { scopes } from "../../inputs.ts";
import { addressOf } from "../addresses.ts";
import { sendProblemPage, sendReview, sendSignIn, sendUnknownAppProblem } from "../consent.ts";
import type { Exchange } from "../exchange.ts";
import { checkOrigin } from "../origin.ts";
import { openAssets } from "../pages/assets.ts";
import { Throttle } from "../throttle.ts";
import { parameter, readForm, requiredParameter } from "./form.ts";
import { type AuthorizationRequest, type OpenRequest, openRequests, type Requests } from "./requests.ts";
import { resourceNamed } from "./resource.ts";

const minute = 60_000;
const wrongKeysAMinute = 20;

const momentOf = (app: App): string => new Date(app.clock()).toISOString();

type Destination = Pick<AuthorizationRequest, "redirect_uri" | "state">;

/** The app's address with the answer (RFC 9207: always with the issuer). */
function addressWith({ app }: Exchange, { redirect_uri, state }: Destination, answer: Record<string, string>): string {
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: app.addresses.auth_url });
  const join = !redirect_uri.includes("?") ? "?" : /[?&]$/.test(redirect_uri) ? "" : "&";
  return `${redirect_uri}${join}${query}`;
}

/** Sends the person back to the app with the answer. */
function redirect(exchange: Exchange, destination: Destination, answer: Record<string, string>): void {
  const { res } = exchange;
  // 303: the browser must not send the key on (RFC 9700 section 4.12).
  res.writeHead(303, {
    location: addressWith(exchange, destination, answer),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-length": 0,
  });
  res.end();
}

/** The client and where it may be answered. What is wrong here must not be told to that address. */
function addresseeOf({ app }: Exchange, form: URLSearchParams): { client: Client; redirect_uri: string } {
  const client = findClient(app.store, requiredParameter(form, "client_id"), momentOf(app));
  if (client === undefined) throw new OAuthRefusal("invalid_client", "the client is not registered here, or no more");
  const redirect_uri = requiredParameter(form, "redirect_uri");
  if (!allowsRedirect(client, redirect_uri))
    throw new OAuthRefusal("invalid_request", "redirect_uri is not one that the client registered");
  return { client, redirect_uri };
}

/** What is asked of the person. Throws an OAuthRefusal that the app is to read. */
function requestOf({ app }: Exchange, form: URLSearchParams) {
  if (requiredParameter(form, "response_type") !== "code")
    throw new OAuthRefusal("unsupported_response_type", "response_type must be code");
  const code_challenge = requiredParameter(form, "code_challenge");
  if (parameter(form, "code_challenge_method") !== "S256")
    throw new OAuthRefusal("invalid_request", "code_challenge_method must be S256");
  if (!/^[A-Za-z0-9_-]{43}$/.test(code_challenge))
    throw new OAuthRefusal("invalid_request", "code_challenge must be 43 characters of base64url");
  const resource = resourceNamed(app.addresses, parameter(form, "resource"));
  return { code_challenge, resource, scope: parameter(form, "scope") };
}

/** What the endpoint works with. */
interface Desk {
  app: App;
  /** The stylesheet's address. */
  style: string;
  requests: Requests;
  wrongKeys: Throttle;
}

/** Whether a person's browser asks, rather than a program. */
const readsPages = ({ req }: Exchange): boolean => /\btext\/html\b/.test(req.headers.accept ?? "");

/**
 * Asks the person to sign in. What is wrong with the request goes back to an app that has completed a sign-in. Of any other
 * app nothing is known but what it said of itself, so nobody is sent to it before they act (RFC 9700 section 4.11.2): the
 * person reads here what is wrong, and a program gets it as a problem.
 */
function ask({ app, style, requests }: Desk, exchange: Exchange, form: URLSearchParams): void {
  const { client, redirect_uri } = addresseeOf(exchange, form);
  const states = form.getAll("state");
  const state = states.length === 1 ? states[0] : undefined;
  try {
    if (states.length > 1) throw new OAuthRefusal("invalid_request", "state must stand once");
    const asked = requestOf(exchange, form);
    const request = requests.seal({ client_id: client.client_id, redirect_uri, state, ...asked }, app.clock());
    sendSignIn(exchange, { style, client: client.name, redirect_uri, request }, narrowScopes(asked.scope, scopes));
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const answer = { error: error.error, error_description: error.message };
    if (client.known) redirect(exchange, { redirect_uri, state }, answer);
    else if (readsPages(exchange)) {
      const back = addressWith(exchange, { redirect_uri, state }, answer);
      sendUnknownAppProblem(exchange, { style, client: client.name, redirect_uri, back }, error.status, error.message);
    } else throw error;
  }
}

/** The live key that the person pasted, or signed in with on the page before. */
function signer({ app, wrongKeys }: Desk, { req }: Exchange, request: OpenRequest, pasted: string): Caller | undefined {
  const now = momentOf(app);
  if (request.key_id !== undefined) return callerOfKey(app.store, request.key_id, now);
  const address = addressOf(req, app.config.trust_proxy);
  const token = pasted.trim();
  // A token is no key: it would outlive itself.
  const caller = token.startsWith(accessTokenPrefix) ? undefined : callerOfToken(app.store, token, now);
  if (caller === undefined) {
    wrongKeys.check(address, app.clock()); // only now: whoever has a good key is not kept out by others' wrong ones
    wrongKeys.stroke(address, app.clock());
  }
  return caller;
}

/** Signs in, shows what the key opens where `review` asks for it, and otherwise hands the consent back to the app. */
async function accept(
  desk: Desk,
  exchange: Exchange,
  request: OpenRequest,
  client: Client,
  form: URLSearchParams,
): Promise<void> {
  const { app, style, requests } = desk;
  const asking = { style, client: client.name, redirect_uri: request.redirect_uri };
  const caller = signer(desk, exchange, request, form.get("api_key") ?? "");
  if (caller === undefined) {
    const again = { ...asking, request: requests.seal({ ...request, key_id: undefined }, app.clock()) };
    const problem = "That is no live API key: it is unknown, revoked or expired.";
    sendSignIn(exchange, again, narrowScopes(request.scope, scopes), problem);
    return;
  }
  exchange.request.key_id = caller.key_id;
  const granted = narrowScopes(request.scope, caller.scopes);
  if (form.get("step") === "review") {
    const signed = { ...asking, request: requests.signIn(request, caller.key_id) };
    sendReview(exchange, signed, { ...describeSigner(app.store, caller), scopes: granted });
    return;
  }
  requests.answer(request, app.clock());
  const code = await createCode(app.store, { ...request, key_id: caller.key_id, scopes: granted }, momentOf(app));
  redirect(exchange, request, { code });
}

async function decide(desk: Desk, exchange: Exchange): Promise<void> {
  const { app, requests } = desk;
  checkOrigin(exchange.req.headers.origin, app.addresses);
  const form = await readForm(exchange);
  const request = requests.open(form.get("request") ?? "", app.clock());
  const client = request && findClient(app.store, request.client_id, momentOf(app));
  if (request === undefined || client === undefined)
    throw new Refusal(400, "this page was used already, or is too old");
  // A no is not noted: it grants nothing, and nobody needs a key to say it. It leads back to any app: the person who says it
  // has read on our page where Cancel leads (RFC 9700 section 4.11.2 leaves the decision to an informed person).
  if (form.get("step") === "deny")
    redirect(exchange, request, { error: "access_denied", error_description: "the person declined" });
  else await accept(desk, exchange, request, client, form);
}

export function openAuthorization(app: App) {
  const style = openAssets().address("page.css");
  const desk = { app, style, requests: openRequests(), wrongKeys: new Throttle(wrongKeysAMinute, minute) };
  /** What cannot go back to the app is a page for a person, and a problem for a program. */
  return async (exchange: Exchange): Promise<void> => {
    const { req, query } = exchange;
    try {
      if (req.method === "POST") await decide(desk, exchange);
      else ask(desk, exchange, new URLSearchParams(query));
    } catch (error) {
      if (error instanceof Refusal && readsPages(exchange))
        sendProblemPage(exchange, style, error.status, error.message);
      else throw error;
    }
  };
}
