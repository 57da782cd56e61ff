// Prism, as a proxy that holds every request and answer against the OpenAPI description, reports nothing: each
// operation by its case, and lists with their parameters in each form. Not a part of npm test, because it is downloaded
// (60 MB) once. Ends with uvu's summary and exit status.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { type Case, caseOf, casesOf, sendCase } from "../support/cases.ts";
import { freePort } from "../support/free_port.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";
import { downloaded } from "./downloaded.ts";

const file = "node_modules/@stoplight/prism-cli/dist/index.js";
const program = downloaded("prism", "@stoplight/prism-cli", "5.12.0", file);

const server = await openTestServer();
const { store } = server;
const seed = seedDataOf(store);
const cases = casesOf(store, seed);
const folder = temporaryFolder();
const port = await freePort();
writeFileSync(join(folder, "openapi.json"), await (await server.ask(undefined, "/api/v1/openapi.json")).text());
// Without --errors it answers what the server answers, and names what it found in the header sl-violations.
const prism = spawn(
  "node",
  [program, "proxy", join(folder, "openapi.json"), `${server.url}/api/v1`, "--port", String(port)],
  {
    stdio: ["ignore", "pipe", "pipe"],
  },
);
let said = "";
for (const stream of [prism.stdout, prism.stderr]) stream.on("data", (chunk) => (said += chunk));
await until(() => said.includes("is listening on") || prism.exitCode !== null);
if (prism.exitCode !== null) throw new Error(said);

/** The server behind Prism, whose paths are those of the description: without /api/v1. */
const behind = {
  ...server,
  ask(token: string | undefined, path: string, { body, headers, ...init }: RequestInit = {}) {
    // A case of an operation without a body sends an empty object, which the server takes, and no client sends.
    const sent = body === "{}" || body === undefined ? {} : { body, headers };
    return fetch(`http://127.0.0.1:${port}${path.replace("/api/v1", "")}`, {
      ...init,
      ...sent,
      headers: { ...sent.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    });
  },
};
const keyOf = ({ production, engagement, person }: Case): string =>
  mint(store, {
    production_id: production ?? seed.production,
    engagement_id: engagement ?? null,
    person_id: person ?? null,
    scopes: engagement === undefined ? scopes : ["read", "read:money", "submit:turnover"],
  });

async function assertNothing(arrangement: Case, method: "GET" | "POST", status = 200): Promise<void> {
  const response = await sendCase(behind, arrangement, method, keyOf(arrangement));
  const text = await response.text();
  const found = response.headers.get("sl-violations") ?? "";
  assert.is(found, "", `${method} ${arrangement.path}: ${found}`);
  assert.is(response.status, status, `${method} ${arrangement.path}: ${text.slice(0, 500)}`);
}

const proxy = suite("Prism reports nothing");

for (const { name, method } of table)
  proxy(name, () => {
    const arrangement = caseOf(cases, name);
    const isUnset = arrangement.productionWideStatus === 503; // it needs a provider, which this server does not have
    return assertNothing(arrangement, method, isUnset ? 503 : 200);
  });

for (const path of [
  "/scenes?status=planned,active&fields=number,node_id&include=assets,script&total=1&limit=2",
  "/scenes?status=planned&status=active&fields=number&fields=node_id&total=true",
  "/assets?include=versions,notes,still&total=false&limit=1",
  "/deliveries?status=ready,sent&include=nodes,awaiting",
  "/submissions?status=submitted,returned&total=0",
  `/media/${seed.releasedStill}/content?width=320`,
])
  proxy(`GET ${path}`, () => assertNothing({ path }, "GET"));

proxy("GET /scenes?episode_id=1,2", async () => {
  const production = one(store, "SELECT production_id FROM episodes GROUP BY 1 HAVING count(*) > 1");
  const bound = (which: "min" | "max") =>
    one(store, `SELECT ${which}(id) FROM episodes WHERE production_id = ?`, production);
  await assertNothing({ path: `/scenes?episode_id=${bound("min")},${bound("max")}`, production }, "GET");
});

proxy("and reports a value that the description does not have", async () => {
  const response = await behind.ask(keyOf({ path: "" }), "/api/v1/scenes?status=planned,nothing");
  assert.match(response.headers.get("sl-violations") ?? "", /status/);
});

proxy.after(async () => {
  prism.kill();
  await server.stop();
  rmSync(folder, { recursive: true });
});
proxy.run();
