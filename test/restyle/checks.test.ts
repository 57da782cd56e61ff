// Checks whether the providers respond, without asking for work: what an operator is told.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Config } from "../../src/core/config.ts";
import { type OutboundOptions, openProviders } from "../../src/features/restyle/providers.ts";
import {
  closeConnection,
  configOf,
  neverRespond,
  openScriptedProvider,
  openTimeLimits,
  type Reply,
  respond,
} from "../support/scripted_provider.ts";

const provider = await openScriptedProvider();
const config = configOf(provider.url);

/** The states as lines: name, configured, answers, detail. */
async function states(reply: Reply, settings: Partial<Config> = {}, outbound: OutboundOptions = {}): Promise<string[]> {
  provider.respondWith(reply);
  const states = await openProviders({ ...config, ...settings }, outbound).check();
  return states.map(({ name, configured, answers, detail }) => `${name} ${configured} ${answers}: ${detail}`);
}

const models = (...ids: string[]) => respond(200, { object: "list", data: ids.map((id) => ({ id })) });

const test = suite("checking the providers");
test.after(() => provider.stop());

test("sends no request to a provider that is not configured", async () => {
  assert.equal(await states(neverRespond, { restyle_key: undefined, look_url: undefined }), [
    "restyle false false: the restyle provider has no key: restyle_key is not set",
    "look false false: the look brief provider has no address: look_url is not set",
  ]);
  assert.is(provider.requests.length, 0);
});

test("both respond to reads only, and the restyle key is not sent", async () => {
  assert.equal(await states(models("a-vision-model")), [
    "restyle true true: the restyle provider answers; the key was not tested",
    "look true true: the look brief provider answers and has the model",
  ]);
  assert.equal(provider.requests.map(({ method, path }) => `${method} ${path}`).sort(), ["GET /", "GET /v1/models"]);
  assert.not.match(JSON.stringify(provider.requests), /dct_permanent/);
});

test("finds a model under Ollama's tag, and reports one that is not listed", async () => {
  assert.match((await states(models("a-vision-model:latest")))[1] as string, /answers and has the model$/);
  assert.match((await states(models("another")))[1] as string, /true true: .* answers but does not list look_model$/);
});

test("distinguishes a refused key, an error, no response and a closed connection", async () => {
  const limits = openTimeLimits();
  const look = async (reply: Reply) => (await states(reply, {}, limits.outbound))[1];
  assert.is(await look(respond(401)), "look true false: the look brief provider refuses the server's key");
  assert.is(
    await look(respond(503)),
    "look true false: the look brief provider fails or is still loading (status 503)",
  );
  assert.is(await look(limits.neverAnswers), "look true false: the look brief provider did not answer in time");
  assert.is(await look(closeConnection), "look true false: the look brief provider cannot be reached");
  assert.is(
    await look(respond(404)),
    "look true true: the look brief provider answers but does not list models at look_url",
  );
});

test("reports that a restyle provider that fails or cannot be reached does not respond", async () => {
  assert.is((await states(respond(500)))[0], "restyle true false: the restyle provider fails (status 500)");
  assert.is((await states(closeConnection))[0], "restyle true false: the restyle provider cannot be reached");
  assert.match((await states(respond(404)))[0] as string, /^restyle true true/);
});

test.run();
