// Removes each feature in turn, with those that need it, from a copy of the checkout: its folder, its line in
// src/features.ts, its SQL. What is left must compile, print its help, and serve a production that the whole program
// wrote. Without any feature, and with --tests without each, it also passes the tests of core and graph that use
// nothing of what is removed. Prints a table. Words choose features.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Copy, files, root, tsc } from "./removal_copy.ts";
import { all, importsIn, importsOfRemoved, removedWith, setsToCompile } from "./removal_uses.ts";

const run = promisify(execFile);
// Each program that is started compiles only what changed since the last one.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/tests");
const words = process.argv.slice(2).filter((word) => word !== "--tests");
const testsAll = process.argv.includes("--tests");
/** The copy in which programs run. */
const copy = new Copy();

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

/** What is asked of the program without a feature, and the status that it answers; a bundle may be missing. */
const asked: readonly (readonly [string, number])[] = [
  ["/healthz", 200],
  ["/api/v1/production", 200],
  ["/api/v1/scenes", 200],
  ["/api/v1/assets", 200],
  ["/api/v1/bundles/scene/1", 200],
  ["/api/v1/nothing", 404],
];

/** Asks the program for all of these. Returns what is wrong; undefined if the answers are right. */
async function wrongAnswer(url: string, key: string): Promise<string | undefined> {
  for (const [path, wanted] of asked) {
    const { status } = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    if (status !== wanted && !(path.includes("bundles") && status === 404)) return `${path} answers ${status}`;
  }
  return undefined;
}

interface Ran {
  /** The lines of the help that it printed. */
  help: number;
  /** What is wrong; undefined if the answers are right. */
  problem: string | undefined;
}

/**
 * Runs what is left: it prints its help, and then serves the production. One process does both, because each loads the
 * whole program.
 */
async function ran({ data, key }: { data: string; key: string }): Promise<Ran> {
  const own = join(copy.folder, "data");
  rmSync(own, { recursive: true, force: true });
  cpSync(data, own, { recursive: true });
  const program = `const { main } = await import(${JSON.stringify(pathToFileURL(join(copy.folder, "src/cli/main.ts")))});
    process.exitCode = (await main(["--help"])) || (await main(["serve", "--data", ${JSON.stringify(own)}, "--port", "0"]))`;
  const server = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, problems] = ["", ""];
  server.stderr.on("data", (text) => (problems += text));
  const exited = once(server, "close");
  const address = new Promise<string>((resolve) => {
    server.stdout.on("data", (text) => {
      out += text;
      const [line] = /^http:\S+(?=\n)/m.exec(out) ?? [];
      if (line !== undefined) resolve(line);
    });
  });
  const ended = exited.then(() => {
    throw new Error(`it ended: ${problems.slice(0, 500)}`);
  });
  let problem: string | undefined;
  try {
    problem = await wrongAnswer(await Promise.race([address, ended]), key);
  } catch (error) {
    problem = (error as Error).message;
  } finally {
    server.kill("SIGTERM");
    await exited;
  }
  const help = out.split("\n").findIndex((line) => line.startsWith("http:"));
  return { help: Math.max(0, help), problem };
}

/** The lines of TypeScript below src. */
const linesLeft = (): number =>
  Number(execFileSync("bash", ["-c", "find src -name '*.ts' -exec cat {} + | wc -l"], { cwd: copy.folder }));

/** The files that a file imports, at any depth and also for types alone, that the copy does not have. */
function missingImports(file: string, seen = new Set<string>()): Set<string> {
  const missing = new Set<string>();
  const look = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!existsSync(join(copy.folder, path))) return void missing.add(path);
    for (const name of importsIn(readFileSync(join(copy.folder, path), "utf8"), path)) look(name);
  };
  look(file);
  return missing;
}

/**
 * Files that ask an operation, a page, a tool or a setting of a feature over HTTP or by a command: their imports do not
 * say so.
 */
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
  ...["person_keys", "reach", "reach_by_rule", "removed_ids", "shapes", "vendor", "whole_lists"].map(
    (name) => `graph/${name}`,
  ),
].map((name) => `test/${name}.test.ts`);
const rooms = /^test\/(?:core|graph)\/.*\.test\.ts$/;
const testFiles = files.filter((file) => rooms.test(file) && !askingFeatures.includes(file));

/** Runs test files in the copy. The whole program makes the data directories that they begin with. */
async function tested(chosen: readonly string[]): Promise<string> {
  const env = { ...process.env, TEST_WHOLE: root, THOROUGH: "0" };
  const command = ["--disable-warning=ExperimentalWarning", join(copy.folder, "test/run.ts"), "--all", ...chosen];
  const options = { cwd: copy.folder, env, maxBuffer: 2 ** 28 };
  const { stdout, stderr } = await run(process.execPath, command, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  if (stdout === "") console.log(`  ${stderr.slice(0, 500)}`);
  for (const line of stdout.split("\n")) if (/FAIL/.test(line)) console.log(`  ${line.slice(0, 180)}`);
  return stdout.trim().split("\n").at(-1) ?? "";
}

interface Tried extends Ran {
  name: string;
  removed: number;
  lines: number;
  /** The tests of core and graph: how many passed and failed; undefined if they were not asked for. */
  tests: string | undefined;
}

async function testedWithout(removed: ReadonlySet<string>): Promise<string | undefined> {
  if (!testsAll && removed.size !== all.length) return undefined;
  const usable = testFiles.filter((file) => missingImports(file).size === 0);
  return `${usable.length} of ${testFiles.length} files: ${await tested(usable)}`;
}

const tryWithout = (name: string, removed: ReadonlySet<string>): Promise<Tried> =>
  copy.without(removed, async () => ({
    name,
    removed: removed.size,
    ...(await ran(demo)),
    tests: await testedWithout(removed),
    lines: linesLeft(),
  }));

/**
 * What is wrong in the program without each of the features: imports of what is removed, and errors of the compiler. If
 * all are asked for, it compiles only what may use a name of what is removed, several features at once; without a set
 * that does not compile, each of it is tried.
 */
async function compiled(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const own = new Copy();
  const errors = new Map(names.map((name) => [name, importsOfRemoved(name, files)]));
  const errorsWithout = (removed: readonly string[]) =>
    own.without(new Set(removed.flatMap((name) => [...removedWith(name)])), () => own.compilerErrors());
  for (const set of names.length === all.length ? setsToCompile(files) : names.map((name) => [name])) {
    if ((await errorsWithout(set)).length === 0) continue;
    for (const name of set) errors.get(name)?.push(...(await errorsWithout([name])));
  }
  errors.set("all", await errorsWithout(all.map(({ name }) => name)));
  own.close();
  return errors;
}

const demo = writeDemo();
const cases: [string, ReadonlySet<string>][] = [
  ...all.map(({ name }): [string, ReadonlySet<string>] => [name, removedWith(name)]),
  ["all", new Set(all.map(({ name }) => name))],
];
let failed = 0;

function report({ name, removed, help, problem, lines, tests }: Tried, errors: readonly string[]): void {
  const isGood = errors.length === 0 && help > 0 && problem === undefined && !/, [1-9]\d* failed/.test(tests ?? "");
  if (!isGood) failed++;
  const compiles = errors.length === 0 ? "yes" : `${errors.length}`;
  console.log(
    `${name.padEnd(18)} ${String(removed - 1).padStart(7)}  ${compiles.padStart(8)}  ${String(help).padStart(4)}  ${(problem === undefined ? "yes" : "NO").padStart(6)}  ${lines}`,
  );
  if (tests !== undefined) console.log(`  ${tests}`);
  for (const line of errors.slice(0, 8)) console.log(`  ${line.slice(0, 180)}`);
  if (problem !== undefined) console.log(`  ${problem.slice(0, 300)}`);
}

const chosen = cases.filter(([name]) => words.length === 0 || words.includes(name));
const errors = compiled(chosen.map(([name]) => name).filter((name) => name !== "all"));
const tried: Tried[] = [];
for (const [name, removed] of chosen) tried.push(await tryWithout(name, removed));
console.log("feature            with it  compiles  help  serves  lines");
for (const one of tried) report(one, (await errors).get(one.name) ?? []);
copy.close();
rmSync(dirname(demo.data), { recursive: true, force: true });
if (!existsSync(tsc)) console.log("the compiler is missing: npm run tools");
process.exitCode = failed === 0 ? 0 : 1;
