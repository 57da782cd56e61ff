// doctor --repair --from FOLDER: media whose bytes are missing or damaged come back by their hash.
// Thorough: only --all runs it.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixtureFiles, importedAt, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { folderWith } from "../support/template.ts";

const test = suite("doctor --repair --from");
const data = await folderWith(fixtureFiles.slice(0, 1), importedAt);
const backups = temporaryFolder();
await answerOf("backup", "--to", backups, "--data", data);
const names = (readdirSync(join(data, "media"), { recursive: true }) as string[]).filter((name) => name.length > 64);
const [missing, short, flipped] = names.map((name) => join(data, "media", name)) as [string, string, string];

function harm(): Buffer[] {
  const whole = [missing, short, flipped].map((file) => readFileSync(file));
  rmSync(missing);
  writeFileSync(short, "x");
  writeFileSync(flipped, Buffer.alloc(statSync(flipped).size));
  return whole;
}

const repair = (from: string) => tallylight("doctor", "--repair", "--from", from, "--data", data);

test("brings back what is missing, cut or of other bytes; what stood there is in found/", async () => {
  const whole = harm();
  assert.is((await tallylight("doctor", "--deep", "--data", data)).status, 1);
  const { status, out } = await repair(backups);
  assert.is(status, 0, out);
  assert.is(out.match(/^repaired: brought back media\/../gm)?.length, 3, out);
  for (const [at, file] of [missing, short, flipped].entries())
    assert.ok(readFileSync(file).equals(whole[at] as Buffer));
  const found = (readdirSync(join(data, "found"), { recursive: true }) as string[]).filter((name) => name.length > 64);
  assert.is(found.length, 2);
  const again = await repair(backups);
  assert.is(again.status, 0);
  assert.not.match(again.out, /brought back/);
});

test("takes them from any folder by their bytes, whatever the names, and never bytes of another hash", async () => {
  const whole = harm();
  const place = temporaryFolder();
  mkdirSync(join(place, "from the vendor"));
  writeFileSync(join(place, "from the vendor", "plate 12.exr"), whole[0] as Buffer);
  writeFileSync(join(place, "same size.exr"), Buffer.alloc((whole[1] as Buffer).length, 1));
  const part = await repair(place);
  assert.is(part.status, 1);
  assert.match(part.out, /brought back media\/.* from .*plate 12\.exr/);
  assert.is(part.out.match(/has no file with the bytes of/g)?.length, 2);
  assert.ok(readFileSync(missing).equals(whole[0] as Buffer));
  copyFileSync(join(place, "same size.exr"), join(place, "again.exr"));
  assert.is((await repair(backups)).status, 0);
  assert.equal(readdirSync(join(data, "media", "staging")), []);
});

test("is refused without --repair and for what is no folder, and changes nothing", async () => {
  const whole = harm();
  assert.is((await tallylight("doctor", "--from", backups, "--data", data)).status, 2);
  const absent = await repair(join(backups, "absent"));
  assert.is(absent.status, 1);
  assert.match(absent.err, /absent is not a folder; nothing was repaired/);
  assert.not.ok(existsSync(missing));
  assert.is((await repair(backups)).status, 0);
  assert.ok(readFileSync(flipped).equals(whole[2] as Buffer));
});

test.run();
