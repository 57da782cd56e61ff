// The look brief provider's protocol: the request, and the result of each response.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type OutboundOptions, openProviders } from "../../src/features/restyle/providers.ts";
import { sequential } from "../support/pictures.ts";
import {
  closeConnection,
  completion,
  configOf,
  goodBrief,
  httpErrorOf,
  openScriptedProvider,
  openTimeLimits,
  type Reply,
  respond,
  sendPartOfBody,
  shortPauses,
} from "../support/scripted_provider.ts";

const provider = await openScriptedProvider();
const elsewhere = await openScriptedProvider();
const config = configOf(provider.url);
const good = respond(200, completion(goodBrief));

const distil = (outbound: OutboundOptions = {}, settings: object = {}) =>
  openProviders({ ...config, ...settings }, { ...shortPauses, ...outbound }).distil(sequential);

/** Gives `replies`, checks the error and the number of tries. Returns the error. */
async function refused(
  replies: Reply[],
  status: number,
  detail: string,
  tries = 1,
  settings: object = {},
  outbound: OutboundOptions = {},
) {
  provider.respondWith(...replies);
  const refusal = await httpErrorOf(() => distil(outbound, settings));
  assert.is(`${refusal.status} ${refusal.message}`, `${status} ${detail}`);
  assert.is(provider.requests.length, tries);
  return refusal;
}

const said = (message: string, fields: object = {}) => ({ error: { message, ...fields } });
const imageRefused = "the look brief provider refused the still or cannot read it";
const overloaded = "the look brief provider is overloaded or still loading its model; try again later";
const modelWithoutVision =
  "the look brief provider has a model that does not support images; set look_model to a vision model";

const test = suite("the look brief provider");
test.after(async () => {
  await provider.stop();
  await elsewhere.stop();
});

test("sends the still as a JPEG data URL with the nested schema form", async () => {
  provider.respondWith(good);
  assert.equal(await distil(), goodBrief);
  const [request] = provider.requests;
  assert.is(`${request?.method} ${request?.path}`, "POST /v1/chat/completions");
  assert.is(request?.headers.authorization, "Bearer sk-permanent");
  assert.is(request?.headers.connection, "close"); // fetch retries silently on a stale connection
  assert.is(request?.body.model, "a-vision-model");
  const { type, json_schema } = request?.body.response_format ?? {};
  assert.is(type, "json_schema");
  assert.is(json_schema.strict, true);
  assert.equal(json_schema.schema.required, Object.keys(goodBrief));
  assert.equal(Object.keys(json_schema.schema.properties), Object.keys(goodBrief));
  assert.is(json_schema.schema.additionalProperties, false);
  const image = request?.body.messages[0].content.find((part: { type: string }) => part.type === "image_url");
  assert.is(image.image_url.url, `data:image/jpeg;base64,${sequential.toString("base64")}`);
});

test("sends no Authorization header without a key", async () => {
  provider.respondWith(good);
  await distil({}, { look_key: undefined });
  assert.is(provider.requests[0]?.headers.authorization, undefined);
});

test("throws 503 without an address", async () => {
  const refusal = await httpErrorOf(() => distil({}, { look_url: undefined }));
  assert.is(`${refusal.status} ${refusal.message}`, "503 this deployment has no look brief provider");
});

test("accepts a brief in a fenced block and drops fields beyond the six", async () => {
  provider.respondWith(
    respond(200, completion(`\`\`\`json\n${JSON.stringify({ ...goodBrief, mood: "grim", rank: 3 })}\n\`\`\``)),
  );
  assert.equal(await distil(), goodBrief);
});

test("throws 422 if the model refuses the image", async () => {
  for (const body of [
    completion(null, "stop", { refusal: "I cannot help with that." }),
    completion("", "content_filter"),
    completion(goodBrief, "content_filter"),
  ])
    await refused([respond(200, body)], 422, imageRefused);
});

test("throws 422 if the message is about the image, whatever the status is", async () => {
  for (const reply of [
    respond(400, said("Failed to load image or audio file", { code: 400, type: "invalid_request_error" })),
    respond(400, said("You uploaded an unsupported image.", { code: "invalid_image_format" })),
    respond(400, said("The response was filtered.", { code: "content_filter" })),
    respond(400, { error: "invalid image input" }),
    respond(403, said("Your input was flagged", { code: 403 })),
    respond(422, { detail: [{ loc: ["body"], msg: "cannot identify image file" }] }),
    respond(413, "<html>413 Request Entity Too Large</html>"),
    respond(500, said("failed to process inputs: image: unknown format")),
  ])
    await refused([reply], 422, imageRefused);
});

test("does not throw 422 if the message only echoes the request", async () => {
  await refused(
    [
      respond(422, {
        detail: [{ loc: ["body", "response_format"], msg: "extra fields not permitted", input: { image_url: 1 } }],
      }),
    ],
    502,
    "the look brief provider refused the request (status 422)",
  );
});

test("throws 502 if the provider refuses the key", async () => {
  for (const status of [401, 403])
    await refused(
      [respond(status, said("Incorrect API key"))],
      502,
      "the look brief provider refused the server's key",
    );
});

test("throws 503 for a missing vision projector and a text model, whatever the status is", async () => {
  for (const reply of [
    respond(
      500,
      said("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
    ),
    respond(400, said("this model is missing data required for image input")),
    respond(500, said("this model is missing data required for image input")),
    respond(404, said("No endpoints found that support image input: model does not support images")),
    respond(500, said('Failed to parse messages: Unsupported content part type: "image_url"; messages = […]')),
  ])
    await refused([reply], 503, modelWithoutVision);
});

test("throws 503 for a missing model", async () => {
  await refused(
    [respond(404, said('model "a-vision-model" not found, try pulling it first', { type: "api_error" }))],
    503,
    "the look brief provider does not have the configured model at the configured address",
  );
});

test("does not retry 429 and 529, and passes Retry-After on, at most five minutes", async () => {
  for (const status of [429, 529]) {
    assert.equal((await refused([respond(status, said("slow down"))], 503, overloaded)).headers, {});
    const { headers } = await refused([respond(status, {}, { "retry-after": "86400" })], 503, overloaded);
    assert.equal(headers, { "retry-after": "300" });
  }
});

test("retries once while the model is loading, then throws 503", async () => {
  await refused([respond(503, said("Loading model", { code: 503, type: "unavailable_error" }))], 503, overloaded, 2);
});

test("succeeds on the second try after a 503", async () => {
  provider.respondWith(respond(503), good);
  assert.equal(await distil(), goodBrief);
  assert.is(provider.requests.length, 2);
});

test("does not retry 500, but 502 and 504", async () => {
  await refused([respond(500, said("boom"))], 502, "the look brief provider failed (status 500)");
  await refused([respond(502, "<html>")], 502, "the look brief provider failed (status 502)", 2);
  await refused([respond(504, "<html>")], 502, "the look brief provider failed (status 504)", 2);
});

test("retries once if the server cannot be reached", async () => {
  await refused([closeConnection], 503, "the look brief provider cannot be reached", 2);
  provider.respondWith(closeConnection, good);
  assert.equal(await distil(), goodBrief);
});

test("does not retry after a partial response, because the model has done its work", async () => {
  await refused([sendPartOfBody], 502, "the look brief provider closed the connection before its answer was complete");
});

test("tries once, with a time limit, if the server never responds or the body never ends", async () => {
  for (const [kind, status, what] of [
    ["neverAnswers", 503, "did not answer in time"],
    ["neverEnds", 502, "did not finish its answer in time"],
  ] as const) {
    const limits = openTimeLimits();
    await refused([limits[kind]], status, `the look brief provider ${what}`, 1, {}, limits.outbound);
    assert.equal(limits.milliseconds, [60_000]);
  }
});

test("has one time limit for both tries", async () => {
  const limits = openTimeLimits();
  const slowly: Reply = (req, res) => void setTimeout(() => respond(503)(req, res), 50);
  const replies = [slowly, limits.neverAnswers];
  await refused(replies, 503, "the look brief provider did not answer in time", 2, {}, limits.outbound);
  const [first = 0, second = 0] = limits.milliseconds;
  assert.is(first, 60_000);
  assert.ok(second <= first - 49, `the second try had ${second} ms`);
});

test("throws 502 for a truncated response", async () => {
  await refused(
    [respond(200, completion('{"environment":"A stone', "length"))],
    502,
    "the look brief provider truncated its answer",
  );
});

test("throws 502 for malformed JSON, missing fields, wrong types and texts that are too long", async () => {
  for (const body of [
    "{",
    "",
    {},
    { choices: [] },
    { choices: {} },
    completion(null),
    completion("It is a kitchen."),
    completion("[]"),
    completion({ ...goodBrief, era: undefined }),
    completion({ ...goodBrief, era: 1750 }),
    completion({ ...goodBrief, era: " " }),
    completion({ ...goodBrief, era: "long ago ".repeat(300) }),
  ])
    await refused([respond(200, body)], 502, "the look brief provider sent an answer that is not a look brief");
});

test("throws 502 for a response of a megabyte", async () => {
  await refused(
    [respond(200, completion("x".repeat(1 << 20)))],
    502,
    "the look brief provider sent an answer that is too large",
  );
});

test("does not follow a redirect", async () => {
  elsewhere.respondWith(good);
  const reply = respond(308, {}, { location: `${elsewhere.url}/v1/chat/completions` });
  await refused([reply], 502, "the look brief provider refused the request (status 308)");
  assert.is(elsewhere.requests.length, 0);
});

test.run();
