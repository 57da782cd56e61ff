// A backup in a folder that has lost its manifest: list, verify and restore name it, and restore --damaged takes what
// can be read of it.
// Thorough: only --all runs it.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mediaFiles } from "../../src/core/store/files.ts";
import { backUpInto } from "../../src/features/backup/folder_writing.ts";
import { demoFolder, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";

const test = suite("a backup without its manifest");
const data = await demoFolder();
const folder = temporaryFolder();
const first = await backUpInto(data, folder, { now: Date.now() - 3_600_000 });
const second = await backUpInto(data, folder, { now: Date.now() });
rmSync(join(folder, second.name, "manifest.json"));
const sentence = `${folder}@${second.name} has no manifest.json, which lists what it has: \`tallylight restore --damaged ${folder}@${second.name} --data NEW\` takes what can be read of it`;

test("is named by list, verify and restore", async () => {
  const list = await tallylight("backup", "list", folder);
  assert.match(list.out, new RegExp(second.name));
  assert.ok(list.err.includes(sentence), list.err);
  const rows = await answerOf("backup", "list", folder);
  assert.equal(
    rows.map(({ name, media }: { name: string; media: number | null }) => [name, media === null]),
    [
      [first.name, false],
      [second.name, true],
    ],
  );
  const verified = await tallylight("backup", "verify", folder);
  assert.is(verified.status, 1);
  assert.ok(verified.out.includes(`ERROR ${sentence}`), verified.out);
  assert.match(verified.out, new RegExp(`ok +${folder}@${first.name}`));
  const to = join(temporaryFolder(), "restored");
  const restored = await tallylight("restore", folder, "--data", to);
  assert.is(restored.status, 0);
  assert.ok(restored.err.includes(sentence), restored.err);
});

test("is restored with --damaged alone, with its media", async () => {
  const to = join(temporaryFolder(), "restored");
  const refused = await tallylight("restore", `${folder}@${second.name}`, "--data", to);
  assert.is(refused.status, 1);
  assert.match(refused.err, /has no manifest\.json, which lists what it has; `tallylight restore --damaged /);
  const { media, broken, missing } = await answerOf("restore", "--damaged", `${folder}@${second.name}`, "--data", to);
  assert.equal([broken, missing], [[], []]);
  assert.is(mediaFiles(join(to, "media")).length, media);
  assert.ok(media > 0);
});

test("alone in its folder is named, too", async () => {
  const alone = temporaryFolder();
  cpSync(join(folder, second.name), join(alone, second.name), { recursive: true });
  for (const argv of [
    ["restore", alone, "--data", join(temporaryFolder(), "none")],
    ["backup", "verify", alone],
  ]) {
    const { status, err } = await tallylight(...argv);
    assert.is(status, 1);
    assert.match(err, new RegExp(`has no backups[\\s\\S]*${second.name} has no manifest`), err);
  }
});

test.run();
