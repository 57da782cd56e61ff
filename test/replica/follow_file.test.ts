// tallylight follow --config FILE: the file says what the service of the package follows.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";

const test = suite("tallylight follow --config");
const folder = temporaryFolder();
const file = join(folder, "follow.json");
const data = join(folder, "copy");

/** What the command says with a text in the file. */
async function errorWith(text: string, ...words: string[]): Promise<string> {
  writeFileSync(file, text);
  const { status, err } = await tallylight("follow", ...words, "--config", file, "--data", data);
  assert.ok(status > 0, err);
  return err;
}

test("takes the source of the file, and that of the command line first", async () => {
  const source = JSON.stringify({ source: join(folder, "nowhere"), every: 5 });
  assert.match(await errorWith(source), /nowhere contains no Tallylight data/);
  assert.match(await errorWith(source, join(folder, "elsewhere")), /elsewhere contains no Tallylight data/);
});

test("takes the other settings of the file, and flags first", async () => {
  const source = JSON.stringify({ source: "box-a:/var/lib/tallylight", every: 0 });
  assert.match(await errorWith(source), /--every takes seconds from 0\.1 to 3600, not 0/);
  assert.match(await errorWith(source, "--every", "x"), /--every takes seconds from 0\.1 to 3600, not x/);
});

test("refuses a file that is absent, no JSON, without a source, or with something else", async () => {
  assert.match(await errorWith("{"), /follow\.json is not valid JSON: the error is at line 1, column 2/);
  assert.match(await errorWith("{}"), /follow needs SOURCE, or --config FILE with a source/);
  assert.match(await errorWith('{"source": "a:/b", "evry": 1}'), /evry must be one of source, every, copier/);
  assert.match(await errorWith('{"source": ["a"]}'), /source must be one of .*, with a text or a number/);
  const { err } = await tallylight("follow", "--config", join(folder, "absent.json"), "--data", data);
  assert.match(err, /absent\.json/);
});

test.run();
