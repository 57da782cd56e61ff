// The backup that the admin of the server downloads on /settings/health: complete, restorable, only for a session of a
// one-time link, one at a time, and never left behind.
// Thorough: only --all runs it.
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { restoreBackup } from "../../src/features/backup/restore.ts";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { openAsAdmin, signIn, type Visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const server = await openTestServer();
const { store } = server;
const { production, submitter } = seedDataOf(store);
const admin = await openAsAdmin(server, production);
const path = "/settings/health";
const proofOf = async (browser: Visitor): Promise<string> =>
  /name="proof" value="([^"]+)"/.exec(await browser.text(path))?.[1] ?? "";
const staged = () => readdirSync(server.blobs.staging);
const recorded = () => one(store, "SELECT count(*) FROM audit WHERE action = 'data.backed_up'");

/** Waits until the server has removed its temporary files. */
const untilNothingIsStaged = (): Promise<void> => until(() => staged().length === 0);

const test = suite("the download of a backup");

test("a downloaded backup restores every production, is recorded, and leaves no file on the server", async () => {
  const response = await admin.send(path, {});
  assert.is(response.status, 200);
  assert.match(response.headers.get("content-disposition") ?? "", /^attachment; filename="tallylight-[\dT-]+\.tar"/);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.is(Number(response.headers.get("content-length")), bytes.length);
  const [file, folder] = [join(temporaryFolder(), "backup.tar"), join(temporaryFolder(), "restored")];
  writeFileSync(file, bytes);
  assert.equal((await restoreBackup(file, folder)).missing, []);
  const restored = openStore(join(folder, "tallylight.db"));
  const titles = "SELECT json_group_array(title) FROM productions";
  assert.is(one(restored, titles), one(store, titles));
  restored.close();
  await untilNothingIsStaged();
  assert.is(recorded(), 1);
});

test("a key with the admin scope gets 403 and no button, a vendor 404, and a form without its proof 403", async () => {
  const before = recorded();
  const scopes = ["read", "submit:turnover"] as const;
  const keyed = await signIn(server, mint(store, { production_id: production, scopes: ["read", "admin"] }));
  const vendor = await signIn(server, mint(store, { production_id: production, engagement_id: submitter, scopes }));
  assert.not.match(await keyed.text(path), /Download a backup/);
  assert.is((await keyed.send(path, {}, "/settings/keys")).status, 403);
  assert.is((await vendor.send(path, {}, "/turnovers")).status, 404);
  assert.is((await admin.post(path, {})).status, 403);
  assert.equal([recorded(), staged()], [before, []]);
});

test("the admin who looks through the reach of a vendor gets 404", async () => {
  const looking = await openAsAdmin(server, production);
  const proof = await proofOf(looking);
  await looking.send("/settings/vendors", { action: "see", engagement_id: String(submitter) });
  assert.is((await looking.post(path, { proof })).status, 404);
});

test("of two backups at once, one is made and the other is refused with a sentence", async () => {
  const proof = await proofOf(admin);
  const responses = await Promise.all([admin.post(path, { proof }), admin.post(path, { proof })]);
  const texts = await Promise.all(responses.map((response) => response.text()));
  assert.equal(responses.map(({ status }) => status).sort(), [200, 409]);
  assert.match(
    texts[responses.findIndex(({ status }) => status === 409)] ?? "",
    /Another backup is being made or downloaded/,
  );
});

test("a download that the browser interrupts leaves no file, and the next one is made", async () => {
  await untilNothingIsStaged();
  const stop = new AbortController();
  const body = new URLSearchParams({ proof: await proofOf(admin) });
  const headers = { cookie: admin.cookies(), origin: server.url };
  const asked = fetch(server.url + path, { method: "POST", body, headers, signal: stop.signal });
  await until(() => staged().length > 0, 1);
  stop.abort();
  await asked.then(
    () => assert.unreachable(),
    () => undefined,
  );
  await untilNothingIsStaged();
  assert.is((await admin.send(path, {})).status, 200);
});

test("if media have no bytes, the page says so and leaves no file", async () => {
  await untilNothingIsStaged();
  const sha256 = one<string>(store, "SELECT min(sha256) FROM media");
  const file = server.blobs.fileOf(sha256);
  renameSync(file, `${file}.gone`);
  const refused = await admin.send(path, {});
  assert.is(refused.status, 409);
  assert.match(
    await refused.text(),
    new RegExp(`id="problem" role="alert">The bytes of media/../${sha256} are missing`),
  );
  assert.equal(staged(), []);
  renameSync(`${file}.gone`, file);
});

test.after(() => server.stop());
test.run();
