// What a restore makes of a backup besides everything of it: one production alone, and the settings without secrets.
// Thorough: only --all runs it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { fixtureFiles, importedAt, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { folderWith } from "../support/template.ts";

const test = suite("restore: one production, and the settings");

const mediaIn = (folder: string): string[] =>
  (readdirSync(join(folder, "media"), { recursive: true }) as string[]).filter((name) => name.length > 64).sort();
const rowsOf = (data: string, sql: string): unknown[] => {
  const store = openStore(join(data, "tallylight.db"));
  const rows = store.database.prepare(sql).pluck().all();
  store.close();
  return rows;
};

test("one production of a backup of several comes alone, with its media, its keys and nothing of the others", async () => {
  const data = await folderWith(fixtureFiles, importedAt);
  const folder = temporaryFolder();
  const titles = rowsOf(data, "SELECT title FROM productions ORDER BY id") as string[];
  await answerOf("keys", "mint", "--production", "2", "--label", "edit", "--data", data);
  await answerOf("backup", "--to", folder, "--data", data);
  const file = join(folder, "show.tar");
  await answerOf("backup", file, "--data", data);
  for (const [source, named] of [
    [folder, titles[1]],
    [file, "2"],
  ] as const) {
    const to = join(temporaryFolder(), "data");
    const { media } = await answerOf("restore", source, "--production", named as string, "--data", to);
    assert.equal(rowsOf(to, "SELECT title FROM productions"), [titles[1]]);
    assert.equal(rowsOf(to, "SELECT label FROM api_keys"), ["edit"]);
    assert.is(rowsOf(to, "SELECT count(*) FROM notes WHERE production_id <> 2")[0], 0);
    assert.is(mediaIn(to).length, media);
    assert.ok(mediaIn(to).length < mediaIn(data).length);
    assert.is((await answerOf("doctor", "--deep", "--data", to)).clean, true);
    const bytes = readFileSync(join(to, "tallylight.db"));
    assert.not.ok(bytes.includes(titles[0] as string), "no unused part of the file has the other production");
  }
  const none = join(temporaryFolder(), "data");
  const { status, err } = await tallylight("restore", folder, "--production", "Nothing", "--data", none);
  assert.is(status, 1);
  assert.match(
    err,
    new RegExp(`the backup has no production Nothing, only 1: ${titles[0]}, 2: .*; nothing was restored`),
  );
  assert.not.ok(existsSync(none));
});

test("the settings are in a backup without secrets; restore says which it sets aside, and which it cannot have", async () => {
  const data = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  const folder = temporaryFolder();
  const settings = {
    rate_limit: 600,
    backup: { folder, every: 12 },
    look_key: "a-secret-word",
    restyle_url: "https://a.example",
  };
  writeFileSync(join(data, "config.json"), JSON.stringify(settings), { mode: 0o600 });
  const { name } = await answerOf("backup", "--data", data);
  assert.not.ok(readFileSync(join(folder, name, "manifest.json"), "utf8").includes("a-secret-word"));
  const to = join(temporaryFolder(), "data");
  const { status, err } = await tallylight("restore", folder, "--data", to);
  assert.is(status, 0, err);
  assert.match(err, /set aside in config.json.restored: the setting backup;/);
  assert.match(err, /the secret look_key is in no backup; set it again/);
  const read = (file: string) => JSON.parse(readFileSync(join(to, file), "utf8"));
  const { look_key: _, ...open } = settings;
  assert.match(err, /taken over into config.json: the setting rate_limit/);
  assert.match(err, /set aside in config.json.restored: the setting restyle_url;/);
  assert.equal(read("config.json"), { rate_limit: 600 });
  assert.equal(read("config.json.restored"), open);

  const whole = join(temporaryFolder(), "data");
  const all = await answerOf("restore", folder, "--with-settings", "--data", whole);
  assert.equal([all.taken_over.sort(), all.set_aside], [["rate_limit", "restyle_url"], ["backup"]]);
  const { backup: __, ...taken } = open;
  assert.equal(JSON.parse(readFileSync(join(whole, "config.json"), "utf8")), taken);

  const own = temporaryFolder();
  writeFileSync(join(own, "config.json"), '{"rate_limit": 5}', { mode: 0o600 });
  const answer = await answerOf("restore", folder, "--data", own);
  assert.equal(answer.set_aside.sort(), ["backup", "rate_limit", "restyle_url"], "a directory keeps its own settings");
  assert.is(readFileSync(join(own, "config.json"), "utf8"), '{"rate_limit": 5}');
  assert.is((await answerOf("doctor", "--data", own)).clean, true);
});

test("every setting that opens a server is set aside, and each is named; a new setting is one until it is said to bound it", async () => {
  const data = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  const folder = temporaryFolder();
  const opening = {
    host: "0.0.0.0",
    public_url: "https://elsewhere.example",
    trust_proxy: true,
    cors_origins: ["https://elsewhere.example"],
    webhook_hosts: ["10.0.0.0/8"],
    look_url: "https://look.example",
    restyle_url: "https://restyle.example",
    restyle_origins: ["https://elsewhere.example"],
    primary_url: "https://primary.example",
    metrics_token_file: "/etc/hostname",
  };
  writeFileSync(join(data, "config.json"), JSON.stringify({ ...opening, turnaround: 9 }), { mode: 0o600 });
  const file = join(folder, "hostile.tar");
  await answerOf("backup", file, "--data", data);
  const to = join(temporaryFolder(), "data");
  const answer = await answerOf("restore", file, "--data", to);
  assert.equal(answer.set_aside.sort(), Object.keys(opening).sort());
  assert.equal(answer.taken_over, ["turnaround"]);
  assert.equal(JSON.parse(readFileSync(join(to, "config.json"), "utf8")), { turnaround: 9 });
  const all = join(temporaryFolder(), "data");
  assert.equal((await answerOf("restore", file, "--with-settings", "--data", all)).set_aside, []);
  assert.equal(JSON.parse(readFileSync(join(all, "config.json"), "utf8")), { ...opening, turnaround: 9 });
});

test("a production that was deleted is in the backup that its deletion made, and comes back from it", async () => {
  const data = await folderWith(fixtureFiles, importedAt);
  const folder = temporaryFolder();
  writeFileSync(join(data, "config.json"), JSON.stringify({ backup: { folder } }), { mode: 0o600 });
  const [title] = rowsOf(data, "SELECT title FROM productions WHERE id = 1") as string[];
  const { status, err } = await tallylight("productions", "delete", "1", "--confirm", title as string, "--data", data);
  assert.is(status, 0, err);
  assert.match(err, /the backup before it is /);
  assert.equal(rowsOf(data, "SELECT id FROM productions"), [2]);
  const [made] = await answerOf("backup", "list", folder);
  assert.is(made.kind, "before-delete");
  const to = join(temporaryFolder(), "data");
  await answerOf("restore", `${folder}@${made.name}`, "--production", title as string, "--data", to);
  assert.equal(rowsOf(to, "SELECT title FROM productions"), [title]);
});

test.run();
