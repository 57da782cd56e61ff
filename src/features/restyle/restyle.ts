// The restyle provider, Decart: exchanges the deployment's permanent key for an expiring client token. Of the
// provider's answer only the token and its expiry are used.
import * as v from "valibot";
import type { Config } from "../../core/config.ts";
import { HttpError } from "../../core/errors.ts";
import {
  failures,
  isTransient,
  type Outbound,
  type Outcome,
  retryAfterHeader,
  send,
  tryParseJson,
} from "./outbound.ts";

export interface SessionToken {
  token: string;
  /** In the format of stored timestamps. */
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
  apiKey: v.pipe(v.string(), v.regex(/^ek_[\x21-\x7e]{1,4096}$/)), // permanent keys have another prefix
  expiresAt: timestamp,
});

function httpErrorOf(outcome: Outcome): HttpError {
  const failed = (what: string) => new HttpError(502, `the restyle provider ${what}`, retryAfterHeader(outcome));
  if (outcome.kind !== "answer") return failed(failures[outcome.kind]);
  const { status } = outcome;
  if (status === 401 || status === 403) return failed("refused the platform key");
  if (status === 429) return failed("limits the requests of this server; try again later");
  if (status >= 200 && status < 300) return failed("sent an answer that is not a client token");
  if (status >= 300 && status < 500) return failed(`refused the request for a token (status ${status})`);
  return failed(`failed (status ${status})`);
}

/**
 * Creates a client token for one model. Throws 503 if no key is configured, 502 if the provider refuses the key or
 * fails otherwise.
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
      timeout: outbound.shortTimeout,
      totalTimeout: 3 * outbound.shortTimeout,
      maxBytes,
    },
    // A retry is safe: a token that was created but did not arrive expires unused.
    (first) => isTransient(first) || (first.kind !== "answer" && first.kind !== "oversized"),
  );
  const answered = outcome.kind === "answer" && outcome.status >= 200 && outcome.status < 300;
  const result = v.safeParse(clientToken, answered ? tryParseJson(outcome.text) : undefined);
  if (!result.success) throw httpErrorOf(outcome);
  return { token: result.output.apiKey, expires_at: result.output.expiresAt, model };
}
