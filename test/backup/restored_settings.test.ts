// What a restore makes of a backup besides everything of it: one production alone, and the settings without secrets.
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
  const { backup: __, ...taken } = open;
  assert.equal(read("config.json"), taken);
  assert.equal(read("config.json.restored"), open);

  const own = temporaryFolder();
  writeFileSync(join(own, "config.json"), '{"rate_limit": 5}', { mode: 0o600 });
  const answer = await answerOf("restore", folder, "--data", own);
  assert.equal(answer.set_aside.sort(), ["backup", "rate_limit", "restyle_url"], "a directory keeps its own settings");
  assert.is(readFileSync(join(own, "config.json"), "utf8"), '{"rate_limit": 5}');
  assert.is((await answerOf("doctor", "--data", own)).clean, true);
});

test.run();
