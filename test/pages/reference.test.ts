// /docs and the files of the pages: they load nothing from elsewhere.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, openTestServer } from "../support/app.ts";
import { root } from "../support/command.ts";

const server = await openTestServer();
const docs = suite("/docs");

docs("is the same with a slash at its end", async () => {
  const page = await (await server.ask(undefined, "/docs")).text();
  assert.is(await (await server.ask(undefined, "/docs/")).text(), page);
});

docs("loads from this server only, forbids frames, and is not stored", async () => {
  const response = await server.ask(undefined, "/docs");
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.not.match(policy, /unsafe|https?:|\*/);
  assert.is(response.headers.get("x-content-type-options"), "nosniff");
  assert.is(response.headers.get("referrer-policy"), "no-referrer");
  assert.is(response.headers.get("cache-control"), "no-store");
  const text = await response.text();
  for (const [, address] of text.matchAll(/(?:src|href)="([^"]*)"/g))
    assert.match(address as string, /^(?:\/|#|data:image)/);
});

docs(
  "every file that a page names exists, is cached for ever, and is sent compressed to clients that accept gzip",
  async () => {
    const text = await (await server.ask(undefined, "/docs")).text();
    const files = [...text.matchAll(/"(\/docs\/[^"]+)"/g)].map(([, path]) => path as string);
    assert.is(files.length, 4);
    for (const path of files) {
      const plain = await server.ask(undefined, path, { headers: { "accept-encoding": "identity" } });
      assert.is(plain.status, 200, path);
      assert.match(plain.headers.get("cache-control") ?? "", /immutable/);
      assert.match(plain.headers.get("content-type") ?? "", path.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
      const small = await server.ask(undefined, path, { headers: { "accept-encoding": "gzip" } });
      assert.is(small.headers.get("content-encoding"), "gzip");
      assert.is(await small.text(), await plain.text());
    }
  },
);

docs("returns 404 for a file that no page names, in every form of the path", async () => {
  for (const path of [
    "/docs/index.html",
    "/docs/0000000000000000/pages.css",
    "/docs/..%2fpackage.json",
    "/docs/x/package.json",
  ])
    await assertRefused(await server.ask(undefined, path), 404, "not found");
});

docs("prints what a finger is given no larger, and shows a button under a pointer in a colour of words", () => {
  const css = readFileSync(join(root, "src/features/pages/pages.css"), "utf8");
  const queries = [...css.matchAll(/@media ([^{]*pointer: coarse[^{]*)/g)].map(([, query = ""]) => query.trim());
  assert.ok(queries.length > 2);
  for (const query of queries) assert.match(query, /^screen and [^,]+(?:, screen and [^,]+)?$/);
  const hovered = [...css.matchAll(/([^{}]*:hover[^{}]*)\{([^{}]*)\}/g)].filter(([, , rules = ""]) =>
    /\bcolor:/.test(rules),
  );
  assert.ok(hovered.length > 2);
  // an element around the button may have a tone for its border
  for (const [, name, rules = ""] of hovered) assert.not.match(rules, /\bcolor: var\(--tone/, name);
});

docs.after(() => server.stop());
docs.run();
