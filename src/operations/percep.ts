// The restyle helpers: what an on-set tool gets instead of a permanent credential.
import type { Context } from "../context.ts";
import type { SessionToken } from "../providers/providers.ts";
import { recordActivity } from "./activity.ts";
import { getLookStill, readLookStill } from "./looks.ts";

/** POST /percep/session-token */
export async function createSessionToken(context: Context, { model }: { model: string }): Promise<SessionToken> {
  const { store, providers } = context.app;
  const token = await providers.createToken(model);
  await store.write(() =>
    recordActivity(context, { verb: "session_token.created", summary: `Took a restyle session token for ${model}` }),
  );
  return token;
}

/** POST /percep/looks/{version_id}/brief */
export async function createLookBrief(context: Context, { version_id }: { version_id: number }): Promise<string> {
  const { store, providers } = context.app;
  const still = getLookStill(context, version_id);
  const { sha256, node_id } = still;
  const kept = store.json("get_look_brief", { version_id, sha256 });
  if (kept !== undefined) return kept;
  return providers.singleFlight.join(`${version_id} ${sha256}`, async () => {
    const brief = JSON.stringify(await providers.distil(await readLookStill(context, still)));
    return store.write(() => {
      getLookStill(context, version_id); // again: the provider took its time
      const { changes } = store.run("create_look_brief", { version_id, sha256, brief, now: context.now });
      const summary = `Distilled a look brief of ${still.label} version ${still.version}`;
      if (changes > 0) recordActivity(context, { verb: "look_brief.created", summary, node_id });
      return brief;
    });
  });
}
