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

/** Makes the copy without the features. Files are links, so it takes no space. Only the list of features is written anew. */
function copyWithout(removed: ReadonlySet<string>): string {
  const folder = mkdtempSync(join(tmpdir(), "tallylight-removal-"));
  for (const file of files) {
    if (isRemoved(file, removed)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    linkOrCopy(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const list = join(folder, "src/features.ts");
  let text = readFileSync(list, "utf8");
  for (const name of removed) {
    const [statement = "", variable = ""] =
      new RegExp(`^import \\{ (\\w+) \\} from "\\./features/${name}/feature\\.ts";\n`, "m").exec(text) ?? [];
    const line = statement === "" ? `shared\\("${name}"\\)` : variable;
    text = text.replace(statement, "").replace(new RegExp(`^ +${line},\n`, "m"), "");
  }
  rmSync(list);
  writeFileSync(list, text);
  writeFileSync(
    join(folder, "tsconfig.removal.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: ["src", "sql"], exclude: [] }),
  );
  return folder;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to); // on another disk
  }
}

const tsc = join(root, ".ci/tools/node_modules/typescript/bin/tsc");

/** The first errors of the compiler; none if it compiles. */
async function compilerErrors(folder: string): Promise<readonly string[]> {
  try {
    await run(process.execPath, [tsc, "--noEmit", "-p", join(folder, "tsconfig.removal.json")], { cwd: folder });
    return [];
  } catch (error) {
    const lines = (error as { stdout: string }).stdout.split("\n").filter((line) => line.includes("error TS"));
    return lines.length > 0 ? lines : [String(error)];
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
async function served(folder: string, { data, key }: { data: string; key: string }): Promise<string | undefined> {
  const own = join(folder, "data");
  cpSync(data, own, { recursive: true });
  const launcher = join(folder, "bin/tallylight.js");
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
const linesOf = (folder: string): number =>
  execFileSync("bash", ["-c", "find src -name '*.ts' -exec cat {} + | wc -l"], { cwd: folder })
    .toString()
    .trim() as unknown as number;

/** The files that a file imports, at any depth and also for types alone, that the copy does not have. */
function missingImports(folder: string, file: string, seen = new Set<string>()): Set<string> {
  const missing = new Set<string>();
  const look = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!existsSync(join(folder, path))) return void missing.add(path);
    for (const [, name = ""] of readFileSync(join(folder, path), "utf8").matchAll(
      /(?:from|import) "(\.\.?\/[^"]+\.ts)"/g,
    ))
      look(join(path, "..", name));
  };
  look(file);
  return missing;
}

const templates = mkdtempSync(join(tmpdir(), "tallylight-removal-templates-"));
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

/** Runs test files in a checkout or a copy of it. The data directories that they begin with are those of the first run. */
async function tested(folder: string, chosen: readonly string[]): Promise<string> {
  const env = { ...process.env, TEST_TEMPLATES: templates };
  const command = ["--disable-warning=ExperimentalWarning", join(folder, "test/run.ts"), ...chosen];
  const options = { cwd: folder, env, maxBuffer: 2 ** 28 };
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

async function tryWithout(
  name: string,
  removed: ReadonlySet<string>,
  demo: { data: string; key: string },
): Promise<Tried> {
  const folder = copyWithout(removed);
  try {
    const errors = await compilerErrors(folder);
    const help = await run(process.execPath, [join(folder, "bin/tallylight.js"), "--help"]).then(
      ({ stdout }) => stdout.split("\n").length,
      () => 0,
    );
    const isTested = testsAll || removed.size === all.length;
    const usable = testFiles.filter((file) => missingImports(folder, file).size === 0);
    return {
      tests: isTested ? `${usable.length} of ${testFiles.length} files: ${await tested(folder, usable)}` : undefined,
      name,
      removed: removed.size,
      lines: Number(linesOf(folder)),
      errors,
      help,
      serves: await served(folder, demo),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const demo = writeDemo();
if (testsAll || words.length === 0 || words.includes("all")) await tested(root, testFiles);
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

console.log("feature            with it  compiles  help  serves  lines");
for (const [name, removed] of cases)
  if (words.length === 0 || words.includes(name)) report(await tryWithout(name, removed, demo));
rmSync(templates, { recursive: true, force: true });
rmSync(dirname(demo.data), { recursive: true, force: true });
if (!existsSync(tsc)) console.log("the compiler is missing: npm run tools");
process.exitCode = failed === 0 ? 0 : 1;
