// A data directory with a production of 2,000 scenes, in which the last draft changed twenty of them, one day has fifty
// entries, and half of the assets lack a release.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importedAt } from "./app.ts";
import { temporaryFolder } from "./folder.ts";
import { writeLarger } from "./larger.ts";
import { folderWith } from "./template.ts";

export async function folderOfLarger(): Promise<string> {
  const file = join(temporaryFolder(), "larger.json");
  await writeLarger(file, { title: "Larger", scenes: 2_000, assets: 2_000, versions: 2, engagements: 10 });
  const document = JSON.parse(readFileSync(file, "utf8"));
  for (const [at, asset] of document.assets.entries()) if (at % 2) asset.versions.pop();
  document.script_changes = Array.from({ length: 20 }, (_, n) => ({
    scene: `${n * 90 + 1}`,
    scene_number: `${n * 90 + 1}`,
    kind: "changed",
    status: "pending",
    summary: `What changes in scene ${n * 90 + 1}.`,
    revision_color: "pink",
    detected_at: `2026-11-01T08:00:${n + 10}.000Z`,
  }));
  document.activity = Array.from({ length: 50 }, (_, n) => ({
    verb: "note.added",
    summary: `Note on Thing ${n}: what somebody said of it`,
    actor: "Crew Member 1",
    created_at: `2026-11-18T10:00:${n + 10}.000Z`,
  }));
  writeFileSync(file, JSON.stringify(document));
  return folderWith([file], importedAt);
}
