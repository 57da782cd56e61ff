// Jobs of a pipeline, on the client beside it: curl -O $TALLYLIGHT_URL/docs/tallylight.mjs; node pipeline.ts (Node
// 22.18 or newer) or deno run -A pipeline.ts, and
// scenes | day [DATE] | poll SCENE [SECONDS [TIMES]] | stills SCENE FOLDER
import { mkdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Tallylight } from "./tallylight.mjs";

const [job = "", given = "", ...more] = process.argv.slice(2);
if (!["scenes", "day", "poll", "stills"].includes(job) || !process.env.TALLYLIGHT_URL || !process.env.TALLYLIGHT_KEY) {
  console.error("set TALLYLIGHT_URL and TALLYLIGHT_KEY; pipeline.ts scenes | day | poll SCENE | stills SCENE FOLDER");
  process.exit(2);
}
const tally = new Tallylight(process.env.TALLYLIGHT_URL, process.env.TALLYLIGHT_KEY);

if (job === "scenes") {
  // Those that the key was granted, or all of them for a key of the production.
  const { reach } = await tally.getMe();
  const all = reach === null ? await tally.listScenes() : [];
  for (const { node_id, number, slugline } of all) console.log(`${node_id}: ${number} ${slugline}`);
  for (const { node_id, kind, label } of reach?.nodes ?? []) if (kind === "scene") console.log(`${node_id}: ${label}`);
} else if (job === "day") {
  // What shoots on a date, by default on the next day of work, and what is not ready for it.
  const today = new Date().toLocaleDateString("sv");
  const next = given === "" ? (await tally.getSchedule()).find((one) => (one.date ?? "") >= today)?.date : given;
  for (const { number, slugline, assets } of (await tally.getDayBundleByQuery({ date: next ?? today })).scenes) {
    console.log(`  scene ${number} ${slugline}`);
    for (const { label, department, ready } of assets)
      if (!ready) console.log(`    not ready: ${label} (${department})`);
  }
} else if (job === "poll") {
  // The client asks with the ETag; a 304 answers what it kept.
  const [seconds = 10, times = Number.POSITIVE_INFINITY] = more.map(Number);
  for (let [at, known] = [0, ""]; at < times; at++) {
    if (at > 0) await pause(seconds * 1000);
    const { etag, scene, assets } = await tally.getSceneBundle({ node_id: Number(given) });
    console.log(etag === known ? "unchanged" : `scene ${scene.number}: ${assets.map(({ label }) => label).join(", ")}`);
    known = etag;
  }
} else if (job === "stills") {
  // Those of the released versions, as files.
  const [folder = "stills"] = more;
  await mkdir(folder, { recursive: true });
  for (const { node_id, label, released_versions } of (await tally.getSceneBundle({ node_id: Number(given) })).assets)
    for (const { version, media_id: id } of released_versions) {
      if (id === null) continue;
      const into = `${folder}/${node_id}_v${String(version).padStart(3, "0")}`;
      console.log(`${await tally.getMediaContent({ id, into })}: ${label}`);
    }
}
