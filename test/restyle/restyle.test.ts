// The restyle provider's protocol: the request, and the result of each response.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type OutboundOptions, openProviders } from "../../src/features/restyle/providers.ts";
import {
  closeConnection,
  configOf,
  httpErrorOf,
  neverRespond,
  openScriptedProvider,
  openTimeLimits,
  type Reply,
  respond,
  sendPartOfBody,
  shortPauses,
} from "../support/scripted_provider.ts";
import { until } from "../support/until.ts";

const provider = await openScriptedProvider();
const elsewhere = await openScriptedProvider();
const config = configOf(provider.url);
const good = respond(200, {
  apiKey: "ek_short",
  expiresAt: "2026-11-20T08:10:00Z",
  token: "eyJ.a.jwt",
  permissions: {},
});

const create = (outbound: OutboundOptions = {}) =>
  openProviders(config, { ...shortPauses, ...outbound }).createToken("lucy-2.5");

/** Gives `replies`, checks the error and the number of tries. Returns the error. */
async function refused(replies: Reply[], detail: string, tries: number, outbound: OutboundOptions = {}) {
  provider.respondWith(...replies);
  const refusal = await httpErrorOf(() => create(outbound));
  assert.is(refusal.message, `the restyle provider ${detail}`);
  assert.is(refusal.status, 502);
  assert.is(provider.requests.length, tries);
  return refusal;
}

const test = suite("the restyle provider");
test.after(async () => {
  await provider.stop();
  await elsewhere.stop();
});

test("requests a token for one model and a lifetime, with the platform key in the header", async () => {
  provider.respondWith(good);
  assert.equal(await create(), { token: "ek_short", expires_at: "2026-11-20T08:10:00.000Z", model: "lucy-2.5" });
  const [request] = provider.requests;
  assert.is(`${request?.method} ${request?.path}`, "POST /v1/client/tokens");
  assert.is(request?.headers["x-api-key"], "dct_permanent");
  assert.equal(request?.body, { expiresIn: 600, allowedModels: ["lucy-2.5"] });
});

test("passes configured origins and lifetime on", async () => {
  provider.respondWith(good);
  const strict = { ...config, restyle_lifetime: 60, restyle_origins: ["https://set.example.com"] };
  await openProviders(strict).createToken("lucy-restyle-2");
  assert.equal(provider.requests[0]?.body, {
    expiresIn: 60,
    allowedModels: ["lucy-restyle-2"],
    allowedOrigins: ["https://set.example.com"],
  });
});

test("returns expires_at in UTC for a time with an offset, a fraction or neither", async () => {
  for (const expiresAt of ["2026-11-20T09:10:00.123456+01:00", "2026-11-20T08:10:00.123", "2026-11-20T08:10:00.123Z"]) {
    provider.respondWith(respond(200, { apiKey: "ek_1", expiresAt }));
    assert.is((await create()).expires_at, "2026-11-20T08:10:00.123Z");
  }
});

test("throws 503 without a request if there is no key", async () => {
  provider.respondWith(good);
  const refusal = await httpErrorOf(() => openProviders({ ...config, restyle_key: undefined }).createToken("lucy-2.5"));
  assert.is(refusal.status, 503);
  assert.is(refusal.message, "this deployment has no restyle provider key");
  assert.is(provider.requests.length, 0);
});

test("throws without a retry if the platform key is refused", async () => {
  for (const status of [401, 403]) await refused([respond(status, { detail: "no" })], "refused the platform key", 1);
});

test("throws without a retry if the request is refused", async () => {
  for (const status of [400, 404, 422]) {
    const detail = `refused the request for a token (status ${status})`;
    await refused([respond(status, { detail: [{ msg: "dct_permanent is bad" }] })], detail, 1);
  }
});

test("does not retry 429, and passes Retry-After on, at most five minutes", async () => {
  const detail = "limits the requests of this server; try again later";
  assert.equal((await refused([respond(429)], detail, 1)).headers, {});
  for (const [given, passed] of [
    ["7", "7"],
    ["0", "1"],
    ["86400", "300"],
  ] as const)
    assert.equal((await refused([respond(429, {}, { "retry-after": given })], detail, 1)).headers, {
      "retry-after": passed,
    });
  assert.equal((await refused([respond(429, {}, { "retry-after": "soon" })], detail, 1)).headers, {});
});

test("computes the seconds of a Retry-After that is a date", async () => {
  const clock = () => Date.parse("2026-11-20T08:00:00Z");
  const reply = respond(429, {}, { "retry-after": "Fri, 20 Nov 2026 08:00:42 GMT" });
  const refusal = await refused([reply], "limits the requests of this server; try again later", 1, { clock });
  assert.equal(refusal.headers, { "retry-after": "42" });
});

test("does not retry 500", async () => {
  await refused([respond(500, "oops")], "failed (status 500)", 1);
});

test("retries 502, 503 and 504 once", async () => {
  for (const status of [502, 503, 504]) await refused([respond(status)], `failed (status ${status})`, 2);
});

test("succeeds on the second try after a 503", async () => {
  provider.respondWith(respond(503), good);
  assert.is((await create()).token, "ek_short");
  assert.is(provider.requests.length, 2);
});

test("waits for a Retry-After within `patience` before the second try", async () => {
  provider.respondWith(respond(503, {}, { "retry-after": "1" }), good);
  const started = performance.now();
  assert.is((await create({ maxRetryAfter: 1000 })).token, "ek_short");
  assert.ok(performance.now() - started >= 990);
});

test("does not retry if Retry-After is longer than `patience`", async () => {
  const refusal = await refused([respond(503, {}, { "retry-after": "90" }), good], "failed (status 503)", 1);
  assert.equal(refusal.headers, { "retry-after": "90" });
});

test("tries twice, with a time limit, if the provider never responds or the body never ends", async () => {
  for (const [kind, detail] of [
    ["neverAnswers", "did not answer in time"],
    ["neverEnds", "did not finish its answer in time"],
  ] as const) {
    const limits = openTimeLimits();
    await refused([limits[kind]], detail, 2, limits.outbound);
    assert.equal(limits.milliseconds, [5000, 5000]);
  }
});

test("retries once if the connection closes", async () => {
  await refused([closeConnection], "cannot be reached", 2);
  await refused([sendPartOfBody], "closed the connection before its answer was complete", 2);
});

test("succeeds on the second try after a closed connection", async () => {
  provider.respondWith(closeConnection, good);
  assert.is((await create()).token, "ek_short");
});

test("cannot reach an address where no server listens", async () => {
  const gone = await openScriptedProvider();
  await gone.stop();
  const refusal = await httpErrorOf(() => openProviders(configOf(gone.url), shortPauses).createToken("lucy-2.5"));
  assert.is(refusal.message, "the restyle provider cannot be reached");
});

test("throws for malformed JSON, missing fields and wrong types", async () => {
  const expiresAt = "2026-11-20T08:10:00Z";
  for (const body of [
    "{",
    "",
    "null",
    [],
    {},
    { apiKey: 7, expiresAt },
    { apiKey: "ek_1", expiresAt: 1763626200 },
    { apiKey: "ek_1", expiresAt: "tomorrow" },
    { apiKey: "ek_1", expiresAt: "2026-13-40T00:00:00Z" },
    { apiKey: "ek_ 1", expiresAt },
  ])
    await refused([respond(200, body)], "sent an answer that is not a client token", 1);
});

test("never returns a permanent key", async () => {
  await refused(
    [respond(200, { apiKey: "dct_permanent", expiresAt: "2026-11-20T08:10:00Z" })],
    "sent an answer that is not a client token",
    1,
  );
});

test("throws for a response of a megabyte", async () => {
  await refused([respond(200, "x".repeat(1 << 20))], "sent an answer that is too large", 1);
});

test("does not follow a redirect", async () => {
  elsewhere.respondWith(good);
  const reply = respond(307, {}, { location: `${elsewhere.url}/v1/client/tokens` });
  await refused([reply], "refused the request for a token (status 307)", 1);
  assert.is(elsewhere.requests.length, 0);
});

test("aborts a running call when the providers are closed", async () => {
  provider.respondWith(neverRespond);
  const providers = openProviders(config, shortPauses);
  const refusing = httpErrorOf(() => providers.createToken("lucy-2.5"));
  await until(() => provider.requests.length === 1);
  providers.close();
  const { message, status } = await refusing;
  assert.is(status, 502);
  assert.is(message, "the restyle provider cannot be reached"); // and not that it did not answer in time
});

test.run();
