// The look brief provider: any OpenAI-compatible service that sees pictures, on set or in the cloud. Tells what is wrong
// with the picture (422) from what is wrong with the provider (502) and from its not being there for now (503).
import type { Config } from "../config.ts";
import { HttpError, unprocessable } from "../errors.ts";
import { briefOf, type LookBrief, question, responseFormat } from "./brief.ts";
import { failures, type Outbound, type Outcome, passing, retryAfterHeader, send, tryParseJson } from "./outbound.ts";

const maxBytes = 256 * 1024;

type Complaint = Extract<Outcome, { kind: "answer" }>;

/** What an error body says is wrong, in lower case; never passed on. Only its own fields: some servers echo the request. */
function messageOf(text: string): string {
  const body = tryParseJson(text) as Record<string, unknown> | null | undefined;
  if (typeof body !== "object" || body === null) return text.slice(0, 500).toLowerCase();
  const error = body.error ?? body.detail ?? body.message;
  const parts = [error].flat().flatMap((part) => {
    if (typeof part !== "object" || part === null) return [part];
    const { message, msg, code, type } = part as Record<string, unknown>;
    return [message, msg, code, type];
  });
  const texts = parts.filter((part) => typeof part === "string").map((part) => part.slice(0, 500));
  return texts.join(" ").toLowerCase();
}

/** The model behind the address has no eyes: llama.cpp without its projector, a text model in Ollama or elsewhere. */
const sightless =
  /mmproj|projector|image input is not supported|missing data required for image|not (?:a )?(?:multimodal|vision)|not support (?:images?|vision|multimodal)|only ["']?text["']? content|unsupported content part/;
const imageTrouble = /image|picture|jpe?g|content.?(?:filter|policy|safety)|moderation|flagged|responsible ?ai/;
/** How servers that answer 500 to a picture they cannot read put it. */
const unreadable =
  /(?:failed|unable|could not|cannot) to (?:load|decode|read|parse|process)[^.]{0,40}image|invalid image|image: unknown format/;
const refusing: ReadonlySet<number> = new Set([400, 403, 413, 415, 422, 451]);
const busy: ReadonlySet<number> = new Set([429, 503, 529]);

const provider = (status: number, what: string, outcome: Outcome) =>
  new HttpError(status, `the look brief provider ${what}`, retryAfterHeader(outcome));

const imageRefused = () => unprocessable("the still was refused by the look brief provider, or is not usable to it");

/** The refusal of an answer that is not 2xx. */
function statusError(outcome: Complaint): HttpError {
  const { status } = outcome;
  const complaint = messageOf(outcome.text);
  if (sightless.test(complaint))
    return provider(503, "has a model that takes no images; look_model must name one that does", outcome);
  if (busy.has(status)) return provider(503, "is overloaded, or still loading its model; try again later", outcome);
  if (status === 413 || (refusing.has(status) && imageTrouble.test(complaint)) || unreadable.test(complaint))
    return imageRefused();
  if (status === 401 || status === 403) return provider(502, "refused the server's key", outcome);
  if (status === 404) return provider(503, "does not have the configured model at the configured address", outcome);
  return provider(502, `${status < 500 ? "refused the request" : "failed"} (status ${status})`, outcome);
}

/** The brief that an outcome holds, or the refusal that it comes to. */
function read(outcome: Outcome): LookBrief | HttpError {
  if (outcome.kind !== "answer")
    return provider(
      outcome.kind === "unreachable" || outcome.kind === "silent" ? 503 : 502,
      failures[outcome.kind],
      outcome,
    );
  if (outcome.status < 200 || outcome.status >= 300) return statusError(outcome);
  const brief = briefOf(outcome.text);
  if (typeof brief === "object") return brief;
  if (brief === "refused") return imageRefused();
  return provider(
    502,
    brief === "truncated" ? "cut its answer short" : "answered with something that is no look brief",
    outcome,
  );
}

/** The headers that every call to the provider has. */
export const headersOf = ({ look_key }: Config): Record<string, string> =>
  look_key === undefined ? {} : { authorization: `Bearer ${look_key}` };

/**
 * Distils a brief of a JPEG's bytes. Throws 422 where this picture is refused or of no use, 503 where the provider is not
 * configured, not reached, overloaded, loading or without a model that sees, 502 where it fails otherwise.
 */
export async function distil(outbound: Outbound, config: Config, jpeg: Buffer): Promise<LookBrief> {
  if (config.look_url === undefined) throw new HttpError(503, "this deployment has no look brief provider");
  const image = { type: "image_url", image_url: { url: `data:image/jpeg;base64,${jpeg.toString("base64")}` } };
  const request = {
    model: config.look_model,
    messages: [{ role: "user", content: [{ type: "text", text: question }, image] }],
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
      total: milliseconds,
      most: maxBytes,
    },
    // An answer that had begun, or a time-out, has cost the model its work already.
    (first) => first.kind === "unreachable" || passing(first),
  );
  const brief = read(outcome);
  if (brief instanceof HttpError) throw brief;
  return brief;
}
