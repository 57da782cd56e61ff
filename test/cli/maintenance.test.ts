// backup, restore, doctor and audit as they are typed, and what serve says about the network.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoFolder, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";

const shelf = temporaryFolder();
const data = await demoFolder();
const file = join(shelf, "set.backup");

/** A strip whose scene is gone, as a hand in the database leaves one. */
function breakStrip(folder: string): void {
  const database = new Database(join(folder, "tallylight.db"));
  database.pragma("foreign_keys = OFF");
  database.exec("UPDATE strips SET node_id = 999999 WHERE shoot_day_id = 1 AND position = 1");
  database.close();
}

const care = suite("the care of a data directory");

care("backup beside a running server, restore elsewhere, and the same export", async () => {
  const server = await openTestServer({ data });
  const made = await answerOf("backup", file, "--data", data);
  assert.equal(Object.keys(made), ["file", "created_at", "schema", "media", "missing", "broken", "bytes"]);
  const { status, out } = await tallylight("restore", file, "--data", join(shelf, "elsewhere"));
  assert.is(status, 0);
  assert.match(out, /restored the backup of \d{4}-/);
  const exported = async (from: string) => (await tallylight("export", "--production", "1", "--data", from)).out;
  assert.is(await exported(join(shelf, "elsewhere")), await exported(data));
  await server.close();
});

care("restore leaves an audit entry, and audit narrows to a production", async () => {
  const elsewhere = join(shelf, "elsewhere");
  const [newest] = await answerOf("audit", "--data", elsewhere);
  assert.is(newest.action, "data.restored");
  assert.is(newest.detail.file, "set.backup");
  await answerOf("keys", "mint", "--production", "1", "--label", "audited", "--data", elsewhere);
  const rows = await answerOf("audit", "--production", "1", "--limit", "1", "--data", elsewhere);
  assert.equal(
    rows.map(({ action, detail }: any) => [action, detail.label]),
    [["key.minted", "audited"]],
  );
});

care("what is refused leaves standard output empty and exits with 1", async () => {
  for (const argv of [
    ["backup", file, "--data", data],
    ["backup", join(shelf, "new"), "--data", join(shelf, "nothing")],
    ["restore", file, "--data", data],
    ["restore", join(shelf, "absent"), "--data", join(shelf, "new")],
    ["doctor", "--data", join(shelf, "nothing")],
  ]) {
    const { status, out, err } = await tallylight(...argv);
    assert.equal([status, out], [1, ""], argv.join(" "));
    assert.is(err.trim().split("\n").length, 1, err);
  }
  assert.is(existsSync(join(shelf, "new")), false);
});

care("doctor exits with 0 when clean and 1 when not, and repairs what it may", async () => {
  const clean = await tallylight("doctor", "--deep", "--json", "--data", data);
  assert.is(clean.status, 0, clean.out);
  assert.is(JSON.parse(clean.out).clean, true);
  chmodSync(join(data, "secrets.json"), 0o644);
  writeFileSync(join(data, "config.json"), '{"unknown": 1}', { mode: 0o600 });
  const unwell = await tallylight("doctor", "--json", "--data", data);
  assert.is(unwell.status, 1);
  const names = JSON.parse(unwell.out)
    .findings.filter(({ ok }: any) => !ok)
    .map(({ check }: any) => check);
  assert.equal(names, ["permissions", "settings"]);
  rmSync(join(data, "config.json"));
  const { status, out } = await tallylight("doctor", "--repair", "--data", data);
  assert.is(status, 0, out);
  assert.match(out, /^repaired: made secrets.json readable only by the owner/);
});

care("backup names broken rows and exits with 1; allowed to, it keeps them, and so does restore", async () => {
  const folder = await demoFolder();
  breakStrip(folder);
  const row = "strips with shoot_day_id 1, position 1: node_id 999999 does not exist in nodes in production 1";
  const nightly = join(shelf, "nightly.backup");
  const refused = await tallylight("backup", nightly, "--data", folder);
  assert.equal([refused.status, refused.out, refused.err.split("\n")[1]], [1, "", row]);
  assert.is(existsSync(nightly), false);
  const kept = await tallylight("backup", nightly, "--allow-broken", "--data", folder);
  assert.is(kept.status, 0);
  assert.match(kept.err, `broken: ${row}\n`);
  const elsewhere = join(shelf, "rescued");
  assert.match(
    (await tallylight("restore", nightly, "--data", elsewhere)).err,
    /--allow-broken, then run tallylight doctor/,
  );
  const restored = await answerOf("restore", nightly, "--allow-broken", "--data", elsewhere);
  assert.equal(restored.broken, [row]);
  assert.is((await answerOf("audit", "--data", elsewhere))[0].detail.broken, 1);
  const { out } = await tallylight("doctor", "--repair", "--data", elsewhere);
  assert.match(
    out,
    /repaired: removed strips with shoot_day_id 1, position 1: its node_id 999999 does not exist in nodes\n/,
  );
  assert.equal((await answerOf("backup", join(shelf, "after.backup"), "--data", elsewhere)).broken, []);
  rmSync(folder, { recursive: true });
});

care("doctor says what uploads would meet: the configured reserve decides whether the disk is full", async () => {
  const settings = join(data, "config.json");
  for (const [disk_reserve, unwell] of [
    [2 ** 46, ["space"]],
    [0, []],
  ] as const) {
    writeFileSync(settings, JSON.stringify({ disk_reserve }), { mode: 0o600 });
    const { out } = await tallylight("doctor", "--json", "--data", data);
    const bad = JSON.parse(out).findings.filter(({ ok }: { ok: boolean }) => !ok);
    assert.equal(
      bad.map(({ check }: { check: string }) => check),
      unwell,
    );
  }
  rmSync(settings);
});

care("serve needs certificate and key together, and both to be what they are called", async () => {
  const pem = join(shelf, "x.pem");
  writeFileSync(pem, "no certificate");
  assert.is((await tallylight("serve", "--tls-cert", pem, "--data", data)).status, 2);
  const bad = await tallylight("serve", "--tls-cert", pem, "--tls-key", pem, "--data", data);
  assert.equal([bad.status, bad.out], [1, ""]);
  assert.match(bad.err, "are not a certificate and its private key");
});

care("a backup that cannot be written leaves nothing beside it", async () => {
  const place = join(shelf, "place");
  mkdirSync(place);
  assert.is((await tallylight("backup", join(place, "no", "such", "folder"), "--data", data)).status, 1);
  assert.equal(readdirSync(place), []);
});

care.after(() => {
  rmSync(shelf, { recursive: true });
  rmSync(data, { recursive: true });
});
care.run();
