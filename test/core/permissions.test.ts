// On Deno, no test and no server that a test starts may know or do more than the guides allow a server or an agent.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoFolder } from "../support/app.ts";
import { addressOf, launch, launcher, root } from "../support/command.ts";
import { agentOnDeno, documentedPermissions, serverOnDeno, testOnDeno } from "../support/deno_permissions.ts";
import { temporaryFolder } from "../support/folder.ts";

const permissions = suite("the permissions of tests on Deno");
const flagsOf = (words: readonly string[]): Map<string, string> =>
  new Map(words.filter((word) => word.startsWith("--allow-")).map((word) => word.split("=") as [string, string]));

for (const [guide, name, words] of [
  ["docs/operating.md", "serve", serverOnDeno],
  ["docs/agent.md", "agent", agentOnDeno],
] as const)
  permissions(`of ${name} are those of ${guide}, in other places`, () => {
    const documented = documentedPermissions(guide, name);
    const given = flagsOf(words);
    assert.equal([...given.keys()], [...documented.keys()]);
    for (const flag of ["--allow-env", "--allow-sys", "--allow-run"])
      assert.is(given.get(flag) ?? "", documented.get(flag) ?? "", flag);
    assert.ok(documented.has("--allow-sys") && documented.has("--allow-write") && documented.has("--allow-ffi"));
  });

permissions("of `deno task start` are those of docs/operating.md", () => {
  const { tasks } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"));
  const given = flagsOf(tasks.start.split(" "));
  assert.equal([...given.keys()], [...documentedPermissions("docs/operating.md", "serve").keys()]);
  for (const [flag, list] of documentedPermissions("docs/operating.md", "serve"))
    assert.is(given.get(flag), list, flag);
});

permissions("of a test are none that neither of them has, as those of `--allow-sys` alone would be", () => {
  const known = flagsOf(testOnDeno).get("--allow-sys")?.split(",") ?? [];
  assert.ok(known.includes("hostname"));
  for (const name of ["gid", "username", "osRelease", "systemMemoryInfo"]) assert.not.ok(known.includes(name), name);
  assert.not.match(readFileSync(join(root, "test/run.ts"), "utf8"), /--allow-|"-A"/);
});

const onDeno = "Deno" in globalThis ? permissions : permissions.skip;
onDeno("are those with which this file runs", () => {
  const { Deno: deno } = globalThis as unknown as {
    Deno: { permissions: { querySync(of: object): { state: string } } };
  };
  assert.is(
    deno.permissions.querySync({ name: "sys", kind: "gid" }).state,
    "prompt",
    "not granted, and nobody is asked",
  );
  assert.is(deno.permissions.querySync({ name: "sys", kind: "hostname" }).state, "granted");
});

onDeno("are enough for a server that can be written to", async () => {
  const running = launch(["serve", "--data", await demoFolder(), "--port", "0"], undefined, launcher);
  try {
    const health = await fetch(`${await addressOf(running)}/healthz`);
    assert.not.ok("writable" in ((await health.json()) as object)); // it is there with a reason, if it is false
  } finally {
    running.signal("SIGTERM");
    await running.ended;
  }
});

onDeno("are enough for a backup, for which the database engine asks who runs it", async () => {
  const folder = temporaryFolder();
  const { ended, err } = launch(["backup", "--to", folder, "--data", await demoFolder()]);
  assert.is(await ended, 0, err());
  rmSync(folder, { recursive: true });
});

permissions.run();
