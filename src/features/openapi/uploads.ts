// Describes the resumable uploads (tus 1.0) at /api/v1/uploads.
import { errorResponsesOf } from "./responses.ts";
import type { Json } from "./schemas.ts";

const integer = { type: "integer", minimum: 0 };
const text = { type: "string" };

/** A request header. */
const asked = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: "header",
  ...(required && { required }),
  description,
  schema,
});

const answered = (description: string, schema: Json, required = true): Json => ({ required, description, schema });

const version = asked("Tus-Resumable", "The version of the protocol.", { type: "string", const: "1.0.0" }, true);
const checksum = asked(
  "Upload-Checksum",
  "sha1, sha256 or sha512, a space, and the digest of this part in base64.",
  text,
);
const id = {
  name: "upload_id",
  in: "path",
  required: true,
  description: "The last segment of Location.",
  schema: text,
};

const headers = {
  version: { "Tus-Resumable": answered("The version of the protocol.", text) },
  offset: { "Upload-Offset": answered("The number of bytes that are stored and synced.", integer) },
  expires: { "Upload-Expires": answered("When the upload is removed, unless further bytes arrive.", text) },
};

const part = { "application/offset+octet-stream": { schema: { type: "string", format: "binary" } } };
const security = ["key", "oauth"].flatMap((name) => [{ [name]: ["write"] }, { [name]: ["submit:turnover"] }]);

interface Described {
  operationId: string;
  summary: string;
  description: string;
  parameters: readonly Json[];
  /** Whether the request has a body, and whether it must have one. */
  body?: "optional" | "required";
  success: Readonly<Record<string, Json>>;
  errors: readonly number[];
}

const operation = ({ parameters, body, success, errors, ...words }: Described): Json => ({
  ...words,
  tags: ["uploads"],
  security,
  parameters: [version, ...parameters],
  ...(body !== undefined && { requestBody: { required: body === "required", content: part } }),
  responses: { ...success, ...errorResponsesOf([401, 403, 412, 429, ...errors]) },
});

const ofParts = [400, 408, 413, 415, 460, 503, 507];

const creation = operation({
  operationId: "create_upload",
  summary: "Create an upload",
  description:
    "tus 1.0: creates an upload of a known length, and takes its first part if there is a body. The scope is `write` or `submit:turnover`. " +
    "A finished upload is used by its id, in `upload_ids` of a submission or of a version, within 24 hours after its last bytes.",
  parameters: [
    asked("Upload-Length", "The size of the whole file in bytes.", integer, true),
    asked("Upload-Metadata", "Pairs of a key and a base64 value. `filename` becomes the label of the file.", text),
    checksum,
  ],
  body: "optional",
  success: {
    "201": {
      description: "The upload exists.",
      headers: {
        Location: answered("The address of the upload; its last segment is the id.", text),
        ...headers.version,
        ...headers.offset,
        ...headers.expires,
      },
    },
  },
  errors: [409, ...ofParts],
});

const offset = operation({
  operationId: "get_upload",
  summary: "Ask how far an upload is",
  description: "tus 1.0: the offset at which the upload continues. A part that is still arriving is ended.",
  parameters: [],
  success: {
    "200": {
      description: "The upload exists.",
      headers: {
        ...headers.version,
        ...headers.offset,
        ...headers.expires,
        "Upload-Length": answered("The size of the whole file in bytes.", integer),
        "Upload-Metadata": answered("The metadata as it was sent.", text, false),
      },
    },
  },
  errors: [404],
});

const append = operation({
  operationId: "append_upload",
  summary: "Send a part of an upload",
  description:
    "tus 1.0: appends bytes. The answer is sent once they are synced to disk. If the connection breaks, what arrived stays; a part " +
    "with a checksum is stored as a whole or not at all.",
  parameters: [asked("Upload-Offset", "The offset of the upload.", integer, true), checksum],
  body: "required",
  success: {
    "204": {
      description: "The part is stored.",
      headers: { ...headers.version, ...headers.offset, ...headers.expires },
    },
  },
  errors: [404, 409, ...ofParts],
});

const removal = operation({
  operationId: "delete_upload",
  summary: "Remove an upload",
  description: "tus 1.0: removes the upload and its bytes.",
  parameters: [],
  success: { "204": { description: "The upload is gone.", headers: headers.version } },
  errors: [404],
});

/** The path items of the uploads below `path`. */
export const uploadPaths = (path: string): Record<string, Json> => ({
  [path]: { post: creation },
  [`${path}/{upload_id}`]: { parameters: [id], head: offset, patch: append, delete: removal },
});
