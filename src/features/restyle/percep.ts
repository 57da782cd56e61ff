// The restyle helpers: session tokens for the restyle provider, and look briefs of released stills.
import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import { type JsonText, jsonText } from "../../core/answers.ts";
import type { Context } from "../../core/context.ts";
import { notFound, unprocessable } from "../../core/errors.ts";
import type { NodeId, ProductionId, VersionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { change, document, one } from "../../core/store/statements.ts";
import { withCommas } from "../../core/wording.ts";
import { recordActivity } from "../../graph/activity.ts";
import { briefFields } from "./brief.ts";
import { providersOf } from "./providers.ts";

const restyleModels = ["lucy-2.5", "lucy-restyle-2"] as const;

const sessionToken = out.record(
  "SessionToken",
  v.object({ token: out.text, expires_at: out.timestamp, model: out.text }),
);

const lookBrief = out.record("LookBrief", v.looseObject(v.entriesFromList(briefFields, out.text)));
type LookBrief = v.InferOutput<typeof lookBrief>;

/** A released version with its still. */
interface LookStill {
  node_id: NodeId;
  label: string;
  version: number;
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

type VersionKey = { version_id: VersionId; sha256: string };
const stillOf = one<{ production_id: ProductionId; version_id: VersionId }, LookStill | { sha256: null }>(
  "get_look_still",
);
const briefOf = document<VersionKey, LookBrief>("get_look_brief");
const insertBrief = change("create_look_brief");

const maxBytes = 16 * 1024 * 1024;
/** In pixels per side. Decoders on a small machine can handle this size. */
const maxSide = 8_192;

export const createSessionToken = operation({
  name: "create_session_token",
  summary: "Creates a short-lived client token for the restyle provider. The permanent key never leaves the server.",
  method: "POST",
  path: "/percep/session-token",
  scope: "read",
  input: v.object({ model: v.optional(input.oneOf(restyleModels), "lucy-2.5") }),
  output: sessionToken,
  errors: [502, 503],
  noStore: true,
  tool: false,
  run: async (context, { model }) => {
    const { store } = context.app;
    const token = await providersOf(context.app).createToken(model);
    const summary = `Created a restyle session token for ${model}`;
    await store.write(() => recordActivity(context, { verb: "session_token.created", summary }, null));
    return token;
  },
});

/**
 * The still of a released version. Throws the same 404 for an unknown, foreign or unreleased version, 422 if it has no
 * still.
 */
function requireStill({ app, caller }: Context, version_id: VersionId): LookStill {
  const still = stillOf(app.store, { production_id: caller.production_id, version_id });
  if (still === undefined) throw notFound();
  if (still.sha256 === null) throw unprocessable("this version has no still");
  return still;
}

/**
 * The bytes of the picture, without data that a camera appended. Throws 422 if it is not a JPEG that common decoders
 * accept.
 */
async function readStill({ app }: Context, { sha256, size, content_type }: LookStill): Promise<Buffer> {
  if (content_type !== "image/jpeg") throw unprocessable(`the still must be a JPEG; this version's is ${content_type}`);
  if (size > maxBytes) throw unprocessable(`the still must have at most ${withCommas(maxBytes)} bytes`);
  const bytes = await buffer(app.blobs.stream(sha256, 0, size - 1));
  const { parseJpeg } = await import("../../graph/jpeg.ts");
  const frame = parseJpeg(bytes);
  if (typeof frame === "string") throw unprocessable(`the still ${frame}`);
  if (frame.width > maxSide || frame.height > maxSide)
    throw unprocessable(`the still must have at most ${withCommas(maxSide)} pixels per side`);
  return bytes.subarray(0, frame.size);
}

async function briefOfStill(context: Context, version_id: VersionId, still: LookStill): Promise<JsonText<LookBrief>> {
  const { store } = context.app;
  const brief = jsonText<LookBrief>({ ...(await providersOf(context.app).distil(await readStill(context, still))) });
  await store.write(() => {
    requireStill(context, version_id); // checked again, because the provider may have taken long
    const { changes } = insertBrief(store, { version_id, sha256: still.sha256, brief, now: context.now });
    const summary = `Distilled a look brief of ${still.label} version ${still.version}`;
    if (changes > 0) recordActivity(context, { verb: "look_brief.created", summary, node_id: still.node_id }, null);
  });
  return brief;
}

export const createLookBrief = operation({
  hints: ["repeats", "external"],
  name: "create_look_brief",
  summary: "Returns the look brief of a released version's still. It is created by the first call and stored.",
  method: "POST",
  path: "/percep/looks/:version_id/brief",
  scope: "read",
  body: "none",
  output: lookBrief,
  errors: [404, 502, 503],
  run: async (context, { version_id }) => {
    const { store } = context.app;
    const still = requireStill(context, version_id);
    const stored = briefOf(store, { version_id, sha256: still.sha256 });
    if (stored !== undefined) return stored;
    return providersOf(context.app).singleFlight(`${version_id} ${still.sha256}`, () =>
      briefOfStill(context, version_id, still),
    );
  },
});
