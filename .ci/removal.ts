// Removes each feature in turn, with those that need it, from a copy of the checkout: its folder, its line in src/features.ts, its SQL.
// What is left must compile, print its help, and serve a production that the whole program wrote. Without any feature, and with --tests
// without each, it also passes the tests of core and graph that use nothing of what is removed. Prints a table. Words choose features.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "../src/features.ts";
import type { Feature } from "../src/core/feature.ts";
import { features } from "../src/core/features.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
// Each program that is started compiles only what changed since the last one.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/tests");
const words = process.argv.slice(2).filter((word) => word !== "--tests");
const testsAll = process.argv.includes("--tests");
const all = features().filter(({ name }) => name !== "graph");

/** The features that go with `name`: its parts, and those that need one of them. */
function removedWith(name: string): ReadonlySet<string> {
  const removed = new Set([name]);
  const goes = ({ name: other, needs = [] }: Feature): boolean =>
    [...removed].some((gone) => other.startsWith(`${gone}/`)) || needs.some((need) => removed.has(need));
  for (let size = 0; size !== removed.size; ) {
    size = removed.size;
    for (const feature of all) if (goes(feature)) removed.add(feature.name);
  }
  return removed;
}

/** The files of the checkout, without the tests of the features. */
const files = execFileSync("git", ["ls-files"], { cwd: root })
  .toString()
  .trim()
  .split("\n")
  .filter((file) => !file.startsWith("test/") || /^test\/(?:run\.ts$|core\/|graph\/|support\/)/.test(file));

/** Whether a file belongs to one of the removed features. */
const isRemoved = (file: string, removed: ReadonlySet<string>): boolean =>
  [...removed].some(
    (name) =>
      file.startsWith(`src/features/${name}/`) ||
      new RegExp(`^sql/${name}[.]`).test(file) ||
      (name === "agent" && file.startsWith("src/agent/")), // the program that the command of the feature runs
  );

/** The list of features without those that are removed. */
function listWithout(removed: ReadonlySet<string>): string {
  let text = readFileSync(join(root, "src/features.ts"), "utf8");
  for (const name of removed) {
    const [statement = "", variable = ""] =
      new RegExp(`^import \\{ (\\w+) \\} from "\\./features/${name}/feature\\.ts";\n`, "m").exec(text) ?? [];
    const line = statement === "" ? `shared\\("${name}"\\)` : variable;
    text = text.replace(statement, "").replace(new RegExp(`^ +${line},\n`, "m"), "");
  }
  return text;
}

/** The copy, from which features are taken and into which they are put back. Files are links, so it takes no space. */
const copy = mkdtempSync(join(tmpdir(), "tallylight-removal-"));
const list = join(copy, "src/features.ts");

function put(file: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  linkOrCopy(join(root, file), join(copy, file));
}

function makeCopy(): void {
  for (const file of files) put(file);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(
    join(copy, "tsconfig.removal.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: ["src", "sql"], exclude: [] }),
  );
}

/** Takes features out of the copy. Returns what puts them back. */
function takeOut(removed: ReadonlySet<string>): () => void {
  const gone = files.filter((file) => isRemoved(file, removed));
  for (const file of gone) rmSync(join(copy, file));
  rmSync(list); // it is a link to that of the checkout
  writeFileSync(list, listWithout(removed));
  return () => {
    rmSync(list);
    for (const file of [...gone, "src/features.ts"]) put(file);
  };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to); // on another disk
  }
}

const launcher = join(copy, "bin/tallylight.js");
const tsc = join(root, ".ci/tools/node_modules/typescript/bin/tsc");

/** What the compiler knows of the whole program: of a part of it, it checks again only what a removal concerns. */
const known = join(copy, "known.tsbuildinfo");

/** The errors of the compiler; none if it compiles. */
async function compilerErrors(): Promise<readonly string[]> {
  const own = join(copy, "own.tsbuildinfo"); // a compiler that reads it also writes it
  if (existsSync(known)) cpSync(known, own);
  const words = ["--noEmit", "--incremental", "--tsBuildInfoFile", own, "-p", join(copy, "tsconfig.removal.json")];
  try {
    await run(process.execPath, [tsc, ...words], { cwd: copy });
    return [];
  } catch (error) {
    const lines = (error as { stdout: string }).stdout.split("\n").filter((line) => line.includes("error TS"));
    return lines.length > 0 ? lines : [String(error)];
  } finally {
    if (!existsSync(known) && existsSync(own)) renameSync(own, known);
  }
}

/** Makes a data directory with the whole program: the demo and a key. */
function writeDemo(): { data: string; key: string } {
  const data = join(mkdtempSync(join(tmpdir(), "tallylight-removal-data-")), "data");
  const command = (...words: string[]): string =>
    execFileSync(process.execPath, [join(root, "bin/tallylight.js"), ...words, "--data", data, "--json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  command("import", join(root, "fixtures/the-silver-button.json"));
  return { data, key: JSON.parse(command("keys", "mint", "--production", "1", "--label", "removal")).token };
}

/** Serves the production with what is left. Returns what is wrong; undefined if the answers are right. */
async function served({ data, key }: { data: string; key: string }): Promise<string | undefined> {
  const own = join(copy, "data");
  rmSync(own, { recursive: true, force: true });
  cpSync(data, own, { recursive: true });
  const server = spawn(process.execPath, [launcher, "serve", "--data", own, "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let problems = "";
  server.stderr.on("data", (text) => {
    problems += text;
  });
  const exited = once(server, "exit");
  try {
    const [line] = await Promise.race([
      once(server.stdout as Readable, "data"),
      exited.then(() => {
        throw new Error(`it ended: ${problems.slice(0, 500)}`);
      }),
    ]);
    const url = String(line).trim();
    const headers = { authorization: `Bearer ${key}` };
    for (const [path, wanted] of [
      ["/healthz", 200],
      ["/api/v1/production", 200],
      ["/api/v1/scenes", 200],
      ["/api/v1/assets", 200],
      ["/api/v1/bundles/scene/1", 200],
      ["/api/v1/nothing", 404],
    ] as const) {
      const { status } = await fetch(url + path, { headers });
      if (status !== wanted && !(path.includes("bundles") && status === 404)) return `${path} answers ${status}`;
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    server.kill("SIGTERM");
    await exited;
  }
}

/** The lines of TypeScript below src. */
const linesLeft = (): number =>
  Number(execFileSync("bash", ["-c", "find src -name '*.ts' -exec cat {} + | wc -l"], { cwd: copy }));

/** The files that a file imports, at any depth and also for types alone, that the copy does not have. */
function missingImports(file: string, seen = new Set<string>()): Set<string> {
  const missing = new Set<string>();
  const look = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!existsSync(join(copy, path))) return void missing.add(path);
    for (const [, name = ""] of readFileSync(join(copy, path), "utf8").matchAll(
      /(?:from|import) "(\.\.?\/[^"]+\.ts)"/g,
    ))
      look(join(path, "..", name));
  };
  look(file);
  return missing;
}

/** Files that ask an operation, a page, a tool or a setting of a feature over HTTP or by a command: their imports do not say so. */
const askingFeatures = [
  ...["compression", "config", "idempotency", "ids_once", "indexes", "request_header", "serve_settings"].map(
    (name) => `core/${name}`,
  ),
  ...[
    "activity",
    "asset_bundle",
    "clashes",
    "engagement_quota",
    "includes",
    "key_rotation",
    "notes",
    "own_work",
    "pages",
  ].map((name) => `graph/${name}`),
  ...["person_keys", "reach", "reach_by_rule", "removed_ids", "shapes", "taking_back", "vendor", "whole_lists"].map(
    (name) => `graph/${name}`,
  ),
].map((name) => `test/${name}.test.ts`);
const rooms = /^test\/(?:core|graph)\/.*\.test\.ts$/;
const testFiles = files.filter((file) => rooms.test(file) && !askingFeatures.includes(file));

/** Runs test files in the copy. The whole program makes the data directories that they begin with. */
async function tested(chosen: readonly string[]): Promise<string> {
  const env = { ...process.env, TEST_WHOLE: root };
  const command = ["--disable-warning=ExperimentalWarning", join(copy, "test/run.ts"), ...chosen];
  const options = { cwd: copy, env, maxBuffer: 2 ** 28 };
  const { stdout, stderr } = await run(process.execPath, command, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  if (stdout === "") console.log(`  ${stderr.slice(0, 500)}`);
  for (const line of stdout.split("\n")) if (/FAIL/.test(line)) console.log(`  ${line.slice(0, 180)}`);
  return stdout.trim().split("\n").at(-1) ?? "";
}

interface Tried {
  name: string;
  removed: number;
  lines: number;
  errors: readonly string[];
  help: number;
  serves: string | undefined;
  /** The tests of core and graph: how many passed and failed; undefined if they were not asked for. */
  tests: string | undefined;
}

/** The lines of the help that the program prints; 0 if it fails. */
const linesOfHelp = (): Promise<number> =>
  run(process.execPath, [launcher, "--help"]).then(
    ({ stdout }) => stdout.split("\n").length,
    () => 0,
  );

async function testedWithout(removed: ReadonlySet<string>): Promise<string | undefined> {
  if (!testsAll && removed.size !== all.length) return undefined;
  const usable = testFiles.filter((file) => missingImports(file).size === 0);
  return `${usable.length} of ${testFiles.length} files: ${await tested(usable)}`;
}

async function tryWithout(
  name: string,
  removed: ReadonlySet<string>,
  demo: { data: string; key: string },
): Promise<Tried> {
  const putBack = takeOut(removed);
  try {
    const compiled = compilerErrors(); // beside the others, which wait for processes
    const [help, serves] = [await linesOfHelp(), await served(demo)];
    const errors = await compiled;
    const tests = await testedWithout(removed);
    return { name, removed: removed.size, lines: linesLeft(), errors, help, serves, tests };
  } finally {
    putBack();
  }
}

makeCopy();
const demo = writeDemo();
const cases: [string, ReadonlySet<string>][] = [
  ...all.map(({ name }): [string, ReadonlySet<string>] => [name, removedWith(name)]),
  ["all", new Set(all.map(({ name }) => name))],
];
let failed = 0;

function report({ name, removed, errors, help, serves, lines, tests }: Tried): void {
  const isGood = errors.length === 0 && help > 0 && serves === undefined && !/, [1-9]\d* failed/.test(tests ?? "");
  if (!isGood) failed++;
  const compiles = errors.length === 0 ? "yes" : `${errors.length}`;
  console.log(
    `${name.padEnd(18)} ${String(removed - 1).padStart(7)}  ${compiles.padStart(8)}  ${String(help).padStart(4)}  ${(serves === undefined ? "yes" : "NO").padStart(6)}  ${lines}`,
  );
  if (tests !== undefined) console.log(`  ${tests}`);
  for (const line of errors.slice(0, 8)) console.log(`  ${line.slice(0, 180)}`);
  if (serves !== undefined) console.log(`  ${serves.slice(0, 300)}`);
}

const broken = existsSync(tsc) ? await compilerErrors() : ["the compiler is missing: npm run tools"];
for (const line of broken.slice(0, 8)) console.log(line.slice(0, 180));
console.log("feature            with it  compiles  help  serves  lines");
for (const [name, removed] of cases)
  if (words.length === 0 || words.includes(name)) report(await tryWithout(name, removed, demo));
rmSync(copy, { recursive: true });
rmSync(dirname(demo.data), { recursive: true, force: true });
process.exitCode = failed === 0 && broken.length === 0 ? 0 : 1;
