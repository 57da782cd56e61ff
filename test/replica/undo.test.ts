// Undo on a promoted copy: a change set that the former primary stored is taken back there, and the export is as it was
// before it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { canCopy, followUntil, replicaFolder, skipped } from "../support/replication.ts";

const undo = suite(`undo on a promoted copy${skipped}`);
const test = canCopy ? undo : undo.skip;

/** The production of a data directory, without its activity and the times of changes. */
async function exportOf(data: string): Promise<string> {
  const document = { ...(await answerOf("export", "--production", "1", "--data", data)), activity: [] };
  return JSON.stringify(document, (key, value) => (key === "updated_at" ? undefined : value));
}

test("gives the export of before the changes back, and can be undone itself", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const start = await exportOf(source);
  const keysOf = async (section: string): Promise<string[]> =>
    (await answerOf("list", section, "--production", "1", "--data", source)).map(({ key }: { key: string }) => key);
  const [scenes, [delivery = ""]] = [await keysOf("scenes"), await keysOf("deliveries")];
  const set = (...words: string[]) => answerOf("set", ...words, "--production", "1", "--data", source, "--json");
  const sets: number[] = [];
  for (const [section, key, field] of [
    ["scenes", scenes[0] as string, "synopsis=A change on the first box"],
    ["scenes", scenes[1] as string, "number=99Z"],
    ["deliveries", delivery, "external_to=The second box"],
  ] as const)
    sets.push((await set(section, key, field)).change_set);
  const changed = await exportOf(source);
  assert.is.not(changed, start);

  await followUntil(source, data, 1);
  assert.is((await tallylight("undo", String(sets[0]), "--data", data)).status, 1, "a replica is read-only");
  await answerOf("promote", "--data", data);
  assert.is(await exportOf(data), changed);
  const undone: number[] = [];
  for (const id of sets.toReversed()) undone.push((await answerOf("undo", String(id), "--data", data)).change_set);
  assert.is(await exportOf(data), start);
  for (const id of undone.toReversed()) await answerOf("undo", String(id), "--data", data);
  assert.is(await exportOf(data), changed);
  assert.is(await exportOf(source), changed, "the former primary has its own history");
});

undo.run();
