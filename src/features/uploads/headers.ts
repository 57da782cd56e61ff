// Reads the headers of tus 1.0 requests (https://tus.io/protocols/resumable-upload). What is malformed is 400, as the
// protocol says.
import { createHash, type Hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { HttpError, tooLarge } from "../../core/errors.ts";
import { withCommas } from "../../core/wording.ts";

export const tusVersion = "1.0.0";
export const extensions = "creation,creation-with-upload,termination,expiration,checksum";
/** The algorithms of Upload-Checksum, with the number of bytes of their digests. */
export const checksumAlgorithms: ReadonlyMap<string, number> = new Map([
  ["sha1", 20],
  ["sha256", 32],
  ["sha512", 64],
]);

const malformed = (detail: string) => new HttpError(400, detail);

/** Throws 412 unless the request is of the supported version. */
export function checkVersion({ "tus-resumable": version }: IncomingHttpHeaders): void {
  if (version !== tusVersion)
    throw new HttpError(412, `Tus-Resumable must be ${tusVersion}`, { "tus-version": tusVersion });
}

function bytesIn(headers: IncomingHttpHeaders, name: string): number {
  const text = headers[name.toLowerCase()];
  if (text === undefined) throw malformed(`${name} is required`);
  if (!/^\d{1,16}$/.test(String(text)) || !Number.isSafeInteger(Number(text)))
    throw malformed(`${name} must be a number of bytes`);
  return Number(text);
}

/** The size of a new upload. Throws 413 if it is above `ceiling`. */
export function lengthIn(headers: IncomingHttpHeaders, ceiling: number): number {
  if (headers["upload-defer-length"] !== undefined)
    throw malformed("Upload-Defer-Length is not supported: send Upload-Length");
  if (headers["upload-concat"] !== undefined)
    throw malformed("Upload-Concat is not supported: send the file in one upload");
  const length = bytesIn(headers, "Upload-Length");
  if (length > ceiling) throw tooLarge(`a file must have at most ${withCommas(ceiling)} bytes`);
  return length;
}

export const offsetIn = (headers: IncomingHttpHeaders): number => bytesIn(headers, "Upload-Offset");

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The metadata of a new upload as it was sent, and the file name in it. */
export function metadataIn({ "upload-metadata": sent }: IncomingHttpHeaders): {
  metadata: string;
  file_name: string | null;
} {
  const metadata = String(sent ?? "").trim();
  const values = new Map<string, string>();
  for (const pair of metadata === "" ? [] : metadata.split(",")) {
    const [key = "", value = "", ...rest] = pair.trim().split(" ");
    if (!/^[\x21-\x7e]+$/.test(key) || !base64.test(value) || rest.length > 0)
      throw malformed("Upload-Metadata must be pairs of a key and a base64 value, separated by commas");
    if (values.has(key)) throw malformed(`Upload-Metadata must have each key once: ${key}`);
    values.set(key, value);
  }
  const name = values.get("filename") ?? values.get("name");
  return { metadata, file_name: name === undefined ? null : Buffer.from(name, "base64").toString("utf8") };
}

/** The checksum of a part; undefined if the request has none. */
export function checksumIn({
  "upload-checksum": sent,
}: IncomingHttpHeaders): { hash: Hash; digest: Buffer } | undefined {
  if (sent === undefined) return undefined;
  const [algorithm = "", encoded = "", ...rest] = String(sent).trim().split(" ");
  const size = checksumAlgorithms.get(algorithm);
  if (size === undefined)
    throw malformed(`the algorithm of Upload-Checksum must be one of ${[...checksumAlgorithms.keys()].join(", ")}`);
  const digest = Buffer.from(encoded, "base64");
  if (rest.length > 0 || !base64.test(encoded) || digest.length !== size)
    throw malformed(`Upload-Checksum must be ${algorithm} and a digest of ${size} bytes in base64`);
  return { hash: createHash(algorithm), digest };
}
