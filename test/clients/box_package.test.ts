// The client of the npm package, @tallylight/server/client: Node, Deno and the compiler find it and its types by the
// `exports` of package.json. docs/api.md, "Clients".
// Thorough: only --all runs it.
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { root } from "../support/command.ts";
import { runtime } from "../support/runtime.ts";
import { packageFolder, programOf } from "../support/tools.ts";
import { nodes } from "./box/runtimes.ts";

const folder = temporaryFolder();
const own = join(folder, "node_modules/@tallylight/server");
mkdirSync(own, { recursive: true });
copyFileSync(join(root, "package.json"), join(own, "package.json"));
execFileSync(process.execPath, [...runtime, join(root, ".ci/package/client.ts"), join(own, "lib/client")]);
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
writeFileSync(
  join(folder, "use.mjs"),
  `import { Tallylight, TallylightError } from "@tallylight/server/client";
const { title } = await new Tallylight(process.env.URL, process.env.KEY).getProduction();
console.log(title, TallylightError.name);
process.exit(0);
`,
);
writeFileSync(
  join(folder, "use.ts"),
  `import { Tallylight, TallylightError, type Mirrored } from "@tallylight/server/client";
const tally = new Tallylight("https://tally.example.lan", "tl_");
export const numbers: string[] = (await tally.listScenes()).map(({ number }) => number);
export const mirrored: Mirrored = await tally.mirror("show");
// @ts-expect-error: there is no such method
await tally.listNothing();
export const statusOf = ({ status }: TallylightError): number => status;
`,
);

const server = await openTestServer();
const run = promisify(execFile); // beside the server, which answers in this process
const env = { ...process.env, URL: server.url, KEY: mint(server.store) };
const client = suite("@tallylight/server/client");

client("is what the server offers, with its types", async () => {
  for (const name of ["tallylight.mjs", "tallylight.d.ts"]) {
    const offered = await (await fetch(`${server.url}/docs/${name}`)).text();
    assert.is(readFileSync(join(own, "lib/client", name), "utf8"), offered, name);
  }
  const { exports, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const path of Object.values<string>(exports["./client"])) assert.ok(existsSync(join(own, path)), path);
  assert.ok(files.includes("lib"));
});

for (const [version, node] of nodes())
  client(`is found by Node ${version}`, async () => {
    const { stdout } = await run(node, ["use.mjs"], { cwd: folder, env });
    assert.is(stdout, "The Saknussemm Cipher TallylightError\n");
  });

const deno = programOf("deno");
if (deno === undefined) console.log("skipped: there is no Deno here to import the package with");
else
  client("is found by Deno", async () => {
    const words = ["run", "--no-prompt", "--quiet", "--node-modules-dir=manual", "-A", "use.mjs"];
    const { stdout } = await run(deno, words, { cwd: folder, env });
    assert.is(stdout, "The Saknussemm Cipher TallylightError\n");
  });

for (const resolution of ["nodenext", "bundler"])
  client(`has types that the compiler finds as ${resolution} does`, () => {
    const module = resolution === "bundler" ? "preserve" : resolution;
    const words = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--types",
      "",
    ];
    try {
      execFileSync(
        process.execPath,
        [
          join(packageFolder("typescript"), "bin/tsc"),
          ...words,
          "--module",
          module,
          "--moduleResolution",
          resolution,
          "use.ts",
        ],
        { cwd: folder, encoding: "utf8" },
      );
    } catch (error) {
      assert.unreachable(String((error as { stdout?: string }).stdout));
    }
  });

client.after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});
client.run();
