// What a package may not have: it is refused with a sentence, nothing is installed, and nothing outside its folder is written or read.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPackage, unpackPackage } from "../../src/features/service/packages.ts";
import { temporaryFolder } from "../support/folder.ts";

const name = `tallylight-9.9.9-${process.platform}-${process.arch}`;

function run([program = "", ...words]: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw Object.assign(new Error(`${program} failed`), { stderr });
  return stdout;
}
const sumLine = (file: string, bytes: string | Buffer): string => `${hash("sha256", bytes)}  ${file}\n`;

/** Packs a folder with a file, its sums and what `add` puts there, and unpacks the package. Returns why it was refused. */
async function refusal(add: (folder: string) => string | undefined, ...words: string[]): Promise<string> {
  const [source, place] = [temporaryFolder(), temporaryFolder()];
  const [folder, file] = [join(source, name), join(source, `${name}.tar.gz`)];
  mkdirSync(folder);
  writeFileSync(join(folder, "a.txt"), "a");
  writeFileSync(join(folder, "SHA256SUMS"), sumLine("a.txt", "a") + (add(folder) ?? ""));
  run(["tar", "-czf", file, "-C", source, ...words, name]);
  writeFileSync(join(source, "SHA256SUMS"), sumLine(`${name}.tar.gz`, readFileSync(file)));
  try {
    await unpackPackage(file, await checkPackage(file), place, run);
    assert.equal(readdirSync(join(place, name)).toSorted(), ["SHA256SUMS", "a.txt"]);
    return "";
  } catch (error) {
    assert.equal(readdirSync(place), [], "nothing is left");
    return (error as Error).message.replace(file, "FILE");
  } finally {
    for (const made of [source, place]) rmSync(made, { recursive: true });
  }
}
const damaged = (file: string) => `FILE is damaged: ${file} in it is not as its SHA256SUMS says; nothing was changed`;

const packages = suite("an unpacked package");

packages("has the files that its sums list, and no other ones", async () => {
  assert.is(await refusal(() => undefined), "");
  const more = (folder: string) => void writeFileSync(join(folder, "more.mjs"), "");
  assert.is(await refusal(more), damaged("more.mjs"));
  assert.is(await refusal(() => sumLine("b.txt", "b")), damaged("b.txt"));
});

packages("has regular files alone: no link, no pipe and no folder in the place of one", async () => {
  const link = (folder: string) => void run(["ln", "-s", "/etc", join(folder, "etc")]);
  assert.is(await refusal(link), damaged("etc"));
  const closed = temporaryFolder();
  chmodSync(closed, 0); // for every user except root
  const closedLink = (folder: string) => void run(["ln", "-s", closed, join(folder, "closed")]);
  assert.is(await refusal(closedLink), damaged("closed"));
  chmodSync(closed, 0o700);
  rmSync(closed, { recursive: true });
  const file = (folder: string) => {
    writeFileSync(join(folder, "..", "outside"), "b");
    run(["ln", "-s", join(folder, "..", "outside"), join(folder, "b.txt")]);
    return sumLine("b.txt", "b");
  };
  assert.is(await refusal(file), damaged("b.txt"));
  const pipe = (folder: string) => {
    run(["mkfifo", join(folder, "b.txt")]);
    return sumLine("b.txt", "b");
  };
  assert.is(await refusal(pipe), damaged("b.txt"));
  const inPlace = (folder: string) => {
    mkdirSync(join(folder, "b.txt"));
    return sumLine("b.txt", "b");
  };
  assert.is(await refusal(inPlace), damaged("b.txt"));
});

packages("has nothing that runs as another user or that others can write to, though its sums list it", async () => {
  if (process.getuid?.() !== 0) return; // tar takes such modes away for every user except root
  const unsafe = (what: string) =>
    `FILE is not safe: ${what} in it runs as another user or can be written to by others; nothing was changed`;
  const withMode = (mode: string, file: string) => (folder: string) => void run(["chmod", mode, join(folder, file)]);
  for (const mode of ["4755", "2755", "0666"]) assert.is(await refusal(withMode(mode, "a.txt")), unsafe("a.txt"), mode);
  assert.is(await refusal(withMode("2755", "")), unsafe("its folder"));
  assert.is(await refusal(withMode("0755", "a.txt")), "");
});

packages("has no path out of it", async () => {
  const said = await refusal(() => undefined, "--transform", "s,/a.txt,/../../evil,");
  assert.match(said, /^FILE cannot be unpacked: \S*tar: /, said);
  assert.is(await refusal(() => sumLine("../a.txt", "a")), damaged("../a.txt"));
});

packages.run();
