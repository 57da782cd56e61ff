// Hostile text in every field, in addresses and in forms stays text on every page. Uploaded HTML and SVG never run. No
// page loads anything from elsewhere, or runs a script of its own text.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { html, type Markup, withAttribute } from "../../src/features/pages/html.ts";
import { mint, openTestServer } from "../support/app.ts";
import { hostileText, poison } from "../support/hostile_text.ts";
import { crawl, openAsAdmin, signIn, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, submitter, submitterKey, delivery } = seedDataOf(store);
const vendor = await signIn(server, mint(store, submitterKey));
const admin = await openAsAdmin(server, production);

const settings = ["keys", "vendors", "releases", "storage", "webhooks", "sessions", "audit", "health"].map(
  (name) => `/settings/${name}`,
);
await admin.send("/settings/keys", { action: "mint", label: "a key", scopes: "read" });

const escaping = suite("hostile text");

escaping("has no mark that is escaped only beside another one", () => {
  for (const [mark, entity] of Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }))
    assert.equal(
      [html`${mark}img`.text, withAttribute(html`<p></p>`, "title", `${mark}img`).text],
      [`${entity}img`, `<p title="${entity}img"></p>`],
    );
});

/** The pages, once every field has hostile text. */
const visited: Awaited<ReturnType<typeof crawl>> = [];

escaping("stays text on every page of the production and of the settings, and in its title", async () => {
  const poisonedColumns = poison(store);
  for (const column of [
    "scenes.slugline",
    "scenes.elements",
    "nodes.label",
    "people.name",
    "vendors.name",
    "api_keys.label",
    "activity.summary",
    "sessions.browser",
    "deliveries.spec",
    "productions.title",
  ])
    assert.ok(poisonedColumns.includes(column), column);
  const pages = await crawl(admin, ["/", ...settings, "/search?q=a"]);
  visited.push(...pages);
  assert.ok(pages.length > 60, `${pages.length} pages`);
  for (const { path, response, text } of pages) {
    assert.ok([200, 303].includes(response.status), `${path} ${response.status}`);
    assert.not.match(text, /<img src=x|<script>|onerror=alert\(1\)>/, path);
    if (response.status === 200) assert.match(text, /&lt;img src=x onerror=alert\(1\)&gt;/, path);
  }
});

escaping("stays text on every page of a vendor", async () => {
  const pages = await crawl(vendor, ["/turnovers", "/orders"]);
  visited.push(...pages);
  assert.ok(pages.length > 5, `${pages.length} pages`);
  for (const { path, text } of pages) assert.not.match(text, /<img src=x|<script>/, path);
});

escaping("stays text in an address and in the fields of a refused form", async () => {
  const query = encodeURIComponent(hostileText);
  for (const path of [
    `/search?q=${query}`,
    `/assets?kind=${query}`,
    `/approvals?status=${query}`,
    `/activity?before=${query}`,
  ])
    assert.not.match(await admin.text(path), /<img src=x|<script>/, path);
  assert.not.match(await visitor(server).text(`/signin?next=/${query}`), /<img src=x|<script>/);
  const fields = { action: "change", engagement_id: String(submitter), verb: "read", target: hostileText };
  const refused = await admin.send("/settings/vendors", fields);
  assert.is(refused.status, 422);
  const text = await refused.text();
  assert.match(text, /Choose what they may see from the list of names/);
  assert.not.match(text, /<img src=x|<script>/);
});

escaping(
  "every page has a strict policy, cannot be framed, is not stored, and names only addresses of this server",
  async () => {
    const more = await Promise.all(
      ["/", "/signin", "/scenes", "/nowhere"].map(async (path) => {
        const response = await visitor(server).get(path);
        return { path, response, text: await response.text() };
      }),
    );
    for (const { path, response, text } of [...visited, ...more]) {
      const policy = response.headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'none';.*frame-ancestors 'none'/, path);
      assert.not.match(policy, /unsafe|https?:|\*/, path);
      assert.is(response.headers.get("x-frame-options"), "DENY");
      assert.is(response.headers.get("x-content-type-options"), "nosniff");
      assert.is(response.headers.get("cache-control"), "no-store");
      for (const [, address = ""] of text.matchAll(/ (?:src|href|action)="([^"]*)"/g))
        assert.match(address, /^(?:\/(?!\/)|#|data:image\/svg)/, path);
      assert.not.match(text, / (?:style|on\w+)=["']/i, path);
    }
  },
);

escaping("uploaded HTML and SVG are sent as attachments, and not as a thumbnail", async () => {
  const page = await vendor.text(`/turnovers/${delivery}`);
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] as string;
  const form = new FormData();
  form.append("proof", proof);
  form.append("files", new Blob(["<script>alert(1)</script>"], { type: "text/html" }), "page.html");
  form.append(
    "files",
    new Blob(['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'], { type: "image/svg+xml" }),
    "x.svg",
  );
  const headers = { cookie: vendor.cookies(), origin: server.url };
  const sent = await fetch(`${server.url}/turnovers/${delivery}`, {
    method: "POST",
    body: form,
    headers,
    redirect: "manual",
  });
  assert.is(sent.status, 303, await sent.text());
  const ids = [...(await vendor.text(`/turnovers/${delivery}`)).matchAll(/href="\/files\/(\d+)"/g)].map(([, id]) =>
    Number(id),
  );
  const newest = ids.toSorted((a, b) => b - a).slice(0, 2);
  for (const id of newest) {
    const file = await vendor.get(`/files/${id}`);
    assert.match(file.headers.get("content-disposition") ?? "", /^attachment/);
    assert.match(file.headers.get("content-security-policy") ?? "", /sandbox/);
    assert.is((await vendor.get(`/thumbnails/${id}`)).headers.get("content-type"), "image/gif", "the empty image");
  }
});

escaping("is never made markup by a script: scripts make elements, and give them text", () => {
  const root = fileURLToPath(new URL("../../src/features/", import.meta.url));
  const scripts = globSync("**/*.js", { cwd: root });
  assert.ok(scripts.length > 3, "the scripts are found");
  for (const script of scripts)
    assert.not.match(
      readFileSync(join(root, script), "utf8"),
      /(?:inner|outer)HTML\s*\+?=|insertAdjacentHTML|createContextualFragment|setHTML|document\.write/,
      script,
    );
});

/** Nothing calls it: the compiler reads it. */
export const notMarkup = (): Markup =>
  // @ts-expect-error: a text that nothing has escaped is no markup
  ({ text: "<b>" });

escaping.after(() => server.stop());
escaping.run();
