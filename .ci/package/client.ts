// Writes the JavaScript client and its types into a folder, which the npm package exports as @tallylight/server/client:
// `node .ci/package/client.ts FOLDER`.
import "../../src/features.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { clientTexts } from "../../src/features/clients/clients.ts";

const [folder = "lib/client"] = process.argv.slice(2);
const url = "http://127.0.0.1:8787"; // the paths of a client are below the address that it is opened with
const texts = await clientTexts({ base_url: url, mcp_url: url, auth_url: url, media_url: url });
mkdirSync(folder, { recursive: true });
for (const [path, text] of Object.entries(texts))
  if (!path.endsWith(".py")) writeFileSync(join(folder, basename(path)), text);
