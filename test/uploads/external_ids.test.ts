// Ids of other programs, batches, and the status of an asset.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { addGrant } from "../../src/graph/grants.ts";
import { assertRefused, importedAt, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const { production: production_id } = seedData;
const key = mint(store, { production_id, scopes: ["read", "write"] });
const admin = mint(store, { production_id, scopes: ["read", "admin"] });
const vendor = mint(store, { production_id, engagement_id: seedData.submitter, scopes });

const post = (path: string, json: object, token = key, headers: Record<string, string> = {}) =>
  server.ask(token, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(json),
  });
const answer = async (response: Response): Promise<any> => {
  const body = await response.json();
  assert.is(response.status, 200, JSON.stringify(body));
  return body;
};
const form = (path: string, fields: Record<string, string>, files: [string, Uint8Array][] = [], token = key) => {
  const body = new FormData();
  for (const [name, text] of Object.entries(fields)) body.append(name, text);
  for (const [name, bytes] of files) body.append(name, new Blob([bytes as Uint8Array<ArrayBuffer>]), `${name}.jpg`);
  return server.ask(token, `/api/v1${path}`, { method: "POST", body });
};
const count = (table: string) => one(store, `SELECT count(*) FROM ${table}`);
const counts = () => ["nodes", "versions", "media", "activity", "events", "submissions", "change_sets"].map(count);
/** A picture that differs from those of other numbers. */
const picture = (number: number): Uint8Array => jpeg(16 + number, 16);

async function upload(bytes: Uint8Array, token = key): Promise<string> {
  const created = await server.ask(token, "/api/v1/uploads", {
    method: "POST",
    headers: { "tus-resumable": "1.0.0", "upload-length": String(bytes.length) },
  });
  const location = created.headers.get("location") ?? "";
  const sent = await server.ask(token, new URL(location, server.url).pathname, {
    method: "PATCH",
    headers: { "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream" },
    body: bytes as Uint8Array<ArrayBuffer>,
  });
  assert.is(sent.status, 204);
  return location.split("/").at(-1) ?? "";
}

const assets = suite("external_id of an asset");

assets("is shown in its row, filters the list, and makes a repeat answer what is stored", async () => {
  const asset = { label: "Harbour lamp", kind: "prop", external_id: "sg-1" };
  const first = await answer(await post("/assets", asset));
  assert.is(first.external_id, "sg-1");
  assert.not.ok("repeated" in first);
  const before = counts();
  const again = await answer(await post("/assets", { ...asset, status: "done" }));
  assert.equal(again, { ...first, repeated: true });
  assert.equal(counts(), before);
  assert.equal(await server.get(key, "/assets?external_id=sg-1"), [
    (({ repeated: _, same_label: __, ...row }: Row) => row)(again),
  ]);
  assert.equal(await server.get(key, "/assets?external_id=nothing"), []);
  assert.is((await server.get<Row>(key, `/assets/${first.node_id}`)).external_id, "sg-1");
  assert.not.ok("external_id" in ((await server.get<Row[]>(key, "/assets"))[0] ?? {}));
});

assets("another kind or label under it is 409 that names it, and scope and reach are checked first", async () => {
  const before = counts();
  for (const asset of [
    { label: "Harbour lamp", kind: "set", external_id: "sg-1" },
    { label: "Another", kind: "prop", external_id: "sg-1" },
  ])
    await assertRefused(await post("/assets", asset), 409, /^external_id "sg-1" is that of asset \d+/);
  const asset = { label: "Harbour lamp", kind: "prop", external_id: "sg-1" };
  await assertRefused(await post("/assets", asset, mint(store, { production_id, scopes: ["read"] })), 403);
  await assertRefused(await post("/assets", asset, vendor), 403);
  assert.equal(counts(), before);
  const other = mint(store, { production_id: seedData.otherProduction });
  assert.not.ok("repeated" in (await answer(await post("/assets", asset, other))));
});

assets("never expires, unlike an Idempotency-Key", async () => {
  let now = Date.parse(importedAt) + 60_000;
  const later = await openTestServer({ clock: () => now });
  const token = mint(later.store);
  const send = async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ label: "Years later", external_id: "old-1" });
    return answer(await later.ask(token, "/api/v1/assets", { method: "POST", headers, body }));
  };
  const first = await send();
  now += 5 * 365 * 24 * 60 * 60_000;
  assert.equal(await send(), { ...first, repeated: true });
  await later.stop();
});

assets("is 1 to 200 code points, compared exactly after NFC", async () => {
  const named = (external_id: unknown) => post("/assets", { label: "Named", external_id });
  await assertRefused(await named(""), 422, /^external_id must not be empty/);
  await assertRefused(await named("😀".repeat(201)), 422, /^external_id must have at most 200 characters/);
  await assertRefused(await named(7), 422, /^external_id must be text/);
  const long = await answer(await named("😀".repeat(200)));
  assert.is((await answer(await named("😀".repeat(200)))).node_id, long.node_id);
  const composed = await answer(await named("caf\u00e9"));
  const decomposed = await answer(await named("cafe\u0301"));
  assert.equal([decomposed.node_id, decomposed.repeated], [composed.node_id, true]);
  assert.is((await server.get<Row[]>(key, `/assets?external_id=${encodeURIComponent("cafe\u0301")}`)).length, 1);
  assert.not.ok("repeated" in (await answer(await named("CAF\u00e9"))));
});

const versions = suite("external_id of a version");

versions("makes a repeat with the same asset, variant and bytes answer what is stored", async () => {
  const path = `/assets/${seedData.asset}/versions`;
  const first = await answer(await form(path, { external_id: "v-1", note: "One." }, [["file", picture(1)]]));
  assert.is(first.external_id, "v-1");
  const before = counts();
  const again = await answer(await form(path, { external_id: "v-1" }, [["file", picture(1)]]));
  assert.equal(again, { ...first, repeated: true });
  const [upload_id] = [await upload(picture(1))];
  assert.equal(await answer(await post(path, { upload_ids: [upload_id], external_id: "v-1" })), again);
  assert.equal(counts(), before);
  for (const [fields, bytes] of [
    [{ external_id: "v-1" }, picture(2)],
    [{ external_id: "v-1", variant: "Plate" }, picture(1)],
  ] as const)
    await assertRefused(await form(path, fields, [["file", bytes]]), 409, /^external_id "v-1" is that of version \d+/);
  const other = await answer(await post("/assets", { label: "Other", external_id: "v-1" }));
  await assertRefused(
    await form(`/assets/${other.node_id}/versions`, { external_id: "v-1" }, [["file", picture(1)]]),
    409,
  );
  await assertRefused(await form("/assets/999999/versions", { external_id: "v-1" }, [["file", picture(1)]]), 404);
  assert.equal(
    (await server.get<Row[]>(key, `${path}?external_id=v-1`)).map(({ id }) => id),
    [first.id],
  );
  assert.equal(await server.get<Row[]>(key, `${path}?external_id=v-2`), []);
});

const submissions = suite("external_id of a submission");

submissions("makes a repeat with the same delivery and bytes answer what is stored", async () => {
  const path = `/turnovers/${seedData.delivery}/submissions`;
  const files: [string, Uint8Array][] = [
    ["files", picture(1)],
    ["files", picture(2)],
  ];
  const first = await answer(await form(path, { external_id: "s-1" }, files, vendor));
  const before = counts();
  const again = await answer(await form(path, { external_id: "s-1", title: "x" }, files.toReversed(), vendor));
  assert.equal(again, { ...first, repeated: true });
  await assertRefused(
    await form(path, { external_id: "s-1" }, files.slice(0, 1), vendor),
    409,
    /^external_id "s-1" is that of submission \d+, which has other files/,
  );
  assert.equal(counts(), before);
  const rows = await server.get<Row[]>(vendor, path);
  assert.is(rows.find(({ id }) => id === first.id)?.external_id, "s-1");
  store.writeSync(() => store.database.exec("CREATE TEMP TABLE former AS SELECT * FROM grants"));
  store.writeSync(() => store.database.prepare("UPDATE grants SET revoked_at = ?").run("2026-11-20T00:00:00.000Z"));
  assert.is((await form(path, { external_id: "s-1" }, files, vendor)).status, 404);
  store.writeSync(() => store.database.exec("UPDATE grants SET revoked_at = NULL"));
});

submissions("answers an earlier one by JSON, with uploads, and repeats so too", async () => {
  const path = `/turnovers/${seedData.delivery}/submissions`;
  const earlier = await answer(await form(path, {}, [["files", picture(3)]], vendor));
  const send = async (bytes: Uint8Array) =>
    post(
      path,
      { upload_ids: [await upload(bytes, vendor)], external_id: "s-json", answers: earlier.id, title: "Again" },
      vendor,
    );
  const first = await answer(await send(picture(4)));
  assert.equal([first.answers, first.external_id], [earlier.id, "s-json"]);
  assert.equal(await answer(await send(picture(4))), { ...first, repeated: true });
  await assertRefused(await send(picture(5)), 409, /^external_id "s-json" is that of submission \d+/);
});

submissions("is a name within the engagement, on all its deliveries", async () => {
  const other = one(
    store,
    `SELECT min(id) FROM deliveries WHERE production_id = ? AND id <> ? AND kind = 'external'`,
    production_id,
    seedData.delivery,
  );
  const files: [string, Uint8Array][] = [["files", picture(6)]];
  const send = (delivery: number, token: string) =>
    form(`/turnovers/${delivery}/submissions`, { external_id: "s-shared" }, files, token);
  const grant = (engagement_id: number, delivery_id: number) =>
    addGrant(localAdmin(store, importedAt), { engagement_id, verb: "submit", delivery_id });
  grant(seedData.submitter, other);
  grant(seedData.reader, seedData.delivery);
  const { id } = await answer(await send(seedData.delivery, vendor));
  await assertRefused(await send(other, vendor), 409, /^external_id "s-shared" is that of submission \d+, .* delivery/);
  const another = mint(store, { production_id, engagement_id: seedData.reader, scopes });
  const theirs = await answer(await send(seedData.delivery, another));
  assert.not.ok("repeated" in theirs);
  assert.is.not(theirs.id, id);
});

const batch = suite("POST /batch/assets");

batch("creates all in their order, each with its event and activity, and again changes nothing", async () => {
  const list = Array.from({ length: 200 }, (_, at) => ({ label: `Crate ${at}`, kind: "prop", external_id: `c-${at}` }));
  const [events, activity] = [count("events"), count("activity")];
  const rows = await answer(await post("/batch/assets", { assets: list }));
  assert.equal(
    rows.map(({ label, external_id, repeated }: Row) => [label, external_id, repeated]),
    list.map(({ label, external_id }) => [label, external_id, false]),
  );
  assert.equal([count("events") - events, count("activity") - activity], [200, 200]);
  const before = counts();
  const again = await answer(await post("/batch/assets", { assets: list }));
  assert.equal(
    again,
    rows.map((row: Row) => ({ ...row, repeated: true })),
  );
  assert.equal(counts(), before);
});

batch("is all or nothing, and a refusal names the item", async () => {
  const before = counts();
  const good = { label: "Good" };
  for (const [items, status, detail] of [
    [[good, { label: "" }], 422, /^assets\[1\]\.label must not be empty/],
    [[good, { ...good, department: "nowhere" }], 422, /^assets\[1\]\.department must be the slug/],
    [[good, { ...good, kind: "scene" }], 422, /^assets\[1\]\.kind /],
    [
      [
        { ...good, external_id: "b" },
        { label: "Bad", external_id: "b" },
      ],
      409,
      /^assets\[1\]\.external_id "b" is that/,
    ],
    [[], 422, /^assets must have at least one item/],
    [Array(501).fill(good), 422, /^assets must have at most 500 items/],
  ] as const)
    await assertRefused(await post("/batch/assets", { assets: items }), status, detail);
  await assertRefused(await post("/batch/assets", { assets: [good] }, vendor), 403);
  await assertRefused(await post("/batch/assets", {}), 422, /^assets is required/);
  assert.equal(counts(), before);
});

const landing = suite("POST /batch/versions");
const items = (numbers: readonly number[], more: object = {}) =>
  JSON.stringify(numbers.map((at, file) => ({ asset: `c-${at}`, external_id: `cv-${at}`, file, ...more })));
const pictures = (numbers: readonly number[]): [string, Uint8Array][] => numbers.map((at) => ["files", picture(at)]);

landing("lands 200 versions in one form, and again changes nothing", async () => {
  const numbers = Array.from({ length: 200 }, (_, at) => at);
  const [events, stored] = [count("events"), count("versions")];
  const send = async () => answer(await form("/batch/versions", { versions: items(numbers) }, pictures(numbers)));
  const rows = await send();
  assert.equal(
    rows.map(({ version, external_id, repeated }: Row) => [version, external_id, repeated]),
    numbers.map((at) => [1, `cv-${at}`, false]),
  );
  assert.equal([count("events") - events, count("versions") - stored], [200, 200]);
  const before = counts();
  assert.equal(
    await send(),
    rows.map((row: Row) => ({ ...row, repeated: true })),
  );
  assert.equal(counts(), before);
});

landing(
  "takes upload_id, node_id and labels, and the same call again repeats by the uploads that it used",
  async () => {
    const uploads = await Promise.all([1, 2, 3].map((at) => upload(picture(at + 50))));
    const versions = [
      { node_id: seedData.asset, upload_id: uploads[0], external_id: "u-1" },
      { asset: "CRATE 7", upload_id: uploads[1], external_id: "u-2", note: "Two.", variant: "Plate" },
      { asset: "c-7", upload_id: uploads[2], external_id: "u-3" },
    ];
    const rows = await answer(await post("/batch/versions", { versions }));
    assert.equal(
      rows.map(({ variant, note }: Row) => [variant, note]),
      [
        ["On-Set", null],
        ["Plate", "Two."],
        ["On-Set", null],
      ],
    );
    assert.is(rows[1].node_id, rows[2].node_id);
    assert.is(rows[2].version, rows[1].version + 1);
    const before = counts();
    const again = await answer(await post("/batch/versions", { versions }));
    assert.equal(
      again.map(({ id, repeated }: Row) => [id, repeated]),
      rows.map(({ id }: Row) => [id, true]),
    );
    assert.equal(counts(), before);
  },
);

landing("is a tool of MCP, which names uploads", async () => {
  const versions = [{ asset: "c-9", upload_id: await upload(picture(70)), external_id: "m-1" }];
  const call = async () => {
    const params = { name: "create_versions", arguments: { versions } };
    const { result } = await answer(
      await post("/mcp?tools=all", { jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    );
    return JSON.parse(result.content[0].text);
  };
  const [row] = await call();
  assert.equal([row.external_id, row.repeated], ["m-1", false]);
  assert.equal(await call(), [{ ...row, repeated: true }]);
});

landing("looks an asset up as an external_id first, then as a label", async () => {
  const [named, labelled] = await answer(
    await post("/batch/assets", {
      assets: [{ label: "Named otherwise", external_id: "Signpost" }, { label: "Signpost" }],
    }),
  );
  const land = async (asset: string, number: number) => {
    const versions = [{ asset, upload_id: await upload(picture(number)) }];
    return (await answer(await post("/batch/versions", { versions })))[0].node_id;
  };
  assert.is(await land("Signpost", 101), named.node_id);
  assert.is(await land("SIGNPOST", 102), labelled.node_id);
});

landing("has the event and the activity of the single POST", async () => {
  const last = (table: string): Row =>
    store.database.prepare(`SELECT * FROM ${table} ORDER BY id DESC LIMIT 1`).get() as Row;
  const said = () => {
    const [{ verb, summary, node_id, actor }, { type, data }] = [last("activity"), last("events")];
    return { verb, summary: summary.replace(/ v\d+ /, " "), node_id, actor, type, data: Object.keys(JSON.parse(data)) };
  };
  await answer(await form(`/assets/${seedData.asset}/versions`, {}, [["file", picture(103)]]));
  const single = said();
  const versions = JSON.stringify([{ node_id: seedData.asset, file: 0 }]);
  await answer(await form("/batch/versions", { versions }, [["files", picture(104)]]));
  assert.equal(said(), single);
  await answer(await post("/assets", { label: "Said once", kind: "prop" }));
  const { node_id: _, ...created } = said();
  await answer(await post("/batch/assets", { assets: [{ label: "Said once", kind: "prop" }] }));
  const { node_id: __, ...again } = said();
  assert.equal(again, created);
});

landing("takes 1 to 500, and together at most the greatest upload", async () => {
  const before = counts();
  const item = { asset: "c-1", file: 0 };
  for (const [versions, detail] of [
    [[], /^versions must have at least one item/],
    [Array(501).fill(item), /^versions must have at most 500 items/],
  ] as const)
    await assertRefused(
      await form("/batch/versions", { versions: JSON.stringify(versions) }, pictures([105])),
      422,
      detail,
    );
  assert.equal(counts(), before);
  const small = await openTestServer({ environment: { TALLYLIGHT_UPLOAD_LIMIT: "100000" } });
  try {
    const { asset, production } = seedDataOf(small.store);
    const token = mint(small.store, { production_id: production });
    const send = (size: number) => {
      const body = new FormData();
      body.append("versions", JSON.stringify([0, 1].map((file) => ({ node_id: asset, file }))));
      for (const fill of [1, 2]) body.append("files", new Blob([new Uint8Array(size).fill(fill)]), `${fill}.bin`);
      return small.ask(token, "/api/v1/batch/versions", { method: "POST", body });
    };
    const stored = () => one(small.store, "SELECT count(*) FROM versions");
    const versions = stored();
    await assertRefused(await send(50_001), 413, /at most 100000 bytes/);
    assert.is(stored(), versions);
    assert.is((await send(50_000)).status, 200);
    assert.is(stored(), versions + 2);
  } finally {
    await small.stop();
  }
});

landing("is all or nothing, and a refusal names the item", async () => {
  await answer(await post("/batch/assets", { assets: [{ label: "Twin" }, { label: "Twin" }] }));
  const before = counts();
  const [one, two] = pictures([91, 92]) as [[string, Uint8Array], [string, Uint8Array]];
  const send = (versions: object[], files: [string, Uint8Array][]) =>
    form("/batch/versions", { versions: JSON.stringify(versions) }, files);
  const asset = "c-1";
  for (const [list, files, status, detail] of [
    [
      [{ asset: "nothing", file: 0 }],
      [one],
      422,
      /^versions\[0\]\.asset: no asset has the external_id or the label "n/,
    ],
    [
      [
        { asset, file: 0 },
        { asset: "Twin", file: 1 },
      ],
      [one, two],
      422,
      /^versions\[1\]\.asset: several assets have/,
    ],
    [[{ node_id: 999999, file: 0 }], [one], 422, /^versions\[0\]\.node_id must be the id of an asset/],
    [[{ file: 0 }], [one], 422, /^versions\[0\] must have node_id or asset/],
    [[{ asset, node_id: 1, file: 0 }], [one], 422, /^versions\[0\] must have node_id or asset, not both/],
    [[{ asset }], [one], 422, /^versions\[0\] must have upload_id or file/],
    [[{ asset, file: 1 }], [one], 422, /^versions\[0\]\.file must be the number of a file of the form, which has 1/],
    [
      [
        { asset, file: 0 },
        { asset, file: 0 },
      ],
      [one],
      422,
      /^versions\[1\] has the same file as versions\[0\]/,
    ],
    [[{ asset, file: 0 }], [one, two], 422, /^no item of versions names files\[1\]/],
    [[{ asset, file: 0 }], [["files", new Uint8Array()]], 422, /files\.jpg/],
    [[{ asset, file: 0, external_id: "cv-2" }], [one], 409, /^versions\[0\]\.external_id "cv-2" is that of version/],
    [
      [
        { asset, file: 0 },
        { asset, upload_id: "nope" },
      ],
      [one],
      422,
      /the upload "nope" does not exist/,
    ],
  ] as [object[], [string, Uint8Array][], number, RegExp][])
    await assertRefused(await send(list, files), status, detail);
  await assertRefused(await form("/batch/versions", { versions: "[" }, [one]), 422, /^versions must be JSON text/);
  await assertRefused(await form("/batch/versions", {}, [one]), 422, /^versions is required/);
  const upload_id = await upload(picture(93));
  await assertRefused(
    await post("/batch/versions", {
      versions: [
        { asset, upload_id },
        { asset, upload_id },
      ],
    }),
    422,
    /^versions\[1\] has the same upload_id as versions\[0\]/,
  );
  await assertRefused(await post("/batch/versions", { versions: [{ asset, upload_id }] }, vendor), 403);
  assert.equal(counts(), before);
  assert.is((await answer(await post("/batch/versions", { versions: [{ asset, upload_id }] })))[0].repeated, false);
});

const status = suite("POST /assets/{node_id}/status");

status("is a change set that can be undone, and a status that is there already is none", async () => {
  const { node_id } = await answer(await post("/assets", { label: "Status lamp" }));
  const before = count("change_sets");
  const row = await answer(await post(`/assets/${node_id}/status`, { status: "active", if_status: "planned" }));
  assert.is(row.status, "active");
  assert.equal(
    row,
    (await server.get<Row[]>(key, "/assets")).find((one) => one.node_id === node_id),
  );
  assert.is(count("change_sets"), before + 1);
  const [set] = await server.get<Row[]>(admin, "/admin/history?limit=1");
  assert.is(set?.source, "set assets Status lamp status");
  assert.is((await answer(await post(`/assets/${node_id}/status`, { status: "active" }))).status, "active");
  assert.is(count("change_sets"), before + 1);
  await answer(await post(`/admin/history/${set?.id}/undo`, {}, admin));
  assert.is((await server.get<Row>(key, `/assets/${node_id}`)).status, "planned");
});

status(
  "is 409 for another status than if_status, 422 for an unknown one, 404 for a scene, 403 without write",
  async () => {
    const { node_id } = await answer(await post("/assets", { label: "Refused lamp" }));
    const path = `/assets/${node_id}/status`;
    await assertRefused(
      await post(path, { status: "done", if_status: "active" }),
      409,
      "the status is planned, not active; nothing was changed",
    );
    await assertRefused(await post(path, { status: "planned", if_status: "active" }), 409);
    await assertRefused(await post(path, { status: "omitted" }), 422, /^status must be one of planned/);
    await assertRefused(await post(path, { status: "done", if_status: "omitted" }), 422, /^if_status must be one of/);
    await assertRefused(await post(path, {}), 422, /^status is required/);
    await assertRefused(await post(`/assets/${seedData.scene}/status`, { status: "done" }), 404);
    await assertRefused(await post("/assets/999999/status", { status: "done" }), 404);
    await assertRefused(await post(path, { status: "done" }, mint(store, { production_id, scopes: ["read"] })), 403);
    await assertRefused(await post(path, { status: "done" }, vendor), 403);
    const repeat = { "idempotency-key": "status-1" };
    const first = await post(path, { status: "done" }, key, repeat);
    const second = await post(path, { status: "done" }, key, repeat);
    assert.equal(await second.json(), await first.json());
    assert.is(second.headers.get("idempotency-replayed"), "true");
  },
);

for (const one of [assets, versions, submissions, batch, landing]) one.run();
status.after(() => server.stop());
status.run();
