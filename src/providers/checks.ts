// Whether each provider answers, asked without spending anything: what `doctor` shows.
import type { Config } from "../config.ts";
import { headersOf } from "./look.ts";
import { failures, type Outbound, send, tryParseJson } from "./outbound.ts";

export interface ProviderState {
  name: "restyle" | "look";
  configured: boolean;
  /** Whether it answered in a way that lets its operation work, as far as can be told for nothing. */
  answers: boolean;
  /** A sentence; never a key or anything that the provider said. */
  detail: string;
}

function ask(outbound: Outbound, url: string, headers: Record<string, string>) {
  const { promptly } = outbound;
  return send(
    outbound,
    { method: "GET", url, headers, timeout: promptly, total: promptly, most: 1 << 20 },
    () => false,
  );
}

/** Reaches the address without the key: the one thing that the key is good for makes a token. */
async function checkRestyle(outbound: Outbound, config: Config): Promise<ProviderState> {
  const state = (configured: boolean, answers: boolean, what: string): ProviderState => ({
    name: "restyle",
    configured,
    answers,
    detail: `the restyle provider ${what}`,
  });
  if (config.restyle_key === undefined) return state(false, false, "has no key: restyle_key is not set");
  const outcome = await ask(outbound, config.restyle_url, {});
  if (outcome.kind === "oversized") return state(true, true, "answers");
  if (outcome.kind !== "answer") return state(true, false, failures[outcome.kind]);
  if (outcome.status >= 500) return state(true, false, `fails (status ${outcome.status})`);
  return state(true, true, "answers; its key was not tried");
}

/** The names of an OpenAI-compatible model list; undefined where the text is none. */
function modelsOf(text: string): string[] | undefined {
  const data = (tryParseJson(text) as { data?: unknown } | null | undefined)?.data;
  if (!Array.isArray(data)) return undefined;
  return data.map((model) => (model as { id?: unknown } | null)?.id).filter((id) => typeof id === "string");
}

async function checkLook(outbound: Outbound, config: Config): Promise<ProviderState> {
  const state = (configured: boolean, answers: boolean, what: string): ProviderState => ({
    name: "look",
    configured,
    answers,
    detail: `the look brief provider ${what}`,
  });
  if (config.look_url === undefined) return state(false, false, "has no address: look_url is not set");
  const outcome = await ask(outbound, `${config.look_url}/models`, headersOf(config));
  if (outcome.kind === "oversized") return state(true, true, "answers");
  if (outcome.kind !== "answer") return state(true, false, failures[outcome.kind]);
  if (outcome.status === 401 || outcome.status === 403) return state(true, false, "refuses the server's key");
  if (outcome.status >= 500) return state(true, false, `fails or is still loading (status ${outcome.status})`);
  const models = outcome.status === 200 ? modelsOf(outcome.text) : undefined;
  if (models === undefined) return state(true, true, "answers, and lists no models at look_url");
  // A server that holds one model answers with it whatever is asked for; Ollama adds a tag.
  const listed = models.some((id) => id === config.look_model || id === `${config.look_model}:latest`);
  return state(true, true, listed ? "answers and has the model" : "answers, and does not list look_model");
}

/** One state for each provider. */
export const check = (outbound: Outbound, config: Config): Promise<ProviderState[]> =>
  Promise.all([checkRestyle(outbound, config), checkLook(outbound, config)]);
