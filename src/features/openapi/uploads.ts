// Describes the resumable uploads (tus 1.0) at /api/v1/uploads.

import type { Json } from "../../core/input_schemas.ts";
import { errorResponsesOf, parameterOf, response } from "./responses.ts";

const integer = { type: "integer", minimum: 0 };
const text = { type: "string" };
const answered = (description: string, schema: Json, required = true): Json => ({ required, description, schema });

const versionText = "The version of the protocol.";
const version = parameterOf("header", "Tus-Resumable", versionText, { type: "string", const: "1.0.0" }, true);
const checksum = parameterOf(
  "header",
  "Upload-Checksum",
  "sha1, sha256 or sha512, a space, and the digest of this part in base64.",
);

const withVersion = { "Tus-Resumable": answered(versionText, text) };
const withOffset = {
  ...withVersion,
  "Upload-Offset": answered("The number of bytes that are stored and synced.", integer),
  "Upload-Expires": answered("When the upload is removed, unless further bytes arrive.", text),
};

const part = { "application/offset+octet-stream": { schema: { type: "string", format: "binary" } } };
const security = ["key", "oauth"].flatMap((name) => [{ [name]: ["write"] }, { [name]: ["submit:turnover"] }]);

/** An operation: its name, its summary, its description. */
const operation = (
  [operationId, summary, description]: readonly [string, string, string],
  parameters: readonly Json[],
  responses: Json,
  errors: readonly number[],
  more: Json = {},
): Json => ({
  operationId,
  summary,
  description: `tus 1.0: ${description}`,
  tags: ["uploads"],
  security,
  parameters: [version, ...parameters],
  ...more,
  responses: { ...responses, ...errorResponsesOf([401, 403, 412, 429, ...errors]) },
});

const ofParts = [400, 408, 413, 415, 460, 503, 507];

const creation = operation(
  [
    "create_upload",
    "Create an upload",
    "creates an upload of a known length, and takes its first part if there is a body. The scope is `write` or `submit:turnover`. " +
      "A finished upload is used by its id, in `upload_ids` of a submission or of a version, within 24 hours after its last bytes.",
  ],
  [
    parameterOf("header", "Upload-Length", "The size of the whole file in bytes.", integer, true),
    parameterOf(
      "header",
      "Upload-Metadata",
      "Pairs of a key and a base64 value. `filename` becomes the label of the file.",
    ),
    checksum,
  ],
  {
    "201": response("The upload exists.", [], undefined, {
      Location: answered("The address of the upload; its last segment is the id.", text),
      ...withOffset,
    }),
  },
  [409, 422, ...ofParts],
  { requestBody: { required: false, content: part } },
);

const offset = operation(
  [
    "get_upload",
    "Ask how far an upload is",
    "the offset at which the upload continues. A part that is still arriving is ended.",
  ],
  [],
  {
    "200": response("The upload exists.", [], undefined, {
      ...withOffset,
      "Upload-Length": answered("The size of the whole file in bytes.", integer),
      "Upload-Metadata": answered("The metadata as it was sent.", text, false),
    }),
  },
  [404],
);

const append = operation(
  [
    "append_upload",
    "Send a part of an upload",
    "appends bytes. The answer is sent once they are synced to disk. If the connection breaks, what arrived stays; a part " +
      "with a checksum is stored as a whole or not at all.",
  ],
  [parameterOf("header", "Upload-Offset", "The offset of the upload.", integer, true), checksum],
  { "204": response("The part is stored.", [], undefined, withOffset) },
  [404, 409, ...ofParts],
  { requestBody: { required: true, content: part } },
);

const removal = operation(
  ["delete_upload", "Remove an upload", "removes the upload and its bytes."],
  [],
  { "204": response("The upload is gone.", [], undefined, withVersion) },
  [404],
);

/** The path items of the uploads below `path`. */
export const uploadPaths = (path: string): Record<string, Json> => ({
  [path]: { post: creation },
  [`${path}/{upload_id}`]: {
    parameters: [parameterOf("path", "upload_id", "The last segment of Location.")],
    head: offset,
    patch: append,
    delete: removal,
  },
});
