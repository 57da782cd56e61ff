// Mirrors what a key reads into a folder, and follows its changes, on the client beside it: curl -O
// $TALLYLIGHT_URL/docs/tallylight.mjs; node mirror.ts FOLDER [--once] (Node 22.18 or newer) or deno run -A mirror.ts
import { setTimeout as pause } from "node:timers/promises";
import { Tallylight, TallylightError } from "./tallylight.mjs";

const [folder = "", ...flags] = process.argv.slice(2);
if (folder === "" || !process.env.TALLYLIGHT_URL || !process.env.TALLYLIGHT_KEY) {
  console.error("set TALLYLIGHT_URL and TALLYLIGHT_KEY; node mirror.ts FOLDER [--once]");
  process.exit(2);
}
const tally = new Tallylight(process.env.TALLYLIGHT_URL, process.env.TALLYLIGHT_KEY);
const isVendor = (await tally.getMe()).engagement !== null;
for (;;)
  try {
    // The place first, then everything, so that no change falls between the two.
    const { etag = "", next } = await tally.get<{ etag?: string; next?: string }>(
      isVendor ? "/me/manifest" : "/events?after=now",
    );
    const did = Object.entries(await tally.mirror(folder));
    console.log(did.map(([what, count]) => `${count} ${what}`).join(", "));
    if (flags.includes("--once")) break;
    while (isVendor && (await tally.getManifestChanges({ etag, wait: 45 })).etag === etag);
    if (!isVendor) for await (const _ of tally.events(next)) break;
  } catch (error) {
    if (!(error instanceof TallylightError) || flags.includes("--once") || [401, 403].includes(error.status))
      throw error;
    console.error(error.message);
    await pause(1000);
  }
