// Redocly's linter, an independent validator, accepts the OpenAPI description.
// Thorough: only --all runs it.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestServer, temporaryFolder } from "../support/app.ts";
import { packageFolder } from "../support/tools.ts";

const program = join(packageFolder("@redocly/cli"), "bin/cli.js");
const linter = suite("Redocly's linter");

linter("the recommended rules report nothing", async () => {
  const server = await openTestServer();
  const document = await (await server.ask(undefined, "/api/v1/openapi.json")).text();
  await server.stop();
  const folder = temporaryFolder();
  writeFileSync(join(folder, "openapi.json"), document);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const words = ["lint", "openapi.json", "--extends=recommended"];
  const lint = spawnSync("node", [program, ...words], { cwd: folder, env, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.is(lint.status, 0, lint.stdout + lint.stderr);
  assert.match(lint.stdout + lint.stderr, /Your API description is valid/);
  assert.not.match(lint.stdout + lint.stderr, /\bwarnings?\b/i);
});
linter.run();
