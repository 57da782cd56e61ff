// Approved moves: whatever happens, and wherever the agent is killed, the bytes exist exactly once and are verified.
// ROUNDS=20 kills real processes at every step.
// Thorough: only --all runs it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPlaceholder, placeByName } from "../../src/agent/moves/destination.ts";
import { Folder, MoveProblem } from "../../src/agent/moves/folder.ts";
import {
  AgentHarness,
  filesOf,
  linkTo,
  openTestServer,
  put,
  temporaryFolder,
  until,
} from "../support/agent_harness.ts";
import { intentsOf } from "../support/agent_state.ts";
import { isLong } from "../support/rounds.ts";
import { runtime } from "../support/runtime.ts";

const server = await openTestServer();
const harnesses: AgentHarness[] = [];
const mounts: string[] = [];

async function openHarness(...paths: string[]): Promise<AgentHarness> {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  for (const path of ["other.wav", ...paths]) put(harness.root, path, content(path));
  await harness.once();
  return harness;
}
const content = (path: string): string => `the bytes of ${path} `.repeat(5000);

/** Mounts a new file system at a folder of the root; false if this user is not allowed to. */
function mount(harness: AgentHarness, folder: string, size = "8m"): boolean {
  const place = join(harness.root, folder);
  mkdirSync(place, { recursive: true });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", place], { stdio: "ignore" });
  if (status === 0) mounts.push(place);
  return status === 0;
}

function approve({ install_id }: AgentHarness, src: string, dst: string): number {
  const insert = server.store.database.prepare(
    "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (2, ?, ?, ?, 'pending', ?)",
  );
  const run = () => insert.run(install_id, src, dst, new Date().toISOString());
  return Number(server.store.writeSync(run).lastInsertRowid);
}
interface Row {
  status: string;
  note: string | null;
  src_sha256: string | null;
}
const taskOf = (id: number): Row =>
  server.store.database.prepare("SELECT status, note, src_sha256 FROM storage_tasks WHERE id = ?").get(id) as Row;

/** Checks that the file exists at `there` only, with its bytes, and that the server knows it. */
function assertOnce(harness: AgentHarness, path: string, there: string): void {
  const bytes = content(path);
  assert.is(readFileSync(join(harness.root, there), "utf8"), bytes);
  const copies = filesOf(harness.root).filter((line) => line.includes(` ${Buffer.byteLength(bytes)} `));
  assert.is(copies.length, 1, String(copies));
  const left = readdirSync(harness.root, { recursive: true }).filter((name) => String(name).includes(".tallylight-"));
  assert.equal(left, []);
  assert.equal(intentsOf(harness), []);
  harness.assertInSync();
}

/** Approves a move, runs the agent once, and checks that the move was refused and nothing moved. */
async function assertRefused(harness: AgentHarness, src: string, dst: string, note: RegExp, extra = {}): Promise<void> {
  const before = filesOf(harness.root);
  const id = approve(harness, src, dst);
  const { moves } = await harness.once(extra);
  assert.equal([moves.done, moves.failed, taskOf(id).status], [0, 1, "failed"]);
  assert.match(String(taskOf(id).note), note);
  assert.match(String(taskOf(id).note), /nothing was moved$/);
  assert.equal(filesOf(harness.root), before);
  assert.equal(intentsOf(harness), []);
}

const moves = suite("an approved move");

moves("renames within a file system after a fingerprint, and creates the folders", async () => {
  const harness = await openHarness("in/a.wav");
  const id = approve(harness, "in/a.wav", "day 1/roll/ü.wav");
  assert.equal((await harness.once()).moves, { done: 1, failed: 0 });
  assert.equal(taskOf(id), { status: "done", note: "renamed", src_sha256: hash("sha256", content("in/a.wav")) });
  assertOnce(harness, "in/a.wav", "day 1/roll/ü.wav");
});

moves("copies, verifies and removes across file systems, and keeps the modification time", async () => {
  const harness = await openHarness("in/a.wav");
  if (!mount(harness, "archive")) return;
  execFileSync("touch", ["-d", "2026-03-01 09:00:00.5Z", join(harness.root, "in/a.wav")]);
  const id = approve(harness, "in/a.wav", "archive/2026/a.wav");
  assert.equal((await harness.once()).moves, { done: 1, failed: 0 });
  assert.is(taskOf(id).note, "copied and verified");
  assertOnce(harness, "in/a.wav", "archive/2026/a.wav");
  assert.ok(
    harness.present().some((line) => line.endsWith(" 1772355600500000000")),
    String(harness.present()),
  );
});

moves("is carried out by a running agent, one after the other", async () => {
  const harness = await openHarness("a", "b");
  await harness.running(async () => {
    approve(harness, "a", "c");
    approve(harness, "b", "a");
    approve(harness, "c", "b");
    await until(() => harness.logged("move").length === 3);
    await harness.untilInSync();
  });
  assert.equal(
    [readFileSync(join(harness.root, "b"), "utf8"), existsSync(join(harness.root, "c"))],
    [content("a"), false],
  );
});

moves("overwrites nothing, not even a file that appears during the move", async () => {
  const harness = await openHarness("a", "b");
  await assertRefused(harness, "a", "b", /^the destination exists already/);
  await assertRefused(harness, "a", "other.wav/below", /^the disk does not allow it|another file has its name/);
  for (const step of ["fingerprinted", "intended", "folders"]) {
    const intrude = (name: string) => name === step && put(harness.root, "new/c", "somebody else's");
    const id = approve(harness, "a", "new/c");
    await harness.once({ step: intrude });
    assert.equal(
      [taskOf(id).status, readFileSync(join(harness.root, "new/c"), "utf8")],
      ["failed", "somebody else's"],
      step,
    );
    assert.is(readFileSync(join(harness.root, "a"), "utf8"), content("a"));
    rmSync(join(harness.root, "new"), { recursive: true });
  }
  await harness.once();
  harness.assertInSync();
});

moves("leaves a source that changes during the move, and removes its own copies", async () => {
  const harness = await openHarness("a");
  const across = mount(harness, "archive");
  for (const step of ["intended", ...(across ? ["copied", "verified", "placed"] : [])]) {
    const id = approve(harness, "a", across ? "archive/a" : "b");
    await harness.once({ step: (name: string) => name === step && appendFileSync(join(harness.root, "a"), "more") });
    assert.match(`${step}: ${taskOf(id).note}`, /: the source changed while it was moved; nothing was moved$/);
    assert.equal(
      filesOf(harness.root).map((line) => line.split(" ")[0]),
      ["a", "other.wav"],
      step,
    );
    await harness.once();
    harness.assertInSync();
  }
});

moves("refuses a source or destination that is not a file below the root, and says why", async () => {
  const harness = await openHarness("a");
  const outside = temporaryFolder();
  put(outside, "secret", "secret");
  linkTo(outside, join(harness.root, "out"));
  linkTo(join(harness.root, "a"), join(harness.root, "link"));
  for (const [src, dst, note] of [
    ["none", "b", /^the source does not exist; /],
    ["link", "b", /^the source is a symbolic link; /],
    ["out/secret", "b", /^a symbolic link leads to the source; /],
    ["a", "out/a", /^a symbolic link leads to the destination; /],
    ["a", "out/new/a", /^a symbolic link leads to the destination; /],
    ["../secret", "b", /^the source is not a path below the root; /],
    ["a", "/etc/a", /^the destination is not a path below the root; /],
    ["a", ".lucid_audit/n/2026/03/x.log", /^the agent ignores the destination; /],
  ] as const)
    await assertRefused(harness, src, dst, note);
  mkdirSync(join(harness.root, "folder"));
  await assertRefused(harness, "folder", "b", /^the source is a folder; /);
  assert.equal(readdirSync(outside), ["secret"]);
});

moves(
  "finds a source in another Unicode form, moves from one form to the other, and creates no duplicates",
  async () => {
    const [nfc, nfd] = ["\u00e9.wav", "e\u0301.wav"];
    const harness = await openHarness(nfd);
    put(harness.root, "twins/\u00fc");
    put(harness.root, "twins/u\u0308");
    await assertRefused(harness, "twins/\u00fc", "b", /^\u00fc is two names in different Unicode forms; /);
    rmSync(join(harness.root, "twins"), { recursive: true });
    approve(harness, nfc, "found.wav");
    assert.is((await harness.once()).moves.done, 1);
    assertOnce(harness, nfd, "found.wav");
    approve(harness, "found.wav", nfd);
    assert.is((await harness.once()).moves.done, 1);
    await assertRefused(harness, "other.wav", nfc, /^the destination exists already in another Unicode form; /);
    put(harness.root, `${nfd}.d/x`);
    await harness.once();
    await assertRefused(harness, "other.wav", `${nfc}.d/y`, /^the folder .* exists already in another Unicode form; /);
    approve(harness, nfd, nfc);
    assert.is((await harness.once()).moves.done, 1);
    assertOnce(harness, nfd, nfc);
    assert.not.ok(readdirSync(harness.root).includes(nfd));
  },
);

moves("moves nothing to a full or read-only destination", async () => {
  const harness = await openHarness("a");
  if (!mount(harness, "small", "1m")) return;
  writeFileSync(join(harness.root, "small/filler"), Buffer.alloc(1_000_000));
  await assertRefused(harness, "a", "small/a", /^the destination has no room for the file; /);
  rmSync(join(harness.root, "small/filler"));
  const fill = (name: string) =>
    name === "folders" && writeFileSync(join(harness.root, "small/filler"), Buffer.alloc(1_020_000));
  const id = approve(harness, "a", "small/a");
  await harness.once({ step: fill });
  assert.match(String(taskOf(id).note), /no room/);
  rmSync(join(harness.root, "small/filler"));
  execFileSync("mount", ["-o", "remount,ro", join(harness.root, "small")]);
  await assertRefused(harness, "a", "small/a", /^the disk does not allow it \(EROFS\); /);
  assertOnce(harness, "a", "a");
});

/** Puts a link to a folder outside in the place of a folder, and takes it back. */
function swap(harness: AgentHarness, folder: string, outside: string): () => void {
  const [place, aside] = [join(harness.root, folder), join(harness.root, `${folder} aside`)];
  if (existsSync(place)) renameSync(place, aside);
  linkTo(outside, place);
  return () => {
    rmSync(place);
    if (existsSync(aside)) renameSync(aside, place);
  };
}

// Without handles, a link in a folder that was moved away is out of reach: nothing is lost, but the second name stays.
for (const folder of ["in", "new"])
  for (const step of ["intended", "folders", ...("Deno" in globalThis ? [] : ["linked"])])
    moves(`is undone if a link takes the place of the folder ${folder} after the step ${step}`, async () => {
      const harness = await openHarness("in/a");
      const outside = temporaryFolder();
      put(outside, "a", content("in/a"));
      execFileSync("touch", ["-r", join(harness.root, "in/a"), join(outside, "a")]);
      if (folder === "new") rmSync(join(outside, "a"));
      const before = readdirSync(outside);
      let restore = () => {};
      const id = approve(harness, "in/a", "new/a");
      const replace = (name: string) => {
        if (name === step) restore = swap(harness, folder, outside);
      };
      assert.equal((await harness.once({ step: replace })).moves, { done: 0, failed: 1 });
      assert.match(String(taskOf(id).note), /link.*; nothing was moved$/);
      assert.equal(readdirSync(outside), before);
      restore();
      assert.is(readFileSync(join(harness.root, "in/a"), "utf8"), content("in/a"));
      await harness.once();
      assertOnce(harness, "in/a", "in/a");
      const again = approve(harness, "in/a", "new/a");
      await harness.once();
      assert.is(taskOf(again).status, "done");
      assertOnce(harness, "in/a", "new/a");
    });

moves("across file systems keeps the source if a link takes the place of a folder before it is removed", async () => {
  const harness = await openHarness("in/a");
  if ("Deno" in globalThis || !mount(harness, "archive")) return;
  for (const folder of ["in", "archive/new"])
    for (const step of ["copied", "verified", "copy linked", "placed"]) {
      const outside = temporaryFolder();
      let restore = () => {};
      const replace = (name: string) => {
        if (name === step) restore = swap(harness, folder, outside);
      };
      const id = approve(harness, "in/a", "archive/new/a");
      await harness.once({ step: replace });
      assert.match(`${folder}, ${step}: ${taskOf(id).note}`, /: .*nothing was moved$/);
      assert.equal(readdirSync(outside), [], `${folder}, ${step}`);
      restore();
      await harness.once();
      assertOnce(harness, "in/a", "in/a");
    }
});

moves("a folder that did not exist when it was opened is never used by its path", async () => {
  if (process.platform !== "linux" || "Deno" in globalThis) return; // elsewhere a folder has no handle
  const [root, outside] = [temporaryFolder(), temporaryFolder()];
  put(outside, "a", "outside");
  const folder = new Folder(root, "new");
  await folder.hold();
  linkTo(outside, join(root, "new"));
  assert.not(existsSync(join(folder.path, "a")));
  assert.throws(() => writeFileSync(join(folder.path, "b"), ""), /ENOENT/);
  assert.equal(readdirSync(outside), ["a"]);
});

moves("leaves nothing outside beside a program that swaps its folder for a link all the time", async () => {
  if (!isLong || "Deno" in globalThis) return;
  const paths = Array.from({ length: 60 }, (_, at) => `in/${at}`);
  const harness = await openHarness(...paths);
  const outside = temporaryFolder();
  for (const path of paths) approve(harness, path, `new/${path.slice(3)}`);
  mkdirSync(join(harness.root, "new"));
  const script = 'while :; do mv new aside; ln -s "$1" new; rm new; mv aside new; done';
  const swapper = spawn("sh", ["-c", script, "sh", outside], { cwd: harness.root, stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => swapper.once("exit", resolve));
  try {
    await harness.once();
  } finally {
    process.kill(-(swapper.pid as number), "SIGKILL");
    await ended;
  }
  assert.equal(readdirSync(outside), []);
  const kept = readdirSync(harness.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.equal(kept.map(({ name }) => name).sort(), [...paths.map((path) => path.slice(3)), "other.wav"].sort());
});

moves("finishes on the disk if the server deletes the task in the middle", async () => {
  const harness = await openHarness("a");
  const id = approve(harness, "a", "b");
  const settle = (name: string) => {
    if (name === "fingerprinted")
      server.store.writeSync(() => server.store.database.exec(`DELETE FROM storage_tasks WHERE id = ${id}`));
  };
  await harness.once({ step: settle });
  assertOnce(harness, "a", "b");
});

/** Stops the agent at a step: with an exception that nothing catches, or by killing its process. */
async function crash(harness: AgentHarness, step: string): Promise<void> {
  if (!isLong) {
    const fatal = (name: string) => {
      if (name === step) throw new Error("crash");
    };
    return harness.once({ step: fatal }).then(
      () => assert.unreachable(`${step} was not reached`),
      (error) => assert.is(error.message, "crash"),
    );
  }
  const file = fileURLToPath(new URL("../support/mover.ts", import.meta.url));
  const { key, filespace, root, state } = harness;
  const child = spawn(process.execPath, [...runtime, file, server.url, key, filespace, root, state, step], {
    stdio: "inherit",
  });
  const signal = await new Promise((resolve) => child.once("exit", (_, ended) => resolve(ended)));
  assert.is(signal, "SIGKILL", `${step} was not reached`);
}

const within = ["fingerprinted", "intended", "folders", "linked", "renamed", "acknowledged"];
const across = [
  "fingerprinted",
  "intended",
  "copied",
  "verified",
  "copy linked",
  "placed",
  "removing",
  "removed",
  "acknowledged",
];

moves("that a crash interrupted is finished at the next start, at every step", async () => {
  for (const [steps, folder] of [
    [within, "within"],
    [across, "across"],
  ] as const)
    for (const step of steps) {
      const harness = await openHarness("a");
      if (folder === "across" && !mount(harness, folder)) return;
      const id = approve(harness, "a", `${folder}/b`);
      await crash(harness, step);
      await harness.once();
      assert.is(taskOf(id).status, "done", step);
      assertOnce(harness, "a", `${folder}/b`);
    }
});

moves("that a crash interrupted is undone, or left as it is, if the files changed in the meantime", async () => {
  for (const step of ["intended", "copied", "verified", "placed", "removing", "removed"]) {
    const harness = await openHarness("a");
    if (!mount(harness, "across")) return;
    const id = approve(harness, "a", "across/b");
    await crash(harness, step);
    const isMoved = step === "removing" || step === "removed"; // from here on a change cannot be detected
    writeFileSync(join(harness.root, "a"), "a new version");
    await harness.once();
    await harness.once();
    assert.is(taskOf(id).status, isMoved ? "done" : "failed", step);
    assert.is(readFileSync(join(harness.root, "a"), "utf8"), "a new version", step);
    assert.is(existsSync(join(harness.root, "across/b")), isMoved, step);
    harness.assertInSync();
  }
});

moves("never removes the last copy: a missing source is replaced by a complete copy", async () => {
  const harness = await openHarness("a");
  if (!mount(harness, "across")) return;
  approve(harness, "a", "across/b");
  await crash(harness, "verified");
  rmSync(join(harness.root, "a"));
  assert.is((await harness.once()).moves.done, 1);
  assertOnce(harness, "a", "across/b");
});

const places = suite("a file system without hard links");

places("reserves the destination with a placeholder, which a crash leaves and the next start recognises", async () => {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, "a"), join(folder, "b")];
  writeFileSync(from, "bytes");
  const nothing = async () => {};
  const stop = placeByName(
    from,
    to,
    "token",
    (name) => {
      throw new Error(name);
    },
    nothing,
  );
  await stop.then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, "kept free"),
  );
  assert.equal([await isPlaceholder(to, "token"), await isPlaceholder(to, "other")], [true, false]);
  rmSync(to);
  await placeByName(from, to, "token", () => {}, nothing);
  assert.equal([readdirSync(folder), readFileSync(to, "utf8")], [["b"], "bytes"]);
  writeFileSync(from, "others");
  const intrude = () => writeFileSync(join(folder, "c"), "written by another program");
  for (const [name, step] of [
    ["b", () => {}],
    ["c", intrude],
  ] as const)
    await placeByName(from, join(folder, name), "token", step, nothing).then(
      () => assert.unreachable(),
      (error) => assert.instance(error, MoveProblem),
    );
  assert.equal(
    ["a", "b", "c"].map((name) => readFileSync(join(folder, name), "utf8")),
    [...["others", "bytes", "written by another program"]],
  );
});

places("removes a placeholder that a crash left, and completes the move", async () => {
  const harness = await openHarness("a");
  const id = approve(harness, "a", "b");
  await crash(harness, "intended");
  writeFileSync(join(harness.root, "b"), intentsOf(harness)[0]?.token as string);
  await harness.once();
  assert.is(taskOf(id).status, "done");
  assertOnce(harness, "a", "b");
});
places.after(async () => {
  for (const place of mounts) spawnSync("umount", ["-l", place], { stdio: "ignore" });
  for (const harness of harnesses) harness.remove();
  await server.stop();
});
moves.run();
places.run();
