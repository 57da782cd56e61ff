// Removes each feature in turn, with those that need it, from a copy of the checkout: its folder, its line in src/features.ts, its SQL.
// What is left must compile, print its help, and serve a production that the whole program wrote. Without any feature, and with --tests
// without each, it also passes the tests of core and graph that use nothing of what is removed. Prints a table. Words choose features.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { Copy, files, root, tsc } from "./removal_copy.ts";
import { all, removedWith, separatingSets } from "./removal_sets.ts";

const run = promisify(execFile);
// Each program that is started compiles only what changed since the last one.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/tests");
const words = process.argv.slice(2).filter((word) => word !== "--tests");
const testsAll = process.argv.includes("--tests");
/** The copy in which programs run. */
const copy = new Copy();
const launcher = join(copy.folder, "bin/tallylight.js");

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
  const own = join(copy.folder, "data");
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
  Number(execFileSync("bash", ["-c", "find src -name '*.ts' -exec cat {} + | wc -l"], { cwd: copy.folder }));

/** The files that a file imports, at any depth and also for types alone, that the copy does not have. */
function missingImports(file: string, seen = new Set<string>()): Set<string> {
  const missing = new Set<string>();
  const look = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!existsSync(join(copy.folder, path))) return void missing.add(path);
    for (const [, name = ""] of readFileSync(join(copy.folder, path), "utf8").matchAll(
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
  ...["person_keys", "reach", "reach_by_rule", "removed_ids", "shapes", "vendor", "whole_lists"].map(
    (name) => `graph/${name}`,
  ),
].map((name) => `test/${name}.test.ts`);
const rooms = /^test\/(?:core|graph)\/.*\.test\.ts$/;
const testFiles = files.filter((file) => rooms.test(file) && !askingFeatures.includes(file));

/** Runs test files in the copy. The whole program makes the data directories that they begin with. */
async function tested(chosen: readonly string[]): Promise<string> {
  const env = { ...process.env, TEST_WHOLE: root };
  const command = ["--disable-warning=ExperimentalWarning", join(copy.folder, "test/run.ts"), ...chosen];
  const options = { cwd: copy.folder, env, maxBuffer: 2 ** 28 };
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

const tryWithout = (name: string, removed: ReadonlySet<string>): Promise<Tried> =>
  copy.without(removed, async () => ({
    name,
    removed: removed.size,
    help: await linesOfHelp(),
    serves: await served(demo),
    tests: await testedWithout(removed),
    lines: linesLeft(),
  }));

/**
 * The errors of the compiler without each of the features, in a copy of its own. Several are removed at once: if that compiles, then so does the
 * program without each of them; otherwise each is tried.
 */
async function compiled(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const own = new Copy();
  const errors = new Map<string, readonly string[]>();
  const errorsWithout = (removed: readonly string[]) =>
    own.without(new Set(removed.flatMap((name) => [...removedWith(name)])), () => own.compilerErrors());
  const sets = names.length === all.length ? separatingSets() : names.map((name) => [name]);
  for (const set of sets) {
    if ((await errorsWithout(set)).length === 0) continue;
    for (const name of set) if (!errors.has(name)) errors.set(name, await errorsWithout([name]));
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

function report({ name, removed, help, serves, lines, tests }: Tried, errors: readonly string[]): void {
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
