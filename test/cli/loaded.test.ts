// How much of the program `tallylight serve` loads before its first request.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answerOf, launcher, root } from "../support/command.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

const loading = suite("serve");
const onNode = process.versions.deno === undefined ? loading : loading.skip; // Deno has no hooks that count
const preload = fileURLToPath(new URL("../support/loaded_files.ts", import.meta.url));

onNode("loads at most 108 files of the program, and what few clients use with their first request", async () => {
  const data = join(scratch(), "data");
  await answerOf("import", writeDocument(smallDocument()), "--data", data);
  const file = join(scratch(), "loaded");
  // as a service starts it: npm, which may run this test, is not its parent
  const { npm_command: _, ...inherited } = process.env;
  const env = { ...inherited, LOADED_FILES: file };
  const argv = ["--import", preload, launcher, "serve", "--data", data, "--port", "0"];
  const server = spawn(process.execPath, argv, { env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(server.stdout as Readable, "data");
  const url = String(line).trim();
  const base = pathToFileURL(root).href;
  const loaded = () =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .filter((address) => address.startsWith(base) && !address.includes("node_modules"))
      .map((address) => address.slice(base.length));
  const ask = async (path: string, init: RequestInit = {}) => (await fetch(url + path, init)).text();
  await ask("/healthz");
  await ask("/api/v1/scenes");
  // The settled clock opens and webhooks follow the events a second after the server listens, which on a busy machine
  // is before these answers.
  const atStart = loaded().filter(
    (path) =>
      !/^src\/(?:core\/store\/events\.ts|features\/(?:clock|webhooks|events)\/(?!(?:pages\/)?feature\.ts))/.test(path),
  );
  assert.ok(atStart.length <= 108, `${atStart.length} files:\n${atStart.sort().join("\n")}`);
  const later = /^src\/features\/(?!(?:\w+\/)*feature\.ts|addresses\/paths\.ts)/; // a feature.ts names its paths
  assert.equal(
    atStart.filter((path) => later.test(path)),
    [],
  );
  const requests: readonly [path: string, file: string][] = [
    ["/mcp", "src/features/mcp/route.ts"],
    ["/api/v1/openapi.json", "src/features/openapi/route.ts"],
    ["/authorize", "src/features/oauth/route.ts"],
    ["/", "src/features/pages/route.ts"],
  ];
  for (const [path, first] of requests) {
    assert.not.ok(loaded().includes(first), path);
    await Promise.all([ask(path), ask(path)]);
    assert.ok(loaded().includes(first), path);
  }
  assert.equal(
    loaded().filter((path) => path.startsWith("src/features/pages/pages")),
    [],
  ); // a visitor sees none of them
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  assert.equal(await ended, [0, null]);
});

loading.run();
