// The files that the pages of the features load: a fixed list, looked up by name, so that no request path becomes a
// file path. The address of a file contains a hash of its content, so that browsers may cache it forever.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { features } from "../../core/features.ts";
import type { Coded } from "../../core/http/send.ts";

export interface Asset {
  type: string;
  body: Buffer;
  /** The compressed forms that browsers have asked for. */
  coded: Coded;
}

/**
 * The locations of the parts of each file. A file is located and read at its first use, so a server whose pages nobody
 * opens reads none.
 */
const files = new Map(
  features().flatMap(({ url, files = {} }) =>
    Object.entries(files).map(([name, parts]) => [
      name,
      () => parts.map((part) => (part.startsWith(".") ? new URL(part, url) : createRequire(url).resolve(part))),
    ]),
  ),
);

const typeOf = (name: string): string => `text/${name.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`;

export const staticPath = "/docs/";

const assets = new Map<string, Asset & { path: string }>();

/** A file of the list, which is read at its first use. */
function assetOf(name: string): Asset & { path: string } {
  const known = assets.get(name);
  if (known !== undefined) return known;
  const parts = files.get(name)?.() ?? []; // each name is in the list
  const body = Buffer.concat(parts.map((file) => readFileSync(file)));
  const path = `${staticPath}${hash("sha256", body).slice(0, 16)}/${name}`;
  const asset = { path, type: typeOf(name), body, coded: {} };
  assets.set(name, asset);
  return asset;
}

/** The path from which a page loads a file of the list. */
export const addressOfFile = (name: string): string => assetOf(name).path;

/** The file at a path; undefined if there is none or its content has changed. */
export function fileAt(path: string): Asset | undefined {
  const name = [...files.keys()].find((one) => path.endsWith(`/${one}`));
  const asset = name === undefined ? undefined : assetOf(name);
  return asset?.path === path ? asset : undefined;
}
