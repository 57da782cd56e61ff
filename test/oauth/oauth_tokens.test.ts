// The rows that sign-ins leave in the database are bounded, however often someone signs in or refreshes.
import { hash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callerOfToken } from "../../src/core/access/callers.ts";
import { registerClient } from "../../src/features/oauth/clients.ts";
import { createCode, exchangeCode, refreshTokens, revokeToken } from "../../src/features/oauth/sign_ins.ts";
import { mint, one, openTestServer } from "../support/app.ts";

const start = Date.parse("2026-11-20T09:00:00.000Z");
let now = start;
const server = await openTestServer({ clock: () => now });
const { app, store } = server;
/** Sets the clock, `seconds` after the start. */
function at(seconds: number): string {
  now = start + seconds * 1000;
  return new Date(now).toISOString();
}
const day = 86_400;
const redirect_uri = "https://app.example/callback";
const resource = `${server.url}/mcp`;
const code_verifier = "v".repeat(43);
const count = (table: string) => one(store, `SELECT count(*) FROM ${table}`);

mint(store, { label: "signs in" });
const key_id = one(store, "SELECT max(id) FROM api_keys");
const { client_id } = await registerClient(app, { redirect_uris: [redirect_uri] }, at(0));

async function signIn(seconds: number) {
  const code_challenge = hash("sha256", code_verifier, "base64url");
  const consent = { client_id, key_id, redirect_uri, code_challenge, resource, scopes: ["read" as const] };
  const code = await createCode(app, consent, at(seconds));
  return exchangeCode(app, { code, client_id, redirect_uri, code_verifier, resource }, at(seconds));
}
const refresh = (refresh_token: string, seconds: number) =>
  refreshTokens(app, { refresh_token, client_id, scope: undefined, resource }, at(seconds));
const refusal = (tokens: Promise<unknown>) =>
  tokens.then(
    () => "",
    (error: Error) => error.message,
  );

const signins = suite("sign-ins");
signins.after(() => server.stop());

signins("300 refreshes leave 50 rows, and the newest tokens work", async () => {
  let tokens = await signIn(0);
  for (let n = 1; n <= 300; n++) tokens = await refresh(tokens.refresh_token, n);
  assert.is(count("oauth_tokens"), 50);
  assert.ok(callerOfToken(store, tokens.access_token, at(300)));
  assert.ok(await refresh(tokens.refresh_token, 301));
});

signins("a replayed refresh token ends its sign-in; one that was removed is refused like an unknown one", async () => {
  const first = await signIn(400);
  let tokens = first;
  for (let n = 1; n <= 60; n++) tokens = await refresh(tokens.refresh_token, 400 + n);
  assert.match(await refusal(refresh(first.refresh_token, 500)), /is unknown/);
  const second = await refresh(tokens.refresh_token, 501);
  assert.match(await refusal(refresh(tokens.refresh_token, 562)), /the sign-in has ended/);
  assert.match(await refusal(refresh(second.refresh_token, 563)), /revoked or expired/);
});

signins("two windows that refresh at once get the same tokens, for a minute", async () => {
  const first = await signIn(600);
  const [one, other] = await Promise.all([refresh(first.refresh_token, 601), refresh(first.refresh_token, 601)]);
  assert.equal(one, other);
  assert.equal(await refresh(first.refresh_token, 661), one, "a lost answer is asked for again");
  assert.ok(callerOfToken(store, one.access_token, at(662)));
  const next = await refresh(one.refresh_token, 663);
  assert.match(await refusal(refresh(first.refresh_token, 664)), /the sign-in has ended/, "later, it ends the sign-in");
  assert.match(await refusal(refresh(next.refresh_token, 665)), /revoked or expired/);
});

signins("a refresh token whose successor was used is refused within the minute, and ends nothing", async () => {
  const first = await signIn(700);
  const second = await refresh(first.refresh_token, 701);
  const third = await refresh(second.refresh_token, 702);
  assert.match(await refusal(refresh(first.refresh_token, 703)), /already used; use the one/);
  assert.ok(await refresh(third.refresh_token, 704));
});

signins("a repeated refresh gives nothing after the sign-in was ended, and nothing to another client", async () => {
  const first = await signIn(800);
  const second = await refresh(first.refresh_token, 801);
  const given = { refresh_token: first.refresh_token, client_id: "another", scope: undefined, resource };
  assert.match(await refusal(refreshTokens(app, given, at(802))), /is unknown/);
  await revokeToken(store, { token: second.refresh_token, client_id }, at(803));
  assert.match(await refusal(refresh(first.refresh_token, 804)), /the sign-in has ended/);
});

signins("250 sign-ins with one key leave at most 100 families and 100 codes", async () => {
  for (let n = 0; n < 250; n++) await signIn(1000 + n);
  assert.ok(one(store, "SELECT count(DISTINCT family) FROM oauth_tokens WHERE key_id = ?", key_id) <= 100);
  assert.ok(count("oauth_codes") <= 100);
});

signins("the tokens of a refresh stay, also if the clock is set back by hours", async () => {
  let tokens = await signIn(1500);
  for (let n = 1; n <= 60; n++) tokens = await refresh(tokens.refresh_token, 1500 + n);
  for (let n = 1; n <= 60; n++) tokens = await refresh(tokens.refresh_token, n - 36_000);
  assert.ok(callerOfToken(store, tokens.access_token, at(-35_940)));
  const next = await refresh(tokens.refresh_token, -35_939);
  assert.match(await refusal(refresh(tokens.refresh_token, -39_600)), /the sign-in has ended/, "an hour is no minute");
  assert.match(await refusal(refresh(next.refresh_token, -39_599)), /revoked or expired/);
});

signins("of 101 sign-ins the newest stays, also if the clock is set back by hours", async () => {
  for (let n = 0; n < 101; n++) await signIn(1600 + n);
  const tokens = await signIn(-36_000);
  await signIn(-35_900);
  assert.ok(callerOfToken(store, tokens.access_token, at(-35_899)));
});

signins("a clock that is a year ahead removes no token and no client", async () => {
  let clock = start;
  const other = await openTestServer({ clock: () => clock, running: () => 0 });
  const time = () => new Date(clock).toISOString();
  const register = () => registerClient(other.app, { redirect_uris: [redirect_uri] }, time());
  mint(other.store, { label: "signs in" });
  const given = { client_id: (await register()).client_id, redirect_uri, resource };
  const key_id = one(other.store, "SELECT max(id) FROM api_keys");
  const code_challenge = hash("sha256", code_verifier, "base64url");
  const signIn = async () => {
    const code = await createCode(other.app, { ...given, key_id, code_challenge, scopes: ["read"] }, time());
    return exchangeCode(other.app, { ...given, code, code_verifier }, time());
  };
  const tokens = await signIn();
  clock += 365 * day * 1000;
  await signIn();
  await register();
  clock = start;
  assert.ok(callerOfToken(other.store, tokens.access_token, time()));
  const refreshed = { ...given, refresh_token: tokens.refresh_token, scope: undefined };
  assert.ok(await refreshTokens(other.app, refreshed, time()));
  await other.stop();
});

signins("refreshing removes expired rows", async () => {
  const tokens = await signIn(2000);
  const latest = await refresh(tokens.refresh_token, 2000 + 20 * day);
  await refresh(latest.refresh_token, 2000 + 45 * day);
  assert.ok(count("oauth_tokens") <= 4);
});

signins("a client without tokens is removed after half a year, one with tokens is not", async () => {
  await registerClient(app, { redirect_uris: [redirect_uri] }, at(100 * day));
  assert.is(one(store, "SELECT count(*) FROM oauth_clients WHERE client_id = ?", client_id), 1);
  await registerClient(app, { redirect_uris: [redirect_uri] }, at(300 * day));
  assert.is(one(store, "SELECT count(*) FROM oauth_clients WHERE client_id = ?", client_id), 1);
  store.writeSync(() => store.database.exec("DELETE FROM oauth_tokens; DELETE FROM oauth_codes"));
  await registerClient(app, { redirect_uris: [redirect_uri] }, at(301 * day));
  assert.is(one(store, "SELECT count(*) FROM oauth_clients WHERE client_id = ?", client_id), 0);
});

signins.run();
