// Tells a bound key that its manifest has moved: at once, after a wait, or as a stream.
import * as v from "valibot";
import type { Context } from "../../core/context.ts";
import { tagText } from "../../core/http/send.ts";
import * as input from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import type { Reader } from "../events/feed.ts";
import { readerOwner } from "../events/operations.ts";
import { feedOf } from "../events/state.ts";
import { wait } from "../events/wait.ts";
import { currentTag, type MadeTag, mayHaveMoved } from "./manifest_tags.ts";

const { describe } = input;

const manifestTag = out.record(
  "ManifestTag",
  v.object({
    etag: describe(out.text, "The ETag of GET /me/manifest. If it is another one than before, read the manifest."),
  }),
);

interface SentTag {
  made: MadeTag;
  etag: string;
}

/**
 * A reader that looks at the manifest once a second and calls `tell` with each tag that is another than the one before.
 * `end` is called when it must not go on.
 */
export function followerOf(context: Context, sentTag: SentTag, tell: (etag: string) => void, end: () => void): Reader {
  let last = sentTag;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking || !mayHaveMoved(context, last.made)) return;
    isLooking = true;
    try {
      const { etag } = last;
      last = await currentTag(context);
      if (last.etag !== etag) tell(last.etag);
    } catch {
      end(); // the next request says why
    }
    isLooking = false;
  };
  return { owner: readerOwner(context), wake() {}, tick: () => void look(), end };
}

/**
 * Waits until the manifest has another tag. Resolves too if the time is over, the client disconnected or the server
 * stops.
 */
function waitForMove(context: Context, sentTag: SentTag, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let remove = (): void => {};
    const end = (): void => {
      clearTimeout(timer);
      remove();
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    try {
      remove = feedOf(context.app).add(followerOf(context, sentTag, end, end));
    } catch (error) {
      clearTimeout(timer);
      reject(error);
    }
    context.onClose(end);
  });
}

export const getManifestChanges = operation({
  name: "get_manifest_changes",
  summary:
    "Tells that the manifest of the key's engagement has moved: work returned, grants that began or ended, renames. With wait, the answer is held open until its ETag is another. It says nothing but the ETag.",
  path: "/me/changes",
  scope: "read",
  reach: "bound",
  noStore: true,
  input: v.object({
    etag: v.optional(
      describe(
        input.text(100),
        "The ETag that the client has; by default the present one. Another one is answered at once.",
      ),
    ),
    wait: v.optional(describe(wait, "How many seconds to wait for another ETag; at most 45 behind a proxy."), 0),
  }),
  output: manifestTag,
  errors: [503],
  async stream(ctx, context) {
    const { streamChanges } = await import("./manifest_stream.ts");
    return streamChanges(ctx, context);
  },
  async run(context, { etag: known, wait }) {
    const sentTag = await currentTag(context);
    if (wait === 0 || (known !== undefined && tagText(known) !== tagText(sentTag.etag))) return { etag: sentTag.etag };
    await waitForMove(context, sentTag, wait * 1000);
    return { etag: (await currentTag(context)).etag };
  },
});
