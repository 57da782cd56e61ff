// The MCP Inspector's command line against /mcp. Not a part of npm test, because it is downloaded (110 MB) once.
// Ends with uvu's summary and exit status.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { downloaded } from "./downloaded.ts";

const server = await openTestServer();
const seedData = seedDataOf(server.store);
const key = mint(server.store, { production_id: seedData.production });
const cwd = temporaryFolder();
const file = "node_modules/.bin/mcp-inspector";
const program = downloaded("inspector", "@modelcontextprotocol/inspector", "2.12.0", file);

async function inspector(...words: string[]) {
  const target = [
    "--transport",
    "http",
    "--server-url",
    `${server.url}/mcp`,
    "--header",
    `Authorization: Bearer ${key}`,
  ];
  const child = spawn(program, ["--cli", ...target, ...words], {
    cwd,
    env: { ...process.env, HOME: cwd },
    timeout: 600_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const [status] = await once(child, "close");
  return { status, output, errors };
}

const walk = suite("mcp-inspector --cli");

walk("tools/list --strict reports no schema problem", async () => {
  const { status, output, errors } = await inspector("--method", "tools/list", "--strict");
  assert.is(status, 0, output + errors);
  assert.is(JSON.parse(output).tools.length, 15);
});

walk("tools/call returns what REST returns", async () => {
  const given = JSON.stringify({ node_id: seedData.scene });
  const words = ["--method", "tools/call", "--tool-name", "get_scene_bundle", "--tool-args-json", given];
  const { status, output, errors } = await inspector(...words);
  assert.is(status, 0, output + errors);
  assert.equal(JSON.parse(output).structuredContent, await server.get(key, `/bundles/scene/${seedData.scene}`));
});

walk("resources/read and prompts/get succeed", async () => {
  const read = await inspector("--method", "resources/read", "--uri", "service://production");
  assert.is(read.status, 0, read.errors);
  const got = await inspector("--method", "prompts/get", "--prompt-name", "scene_status", "--prompt-args", "node_id=7");
  assert.is(got.status, 0, got.errors);
  assert.match(got.output, "get_scene_bundle");
});

walk.after(() => server.stop());
walk.run();
