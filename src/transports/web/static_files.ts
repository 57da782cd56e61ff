// The files that the pages load: a closed list, looked up by name and never joined from an address. Each lives under a name
// of its content, so that a browser may keep it for good.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

interface Asset {
  type: string;
  body: Buffer;
  gzipped: Buffer;
}

const { resolve } = createRequire(import.meta.url);
const own = (name: string) => () => new URL(name, import.meta.url);
const viewer = (name: string) => () => resolve(`swagger-ui-dist/${name}`);

/** Where each file is; asked on first use, so that a server whose pages nobody opens reads none. */
const files: Readonly<Record<string, () => string | URL>> = {
  "page.css": own("page.css"),
  "reference.css": own("reference.css"),
  "reference.js": own("reference.js"),
  "swagger-ui.css": viewer("swagger-ui.css"),
  "swagger-ui-bundle.js": viewer("swagger-ui-bundle.js"),
};

const typeOf = (name: string): string => `text/${name.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`;

export const staticPath = "/docs/";

/** The pages' files, read when first asked for. */
export function openStaticFiles() {
  const assets = new Map<string, Asset>();
  const addresses = new Map<string, string>();

  function address(name: string): string {
    const known = addresses.get(name);
    if (known !== undefined) return known;
    const body = readFileSync((files[name] as () => string | URL)());
    const path = `${staticPath}${hash("sha256", body).slice(0, 16)}/${name}`;
    addresses.set(name, path);
    assets.set(path, { type: typeOf(name), body, gzipped: gzipSync(body) });
    return path;
  }

  return {
    /** The path that a page loads a file of the list from. */
    address,
    /** The file at a path; undefined where there is none, or none of this content any more. */
    at(path: string): Asset | undefined {
      for (const name of Object.keys(files)) if (path.endsWith(`/${name}`)) address(name);
      return assets.get(path);
    },
  };
}

export type Assets = ReturnType<typeof openStaticFiles>;
