// The tool get_still: the picture of a medium as an image content, which a model can look at.
import * as v from "valibot";
import { Bytes } from "../../core/answers.ts";
import type { Context } from "../../core/context.ts";
import { unprocessable } from "../../core/errors.ts";
import * as input from "../../core/inputs.ts";
import { authorize, perform } from "../../core/pipeline.ts";
import { getMediaContent } from "../../graph/media.ts";
import { asInvalidParams } from "./messages.ts";
import type { Handler } from "./registry.ts";
import { annotationsOf, toolInputSchema } from "./tools.ts";

const entries = { media_id: input.describe(input.id, "The media_id of a version, or the id of another medium.") };

/** In bytes. */
const maxStill = 1_000_000;
/** The image types that are sent as they are, if they are small enough. */
const asTheyAre = ["image/jpeg", "image/png"];
/** The widths of smaller pictures, in pixels: the first one is taken that is small enough. */
const smallerWidths = [1280, 640] as const;

async function mediumOf(context: Context, given: { id: number; width?: number }): Promise<Bytes> {
  const medium = await perform(context, getMediaContent, given);
  if (!(medium instanceof Bytes)) throw new Error("get_media_content returns bytes");
  return medium;
}

/**
 * The bytes of an image of at most 1 MB, and their type. Throws 422 if the medium is no image, or no small picture of
 * it can be made.
 */
async function stillOf(context: Context, id: number): Promise<{ bytes: Buffer; content_type: string }> {
  const { sha256, size, content_type } = await mediumOf(context, { id });
  if (!content_type.startsWith("image/")) throw unprocessable(`medium ${id} is ${content_type}, not a picture`);
  if (asTheyAre.includes(content_type) && size <= maxStill)
    return { bytes: context.app.blobs.read(sha256), content_type };
  for (const width of smallerWidths) {
    const { body, content_type } = await mediumOf(context, { id, width });
    if (body !== undefined && body.length <= maxStill) return { bytes: body, content_type };
  }
  throw unprocessable(
    "this server cannot make a small picture of this still; its content is at GET /media/{id}/content",
  );
}

export const stillTool: Handler = {
  listing: {
    name: "get_still",
    description:
      "Returns the picture of one medium as an image of at most 1 MB: a JPEG or PNG as it is, a larger one or another format as a smaller JPEG if the server can make it. A movie or a document is refused.",
    inputSchema: toolInputSchema(getMediaContent, entries, "assistant"),
    annotations: annotationsOf(getMediaContent),
  },
  authorize: (context) => authorize(context, getMediaContent),
  async answer(context, given) {
    const { media_id } = asInvalidParams(() => input.validate(v.object(entries), given));
    const { bytes, content_type: mimeType } = await stillOf(context, media_id);
    const image = { type: "image", data: bytes.toString("base64"), mimeType };
    return { text: JSON.stringify({ content: [image], isError: false }), cacheable: false };
  },
};
