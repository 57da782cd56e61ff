// Whether the providers answer, asked for nothing: what an operator is told.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Config } from "../../src/config.ts";
import { openProviders } from "../../src/providers/providers.ts";
import { configOf, hangUp, openScripted, type Play, says, silence } from "../support/scripted_provider.ts";

const provider = await openScripted();
const config = configOf(provider.url);

/** The states as lines: name, configured, answers, detail. */
async function states(play: Play, settings: Partial<Config> = {}): Promise<string[]> {
  provider.play(play);
  const states = await openProviders({ ...config, ...settings }, { shortTimeout: 300 }).check();
  return states.map(({ name, configured, answers, detail }) => `${name} ${configured} ${answers}: ${detail}`);
}

const models = (...ids: string[]) => says(200, { object: "list", data: ids.map((id) => ({ id })) });

const test = suite("checking the providers");
test.after(() => provider.stop());

test("what is not configured is not asked", async () => {
  assert.equal(await states(silence, { restyle_key: undefined, look_url: undefined }), [
    "restyle false false: the restyle provider has no key: restyle_key is not set",
    "look false false: the look brief provider has no address: look_url is not set",
  ]);
  assert.is(provider.requests.length, 0);
});

test("both answer, by reads alone, and the restyle key stays home", async () => {
  assert.equal(await states(models("a-vision-model")), [
    "restyle true true: the restyle provider answers; the key was not tested",
    "look true true: the look brief provider answers and has the model",
  ]);
  assert.equal(provider.requests.map(({ method, path }) => `${method} ${path}`).sort(), ["GET /", "GET /v1/models"]);
  assert.not.match(JSON.stringify(provider.requests), /dct_permanent/);
});

test("a model under Ollama's tag is found, one that is not listed is told", async () => {
  assert.match((await states(models("a-vision-model:latest")))[1] as string, /answers and has the model$/);
  assert.match((await states(models("another")))[1] as string, /true true: .* answers but does not list look_model$/);
});

test("a refused key, an error, silence and a closed connection are told apart", async () => {
  const look = async (play: Play) => (await states(play))[1];
  assert.is(await look(says(401)), "look true false: the look brief provider refuses the server's key");
  assert.is(await look(says(503)), "look true false: the look brief provider fails or is still loading (status 503)");
  assert.is(await look(silence), "look true false: the look brief provider did not answer in time");
  assert.is(await look(hangUp), "look true false: the look brief provider cannot be reached");
  assert.is(
    await look(says(404)),
    "look true true: the look brief provider answers but does not list models at look_url",
  );
});

test("a restyle provider that fails or is away does not answer", async () => {
  assert.is((await states(says(500)))[0], "restyle true false: the restyle provider fails (status 500)");
  assert.is((await states(hangUp))[0], "restyle true false: the restyle provider cannot be reached");
  assert.match((await states(says(404)))[0] as string, /^restyle true true/);
});

test.run();
