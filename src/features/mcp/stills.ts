// The tool get_still: the picture of a medium as an image content, which a model can look at.
import * as v from "valibot";
import { Bytes } from "../../core/answers.ts";
import { unprocessable } from "../../core/errors.ts";
import * as input from "../../core/inputs.ts";
import { authorize, perform, validate } from "../../core/pipeline.ts";
import { getMediaContent } from "../../graph/media.ts";

import { asInvalidParams } from "./messages.ts";
import type { Handler } from "./registry.ts";
import { maxStill, smallStill } from "./small_still.ts";
import { annotationsOf, toolInputSchema } from "./tools.ts";

const entries = { media_id: input.describe(input.id, "The media_id of a version, or the id of another medium.") };

/** The image types that are sent as they are, if they are small enough. */
const asTheyAre = ["image/jpeg", "image/png"];

export const stillTool: Handler = {
  listing: {
    name: "get_still",
    description:
      "Returns the picture of one medium as an image of at most 1 MB: a JPEG or PNG as it is, a larger one or another format as a smaller JPEG if the server can make it. A movie or a document is refused with a sentence.",
    inputSchema: toolInputSchema(getMediaContent, entries),
    annotations: annotationsOf(getMediaContent),
  },
  authorize: (context) => authorize(context, getMediaContent),
  async answer(context, given) {
    const { media_id: id } = asInvalidParams(() => validate(v.object(entries), given));
    const medium = await perform(context, getMediaContent, { id });
    if (!(medium instanceof Bytes)) throw new Error("get_media_content returns bytes");
    const { sha256, size, content_type } = medium;
    if (!content_type.startsWith("image/")) throw unprocessable(`medium ${id} is ${content_type}, not a picture`);
    const { blobs } = context.app;
    const isReady = asTheyAre.includes(content_type) && size <= maxStill;
    const bytes = isReady ? blobs.read(sha256) : await smallStill(blobs.fileOf(sha256));
    const image = { type: "image", data: bytes.toString("base64"), mimeType: isReady ? content_type : "image/jpeg" };
    return { text: JSON.stringify({ content: [image], isError: false }), cacheable: false };
  },
};
