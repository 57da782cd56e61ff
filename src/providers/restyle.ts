// The restyle provider, Decart: exchanges the platform's permanent key for a client token that ends by itself. Nothing
// of the key or of an answer but the token and its end ever leaves here.
import * as v from "valibot";
import type { Config } from "../config.ts";
import { HttpError } from "../errors.ts";
import { failures, type Outbound, type Outcome, passing, retryAfterHeader, send, tryParseJson } from "./outbound.ts";

export interface SessionToken {
  token: string;
  /** As stored moments are written. */
  expires_at: string;
  model: string;
}

const maxBytes = 64 * 1024;

const timestamp = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/),
  v.transform((text) => Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)),
  v.number(),
  v.transform((milliseconds) => new Date(milliseconds).toISOString()),
);

const clientToken = v.object({
  apiKey: v.pipe(v.string(), v.regex(/^ek_[\x21-\x7e]{1,4096}$/)), // a permanent key has another beginning
  expiresAt: timestamp,
});

function httpErrorOf(outcome: Outcome): HttpError {
  const failed = (what: string) => new HttpError(502, `the restyle provider ${what}`, retryAfterHeader(outcome));
  if (outcome.kind !== "answer") return failed(failures[outcome.kind]);
  const { status } = outcome;
  if (status === 401 || status === 403) return failed("refused the platform key");
  if (status === 429) return failed("takes no more requests from this server for now");
  if (status >= 200 && status < 300) return failed("answered with something that is no client token");
  if (status >= 300 && status < 500) return failed(`refused the request for a token (status ${status})`);
  return failed(`failed (status ${status})`);
}

/**
 * A client token for one model. Throws 503 where the deployment has no key, 502 where the provider refused the platform
 * key or failed otherwise.
 */
export async function createToken(outbound: Outbound, config: Config, model: string): Promise<SessionToken> {
  const { restyle_key, restyle_origins } = config;
  if (restyle_key === undefined) throw new HttpError(503, "this deployment has no restyle provider key");
  const request = {
    expiresIn: config.restyle_lifetime,
    allowedModels: [model],
    ...(restyle_origins.length === 0 ? {} : { allowedOrigins: restyle_origins }),
  };
  const outcome = await send(
    outbound,
    {
      method: "POST",
      url: `${config.restyle_url}/v1/client/tokens`,
      headers: { "content-type": "application/json", "x-api-key": restyle_key },
      body: JSON.stringify(request),
      timeout: outbound.promptly,
      total: 3 * outbound.promptly,
      most: maxBytes,
    },
    // A token that was made and never arrived ends by itself.
    (first) => passing(first) || (first.kind !== "answer" && first.kind !== "oversized"),
  );
  const answered = outcome.kind === "answer" && outcome.status >= 200 && outcome.status < 300;
  const result = v.safeParse(clientToken, answered ? tryParseJson(outcome.text) : undefined);
  if (!result.success) throw httpErrorOf(outcome);
  return { token: result.output.apiKey, expires_at: result.output.expiresAt, model };
}
