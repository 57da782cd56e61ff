// The files that the pages load: a fixed list, looked up by name, so that no request path becomes a file path. The address of a
// file contains a hash of its content, so that browsers may cache it forever.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Coded } from "../../core/http/conditional.ts";

export interface Asset {
  type: string;
  body: Buffer;
  /** The compressed forms that browsers have asked for. */
  coded: Coded;
}

const { resolve } = createRequire(import.meta.url);
const own =
  (...names: string[]) =>
  () =>
    names.map((name) => new URL(name, import.meta.url));
const viewer = (name: string) => () => [resolve(`swagger-ui-dist/${name}`)];

/** The locations of the parts of each file. A file is located and read at its first use, so a server whose pages nobody opens reads none. */
const files: Readonly<Record<string, () => (string | URL)[]>> = {
  "pages.css": own("pages.css"),
  "pages.js": own("pages.js", "live.js", "board.js"),
  "worker.js": own("worker.js"),
  "reference.css": own("reference.css"),
  "reference.js": own("reference.js"),
  "swagger-ui.css": viewer("swagger-ui.css"),
  "swagger-ui-bundle.js": viewer("swagger-ui-bundle.js"),
};

const typeOf = (name: string): string => `text/${name.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`;

export const staticPath = "/docs/";

const assets = new Map<string, Asset & { path: string }>();

/** A file of the list, which is read at its first use. */
function assetOf(name: string): Asset & { path: string } {
  const known = assets.get(name);
  if (known !== undefined) return known;
  const body = Buffer.concat((files[name] as () => (string | URL)[])().map((file) => readFileSync(file)));
  const path = `${staticPath}${hash("sha256", body).slice(0, 16)}/${name}`;
  const asset = { path, type: typeOf(name), body, coded: {} };
  assets.set(name, asset);
  return asset;
}

/** The path from which a page loads a file of the list. */
export const addressOfFile = (name: string): string => assetOf(name).path;

/** The file at a path; undefined if there is none or its content has changed. */
export function fileAt(path: string): Asset | undefined {
  const name = Object.keys(files).find((one) => path.endsWith(`/${one}`));
  const asset = name === undefined ? undefined : assetOf(name);
  return asset?.path === path ? asset : undefined;
}
