// backup, restore, doctor and audit on the command line, and the TLS flags of serve.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listenProblemOf } from "../../src/core/server.ts";
import { checkDatabaseFile } from "../../src/core/store/database.ts";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import { demoFolder, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";

const workspace = temporaryFolder();
const data = await demoFolder();
const file = join(workspace, "set.backup");

/** Makes a strip refer to a scene that does not exist, as a manual change of the database could. */
function breakStrip(folder: string): void {
  const database = new Database(join(folder, "tallylight.db"));
  database.pragma("foreign_keys = OFF");
  database.exec("UPDATE strips SET node_id = 999999 WHERE shoot_day_id = 1 AND position = 1");
  database.close();
}

const maintenance = suite("maintenance of a data directory");

maintenance("backup works next to a running server, and restore elsewhere gives the same export", async () => {
  const server = await openTestServer({ data });
  const made = await answerOf("backup", file, "--data", data);
  assert.equal(Object.keys(made), [
    "file",
    "created_at",
    "schema",
    "media",
    "missing",
    "lacking",
    "renewed",
    "broken",
    "bytes",
  ]);
  const { status, out } = await tallylight("restore", file, "--data", join(workspace, "elsewhere"));
  assert.is(status, 0);
  assert.match(out, /restored the backup of \d{4}-/);
  const exported = async (from: string) => (await tallylight("export", "--production", "1", "--data", from)).out;
  assert.is(await exported(join(workspace, "elsewhere")), await exported(data));
  await server.close();
});

maintenance(
  "restore, backup and export write an audit entry with who did it, and audit filters by production",
  async () => {
    const elsewhere = join(workspace, "elsewhere");
    process.env.SUDO_USER = "ada";
    try {
      await answerOf("backup", join(workspace, "again.backup"), "--data", elsewhere);
    } finally {
      delete process.env.SUDO_USER;
    }
    const [backup, exported, restored] = await answerOf("audit", "--data", elsewhere);
    assert.equal([backup.action, backup.detail.file], ["data.backed_up", "again.backup"]);
    assert.is(
      backup.actor,
      `ada as ${"Deno" in globalThis ? "admin" : userInfo().username}`,
      "Deno tells no name of the user",
    );
    assert.equal([exported.action, exported.production_id], ["production.exported", 1]);
    assert.equal([restored.action, restored.detail.file], ["data.restored", "set.backup"]);
    await answerOf("keys", "mint", "--production", "1", "--label", "audited", "--data", elsewhere);
    const rows = await answerOf("audit", "--production", "1", "--limit", "1", "--data", elsewhere);
    assert.equal(
      rows.map(({ action, detail }: any) => [action, detail.label]),
      [["key.minted", "audited"]],
    );
  },
);

maintenance(
  "doctor names pending migrations, and the backup of an older version's directory leaves it as it is",
  async () => {
    const older = await demoFolder();
    const path = join(older, "tallylight.db");
    rmSync(path);
    const database = new Database(path);
    migrate(database, migrations().slice(0, 8));
    database.close();
    const { out } = await tallylight("doctor", "--data", older);
    assert.match(out, new RegExp(`schema: the schema is 8; ${migrations().length - 8} migrations are pending`));
    assert.not.match(out, /is that of this version/);
    await answerOf("backup", join(workspace, "older.backup"), "--data", older);
    assert.is(checkDatabaseFile(path), 8);
  },
);

maintenance("doctor fails on a damaged secrets.json, and on none that is absent or valid", async () => {
  const folder = await demoFolder();
  const file = join(folder, "secrets.json");
  const run = () => tallylight("doctor", "--data", folder);
  const key = { id: "0123abcd", secret: "A".repeat(43) };
  const damaged = [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"ticket_keys":[]}',
    '{"ticket_keys":[{"id":"x","secret":"y"}]}',
    "\0\0",
  ];
  for (const text of [...damaged, JSON.stringify({ ticket_keys: [{ ...key, secret: "A".repeat(42) }] })]) {
    writeFileSync(file, text, { mode: 0o600 });
    const { status, out } = await run();
    assert.is(status, 1, text);
    assert.match(out, /ERROR secrets: the server would not start\n +.*secrets\.json is damaged/, text);
  }
  writeFileSync(file, JSON.stringify({ ticket_keys: [key] }));
  assert.match((await run()).out, /ok +secrets: secrets\.json is valid/);
  rmSync(file);
  assert.match((await run()).out, /ok +secrets: .*is made at the next start/);
  assert.not.ok(existsSync(file), "doctor makes none");
});

maintenance("serve names the folder that this user may not enter, and does not speak of its port", () => {
  const closed = Object.assign(new Error("EACCES"), { code: "EACCES", syscall: "mkdir", path: "/data/media" });
  assert.match((listenProblemOf(closed, "127.0.0.1", 8787) as Error).message, /^\/data\/media cannot be used; /);
  const port = Object.assign(new Error("EACCES"), { code: "EACCES", syscall: "listen" });
  assert.match((listenProblemOf(port, "127.0.0.1", 80) as Error).message, /may not listen on port 80/);
});

/**
 * Does work as a user who may enter no folder of others: root may enter every folder. Not on Deno, which cannot change
 * its user.
 */
async function asOtherUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.setegid?.(65_534);
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

maintenance("import names a file in a closed folder, and the permission that is missing", async () => {
  const elsewhere = join(workspace, "another");
  const closed = join(workspace, "closed");
  const looping = join(workspace, "looping");
  execFileSync("ln", ["-s", looping, looping]); // Deno makes no links without further permissions
  const refusalOf = async (file: string): Promise<string> => {
    const { status, err } = await tallylight("import", file, "--data", elsewhere);
    assert.is(status, 1);
    assert.not.ok(existsSync(elsewhere));
    return err;
  };
  assert.match(
    await refusalOf(join(looping, "scenes.json")),
    /looping\/scenes\.json cannot be read: its links lead in a circle/,
  );
  assert.match(await refusalOf(workspace), /is not a file/);
  if ("Deno" in globalThis) return;
  mkdirSync(closed, { mode: 0o700 });
  for (const name of ["scenes.json", "pink.fdx"]) {
    const file = join(closed, name);
    writeFileSync(file, "{}");
    chmodSync(closed, 0);
    const sentence = await asOtherUser(() => refusalOf(file));
    chmodSync(closed, 0o700);
    assert.ok(sentence.includes(`${file} cannot be read: this user has no permission for it`), sentence);
  }
});

maintenance(
  "every command with --public-url refuses an address with a path, so that no link has half of it",
  async () => {
    const commands = [["serve", "--data", data], ["mcp-config"], ["openapi"]];
    for (const words of commands)
      for (const path of ["/set", "/set/", "//a", "/?x=1"]) {
        const { status, out, err } = await tallylight(...words, "--public-url", `https://a.example${path}`);
        assert.equal([status, out], [2, ""], `${words} ${path}`);
        assert.match(
          err,
          /^--public-url takes an (?:address without a path or a user, such as https:\/\/a\.example|http)/,
        );
      }
    assert.match((await tallylight("openapi", "--public-url", "https://a.example/")).out, /"https:\/\/a\.example\//);
  },
);

maintenance("doctor --compact gives space back, removes old copies only, and refuses beside a server", async () => {
  const folder = await demoFolder();
  const main = join(folder, "tallylight.db");
  const database = new Database(main);
  database.exec("CREATE TABLE ballast (x); INSERT INTO ballast VALUES (randomblob(4000000)); DROP TABLE ballast");
  database.close();
  const [old, fresh] = [`${main}.before-schema-7`, `${main}.before-schema-8`];
  for (const copy of [old, fresh]) writeFileSync(copy, "");
  const longAgo = Date.now() / 1000 - 31 * 86_400;
  utimesSync(old, longAgo, longAgo);
  const before = statSync(main).size;
  const { compacted, clean } = await answerOf("doctor", "--compact", "--data", folder);
  assert.equal([compacted.length, clean], [2, true]);
  assert.ok(before - statSync(main).size > 3_900_000);
  assert.equal([existsSync(old), existsSync(fresh)], [false, true]);
  // A clock that is a year ahead makes no copy old, and a second time there is nothing more to do.
  writeFileSync(old, "");
  utimesSync(old, longAgo, longAgo);
  const settled = longAgo * 1000 + 20 * 86_400_000;
  writeFileSync(join(folder, "clock.json"), JSON.stringify({ clock: settled, settled }));
  const again = await answerOf("doctor", "--compact", "--data", folder);
  assert.equal([again.compacted.length, existsSync(old)], [1, true]);
  const server = await openTestServer({ data: folder });
  const beside = await tallylight("doctor", "--compact", "--data", folder);
  assert.match(beside.err, /another Tallylight server is using/);
  await server.stop();
});

maintenance("doctor --compact leaves a damaged database and its copies as they are", async () => {
  const folder = await demoFolder();
  const main = join(folder, "tallylight.db");
  const copy = `${main}.before-schema-7`;
  writeFileSync(copy, "");
  utimesSync(copy, 0, 0);
  const bytes = readFileSync(main);
  bytes.fill(0xa5, 20 * 4096, 60 * 4096);
  for (const damaged of [bytes, Buffer.from("no database")]) {
    writeFileSync(main, damaged);
    const { status, out, err } = await tallylight("doctor", "--compact", "--data", folder);
    assert.equal([status, err], [1, ""]);
    assert.match(out, /^nothing was compacted, because the database is damaged\nERROR|\nERROR /);
    assert.ok(existsSync(copy));
    assert.equal(readFileSync(main), damaged);
  }
});

maintenance("refused commands leave standard output empty and exit with 1", async () => {
  for (const argv of [
    ["backup", file, "--data", data],
    ["backup", join(workspace, "new"), "--data", join(workspace, "nothing")],
    ["restore", file, "--data", data],
    ["restore", join(workspace, "absent"), "--data", join(workspace, "new")],
    ["doctor", "--data", join(workspace, "nothing")],
  ]) {
    const { status, out, err } = await tallylight(...argv);
    assert.equal([status, out], [1, ""], argv.join(" "));
    assert.is(err.trim().split("\n").length, 1, err);
  }
  assert.is(existsSync(join(workspace, "new")), false);
});

maintenance(
  "doctor exits with 0 without findings and 1 with findings, and repairs what is safe to repair",
  async () => {
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
    assert.match(out, /^repaired: made secrets.json readable only by the owner/m);
  },
);

maintenance("backup reports broken rows and exits with 1; --damaged stores them, also on restore", async () => {
  const folder = await demoFolder();
  breakStrip(folder);
  const row = "strips with shoot_day_id 1, position 1: node_id 999999 does not exist in nodes in production 1";
  const nightly = join(workspace, "nightly.backup");
  const refused = await tallylight("backup", nightly, "--data", folder);
  assert.equal([refused.status, refused.out, refused.err.split("\n")[1]], [1, "", row]);
  assert.is(existsSync(nightly), false);
  const kept = await tallylight("backup", nightly, "--damaged", "--data", folder);
  assert.is(kept.status, 0);
  assert.match(kept.err, `broken: ${row}\n`);
  const elsewhere = join(workspace, "rescued");
  assert.match(
    (await tallylight("restore", nightly, "--data", elsewhere)).err,
    /--damaged, then run `tallylight doctor/,
  );
  const restored = await answerOf("restore", nightly, "--damaged", "--data", elsewhere);
  assert.equal(restored.broken, [row]);
  assert.is((await answerOf("audit", "--data", elsewhere))[0].detail.broken, 1);
  const { out } = await tallylight("doctor", "--repair", "--data", elsewhere);
  assert.match(
    out,
    /repaired: removed strips with shoot_day_id 1, position 1: its node_id 999999 does not exist in nodes\n/,
  );
  assert.equal((await answerOf("backup", join(workspace, "after.backup"), "--data", elsewhere)).broken, []);
  rmSync(folder, { recursive: true });
});

maintenance("doctor reports a full disk by the configured reserve", async () => {
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

maintenance("serve needs certificate and key together, and refuses invalid ones", async () => {
  const pem = join(workspace, "x.pem");
  writeFileSync(pem, "no certificate");
  assert.is((await tallylight("serve", "--tls-cert", pem, "--data", data)).status, 2);
  const bad = await tallylight("serve", "--tls-cert", pem, "--tls-key", pem, "--data", data);
  assert.equal([bad.status, bad.out], [1, ""]);
  assert.match(bad.err, `${pem} has no certificate in PEM`);
});

maintenance("a backup that cannot be written leaves no file", async () => {
  const place = join(workspace, "place");
  mkdirSync(place);
  assert.is((await tallylight("backup", join(place, "no", "such", "folder"), "--data", data)).status, 1);
  assert.equal(readdirSync(place), []);
});

maintenance.after(() => {
  rmSync(workspace, { recursive: true });
  rmSync(data, { recursive: true });
});
maintenance.run();
