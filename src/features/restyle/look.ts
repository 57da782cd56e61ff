// The look brief provider: any OpenAI-compatible service with a vision model. Distinguishes errors about the picture
// (422), errors of the provider (502) and a provider that is not available (503).
import type { Config } from "../../core/config.ts";
import { HttpError, unprocessable } from "../../core/errors.ts";
import { briefOf, type LookBrief, prompt, responseFormat } from "./brief.ts";
import {
  failures,
  isTransient,
  type Outbound,
  type Outcome,
  retryAfterHeader,
  send,
  tryParseJson,
} from "./outbound.ts";

const maxBytes = 256 * 1024;

type AnswerOutcome = Extract<Outcome, { kind: "answer" }>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/**
 * The error message in an error body, in lower case. It is only matched, never sent to a client. Only known fields are
 * read, because some servers echo the request.
 */
function messageOf(text: string): string {
  const body: unknown = tryParseJson(text);
  if (!isObject(body)) return text.slice(0, 500).toLowerCase();
  const error = body.error ?? body.detail ?? body.message;
  const parts = [error].flat().flatMap((part) => {
    if (!isObject(part)) return [part];
    const { message, msg, code, type } = part;
    return [message, msg, code, type];
  });
  const texts = parts.filter((part) => typeof part === "string").map((part) => part.slice(0, 500));
  return texts.join(" ").toLowerCase();
}

/** The model does not support images: llama.cpp without its projector, or a text model. */
const modelWithoutVision =
  /mmproj|projector|image input is not supported|missing data required for image|not (?:a )?(?:multimodal|vision)|not support (?:images?|vision|multimodal)|only ["']?text["']? content|unsupported content part/;
const imageProblem = /image|picture|jpe?g|content.?(?:filter|policy|safety)|moderation|flagged|responsible ?ai/;
/** Messages of servers that answer 500 if they cannot read the picture. */
const unreadableImage =
  /(?:failed|unable|could not|cannot) to (?:load|decode|read|parse|process)[^.]{0,40}image|invalid image|image: unknown format/;
const refusalStatuses: ReadonlySet<number> = new Set([400, 403, 413, 415, 422, 451]);
const busyStatuses: ReadonlySet<number> = new Set([429, 503, 529]);

const providerError = (status: number, what: string, outcome: Outcome) =>
  new HttpError(status, `the look brief provider ${what}`, retryAfterHeader(outcome));

const imageRefused = () => unprocessable("the look brief provider refused the still or cannot read it");

/** The error for an answer whose status is not 2xx. */
function statusError(outcome: AnswerOutcome): HttpError {
  const { status } = outcome;
  const message = messageOf(outcome.text);
  if (modelWithoutVision.test(message))
    return providerError(503, "has a model that does not support images; set look_model to a vision model", outcome);
  if (busyStatuses.has(status))
    return providerError(503, "is overloaded or still loading its model; try again later", outcome);
  if (status === 413 || (refusalStatuses.has(status) && imageProblem.test(message)) || unreadableImage.test(message))
    return imageRefused();
  if (status === 401 || status === 403) return providerError(502, "refused the server's key", outcome);
  if (status === 404)
    return providerError(503, "does not have the configured model at the configured address", outcome);
  return providerError(502, `${status < 500 ? "refused the request" : "failed"} (status ${status})`, outcome);
}

/** The brief of an outcome, or the error that the client gets. */
function read(outcome: Outcome): LookBrief | HttpError {
  if (outcome.kind !== "answer")
    return providerError(
      outcome.kind === "unreachable" || outcome.kind === "timeout" ? 503 : 502,
      failures[outcome.kind],
      outcome,
    );
  if (outcome.status < 200 || outcome.status >= 300) return statusError(outcome);
  const brief = briefOf(outcome.text);
  if (typeof brief === "object") return brief;
  if (brief === "refused") return imageRefused();
  return providerError(
    502,
    brief === "truncated" ? "truncated its answer" : "sent an answer that is not a look brief",
    outcome,
  );
}

/** The headers of every call to the provider. */
export const headersOf = ({ look_key }: Config): Record<string, string> =>
  look_key === undefined ? {} : { authorization: `Bearer ${look_key}` };

/**
 * Creates a look brief of a JPEG. Throws 422 if the provider refuses or cannot read this picture; 503 if the provider
 * is not configured, not reachable, overloaded, still loading, or has no vision model; 502 if it fails otherwise.
 */
export async function requestBrief(outbound: Outbound, config: Config, jpeg: Buffer): Promise<LookBrief> {
  if (config.look_url === undefined) throw new HttpError(503, "this deployment has no look brief provider");
  const image = { type: "image_url", image_url: { url: `data:image/jpeg;base64,${jpeg.toString("base64")}` } };
  const request = {
    model: config.look_model,
    messages: [{ role: "user", content: [{ type: "text", text: prompt }, image] }],
    response_format: responseFormat,
    stream: false,
  };
  const milliseconds = config.look_timeout * 1000;
  const outcome = await send(
    outbound,
    {
      method: "POST",
      url: `${config.look_url}/chat/completions`,
      headers: { "content-type": "application/json", ...headersOf(config) },
      body: JSON.stringify(request),
      timeout: milliseconds,
      totalTimeout: milliseconds,
      maxBytes,
    },
    // Other failures are not retried, because the model may already have done the work.
    (first) => first.kind === "unreachable" || isTransient(first),
  );
  const brief = read(outcome);
  if (brief instanceof HttpError) throw brief;
  return brief;
}
