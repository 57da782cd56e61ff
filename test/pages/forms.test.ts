// Forms that are too large, have no proof or are refused: they cost little, and nothing stays reserved or is stored.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { controlsOf, type FieldControl } from "../../src/features/documents/pages/edit/controls.ts";
import { fieldValue } from "../../src/features/documents/pages/edit/values.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { openAsAdmin, signIn, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const failed_keys = 20;
const now = Date.now(); // time does not pass: a minute gives tries back
const environment = { TALLYLIGHT_FAILED_KEYS: String(failed_keys) };
const server = await openTestServer({ environment, clock: () => now });
const { store } = server;
const { production, submitterKey, delivery } = seedDataOf(store);
const admin = await openAsAdmin(server, production);
const vendorKey = mint(store, submitterKey);
const vendor = await signIn(server, vendorKey);
const proof = async (path: string, browser = admin) =>
  /name="proof" value="([^"]+)"/.exec(await browser.text(path))?.[1] as string;
const sendForm = (path: string, body: string | FormData, cookie: string) =>
  fetch(server.url + path, {
    method: "POST",
    body,
    headers: {
      cookie,
      accept: "text/html",
      ...(typeof body === "string" && { "content-type": "application/x-www-form-urlencoded" }),
    },
  });

const forms = suite("a form of a page");

forms("with thousands of items is shown again without a menu in each of them", async () => {
  const texts = Array.from({ length: 3_800 }, (_, at) => [`banners.${at}.text`, `Move ${at}`]);
  const shown = await admin.text("/edit/schedule");
  const marks = [...shown.matchAll(/name="(was:[^"]+)" value="([^"]*)"/g)].map(([, name, mark]) => [name, mark]);
  const fields = { proof: await proof("/edit/schedule"), ...Object.fromEntries([...marks, ...texts]) };
  const response = await sendForm("/edit/schedule", new URLSearchParams(fields).toString(), admin.cookies());
  assert.is(response.status, 422); // a day needs its number
  const page = await response.text();
  assert.ok(page.includes('name="banners.3799.text"'));
  assert.ok(page.split("<option").length < 2_000, `${page.split("<option").length} options`);
});

forms("with twice the items has twice the texts to read", () => {
  const [field] = controlsOf("deliveries").filter(({ name }) => name === "spec");
  const readsOf = (count: number): number => {
    let reads = 0;
    const given = Object.fromEntries(Array.from({ length: count }, (_, at) => [`spec.${at}.item`, `Item ${at}`]));
    const texts = new Proxy(given, {
      get(target, name) {
        reads++;
        return Reflect.get(target, name);
      },
    });
    const items = fieldValue(field as FieldControl, texts, undefined) as object[];
    assert.equal([items.length, items[7]], [count, { item: "Item 7" }]);
    return reads;
  };
  assert.ok(readsOf(400) <= 2.3 * readsOf(200), `${readsOf(400)} and ${readsOf(200)} reads`);
});

forms(
  "with more than 4,000 fields is refused before it is parsed, and one for the sign-in page is at most 16 KiB",
  async () => {
    const from = await proof("/settings/import");
    const fields = (count: number) => `proof=${from}${"&a".repeat(count - 1)}`;
    assert.is((await sendForm("/settings/import", fields(4_001), admin.cookies())).status, 413);
    assert.is((await sendForm("/settings/import", fields(4_000), admin.cookies())).status, 422);
    const stranger = visitor(server);
    const token = await proof("/signin", stranger);
    const padded = (size: number) => `proof=${token}&key=`.padEnd(size, "x");
    assert.is((await sendForm("/signin", padded(16 * 1024 + 1), stranger.cookies())).status, 413);
    assert.is((await sendForm("/signin", padded(16 * 1024), stranger.cookies())).status, 401);
  },
);

forms("of the import page has at most 6 MiB of files, whether it previews or applies", async () => {
  const body = (size: number) => {
    const form = new FormData();
    form.append("proof", token);
    for (const [at, part] of [size / 2, size / 2].entries())
      form.append("files", new Blob([" ".repeat(part)]), `${at}.json`);
    form.append("action", "preview");
    return form;
  };
  const token = await proof("/settings/import");
  assert.is((await sendForm("/settings/import", body(7 << 20), admin.cookies())).status, 413);
  assert.is((await sendForm("/settings/import", body(1 << 20), admin.cookies())).status, 422);
  const half = Buffer.alloc(4 << 20).toString("base64url");
  const apply = `proof=${token}&action=apply&name=a.json&content=${half}&name=b.json&content=${half}`;
  assert.match(await (await sendForm("/settings/import", apply, admin.cookies())).text(), /at most 6.3 MB together/);
});

forms("says beside the field that a refusal names what is wrong with it", async () => {
  for (const [path, fields, wrong] of [
    ["/assets", { label: "Lamp", kind: "scene" }, "kind"],
    ["/assets", { label: "Lamp", kind: "prop", department: "nope" }, "department"],
    ["/assets", { label: "", kind: "prop" }, "label"],
    ["/settings/keys", { action: "mint", label: "K", scopes: "read", expires: "soon" }, "expires"],
  ] as const) {
    const page = await (await admin.send(path, fields)).text();
    const [, name, text] =
      /<(?:input|select)[^>]* name="(\w+)"[^>]* aria-invalid[\s\S]*?role="alert">([^<]+)/.exec(page) ?? [];
    assert.is(name, wrong, text);
  }
});

forms("that submits work and is refused leaves its resumable uploads for the next attempt", async () => {
  const upload = async () => {
    const created = await server.ask(vendorKey, "/api/v1/uploads", {
      method: "POST",
      headers: { "tus-resumable": "1.0.0", "upload-length": "4", "content-type": "application/offset+octet-stream" },
      body: "comp",
    });
    return created.headers.get("location")?.split("/").at(-1) as string;
  };
  const path = `/turnovers/${delivery}`;
  const [first, second] = [await upload(), await upload()];
  const token = await proof(path, vendor);
  const send = (upload_ids: string[]) => vendor.post(path, { proof: token, upload_ids });
  assert.is((await send([second])).status, 303);
  assert.is((await send([first, second])).status, 422, "the second was used");
  const sent = await send([first]);
  assert.is(sent.status, 303, await sent.text());
});

forms("without a proof stores none of its files, and after too many of them its network gets 429", async () => {
  const files = () => one(store, "SELECT count(*) FROM media");
  const before = files();
  const form = () => {
    const body = new FormData();
    body.append("files", new Blob(["comp"]), "comp.exr");
    body.append("proof", token);
    return body;
  };
  const token = await proof(`/turnovers/${delivery}`, vendor);
  const statuses: number[] = [];
  for (let sent = 0; sent < failed_keys + 5; sent++)
    statuses.push(
      (await sendForm("/signin", "key=x", "")).status,
      (await sendForm(`/turnovers/${delivery}`, form(), vendor.cookies())).status,
    );
  assert.equal([...new Set(statuses)], [403, 429]);
  assert.is(statuses.indexOf(429), failed_keys);
  assert.is(files(), before);
});

forms("has pictures for assets whose released versions have no medium", async () => {
  const node = one(store, "SELECT node_id FROM versions WHERE released = 1 AND production_id = ? LIMIT 1", production);
  store.writeSync(() => {
    store.database.prepare("UPDATE versions SET released = 0 WHERE node_id = ?").run(node);
    store.database
      .prepare(
        `INSERT INTO versions (production_id, node_id, version, variant, status, released, archived, created_at)
         VALUES (?, ?, 900, 'main', 'approved', 1, 0, '2026-01-01T00:00:00.000Z')`,
      )
      .run(production, node);
  });
  const still = await admin.get(`/stills/${node}`);
  assert.equal([still.status, still.headers.get("content-type")], [200, "image/gif"]);
  assert.is((await admin.get("/stills/999999999")).status, 404);
});

forms("a filter of the script by a choice that it does not offer shows every scene", async () => {
  const stripsOf = async (query: string) => (await admin.text(`/scenes${query}`)).split("<li data-row=").length;
  const all = await stripsOf("");
  assert.not.equal(await stripsOf("?omitted=only"), all);
  for (const choice of ["constructor", "no-such"])
    for (const name of ["omitted", "state"]) assert.is(await stripsOf(`?${name}=${choice}`), all, choice);
});

forms.after(() => server.stop());
forms.run();
