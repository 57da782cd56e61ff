// oauth4webapi, an independent OAuth client, against the sign-in: the whole flow, and every attack on it that a client
// can attempt.
// Thorough: only --all runs it.
import * as oauth from "oauth4webapi";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, revoke } from "../support/app.ts";
import { openPage, signIn } from "../support/consent_page.ts";
import { callTool, send } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

let now = Date.parse("2026-11-20T09:00:00Z");
const server = await openTestServer({ clock: () => now });
const { store, url } = server;
const seedData = seedDataOf(store);
const insecure = { [oauth.allowInsecureRequests]: true }; // http on loopback
const redirect_uri = "http://127.0.0.1:7777/callback";

const discovered = await oauth.processResourceDiscoveryResponse(
  new URL(`${url}/mcp`),
  await oauth.resourceDiscoveryRequest(new URL(`${url}/mcp`), insecure),
);
const issuer = new URL(discovered.authorization_servers?.[0] as string);
const as = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
);
const register = async () =>
  oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      { client_name: "oauth4webapi", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" },
      insecure,
    ),
  );
const client = await register();

interface SignIn {
  back: URL;
  state: string;
  verifier: string;
}

/** Signs in from the app's request to the redirect that it gets back. */
async function signedIn(key: string, scope?: string): Promise<SignIn> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const target = new URL(as.authorization_endpoint as string);
  const parameters = {
    client_id: client.client_id,
    redirect_uri,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    resource: discovered.resource,
    ...(scope !== undefined && { scope }),
  };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return { back: await signIn(target, key), state, verifier };
}

const exchange = async ({ back, state, verifier }: SignIn, changed: { redirect?: string; by?: oauth.Client } = {}) => {
  const by = changed.by ?? client;
  const answer = oauth.validateAuthResponse(as, by, back, state);
  const parameters = { additionalParameters: { resource: discovered.resource }, ...insecure };
  const redirect = changed.redirect ?? redirect_uri;
  const request = oauth.authorizationCodeGrantRequest(as, by, oauth.None(), answer, redirect, verifier, parameters);
  return oauth.processAuthorizationCodeResponse(as, by, await request);
};

const refresh = async (token: string, additionalParameters = {}, by: oauth.Client = client) => {
  const options = { additionalParameters, ...insecure };
  return oauth.processRefreshTokenResponse(
    as,
    by,
    await oauth.refreshTokenGrantRequest(as, by, oauth.None(), token, options),
  );
};

const endToken = async (token: string, by: oauth.Client = client) =>
  oauth.processRevocationResponse(await oauth.revocationRequest(as, by, oauth.None(), token, insecure));

/** Checks an error of the token endpoint as the client parsed it. */
async function assertGrantRefused(attempt: Promise<unknown>, error = "invalid_grant", status = 400): Promise<void> {
  try {
    await attempt;
  } catch (caught) {
    const { cause, status: was } = caught as oauth.ResponseBodyError;
    assert.is(cause?.error, error, String(caught));
    assert.is(was, status);
    assert.type(cause.detail, "string");
    return;
  }
  assert.unreachable("the grant was not refused");
}

const statusOf = async (token: string): Promise<number> => (await send(server, token, "ping")).status;

const flow = suite("signing in with oauth4webapi");

flow("the whole flow gives a token that is accepted wherever the key is, with the same responses", async () => {
  const key = mint(store, { production_id: seedData.production });
  const tokens = await exchange(await signedIn(key));
  assert.is(tokens.token_type, "bearer");
  assert.is(tokens.expires_in, 3600);
  assert.is(tokens.scope, "read write");
  assert.match(tokens.access_token, /^tlo_[\w-]{43}$/);
  const answers = await Promise.all([tokens.access_token, key].map((token) => callTool(server, token, "list_scenes")));
  assert.is(await answers[0]?.text(), await answers[1]?.text());
  assert.equal(await server.get(tokens.access_token, "/production"), await server.get(key, "/production"));
});

flow("no code or token is stored in clear in the database or the log", async () => {
  const signed = await signedIn(mint(store));
  const { access_token, refresh_token } = await exchange(signed);
  store.database.pragma("wal_checkpoint(TRUNCATE)");
  const stored = store.database.serialize().toString("latin1") + server.lines.join("");
  for (const secret of [access_token, refresh_token as string, signed.back.searchParams.get("code") as string])
    assert.not.ok(stored.includes(secret));
});

flow("an engagement's key gives a token of the same engagement", async () => {
  const scopes = ["read", "submit:turnover"] as const;
  const key = mint(store, { production_id: seedData.production, engagement_id: seedData.submitter, scopes });
  const { access_token } = await exchange(await signedIn(key));
  assert.equal(await server.get(access_token, "/turnovers"), await server.get(key, "/turnovers"));
  assert.is((await callTool(server, access_token, "get_production")).status, 403);
});

flow("the scopes are the requested ones that the key has; unknown or no scopes mean those of the key", async () => {
  const key = mint(store, { scopes: ["read", "write", "submit:turnover"] });
  for (const [asked, granted] of [
    ["read", "read"],
    ["submit:turnover read", "read submit:turnover"],
    ["read read:money", "read"],
    ["openid email profile", "read write submit:turnover"],
    [undefined, "read write submit:turnover"],
    ["none", "read write submit:turnover"],
  ] as const)
    assert.is((await exchange(await signedIn(key, asked))).scope, granted, asked);
  const { access_token } = await exchange(await signedIn(mint(store, { scopes: ["read"] }), "write"));
  assert.is((await callTool(server, access_token, "get_production")).status, 403);
});

flow("a refresh token can be used once and gives a new pair", async () => {
  const first = await exchange(await signedIn(mint(store)));
  now += 3600_000;
  assert.is(await statusOf(first.access_token), 401);
  const second = await refresh(first.refresh_token as string);
  assert.is(await statusOf(second.access_token), 200);
  assert.is.not(second.refresh_token, first.refresh_token);
  assert.is((await refresh(second.refresh_token as string, { scope: "read" })).scope, "read");
});

flow("a narrower scope on refresh applies to that token only", async () => {
  const first = await exchange(await signedIn(mint(store)));
  const second = await refresh(first.refresh_token as string, { scope: "read" });
  assert.is((await refresh(second.refresh_token as string)).scope, "read write");
});

flow("revoking a key ends its tokens and their refreshing on the next call", async () => {
  const key = mint(store, { label: "to be revoked" });
  const { access_token, refresh_token } = await exchange(await signedIn(key));
  assert.is(await statusOf(access_token), 200);
  revoke(store, "to be revoked");
  assert.is(await statusOf(access_token), 401);
  await assertGrantRefused(refresh(refresh_token as string));
});

flow("a token expires with its key, and expires_in says so", async () => {
  const key = mint(store, { expires_at: new Date(now + 600_000).toISOString() });
  const tokens = await exchange(await signedIn(key));
  assert.is(tokens.expires_in, 600);
  now += 600_000;
  assert.is(await statusOf(tokens.access_token), 401);
  await assertGrantRefused(refresh(tokens.refresh_token as string));
});

flow("revoking an access token ends only that token; revoking a refresh token ends the whole sign-in", async () => {
  const first = await exchange(await signedIn(mint(store)));
  await endToken(first.access_token, await register()); // the token of another client is not revoked
  assert.is(await statusOf(first.access_token), 200);
  await endToken(first.access_token);
  assert.is(await statusOf(first.access_token), 401);
  const second = await refresh(first.refresh_token as string);
  await endToken(second.refresh_token as string);
  assert.is(await statusOf(second.access_token), 401);
  await assertGrantRefused(refresh(second.refresh_token as string));
  await endToken("tlo_unknown");
});

flow.run();

const tickets = suite("media tickets of a sign-in");

const still = one<string>(store, "SELECT path FROM media WHERE id = ?", seedData.releasedStill);
const signInTokens = async () => exchange(await signedIn(mint(store, { production_id: seedData.production })));
const ticketOf = async (token: string): Promise<string> => (await server.get(token, "/media-ticket")).ticket;
const opens = async (ticket: string): Promise<number> =>
  (await fetch(`${url}/media/${still}?t=${ticket}`, { method: "HEAD" })).status;

tickets("a ticket ends with the access token that fetched it, and not with other tokens of the sign-in", async () => {
  const { access_token, refresh_token } = await signInTokens();
  const ticket = await ticketOf(access_token);
  assert.is(await opens(ticket), 200);
  await endToken(access_token);
  assert.is(await opens(ticket), 401);
  const second = await ticketOf((await refresh(refresh_token as string)).access_token);
  assert.equal([await opens(second), await opens(ticket)], [200, 401]);
});

for (const [name, end] of Object.entries<(tokens: oauth.TokenEndpointResponse, signed: SignIn) => Promise<unknown>>({
  "the refresh token is revoked": ({ refresh_token }) => endToken(refresh_token as string),
  "a refresh token is replayed": async ({ refresh_token }) => {
    await refresh(refresh_token as string);
    now += 61_000;
    await assertGrantRefused(refresh(refresh_token as string));
  },
  "the code is replayed": (_, signed) => assertGrantRefused(exchange(signed)),
  "the key is revoked": async () => revoke(store, "with tickets"),
  "the key expires": async () => {
    now += 600_000;
  },
}))
  tickets(`a ticket ends on the next request when ${name}, and tickets of other sign-ins do not`, async () => {
    const expires_at = new Date(now + 600_000).toISOString();
    const signed = await signedIn(
      mint(store, { production_id: seedData.production, label: "with tickets", expires_at }),
    );
    const other = await ticketOf((await signInTokens()).access_token);
    const tokens = await exchange(signed);
    const ticket = await ticketOf(tokens.access_token);
    assert.equal([await opens(ticket), await opens(other)], [200, 200]);
    await end(tokens, signed);
    assert.equal([await opens(ticket), await opens(other)], [401, 200]);
  });

tickets("a ticket is valid longer than its access token while the sign-in lasts, also if others sign in", async () => {
  const { access_token, refresh_token } = await signInTokens();
  now += 3_500_000;
  const ticket = await ticketOf(access_token);
  now += 300_000;
  assert.is(await statusOf(access_token), 401);
  await signInTokens(); // removes expired rows
  assert.is(await opens(ticket), 200);
  await endToken(refresh_token as string);
  assert.is(await opens(ticket), 401);
});

tickets("a ticket has less than 160 characters", async () => {
  assert.ok((await ticketOf((await signInTokens()).access_token)).length < 160);
});

tickets.run();

const attacks = suite("attacks on the sign-in");

attacks("a replayed code is refused and ends the tokens of its first use", async () => {
  const signed = await signedIn(mint(store));
  const { access_token, refresh_token } = await exchange(signed);
  await assertGrantRefused(exchange(signed));
  assert.is(await statusOf(access_token), 401);
  await assertGrantRefused(refresh(refresh_token as string));
});

attacks("a replayed refresh token is refused and ends the whole family", async () => {
  const first = await exchange(await signedIn(mint(store)));
  const second = await refresh(first.refresh_token as string);
  assert.equal(await refresh(first.refresh_token as string), second, "within a minute it is a second window");
  now += 61_000;
  await assertGrantRefused(refresh(first.refresh_token as string));
  assert.is(await statusOf(first.access_token), 401);
  assert.is(await statusOf(second.access_token), 401);
  await assertGrantRefused(refresh(second.refresh_token as string));
});

attacks("ending one family does not end another", async () => {
  const key = mint(store);
  const other = await exchange(await signedIn(key));
  const first = await exchange(await signedIn(key));
  await refresh(first.refresh_token as string);
  now += 61_000;
  await assertGrantRefused(refresh(first.refresh_token as string));
  assert.is(await statusOf(other.access_token), 200);
});

attacks("a wrong verifier is refused, and the right one still works", async () => {
  const signed = await signedIn(mint(store));
  await assertGrantRefused(exchange({ ...signed, verifier: oauth.generateRandomCodeVerifier() }));
  assert.is(await statusOf((await exchange(signed)).access_token), 200);
});

attacks("PKCE cannot be omitted or downgraded, neither at /authorize nor at /token", async () => {
  const target = new URL(as.authorization_endpoint as string);
  const asked = { client_id: client.client_id, redirect_uri, response_type: "code", state: "s" };
  for (const pkce of [{}, { code_challenge: oauth.generateRandomCodeVerifier(), code_challenge_method: "plain" }]) {
    target.search = String(new URLSearchParams({ ...asked, ...pkce }));
    const { response } = await openPage(target);
    const back = new URL(response.headers.get("location") as string);
    assert.throws(
      () => oauth.validateAuthResponse(as, client, back, "s"),
      (error: oauth.AuthorizationResponseError) => error.error === "invalid_request",
    );
  }
  const { back, state } = await signedIn(mint(store));
  const answer = oauth.validateAuthResponse(as, client, back, state);
  await assertGrantRefused(
    oauth
      .authorizationCodeGrantRequest(as, client, oauth.None(), answer, redirect_uri, oauth.nopkce, insecure)
      .then((response) => oauth.processAuthorizationCodeResponse(as, client, response)),
    "invalid_request",
  );
});

attacks("a code is valid only for its redirect address and its client, and for a minute", async () => {
  const key = mint(store);
  await assertGrantRefused(exchange(await signedIn(key), { redirect: "http://127.0.0.1:7778/callback" }));
  await assertGrantRefused(exchange(await signedIn(key), { by: await register() }));
  await assertGrantRefused(exchange(await signedIn(key), { by: { client_id: "nobody" } }), "invalid_client", 401);
  const late = await signedIn(key);
  now += 60_000;
  await assertGrantRefused(exchange(late));
});

attacks("a refresh token is valid only for its client and its resource, and for thirty days", async () => {
  const { refresh_token = "" } = await exchange(await signedIn(mint(store)));
  await assertGrantRefused(refresh(refresh_token, {}, await register()));
  await assertGrantRefused(refresh(refresh_token, { resource: "https://elsewhere.example/" }), "invalid_target");
  await assertGrantRefused(refresh(refresh_token, { resource: `${url}/api/v1/mcp` }), "invalid_target");
  now += 30 * 86_400_000;
  await assertGrantRefused(refresh(refresh_token));
});

attacks("a response of another issuer is detected (RFC 9207)", async () => {
  const { back, state } = await signedIn(mint(store));
  const other = { ...as, issuer: "https://evil.example" };
  assert.throws(() => oauth.validateAuthResponse(other, client, back, state), /iss/);
  const withoutIssuer = new URL(back);
  withoutIssuer.searchParams.delete("iss");
  assert.throws(() => oauth.validateAuthResponse(as, client, withoutIssuer, state), /iss/);
});

attacks("an access token is not a refresh token, nor the other way round", async () => {
  const { access_token, refresh_token = "" } = await exchange(await signedIn(mint(store)));
  await assertGrantRefused(refresh(access_token));
  assert.is(await statusOf(refresh_token), 401);
  assert.is(one(store, "SELECT count(*) FROM oauth_tokens WHERE used_at IS NOT NULL AND kind = 'access'"), 0);
});

attacks("expired rows are removed at the next sign-in", async () => {
  now += 40 * 86_400_000;
  await signedIn(mint(store));
  assert.is(one(store, "SELECT count(*) FROM oauth_tokens"), 0);
  assert.is(one(store, "SELECT count(*) FROM oauth_codes"), 1);
});

attacks.after(() => server.stop());
attacks.run();
