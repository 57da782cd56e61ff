// Runs the test files in lanes, on Node or (--deno) on Deno, and adds up the results. Arguments are words: only files
// whose path contains one of them run, and none whose path contains a word of --without=WORD,WORD. A file with the line
// "// Thorough: only --all runs it." in its head runs, and most of the random cases are tried, only with --all, or, of
// some folders, with --all=WORD,WORD, whatever --without says; --rest runs only what a run without it left out.
// THOROUGH=1 tries everything in the quick files too. A file that needs a tool of .ci/tools is skipped if that is not
// installed, but fails with --all without words.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testOnDeno } from "./support/deno_permissions.ts";
import { type FileResult, killAll, Lane } from "./support/lane.ts";
import { seed } from "./support/random.ts";
import { runtime } from "./support/runtime.ts";
import { installTools, missingTools, neededTools, programOf } from "./support/tools.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const without = process.argv.flatMap((word) => /^--without=(.+)$/.exec(word)?.[1]?.split(",") ?? []);
/** Deno runs this itself where there is no Node: `deno task test`. */
const isDeno = "Deno" in globalThis;
const onDeno = isDeno || process.argv.includes("--deno");
/** Of --all=WORD,WORD the words: of the thorough files, those run whose path contains one of them. */
const allOf = process.argv.flatMap((word) => /^--all=(.+)$/.exec(word)?.[1]?.split(",") ?? []);
const rest = process.argv.includes("--rest");
const all = rest || process.argv.includes("--all") || allOf.length > 0;
const deno = isDeno ? process.execPath : programOf("deno");
if (onDeno && deno === undefined) {
  console.error(`deno is not installed: ${installTools}`);
  process.exit(1);
}
// Every process of a run, servers and agents too, compiles only what changed since the last one.
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/tests`;
// What has no time zone of its own has that of the machine; the tests say it in UTC, wherever they run.
process.env.TZ = "UTC";
if (all && !onDeno) process.env.THOROUGH ??= "1";
const triesAll = process.env.THOROUGH === "1";
/**
 * In milliseconds, without output. It only decides how long a file that is stuck takes: a busy machine may be ten times
 * as slow as a quiet one.
 */
const perFile = 900_000;

const testFiles = globSync("test/**/*.test.ts", { cwd: root });
const saysThorough = (file: string): boolean =>
  /^(?:\/\/.*\n)*\/\/ Thorough: /.test(readFileSync(join(root, file), "utf8"));
const quickFiles = new Set(testFiles.filter((file) => !saysThorough(file)));
const isQuick = (file: string): boolean => quickFiles.has(file);
const isThoroughAsked = (file: string): boolean =>
  all && (allOf.length === 0 || allOf.some((word) => file.includes(word)));
const isChosen = (file: string): boolean =>
  rest ? !isQuick(file) || neededTools(file).length > 0 : isThoroughAsked(file) || isQuick(file);
const isNamed = (file: string): boolean =>
  (words.length === 0 || words.some((word) => file.includes(word))) &&
  (!without.some((word) => file.includes(word)) || allOf.some((word) => file.includes(word)));
/** If everything is tried, at most this many failed files are run again; if more failed, it was not the time. */
const maxAgain = 5;

/**
 * What a key sees comes first: reach on every path, kept answers while grants expire, and the escaping of every page.
 */
const first =
  /^test\/(core\/(kept_responses|response_cache)|graph\/(reach|reach_by_rule|tenancy|vendor)|pages\/(escaping|reach))[.]/;
/**
 * Then what takes longest, or waits, and the other thorough files: at the end they would leave the other lanes without
 * work.
 */
const longest = new RegExp(
  [
    "^test/attacks/bounded_refusals[.]",
    "^test/cli/(launcher|main)[.]",
    "^test/clients/box_(calls|mirror)[.]",
    "^test/docs/examples[.]",
    "^test/documents/random_use[.]",
    "^test/events/event_stream[.]",
    "^test/faults/(answer_kill|import_kill|undo_kill|upgrade)[.]",
    "^test/guides/",
    "^test/health/year[.]",
    "^test/oauth/connection_shares[.]",
    "^test/pages/(browser|changes|flows|looks|offline|workday)",
    "^test/pictures/",
    "^test/replica/(kill|ssh)[.]",
    "^test/runner[.]",
    "^test/scripts/(random_drafts|random_series|reader_properties|splits_and_merges)[.]",
    "^test/search/manifest_changes[.]",
    "^test/webhooks/webhooks[.]",
  ].join("|"),
);
const place = (file: string): number => (first.test(file) ? 0 : longest.test(file) ? 1 : isQuick(file) ? 3 : 2);

const named = testFiles.filter(isNamed);
const files = named.filter(isChosen).sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));

/** In bytes. A run's files need half of it at most. */
const roomForRun = 4 * 2 ** 30;
const diskFolder = mkdtempSync(join(tmpdir(), "tallylight-run-"));
/** A file system in memory of this run's own; undefined if this user mounts none. */
let mounted: string | undefined;
function mountMemory(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tallylight-run-"));
  if (spawnSync("mount", ["-t", "tmpfs", "tallylight", folder]).status === 0) mounted = folder;
  else rmSync(folder, { recursive: true });
  return mounted;
}
/**
 * Where a run keeps its files: in memory, where a file costs a tenth of the processor time. Deno may read and write
 * nothing below /dev.
 */
function placeOfRun(): string {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize <= roomForRun) return diskFolder;
    return onDeno ? (mountMemory() ?? diskFolder) : mkdtempSync("/dev/shm/tallylight-run-");
  } catch {
    return diskFolder; // there is none
  }
}
/** In milliseconds. */
const day = 86_400_000;
/** Removes what runs that were killed have left, of this user, for more than a day. */
function removeOld(place: string): void {
  for (const name of globSync("tallylight-{run,test,removal}-*", { cwd: place }))
    try {
      const path = join(place, name);
      if (Date.now() - statSync(path).mtimeMs > day) rmSync(path, { recursive: true, force: true });
    } catch {
      // it is somebody else's, or another run removed it
    }
}
for (const place of [tmpdir(), "/dev/shm"]) if (!onDeno) removeOld(place);
const runFolder = placeOfRun();
process.env.TMPDIR = runFolder;
process.env.TEST_DISK = diskFolder;
process.env.TEST_RUN = "run";
process.on("exit", () => {
  killAll();
  if (mounted !== undefined) spawnSync("umount", ["--lazy", mounted]);
  for (const folder of new Set([runFolder, diskFolder]))
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      // a test that failed left a disk in it
      console.error(`${folder} could not be removed: ${(error as Error).message}`);
    }
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

interface Outcome {
  passed: number;
  skipped: number;
  failed: number;
}

const inSeconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

function report(file: string, { status, output, milliseconds, processor }: FileResult): Outcome {
  const plain = output.replace(/\x1b\[[0-9;]*m/g, "");
  const figure = (name: string) => Number(new RegExp(`^\\s*${name}:\\s+(\\d+)`, "m").exec(plain)?.[1] ?? Number.NaN);
  const [total, passed, skipped] = [figure("Total"), figure("Passed"), figure("Skipped")];
  // uvu ends with 0 if a hook before the tests throws, and none of them runs
  const sound = status === 0 && passed === total;
  const failed = sound ? 0 : Math.max(1, total - passed || 1);
  console.log(
    `${failed === 0 ? "ok  " : "FAIL"} ${file} (${Number.isFinite(passed) ? passed : 0} passed, ${inSeconds(milliseconds)}${processor === undefined ? "" : `, ${inSeconds(processor)} of a processor`})`,
  );
  if (failed > 0) console.log(plain.replace(/^/gm, "     "));
  return { passed: Number.isFinite(passed) ? passed : 0, skipped: skipped || 0, failed };
}

const command: readonly [string, ...string[]] = onDeno
  ? [deno as string, "run", ...testOnDeno]
  : [process.execPath, ...runtime];

async function run(lane: Lane, file: string): Promise<Outcome> {
  return report(file, await lane.run(file));
}

const sum: Outcome = { passed: 0, skipped: 0, failed: 0 };
const queue = files.filter((file) => {
  const missing = all && words.length === 0 ? [] : missingTools(file);
  if (missing.length > 0)
    console.log(`skip ${file}: it needs ${missing.join(", ")}; \`npm run tools\` installs what only the gate needs`);
  return missing.length === 0;
});
const left = files.length - queue.length;
const failed: { file: string; outcome: Outcome }[] = [];
const add = (outcome: Outcome): void => {
  for (const key of ["passed", "skipped", "failed"] as const) sum[key] += outcome[key];
};
/** Its process ends before the lanes begin: then what was compiled is written. */
async function prepare(): Promise<void> {
  const lane = new Lane(command, perFile);
  const { status, output } = await lane.run("test/support/prepared.ts");
  if (status !== 0) console.log(output); // the tests say what is wrong
  await lane.close();
}

async function work(): Promise<void> {
  const lane = new Lane(command, perFile);
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const outcome = await run(lane, file);
    if (outcome.failed > 0) failed.push({ file, outcome });
    else add(outcome);
  }
  const left = await lane.close();
  if (left !== undefined) add(report("the end of the process of several files", left));
}
// Files wait for timers and for other processes, so there are more lanes than processors that are used; fewer where
// browsers and whole programs run. Each lane loads the program and compiles the schemas of the answers: with ten that
// wait, a run takes a quarter more of the processor.
const waiting = all ? 2 : 3;
const lanes = Math.min(2, availableParallelism()) + waiting;
if (queue.length > lanes) await prepare();
await Promise.all(Array.from({ length: lanes }, work));
// Times are measured where everything is tried, and another file at the same time spoils them: what failed there counts
// only if it also fails alone.
const measures = (file: string): boolean => /inProportion|isThorough/.test(readFileSync(`${root}${file}`, "utf8"));
for (const { file, outcome } of failed) {
  if (!triesAll || !measures(file) || failed.length > maxAgain) add(outcome);
  else {
    console.log(`again, alone: ${file}`);
    add(await run(new Lane(command, perFile), file));
  }
}
const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : "";
const absent = left > 0 ? `, ${left} files skipped because a tool is not installed` : "";
if (sum.failed > 0) console.log(`the random cases were those of SEED=${seed}`);
if (named.length > files.length && !rest)
  console.log(`${named.length - files.length} thorough files were left out: --all runs them`);
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}${absent}`);
process.exit(sum.failed === 0 && files.length > left ? 0 : 1);
