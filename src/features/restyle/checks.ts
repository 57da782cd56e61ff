// Checks whether each provider answers, with requests that cost nothing. `tallylight doctor --online` shows the
// results.
import * as v from "valibot";
import type { Config } from "../../core/config.ts";
import { headersOf } from "./look.ts";
import { failures, type Outbound, send, tryParseJson } from "./outbound.ts";

export interface ProviderState {
  name: "restyle" | "look";
  configured: boolean;
  /** Whether the provider is expected to work, as far as can be checked without costs. */
  answers: boolean;
  /** One sentence. It contains neither a key nor any part of a provider's response. */
  detail: string;
}

function get(outbound: Outbound, url: string, headers: Record<string, string>) {
  const { shortTimeout } = outbound;
  return send(
    outbound,
    { method: "GET", url, headers, timeout: shortTimeout, totalTimeout: shortTimeout, maxBytes: 1 << 20 },
    () => false,
  );
}

const stateOf =
  (name: ProviderState["name"], title: string) =>
  (configured: boolean, answers: boolean, what: string): ProviderState => ({
    name,
    configured,
    answers,
    detail: `the ${title} ${what}`,
  });

/** Sends a request without the key, because the key's only use would create a token. */
async function checkRestyle(outbound: Outbound, config: Config): Promise<ProviderState> {
  const state = stateOf("restyle", "restyle provider");
  if (config.restyle_key === undefined) return state(false, false, "has no key: restyle_key is not set");
  const outcome = await get(outbound, config.restyle_url, {});
  if (outcome.kind === "oversized") return state(true, true, "answers");
  if (outcome.kind !== "answer") return state(true, false, failures[outcome.kind]);
  if (outcome.status >= 500) return state(true, false, `fails (status ${outcome.status})`);
  return state(true, true, "answers; the key was not tested");
}

const modelList = v.object({ data: v.array(v.fallback(v.object({ id: v.unknown() }), { id: undefined })) });

/** The model ids in an OpenAI-compatible model list; undefined if the text is not such a list. */
function modelsOf(text: string): string[] | undefined {
  const { success, output } = v.safeParse(modelList, tryParseJson(text));
  return success ? output.data.flatMap(({ id }) => (typeof id === "string" ? id : [])) : undefined;
}

async function checkLook(outbound: Outbound, config: Config): Promise<ProviderState> {
  const state = stateOf("look", "look brief provider");
  if (config.look_url === undefined) return state(false, false, "has no address: look_url is not set");
  const outcome = await get(outbound, `${config.look_url}/models`, headersOf(config));
  if (outcome.kind === "oversized") return state(true, true, "answers");
  if (outcome.kind !== "answer") return state(true, false, failures[outcome.kind]);
  if (outcome.status === 401 || outcome.status === 403) return state(true, false, "refuses the server's key");
  if (outcome.status >= 500) return state(true, false, `fails or is still loading (status ${outcome.status})`);
  const models = outcome.status === 200 ? modelsOf(outcome.text) : undefined;
  if (models === undefined) return state(true, true, "answers but does not list models at look_url");
  // Not an error: a server with a single model uses it for every request. Ollama appends a tag to the name.
  const listed = models.some((id) => id === config.look_model || id === `${config.look_model}:latest`);
  return state(true, true, listed ? "answers and has the model" : "answers but does not list look_model");
}

/** Checks every provider. */
export const checkProviders = (outbound: Outbound, config: Config): Promise<ProviderState[]> =>
  Promise.all([checkRestyle(outbound, config), checkLook(outbound, config)]);
