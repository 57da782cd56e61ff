// POST /storage/events and POST /storage/media-proxy.
import { existsSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { openStorageServer } from "../support/storage_agent.ts";
import { until } from "../support/until.ts";

const { server, store, install, key, post, posted } = await openStorageServer();
const { production_id, filespace } = install;
const dry = mint(store, { production_id: one(store, "SELECT id FROM productions WHERE id <> ?", production_id) });

let keys = 0;
/** A valid event; `given` overrides its fields. */
const event = (given: object = {}) => ({
  event_type: "create",
  path: "camera/day-09/A009_C001.mxf",
  source: "audit_tail",
  dedupe_key: `k${keys++}`,
  detected_at: "2026-11-20T10:00:00Z",
  ...given,
});
const send = (events: unknown[]) => posted("events", { filespace, events });
/** The library's row for a path; mtime_ns as text, because a number would lose digits. */
const row = (path: string) =>
  store.database
    .prepare(
      "SELECT state, size, CAST(mtime_ns AS TEXT) AS mtime_ns, detected_at FROM asset_files WHERE install_id = ? AND path = ?",
    )
    .get(install.id, path) as Record<string, unknown> | undefined;
const events = () => one(store, "SELECT count(*) FROM storage_events");

const parsed = async (response: Response | Promise<Response>): Promise<any> => (await response).json();

const storageEvents = suite("POST /storage/events");

storageEvents("stores a row on create and modify; delete marks it as gone and keeps its size", async () => {
  const path = "camera/day-09/put.mxf";
  assert.equal(await send([event({ path, size: 10, mtime_ns: 5 })]), { accepted: 1, duplicates: 0 });
  assert.equal(row(path), { state: "present", size: 10, mtime_ns: "5", detected_at: "2026-11-20T10:00:00.000Z" });
  await send([event({ path, event_type: "modify", size: 12, detected_at: "2026-11-20T10:00:01Z" })]);
  assert.equal(row(path), { state: "present", size: 12, mtime_ns: null, detected_at: "2026-11-20T10:00:01.000Z" });
  await send([event({ path, event_type: "delete", detected_at: "2026-11-20T11:00:02+01:00" })]);
  assert.equal(row(path), { state: "gone", size: 12, mtime_ns: null, detected_at: "2026-11-20T10:00:02.000Z" });
});

storageEvents("compares detected_at with every digit that it has", async () => {
  const path = "camera/day-09/digits.mxf";
  const put = async (digits: string, size: number) => {
    await send([event({ path, size, detected_at: `2026-11-20T10:00:05${digits}Z` })]);
    return row(path);
  };
  assert.is((await put(".123456789", 1))?.detected_at, "2026-11-20T10:00:05.123456789Z");
  for (const older of ["", ".123", ".1234", ".123456", ".12345678", ".123456788"])
    assert.is((await put(older, 2))?.size, 1, older);
  assert.is((await put(".1234567890".slice(0, 10), 3))?.size, 3, "the same time, later");
  assert.is((await put(".1235", 4))?.detected_at, "2026-11-20T10:00:05.1235Z");
  assert.is((await put(".123500000", 5))?.size, 5, "the same time in other words");
  await send([event({ path, size: 6, detected_at: "2026-11-20T11:00:05.123500001+01:00" })]);
  assert.equal([row(path)?.size, row(path)?.detected_at], [6, "2026-11-20T10:00:05.123500001Z"]);
  assert.is((await put(".124", 7))?.detected_at, "2026-11-20T10:00:05.124Z");
});

storageEvents(
  "accepts an older event without an effect; an event with the same timestamp that arrives later wins",
  async () => {
    const path = "camera/day-09/late.mxf";
    await send([event({ path, event_type: "delete", detected_at: "2026-11-20T10:00:05Z" })]);
    const late = event({ path, detected_at: "2026-11-20T10:00:04.999Z", size: 3 });
    assert.equal(await send([late]), { accepted: 1, duplicates: 0 });
    assert.is(row(path)?.state, "gone");
    await send([event({ path, detected_at: "2026-11-20T10:00:05.000Z", size: 4 })]);
    assert.equal([row(path)?.state, row(path)?.size], ["present", 4]);
  },
);

storageEvents(
  "counts a replay as a duplicate, within a batch and across batches, and stores no second row",
  async () => {
    const one_ = event({ path: "a/one" });
    const two = event({ path: "a/two" });
    const before = events();
    assert.equal(await send([one_, two, one_]), { accepted: 2, duplicates: 1 });
    assert.equal(await send([one_, { ...two, path: "a/three" }]), { accepted: 0, duplicates: 2 });
    assert.is(events(), before + 2);
    assert.is(row("a/three"), undefined);
  },
);

storageEvents("stores a whole batch of events, and gives no id of a removed row again", async () => {
  const send60 = (folder: string) =>
    send(Array.from({ length: 60 }, (_, at) => event({ path: `${folder}/${at}`, size: at })));
  const last = () => [one(store, "SELECT max(id) FROM storage_events"), one(store, "SELECT max(id) FROM asset_files")];
  assert.equal(await send60("batch"), { accepted: 60, duplicates: 0 });
  assert.is(one(store, "SELECT count(*) FROM asset_files WHERE path LIKE 'batch/%' AND state = 'present'"), 60);
  const [eventId = 0, fileId = 0] = last();
  store.writeSync(() =>
    store.database.exec(
      "DELETE FROM storage_events WHERE path LIKE 'batch/%'; DELETE FROM asset_files WHERE path LIKE 'batch/%'",
    ),
  );
  assert.equal(await send60("next"), { accepted: 60, duplicates: 0 });
  assert.equal(last(), [eventId + 60, fileId + 60]);
});

storageEvents("keeps every digit of mtime_ns, up to 64 bits", async () => {
  for (const digits of ["1772355600123456789", "9223372036854775807", "-9223372036854775808", "9007199254740993"]) {
    const body = JSON.stringify({ filespace, events: [event({ path: `ns/${digits}`, mtime_ns: 0 })] });
    await posted("events", body.replace('"mtime_ns":0', `"mtime_ns":${digits}`));
    assert.is(row(`ns/${digits}`)?.mtime_ns, digits);
  }
});

storageEvents("refuses invalid events by index and accepts the others", async () => {
  const without = (field: string) => Object.fromEntries(Object.entries(event()).filter(([name]) => name !== field));
  const bad: [unknown, RegExp][] = [
    [null, /must be an object/],
    [[], /path is required|must be an object/],
    [without("path"), /^path is required$/],
    [without("source"), /^source is required$/],
    [without("event_type"), /^event_type is required$/],
    [without("dedupe_key"), /^dedupe_key is required$/],
    [without("detected_at"), /^detected_at is required$/],
    [event({ event_type: "rename" }), /event_type must be one of create, modify, delete/],
    [event({ source: "cron" }), /source must be one of audit_tail, reconciler/],
    [event({ dedupe_key: "" }), /dedupe_key must not be empty/],
    [event({ dedupe_key: 7 }), /dedupe_key must be text/],
    [event({ detected_at: "yesterday" }), /detected_at must be an ISO-8601 timestamp/],
    [event({ detected_at: "2026-02-30T10:00:00Z" }), /detected_at must be/],
    [event({ detected_at: "2026-11-20T10:00:00" }), /detected_at must be/],
    [event({ size: -1 }), /size must be a number of bytes/],
    [event({ size: 1.5 }), /size must be/],
    [event({ size: "12" }), /size must be/],
    [event({ mtime_ns: "12" }), /mtime_ns must be an integer of at most 64 bits/],
    [event({ mtime_ns: 1e30 }), /mtime_ns must be/],
    [event({ mtime_ns: 1.5 }), /mtime_ns must be/],
    [event({ path: "" }), /path must not be empty/],
    [event({ path: "x".repeat(4097) }), /path must have at most 4,096 characters/],
    [event({ path: "é".repeat(2049) }), /path must have at most 4096 bytes/],
    [event({ path: "lone/\ud800" }), /path must be well-formed/],
    ...[
      "/",
      "//a",
      "/../a",
      "/./a",
      "/a//b",
      "/a/",
      "/a\\b",
      "/C:/x",
      "C:/x",
      "../x",
      "a/../b",
      "a/..",
      "./a",
      "a/./b",
      "a//b",
      "a/",
      ".",
      "..",
      "a\\b",
      "a\0b",
      "a\nb",
    ].map((path): [unknown, RegExp] => [event({ path }), /path must be relative to the filespace and normalised/]),
  ];
  const before = events();
  const mixed = [event({ path: "ok/first" }), ...bad.map(([given]) => given), event({ path: "ok/last" })];
  const answer = await send(mixed);
  assert.equal([answer.accepted, answer.duplicates, answer.refused.length], [2, 0, bad.length]);
  for (const [at, [given, reason]] of bad.entries()) {
    assert.is(answer.refused[at].index, at + 1);
    assert.match(answer.refused[at].reason, reason, JSON.stringify(given));
  }
  assert.is(events(), before + 2);
  assert.ok(row("ok/first") && row("ok/last"));
});

storageEvents("drops one leading /, so that both forms name the same file", async () => {
  await send([event({ path: "/rooted/one.mxf", size: 1 })]);
  await send([event({ path: "rooted/one.mxf", size: 2, detected_at: "2026-11-20T10:00:01Z" })]);
  await send([event({ path: "/rooted/one.mxf", size: 3, detected_at: "2026-11-20T10:00:02Z" })]);
  assert.is(row("rooted/one.mxf")?.size, 3);
  assert.is(row("/rooted/one.mxf"), undefined);
  assert.is(one(store, "SELECT count(*) FROM storage_events WHERE path = 'rooted/one.mxf'"), 3);
});

storageEvents("accepts unusual file names", async () => {
  const paths = ["..a/b..", "a/...", "sp ace/ü", "e\u0301", ".hidden", "a:b/C", "日本/🎬.mov"];
  assert.equal(await send(paths.map((path) => event({ path }))), { accepted: paths.length, duplicates: 0 });
  for (const path of paths) assert.is(row(path.normalize("NFC"))?.state, "present");
});

storageEvents("takes NFD and NFC of a path for one file, and another case for another file", async () => {
  const [nfd, nfc] = ["dailies/U\u0308bung e\u0301.mov", "dailies/\u00dcbung \u00e9.mov"];
  const [mixed, lower] = ["dailies/U\u0308bung \u00e9.mov", "dailies/\u00fcbung \u00e9.mov"];
  const files = () =>
    store.database
      .prepare("SELECT path, state, size FROM asset_files WHERE path LIKE 'dailies/%bung%' ORDER BY path")
      .all();
  const at = (second: number) => ({ detected_at: `2026-11-28T01:00:0${second}Z` });
  await send([event({ path: nfd, size: 10, ...at(0) }), event({ path: lower, size: 1, ...at(0) })]);
  await send([event({ path: mixed, event_type: "modify", size: 11, ...at(1) })]);
  await posted("media-proxy", { filespace, path: nfd, bytes: base64(jpeg(16, 16)) });
  await send([event({ path: nfc, event_type: "delete", ...at(2) })]);
  assert.equal(files(), [
    { path: nfc, state: "gone", size: 11 },
    { path: lower, state: "present", size: 1 },
  ]);
});

storageEvents("returns 422 for the whole request if the batch is invalid", async () => {
  await assertRefused(await post("events", { events: [] }), 422, /filespace is required/);
  await assertRefused(await post("events", { filespace }), 422, /events is required/);
  await assertRefused(await post("events", { filespace, events: {} }), 422, /events must be a list/);
  await assertRefused(
    await post("events", { filespace: "elsewhere", events: [] }),
    422,
    /filespace must be the active filespace/,
  );
  await assertRefused(await post("events", "[1"), 422, /not valid JSON: the error is at line 1, column 3/);
});

storageEvents(
  "stores nothing for an empty batch and writes one activity entry for a batch with new events",
  async () => {
    const entries = () => one(store, "SELECT count(*) FROM activity");
    const before = entries();
    const again = event();
    assert.equal(await send([]), { accepted: 0, duplicates: 0 });
    assert.is(entries(), before);
    await send([again, event()]);
    await send([again]);
    assert.is(entries(), before + 1);
    const [entry] = await server.get(key, "/activity?limit=1");
    assert.equal([entry.verb, entry.summary], ["storage.reported", `Reported 2 file events in ${filespace}`]);
  },
);

storageEvents("accepts 1,000 events; returns 413 for one more and for a body over 8 MiB", async () => {
  const thousand = Array.from({ length: 1000 }, (_, at) => event({ path: `bulk/${at}` }));
  assert.is((await send(thousand)).accepted, 1000);
  const before = events();
  await assertRefused(await post("events", { filespace, events: [...thousand, event()] }), 413, /1,000 events/);
  await assertRefused(await post("events", `{"filespace":"x","events":[${"1,".repeat(1 << 20)}1]}`), 413);
  await assertRefused(await post("events", `"${"x".repeat(8 << 20)}"`), 413, /8388608 bytes/);
  assert.is(events(), before);
});

storageEvents("returns 409 for any body if the production has no active install", async () => {
  for (const path of ["events", "media-proxy"])
    await assertRefused(await post(path, "?", dry), 409, "the production has no active storage");
});

storageEvents("counts each duplicate once if two agents report the same events at once", async () => {
  const batch = Array.from({ length: 200 }, (_, at) => event({ path: `twice/${at}` }));
  const answers = await Promise.all([send(batch), send([...batch].reverse()), send(batch)]);
  assert.is(
    answers.reduce((sum, { accepted }) => sum + accepted, 0),
    200,
  );
  assert.is(
    answers.reduce((sum, { duplicates }) => sum + duplicates, 0),
    400,
  );
});
storageEvents.run();

const proxy = suite("POST /storage/media-proxy");
const path = "camera/day-10/A010_C001.mxf";
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const put = (bytes: Uint8Array, given: object = {}) =>
  post("media-proxy", { filespace, path, bytes: base64(bytes), ...given });
function form(bytes: Uint8Array): FormData {
  const body = new FormData();
  body.append("filespace", filespace);
  body.append("path", path);
  body.append("bytes", new Blob([bytes as Uint8Array<ArrayBuffer>]), "still.jpg");
  return body;
}
async function served(media_path: string): Promise<Response> {
  const { ticket } = await server.get(key, "/media-ticket");
  return fetch(`${server.url}/media/${media_path}?t=${ticket}`);
}

proxy.before(async () => void (await send([event({ path, size: 7, mtime_ns: 8 })])));

proxy("stores a stand-in, which the media route serves, and does not change the file's row", async () => {
  const before = row(path);
  const still = jpeg(64, 48);
  const answer = await parsed(put(still));
  assert.equal({ ...answer, media_path: "" }, { ok: true, media_path: "", bytes: still.length });
  const response = await served(answer.media_path);
  assert.is(response.headers.get("content-type"), "image/jpeg");
  assert.equal(new Uint8Array(await response.arrayBuffer()), still);
  assert.equal(row(path), before);
});

proxy("replaces the stand-in at the same path, here from a form, and removes the former bytes", async () => {
  const former = jpeg(80, 80, 1);
  const { media_path } = await parsed(put(former));
  const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE path = ?", media_path);
  const next = jpeg(80, 80, 2);
  const answer = await posted("media-proxy", form(next));
  assert.equal(answer, { ok: true, media_path, bytes: next.length });
  assert.equal(new Uint8Array(await (await served(media_path)).arrayBuffer()), next);
  const file = server.app.blobs.fileOf(sha256);
  await until(() => !existsSync(file));
  assert.is(one(store, "SELECT count(*) FROM blobs WHERE sha256 = ?", sha256), 0);
});

proxy("keeps bytes that another stand-in uses", async () => {
  const shared = jpeg(88, 88, 3);
  await put(shared);
  await send([event({ path: "camera/day-10/twin.mxf" })]);
  const { media_path } = await parsed(put(shared, { path: "camera/day-10/twin.mxf" }));
  const next = await parsed(put(jpeg(96, 96, 5)));
  const file = server.app.blobs.fileOf(one(store, "SELECT sha256 FROM media WHERE path = ?", next.media_path));
  await put(jpeg(104, 104, 6));
  await until(() => !existsSync(file)); // what is not used any more is removed in the order in which it was replaced
  assert.equal(new Uint8Array(await (await served(media_path)).arrayBuffer()), shared);
});

proxy(
  "returns 422 and keeps the former stand-in if the bytes are not a complete JPEG of at most 4,096 pixels a side",
  async () => {
    const stays = jpeg(40, 40, 4);
    const { media_path } = await parsed(put(stays));
    const sized = (width: number, height: number) => {
      const bytes = Buffer.from(jpeg(16, 16));
      const at = bytes.indexOf(Buffer.of(0xff, 0xc0)) + 5;
      bytes.writeUInt16BE(height, at);
      bytes.writeUInt16BE(width, at + 2);
      return bytes;
    };
    const refused: [Uint8Array, RegExp][] = [
      [new Uint8Array(0), /is empty: a file of 0 bytes is not stored/],
      [Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), /bytes is not a JPEG/],
      [jpeg(640, 480).subarray(0, -2), /bytes is truncated/],
      [jpeg(640, 480).subarray(0, 300), /bytes is truncated/],
      [sized(4097, 16), /4097 x 16 pixels/],
      [sized(4096, 4096), /too little data for its dimensions/],
      [sized(0, 16), /no width or no height/],
      [Buffer.concat([jpeg(8, 8), Buffer.from("<script>")]), /bytes after its end/],
    ];
    for (const [bytes, detail] of refused) await assertRefused(await put(bytes), 422, detail);
    await assertRefused(await put(stays, { bytes: "!!!" }), 422, /bytes must be base64/);
    await assertRefused(await put(stays, { bytes: 7 }), 422, /bytes must be a file/);
    await assertRefused(await put(stays, { bytes: undefined }), 422, /bytes is required/);
    await assertRefused(await put(stays, { filespace: "elsewhere" }), 422, /filespace must be the active filespace/);
    await assertRefused(await put(stays, { path: "../x" }), 422, /path must be relative/);
    assert.equal(new Uint8Array(await (await served(media_path)).arrayBuffer()), stays);
  },
);

proxy("accepts the largest picture and the largest body; returns 413 for one byte more", async () => {
  assert.is((await put(jpeg(4096, 4096))).status, 200);
  const padded = (size: number) => Buffer.concat([jpeg(8, 8), Buffer.alloc(size - jpeg(8, 8).length)]);
  assert.is((await post("media-proxy", form(padded(8 << 20)))).status, 200);
  await assertRefused(await post("media-proxy", form(padded((8 << 20) + 1))), 413, /8,388,608 bytes/);
  await assertRefused(await put(padded(7 << 20)), 413, /8388608 bytes/);
});

proxy("drops a leading / of the path", async () => {
  const { media_path } = await parsed(put(jpeg(40, 40, 5)));
  assert.is((await parsed(put(jpeg(40, 40, 6), { path: `/${path}` }))).media_path, media_path);
});

proxy("returns 404 if the path is not in the library or is gone", async () => {
  await assertRefused(await put(jpeg(8, 8), { path: "no/such.mxf" }), 404, "not found");
  await send([event({ path: "was/here", event_type: "delete" })]);
  await assertRefused(await put(jpeg(8, 8), { path: "was/here" }), 404, "not found");
});
proxy.after(() => server.stop());
proxy.run();
