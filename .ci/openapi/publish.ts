// Publishes with the client that @hey-api/openapi-ts generates: uploads a version of an asset, follows it to its
// release, and reads it from the asset. Needs TALLYLIGHT_URL and TALLYLIGHT_KEY, a key with the scopes read, write and
// admin.
import { env, exit } from "node:process";
import { client } from "./hey-api/client.gen.ts";
import {
  appendUpload,
  createUpload,
  createVersion,
  getAsset,
  listAssets,
  listEvents,
  listVersions,
  releaseVersion,
} from "./hey-api/sdk.gen.ts";

const { TALLYLIGHT_URL: url = "", TALLYLIGHT_KEY: key = "" } = env;
client.setConfig({ baseUrl: `${url}/api/v1`, auth: key, throwOnError: true });
const tus = { "Tus-Resumable": "1.0.0" } as const;
const throwOnError = true;

const { data: assets } = await listAssets({ query: { limit: 1 }, throwOnError });
const node_id = assets[0]?.node_id;
if (node_id === undefined) throw new Error("the production has no asset");
const { data: start } = await listEvents({ query: { after: "now" }, throwOnError });

const still = new Blob([
  Buffer.from(
    "/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
    "base64",
  ),
]);
const { response } = await createUpload({ headers: { ...tus, "Upload-Length": still.size }, throwOnError });
const upload_id = response.headers.get("location")?.split("/").at(-1) ?? "";
await appendUpload({ path: { upload_id }, headers: { ...tus, "Upload-Offset": 0 }, body: still, throwOnError });
const { data: made } = await createVersion({
  path: { node_id },
  body: { note: "Published.", upload_ids: [upload_id] },
  throwOnError,
});

const { data: versions } = await listVersions({ path: { node_id }, throwOnError });
const landed = versions.find(({ version }) => version === made.version);
if (landed?.id === undefined || landed.released) throw new Error("the version is not there, or already released");
await releaseVersion({ path: { id: landed.id }, throwOnError });

/** Waits for the release of the version. */
async function released(): Promise<void> {
  for (let after = start.next, tries = 0; tries < 5; tries++) {
    const { data } = await listEvents({ query: { after, wait: 5 }, throwOnError });
    for (const event of data.events) if (event.type === "version.released" && event.subject.id === landed?.id) return;
    after = data.next;
  }
  console.error("no event told of the release");
  exit(1);
}
await released();
const { data: asset } = await getAsset({ path: { node_id }, throwOnError });
if (asset.versions.find(({ version }) => version === made.version)?.released !== true)
  throw new Error("the asset does not show the release");
console.log(`version ${made.version} of ${asset.label} was published and released`);
