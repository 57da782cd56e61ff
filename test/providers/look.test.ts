// The look brief provider's wire: what is asked of it, and what each of its answers comes to.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type OutboundOptions, openProviders } from "../../src/providers/providers.ts";
import { sequential } from "../support/pictures.ts";
import {
  breakOff,
  completion,
  configOf,
  goodBrief,
  hangUp,
  httpErrorOf,
  openScripted,
  type Play,
  quickly,
  says,
  silence,
  trickle,
} from "../support/scripted_provider.ts";

const provider = await openScripted();
const elsewhere = await openScripted();
const config = configOf(provider.url);
const good = says(200, completion(goodBrief));

const distil = (outbound: OutboundOptions = {}, settings: object = {}) =>
  openProviders({ ...config, ...settings }, { ...quickly, ...outbound }).distil(sequential);

/** Plays `plays` and holds how the call is refused and after how many tries. Answers the refusal. */
async function refused(plays: Play[], status: number, detail: string, tries = 1, settings: object = {}) {
  provider.play(...plays);
  const refusal = await httpErrorOf(() => distil({}, settings));
  assert.is(`${refusal.status} ${refusal.message}`, `${status} ${detail}`);
  assert.is(provider.requests.length, tries);
  return refusal;
}

const said = (message: string, fields: object = {}) => ({ error: { message, ...fields } });
const imageRefused = "the look brief provider refused the still or cannot read it";
const overloaded = "the look brief provider is overloaded or still loading its model; try again later";
const sightless = "the look brief provider has a model that does not support images; set look_model to a vision model";

const test = suite("the look brief provider");
test.after(async () => {
  await provider.stop();
  await elsewhere.stop();
});

test("the still travels as a JPEG data URL with the nested schema form", async () => {
  provider.play(good);
  assert.equal(await distil(), goodBrief);
  const [request] = provider.requests;
  assert.is(`${request?.method} ${request?.path}`, "POST /v1/chat/completions");
  assert.is(request?.headers.authorization, "Bearer sk-permanent");
  assert.is(request?.headers.connection, "close"); // never a stale connection that a transport would retry on
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

test("a server on set needs no key", async () => {
  provider.play(good);
  await distil({}, { look_key: undefined });
  assert.is(provider.requests[0]?.headers.authorization, undefined);
});

test("without an address nothing is asked", async () => {
  const refusal = await httpErrorOf(() => distil({}, { look_url: undefined }));
  assert.is(`${refusal.status} ${refusal.message}`, "503 this deployment has no look brief provider");
});

test("a brief in a fenced block is taken, fields beyond the six are left out", async () => {
  provider.play(
    says(200, completion(`\`\`\`json\n${JSON.stringify({ ...goodBrief, mood: "grim", rank: 3 })}\n\`\`\``)),
  );
  assert.equal(await distil(), goodBrief);
});

test("an image refusal is about the image", async () => {
  for (const body of [
    completion(null, "stop", { refusal: "I cannot help with that." }),
    completion("", "content_filter"),
    completion(goodBrief, "content_filter"),
  ])
    await refused([says(200, body)], 422, imageRefused);
});

test("an image complaint is about the image, whatever status a server puts it under", async () => {
  for (const play of [
    says(400, said("Failed to load image or audio file", { code: 400, type: "invalid_request_error" })),
    says(400, said("You uploaded an unsupported image.", { code: "invalid_image_format" })),
    says(400, said("The response was filtered.", { code: "content_filter" })),
    says(400, { error: "invalid image input" }),
    says(403, said("Your input was flagged", { code: 403 })),
    says(422, { detail: [{ loc: ["body"], msg: "cannot identify image file" }] }),
    says(413, "<html>413 Request Entity Too Large</html>"),
    says(500, said("failed to process inputs: image: unknown format")),
  ])
    await refused([play], 422, imageRefused);
});

test("a complaint that only echoes the request is not about the image", async () => {
  await refused(
    [
      says(422, {
        detail: [{ loc: ["body", "response_format"], msg: "extra fields not permitted", input: { image_url: 1 } }],
      }),
    ],
    502,
    "the look brief provider refused the request (status 422)",
  );
});

test("a refused key is the server's affair", async () => {
  for (const status of [401, 403])
    await refused([says(status, said("Incorrect API key"))], 502, "the look brief provider refused the server's key");
});

test("a missing vision projector and a text model are named, whatever status a server puts it under", async () => {
  for (const play of [
    says(500, said("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj")),
    says(400, said("this model is missing data required for image input")),
    says(500, said("this model is missing data required for image input")),
    says(404, said("No endpoints found that support image input: model does not support images")),
    says(500, said('Failed to parse messages: Unsupported content part type: "image_url"; messages = […]')),
  ])
    await refused([play], 503, sightless);
});

test("a missing model is named", async () => {
  await refused(
    [says(404, said('model "a-vision-model" not found, try pulling it first', { type: "api_error" }))],
    503,
    "the look brief provider does not have the configured model at the configured address",
  );
});

test("429 and 529 are not tried again, and Retry-After is passed on within five minutes", async () => {
  for (const status of [429, 529]) {
    assert.equal((await refused([says(status, said("slow down"))], 503, overloaded)).headers, {});
    const { headers } = await refused([says(status, {}, { "retry-after": "86400" })], 503, overloaded);
    assert.equal(headers, { "retry-after": "300" });
  }
});

test("loading is tried once more, then told", async () => {
  await refused([says(503, said("Loading model", { code: 503, type: "unavailable_error" }))], 503, overloaded, 2);
});

test("503, then good, is good", async () => {
  provider.play(says(503), good);
  assert.equal(await distil(), goodBrief);
  assert.is(provider.requests.length, 2);
});

test("500 is not tried again; 502 and 504 are", async () => {
  await refused([says(500, said("boom"))], 502, "the look brief provider failed (status 500)");
  await refused([says(502, "<html>")], 502, "the look brief provider failed (status 502)", 2);
  await refused([says(504, "<html>")], 502, "the look brief provider failed (status 504)", 2);
});

test("a server that cannot be reached is tried once more", async () => {
  await refused([hangUp], 503, "the look brief provider cannot be reached", 2);
  provider.play(hangUp, good);
  assert.equal(await distil(), goodBrief);
});

test("an answer that broke off has cost the model its work and is not asked for again", async () => {
  await refused([breakOff], 502, "the look brief provider closed the connection before its answer was complete");
});

test("a server that never answers, and a body that never ends, are bounded in time and tried once", async () => {
  for (const [play, status, what] of [
    [silence, 503, "did not answer in time"],
    [trickle, 502, "did not finish its answer in time"],
  ] as const) {
    const refusal = await refused([play], status, `the look brief provider ${what}`, 1, { look_timeout: 0.3 });
    assert.ok(refusal.milliseconds >= 300 && refusal.milliseconds < 3000, String(refusal.milliseconds));
  }
});

test("both tries share one bound in time", async () => {
  const slowly: Play = (req, res) => void setTimeout(() => says(503)(req, res), 300);
  provider.play(slowly, silence);
  const { milliseconds, message } = await httpErrorOf(() => distil({}, { look_timeout: 0.6 }));
  assert.is(message, "the look brief provider did not answer in time");
  assert.is(provider.requests.length, 2);
  assert.ok(milliseconds < 2000, String(milliseconds));
});

test("a truncated answer is told as such", async () => {
  await refused(
    [says(200, completion('{"environment":"A stone', "length"))],
    502,
    "the look brief provider truncated its answer",
  );
});

test("malformed JSON, missing fields, wrong types and endless texts are no look brief", async () => {
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
    await refused([says(200, body)], 502, "the look brief provider sent an answer that is not a look brief");
});

test("a megabyte is not read to its end", async () => {
  await refused(
    [says(200, completion("x".repeat(1 << 20)))],
    502,
    "the look brief provider sent an answer that is too large",
  );
});

test("a redirect is not followed", async () => {
  elsewhere.play(good);
  const play = says(308, {}, { location: `${elsewhere.url}/v1/chat/completions` });
  await refused([play], 502, "the look brief provider refused the request (status 308)");
  assert.is(elsewhere.requests.length, 0);
});

test.run();
