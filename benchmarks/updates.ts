// Planning and applying updates: no change, 10 and 1,000 changes, on productions of 200 and 20,000 scenes, as ratios to
// an export of the same production, and the longest time that another process's write waited. Prints a table.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../test/support/folder.ts";
import { writeLarger } from "../test/support/larger.ts";
import { runtime } from "../test/support/runtime.ts";
import { type Json, openProduction } from "../test/support/update.ts";

const timed = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const started = performance.now();
  const result = await work();
  return [performance.now() - started, result];
};

const changesOf = (document: Json, count: number, round: number): Json => ({
  scenes: document.scenes
    .slice(0, Math.ceil(count / 2))
    .map(({ number }: Json) => ({ number, synopsis: `Round ${round}.` })),
  assets: document.assets.slice(0, Math.floor(count / 2)).map(({ ref, label }: Json) => ({
    ...(ref === undefined ? {} : { ref }),
    label,
    status: round % 2 === 0 ? "active" : "done",
  })),
});

/**
 * Runs a writer in another process while `work` runs. Returns the longest time that one of its writes took, in
 * milliseconds.
 */
async function longestWait(database: string, work: () => Promise<unknown>): Promise<number> {
  const file = fileURLToPath(new URL("./waiting_writer.ts", import.meta.url));
  const child = spawn(process.execPath, [...runtime, file, database], { stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  while (!out.includes("ready")) await new Promise((resolve) => setTimeout(resolve, 10));
  await work();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.end();
  await ended;
  return Number(out.trim().split("\n").at(-1));
}

for (const scenes of [200, 20_000]) {
  const folder = temporaryFolder();
  const file = join(folder, "larger.json");
  await writeLarger(file, { scenes, assets: scenes, versions: 1, engagements: 10 });
  const production = await openProduction(file);
  const [exported, document] = await timed(() => production.export());
  console.log(`${scenes} scenes and assets; an export is 1`);
  const row = (name: string, time: number, rest = "") =>
    console.log(`  ${name}: ${(time / exported).toFixed(2)}${rest}`);
  row("the whole document, which plans nothing", (await timed(() => production.update(document, { exact: true })))[0]);
  for (const [round, count] of [10, 1_000].entries()) {
    if (count > scenes * 2) continue;
    const given = changesOf(document, count, round);
    row(`${count} changes, planned`, (await timed(() => production.update(given, { dry_run: true })))[0]);
    let applied = 0;
    const wait = await longestWait(join(production.folder, "tallylight.db"), async () => {
      [applied] = await timed(() => production.update(given));
    });
    row(`${count} changes, applied`, applied, `; another writer waited at most ${(wait / applied).toFixed(2)} of that`);
  }
  production.store.close();
  rmSync(folder, { recursive: true, force: true });
}
