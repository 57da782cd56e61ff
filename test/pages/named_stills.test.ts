// Many stills on the assets page land on the assets that their names say: shown first, then done as shown.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { signIn, type Visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const production_id = seedData.production;
const key = mint(store, { production_id, scopes: ["read", "write"] });
const stills = suite("stills on the assets page");

async function add(label: string, kind = "prop", more: object = {}): Promise<number> {
  const init = {
    method: "POST",
    body: JSON.stringify({ label, kind, ...more }),
    headers: { "content-type": "application/json" },
  };
  const created = await server.ask(key, "/api/v1/assets", init);
  return ((await created.json()) as { node_id: number }).node_id;
}
const [cave, knife] = [await add("Cave of Ice"), await add("O’Brien's knife", "prop", { external_id: "KN-1" })];
await add("Twin", "prop");
await add("Twin", "costume");
const still = (side: number): Uint8Array<ArrayBuffer> => new Uint8Array(jpeg(side, 16));
const versionsOf = (node_id: number) => server.get(key, `/assets/${node_id}/versions`);
const count = (): number => one(store, "SELECT count(*) FROM versions WHERE production_id = ?", production_id);

const proofOf = async (visitor: Visitor): Promise<string> =>
  /name="proof" value="([^"]+)"/.exec(await visitor.text("/assets"))?.[1] ?? "";
/** Sends stills as a browser without scripts does. */
async function send(visitor: Visitor, files: Record<string, Uint8Array<ArrayBuffer>>, shown = "") {
  const form = new FormData();
  form.append("proof", await proofOf(visitor));
  form.append("action", "stills");
  form.append("shown", shown);
  for (const [name, bytes] of Object.entries(files)) form.append("files", new Blob([bytes]), name);
  const headers = { cookie: visitor.cookies(), origin: server.url, "sec-fetch-site": "same-origin" };
  const response = await fetch(`${server.url}/assets`, { method: "POST", body: form, headers, redirect: "manual" });
  return { status: response.status, location: response.headers.get("location"), page: await response.text() };
}
const shownIn = (page: string): string => /name="shown" value="([0-9a-f]+)"/.exec(page)?.[1] ?? "";

stills("are shown by their names before anything is done, and what fits nothing is named", async () => {
  const before = count();
  const visitor = await signIn(server, key);
  const names = [
    "Cave_of_Ice_v003.jpg",
    "cave of ice_v1.JPG",
    "KN-1_v001.png",
    "o'brien's knife-v2.jpg",
    "Twin_v001.jpg",
  ];
  const others = ["Nothing_v001.jpg", "Cave of Ice.jpg", "_v001.jpg", "v001.jpg"];
  const response = await visitor.send("/assets", { action: "stills", names: [...names, ...others] });
  const page = await response.text();
  assert.is(response.status, 200);
  for (const [name, version, asset] of [
    ["Cave_of_Ice_v003.jpg", 2, cave],
    ["cave of ice_v1.JPG", 1, cave],
    ["KN-1_v001.png", 1, knife],
    ["o&#39;brien&#39;s knife-v2.jpg", 2, knife],
  ])
    assert.ok(
      page.includes(`<li><bdi>${name}</bdi>: version ${version} of <a href="/assets/${asset}">`),
      `${name} in ${page}`,
    );
  assert.match(page, /Twin_v001\.jpg<\/bdi>: 2 assets are called <bdi>Twin<\/bdi>: prop, costume\. It stays out/);
  assert.match(page, /Nothing_v001\.jpg<\/bdi>: no asset is called <bdi>Nothing<\/bdi>\. It stays out/);
  assert.is([...page.matchAll(/does not end in the number of a version/g)].length, 3);
  assert.match(page, /4 stills would land, 5 files would stay out/);
  assert.is(count(), before);
});

stills("land as shown, all by one operation; again, they land no more", async () => {
  const visitor = await signIn(server, key);
  const files = {
    "Cave_of_Ice_v2.jpg": still(24),
    "Cave_of_Ice_v1.jpg": still(32),
    "KN-1_v7.jpg": still(40),
    "Twin_v1.jpg": still(48),
  };
  const before = count();
  const first = await send(visitor, files);
  assert.is(first.status, 200);
  assert.match(first.page, /Nothing has landed yet\. If this is what you mean, choose the same files again/);
  assert.is(count(), before);
  const landed = await send(visitor, files, shownIn(first.page));
  assert.is(landed.location, "/assets?landed=3+0");
  assert.is(count(), before + 3);
  const labels = (await versionsOf(cave)).map(({ media }: { media: { label: string }[] }) => media[0]?.label);
  assert.equal(labels, ["Cave_of_Ice_v1.jpg", "Cave_of_Ice_v2.jpg"]);
  assert.match(await visitor.text("/assets?landed=3+0"), /role="status">3 stills landed\./);
  const again = await send(visitor, files, shownIn((await send(visitor, files)).page));
  assert.is(again.location, "/assets?landed=0+3");
  assert.is(count(), before + 3);
});

stills("are shown anew if an asset was renamed meanwhile", async () => {
  const visitor = await signIn(server, key);
  const files = { "Lamp_v1.jpg": still(56) };
  const lamp = await add("Lamp");
  const mark = shownIn((await send(visitor, files)).page);
  store.writeSync(() => store.database.prepare("UPDATE nodes SET label = 'Torch' WHERE id = ?").run(lamp));
  const other = await send(visitor, files, mark);
  assert.match(other.page, /no asset is called <bdi>Lamp/);
  assert.equal(await versionsOf(lamp), []);
});

stills("are refused to a vendor and to a key that only reads", async () => {
  const before = count();
  const vendor = mint(store, { production_id, engagement_id: seedData.submitter, scopes });
  const reader = mint(store, { production_id, scopes: ["read"] });
  assert.not.match(await (await signIn(server, reader)).text("/assets"), /Land many stills/);
  const files = { "Cave_of_Ice_v9.jpg": still(64) };
  const mark = shownIn((await send(await signIn(server, key), files)).page);
  for (const refused of [vendor, reader]) {
    const visitor = await signIn(server, refused);
    const { status } = await send(visitor, files, mark);
    assert.ok(status === 403 || status === 404, String(status));
    const planned = await visitor.post("/assets", {
      proof: await proofOf(visitor),
      action: "stills",
      names: "Cave_of_Ice_v9.jpg",
    });
    assert.ok(planned.status === 403 || planned.status === 404, String(planned.status));
  }
  assert.is(count(), before);
});

stills("refuse an empty file by its name, and no file", async () => {
  const visitor = await signIn(server, key);
  const empty = await send(visitor, { "Cave_of_Ice_v9.jpg": new Uint8Array() });
  assert.is(empty.status, 422);
  assert.match(empty.page, /Cave_of_Ice_v9\.jpg/);
  assert.is((await visitor.send("/assets", { action: "stills" })).status, 422);
});

stills.after(() => server.stop());
stills.run();
