// FORMER=/path/to/checkout node benchmarks/changes.ts: what changes cost beside another checkout: a creation, one
// field, the production's own export, 136 scenes, every scene, and its undo. SIZES=2000,20000 are the scenes.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { writeLarger } from "../test/support/larger.ts";
import type { Json } from "../test/support/update.ts";
import { compare, measure } from "./compared_commands.ts";

const sizes = (process.env.SIZES ?? "2000,20000").split(",").map(Number);

/** A document that gives scenes a synopsis. */
const synopses = (scenes: readonly Json[], synopsis: string): Json => ({
  scenes: scenes.map(({ number }) => ({ number, synopsis })),
});

for (const size of sizes) {
  const folder = temporaryFolder();
  const file = join(folder, "larger.json");
  await writeLarger(file, { scenes: size, assets: Math.min(size, 2_000), versions: 1, engagements: 10 });
  const { scenes }: { scenes: Json[] } = JSON.parse(readFileSync(file, "utf8"));
  const put = (name: string, document: Json): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(document));
    return path;
  };
  const one = put("one.json", synopses(scenes.slice(5, 6), "One field"));
  const two = put("two.json", synopses(scenes.slice(6, 7), "One more field"));
  const some = put("some.json", synopses(scenes.slice(0, 136), "Some scenes"));
  const all = put("all.json", {
    scenes: scenes.map(({ number, elements }) => ({ number, synopsis: "All", elements: { ...elements, pages: "3" } })),
  });
  const [data, exports] = [join(folder, "data"), join(folder, "exports")];
  const of = (...argv: string[]): string[] => [...argv, "--data", data];
  const update = (path: string, ...more: string[]) => of("import", path, "--production", "1", ...more);
  compare(`${size} scenes`, (name, note) => {
    const warm = update(one, "--dry-run");
    note("create", measure(name, of("import", file)));
    measure(name, of("export", "--production", "1", "--out", exports));
    const exported = join(exports, readdirSync(exports).find((each) => each.endsWith(".json")) ?? "");
    note("one field", measure(name, warm, warm, update(one), update(two)));
    note("its own export", measure(name, warm, update(exported)));
    note("136 scenes", measure(name, warm, update(some)));
    const { change_set = "" } = note("every scene", measure(name, warm, update(all)));
    note("undo of every scene", measure(name, warm, of("undo", change_set)));
    for (const each of [data, exports]) rmSync(each, { recursive: true });
  });
  rmSync(folder, { recursive: true });
}
