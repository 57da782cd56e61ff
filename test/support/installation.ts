// Packages of this checkout under other versions, and an installation of them whose server is a real process, for the tests of `tallylight upgrade`.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import * as assert from "uvu/assert";
import { demoFolder, temporaryFolder } from "./app.ts";
import { root } from "./command.ts";
import { freePort } from "./free_port.ts";
import { serviceWith, textOf } from "./service.ts";
import { until } from "./until.ts";

export const folder = temporaryFolder();
export const [place, packages, data] = [join(folder, "opt"), join(folder, "packages"), join(folder, "data")];
const node = execFileSync("node", ["-p", "process.execPath"], {
  encoding: "utf8",
}).trim() /* also if this runs on Deno */;
const platform = `${process.platform}-${process.arch}`;
export const nameOf = (version: string): string => `tallylight-${version}-${platform}`;
export const fileOf = (version: string): string => join(packages, `${nameOf(version)}.tar.gz`);
const port = await freePort();

/** Deno makes no links without all permissions. */
const link = (target: string, path: string): void => assert.is(spawnSync("ln", ["-s", target, path]).status, 0);

/** Builds a package of this checkout with another version. `change` changes its files before they are summed. */
function build(version: string, change: (folder: string) => void = () => {}): void {
  const draft = join(folder, "draft", nameOf(version));
  mkdirSync(join(draft, "bin"), { recursive: true });
  for (const part of ["bin", "src", "sql"]) cpSync(join(root, part), join(draft, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(draft, "package.json"), JSON.stringify({ ...manifest, version }));
  const launcher = `#!/bin/sh\nhere=$(cd "$(dirname "$0")/.." && pwd -P)\nexec "${node}" "$here/bin/tallylight.js" "$@"\n`;
  writeFileSync(join(draft, "bin/tallylight"), launcher);
  chmodSync(join(draft, "bin/tallylight"), 0o755);
  change(draft);
  const files = globSync("**/*", { cwd: draft }).filter((file) => statSync(join(draft, file)).isFile());
  writeFileSync(join(draft, "SHA256SUMS"), files.map((file) => sumLine(draft, file)).join(""));
  assert.is(spawnSync("tar", ["-czf", fileOf(version), "-C", join(folder, "draft"), nameOf(version)]).status, 0);
  writeFileSync(
    join(packages, "SHA256SUMS"),
    readdirSync(packages)
      .filter((file) => file.endsWith(".gz"))
      .map((file) => sumLine(packages, file))
      .join(""),
  );
}

export const sumLine = (from: string, file: string): string =>
  `${hash("sha256", readFileSync(join(from, file)))}  ${file}\n`;

const migration = (draft: string): void =>
  writeFileSync(join(draft, "sql/migrations/9999_later.sql"), "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n");

/** Replaces a text of a file in a package. */
function edit(draft: string, file: string, from: string, to: string): void {
  const text = readFileSync(join(draft, file), "utf8");
  assert.ok(text.includes(from), file);
  writeFileSync(
    join(draft, file),
    text.replace(from, () => to),
  );
}

/** Runs the upgrade in its own process, which is killed after `step`. */
export function run(step: string, ...words: string[]): Promise<{ status: number | null; out: string; err: string }> {
  const args = [
    "--disable-warning=ExperimentalWarning",
    join(root, "test/support/upgrading.ts"),
    folder,
    step,
    ...words,
  ];
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (err += text));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, out, err })));
}

export const upgrade = (version: string, step = "none") => run(step, fileOf(version));

/** The version that answers. */
export async function running(): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
  return answer?.status === 200 ? ((await answer.json()) as { version: string }).version : undefined;
}

export const current = (): string => readlinkSync(join(place, "current"));

/** The first version runs on the demo, and nothing else is installed. */
export async function begin(): Promise<void> {
  await run("stop");
  rmSync(data, { recursive: true, force: true });
  cpSync(demo, data, { recursive: true });
  for (const name of readdirSync(place))
    if (name !== nameOf("1.5.0") && name !== "node_modules") rmSync(join(place, name), { recursive: true });
  link(nameOf("1.5.0"), join(place, "current"));
  await run("start");
  await until(async () => (await running()) === "1.5.0");
}

let demo = "";

/** Builds the packages: 1.5.0, which is installed; 1.6.0 with another schema; 1.7.0, which has it too and does not come. */
export async function install(): Promise<void> {
  for (const one of [place, packages, join(folder, "etc")]) mkdirSync(one, { recursive: true });
  link(realpathSync(join(root, "node_modules")), join(place, "node_modules")); // the packages of npm, which real packages hold
  demo = await demoFolder();
  build("1.5.0");
  build("1.6.0", migration);
  build("1.7.0", (draft) => {
    migration(draft);
    edit(
      draft,
      "src/core/server.ts",
      "  await listen(http, options)",
      '  await Promise.reject(new Error("it does not listen"))',
    );
  });
  renameSync(join(folder, "draft", nameOf("1.5.0")), join(place, nameOf("1.5.0")));
  const program = [join(place, "current/bin/tallylight")];
  const service = serviceWith(program, "--user", "root", "--data", data, "--port", String(port));
  writeFileSync(join(folder, "etc/tallylight.service"), textOf(service));
}

export async function uninstall(): Promise<void> {
  await run("stop");
  rmSync(folder, { recursive: true });
}

/** The schema of the installed data directory. */
export const schemaOf = (): number => {
  const database = new Database(join(data, "tallylight.db"), { readonly: true });
  const schema = database.pragma("user_version", { simple: true }) as number;
  database.close();
  return schema;
};
