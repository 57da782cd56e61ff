// Approved moves: whatever happens, and wherever the agent is ended, the bytes exist exactly once, verified. ROUNDS=20 ends real
// processes at every step.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPlaceholder, MoveProblem, placeByName } from "../../src/agent/moves/place.ts";
import { filesOf, linkTo, openTestServer, put, temporaryFolder, until, World } from "../support/agent_world.ts";

const server = await openTestServer();
const worlds: World[] = [];
const mounts: string[] = [];
const isThorough = Number(process.env.ROUNDS ?? 0) >= 20;

async function openWorld(...paths: string[]): Promise<World> {
  const world = await World.open(server);
  worlds.push(world);
  for (const path of ["other.wav", ...paths]) put(world.root, path, content(path));
  await world.once();
  return world;
}
const content = (path: string): string => `the bytes of ${path} `.repeat(5000);

/** Mounts a file system of its own at a folder of the root; false if this user may not. */
function mount(world: World, folder: string, size = "8m"): boolean {
  const place = join(world.root, folder);
  mkdirSync(place, { recursive: true });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", place], { stdio: "ignore" });
  if (status === 0) mounts.push(place);
  return status === 0;
}

function approve({ install_id }: World, src: string, dst: string): number {
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

/** The file is at `there` and nowhere else, with its bytes, and the server knows it. */
function assertOnce(world: World, path: string, there: string): void {
  const bytes = content(path);
  assert.is(readFileSync(join(world.root, there), "utf8"), bytes);
  const holders = filesOf(world.root).filter((line) => line.includes(` ${Buffer.byteLength(bytes)} `));
  assert.is(holders.length, 1, String(holders));
  const left = readdirSync(world.root, { recursive: true }).filter((name) => String(name).includes(".tallylight-"));
  assert.equal(left, []);
  assert.equal(readdirSync(join(world.state, "moves")), []);
  world.assertSame();
}

/** Approves a move, runs the agent once, and holds that it was refused with nothing moved. */
async function assertRefused(world: World, src: string, dst: string, note: RegExp, extra = {}): Promise<void> {
  const before = filesOf(world.root);
  const id = approve(world, src, dst);
  const { moves } = await world.once(extra);
  assert.equal([moves.done, moves.failed, taskOf(id).status], [0, 1, "failed"]);
  assert.match(String(taskOf(id).note), note);
  assert.match(String(taskOf(id).note), /nothing was moved$/);
  assert.equal(filesOf(world.root), before);
  assert.equal(readdirSync(join(world.state, "moves")), []);
}

const moves = suite("an approved move");

moves("renames within a file system, with a fingerprint before, into folders that it makes", async () => {
  const world = await openWorld("in/a.wav");
  const id = approve(world, "in/a.wav", "day 1/roll/ü.wav");
  assert.equal((await world.once()).moves, { done: 1, failed: 0 });
  assert.equal(taskOf(id), { status: "done", note: "renamed", src_sha256: hash("sha256", content("in/a.wav")) });
  assertOnce(world, "in/a.wav", "day 1/roll/ü.wav");
});

moves("copies, verifies and removes across file systems, and keeps the time", async () => {
  const world = await openWorld("in/a.wav");
  if (!mount(world, "archive")) return;
  execFileSync("touch", ["-d", "2026-03-01 09:00:00.5Z", join(world.root, "in/a.wav")]);
  const id = approve(world, "in/a.wav", "archive/2026/a.wav");
  assert.equal((await world.once()).moves, { done: 1, failed: 0 });
  assert.is(taskOf(id).note, "copied and verified");
  assertOnce(world, "in/a.wav", "archive/2026/a.wav");
  assert.ok(
    world.present().some((line) => line.endsWith(" 1772355600500000000")),
    String(world.present()),
  );
});

moves("is carried out by an agent that runs, one after the other", async () => {
  const world = await openWorld("a", "b");
  await world.running(async () => {
    approve(world, "a", "c");
    approve(world, "b", "a");
    approve(world, "c", "b");
    await until(() => world.lined("move").length === 3);
    await world.untilSame();
  });
  assert.equal([readFileSync(join(world.root, "b"), "utf8"), existsSync(join(world.root, "c"))], [content("a"), false]);
});

moves("overwrites nothing, also what comes in the middle", async () => {
  const world = await openWorld("a", "b");
  await assertRefused(world, "a", "b", /^the destination exists already/);
  await assertRefused(world, "a", "other.wav/below", /^the disk does not allow it|not a path|link/);
  for (const step of ["fingerprinted", "intended", "folders"]) {
    const intrude = (name: string) => name === step && put(world.root, "new/c", "somebody else's");
    const id = approve(world, "a", "new/c");
    await world.once({ step: intrude });
    assert.equal(
      [taskOf(id).status, readFileSync(join(world.root, "new/c"), "utf8")],
      ["failed", "somebody else's"],
      step,
    );
    assert.is(readFileSync(join(world.root, "a"), "utf8"), content("a"));
    rmSync(join(world.root, "new"), { recursive: true });
  }
  await world.once();
  world.assertSame();
});

moves("leaves a source that changes in the middle, and removes what it had made", async () => {
  const world = await openWorld("a");
  const across = mount(world, "archive");
  for (const step of ["intended", ...(across ? ["copied", "verified", "placed"] : [])]) {
    const id = approve(world, "a", across ? "archive/a" : "b");
    await world.once({ step: (name: string) => name === step && appendFileSync(join(world.root, "a"), "more") });
    assert.match(`${step}: ${taskOf(id).note}`, /: the source changed while it was moved; nothing was moved$/);
    assert.equal(
      filesOf(world.root).map((line) => line.split(" ")[0]),
      ["a", "other.wav"],
      step,
    );
    await world.once();
    world.assertSame();
  }
});

moves("refuses what is no file below the root, and says why", async () => {
  const world = await openWorld("a");
  const outside = temporaryFolder();
  put(outside, "secret", "secret");
  linkTo(outside, join(world.root, "out"));
  linkTo(join(world.root, "a"), join(world.root, "link"));
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
    await assertRefused(world, src, dst, note);
  mkdirSync(join(world.root, "folder"));
  await assertRefused(world, "folder", "b", /^the source is a folder; /);
  assert.equal(readdirSync(outside), ["secret"]);
});

moves("tells names in NFC and NFD apart, moves from one to the other, and makes no twins", async () => {
  const [nfc, nfd] = ["\u00e9.wav", "e\u0301.wav"];
  const world = await openWorld(nfd);
  await assertRefused(world, nfc, "b", /^the source does not exist, only its name in another Unicode form; /);
  await assertRefused(world, "other.wav", nfc, /^the destination exists already in another Unicode form; /);
  put(world.root, `${nfd}.d/x`);
  await world.once();
  await assertRefused(world, "other.wav", `${nfc}.d/y`, /^the folder .* exists already in another Unicode form; /);
  approve(world, nfd, nfc);
  assert.is((await world.once()).moves.done, 1);
  assertOnce(world, nfd, nfc);
  assert.not.ok(readdirSync(world.root).includes(nfd));
});

moves("into a full or read-only destination moves nothing", async () => {
  const world = await openWorld("a");
  if (!mount(world, "small", "1m")) return;
  writeFileSync(join(world.root, "small/filler"), Buffer.alloc(1_000_000));
  await assertRefused(world, "a", "small/a", /^the destination has no room for the file; /);
  rmSync(join(world.root, "small/filler"));
  const fill = (name: string) =>
    name === "folders" && writeFileSync(join(world.root, "small/filler"), Buffer.alloc(1_020_000));
  const id = approve(world, "a", "small/a");
  await world.once({ step: fill });
  assert.match(String(taskOf(id).note), /no room/);
  rmSync(join(world.root, "small/filler"));
  execFileSync("mount", ["-o", "remount,ro", join(world.root, "small")]);
  await assertRefused(world, "a", "small/a", /^the disk does not allow it \(EROFS\); /);
  assertOnce(world, "a", "a");
});

moves("of a server that moved it already, or that knows no such task any more, is left alone", async () => {
  const world = await openWorld("a");
  const id = approve(world, "a", "b");
  const settle = (name: string) => {
    if (name === "fingerprinted")
      server.store.writeSync(() => server.store.database.exec(`DELETE FROM storage_tasks WHERE id = ${id}`));
  };
  await world.once({ step: settle });
  assertOnce(world, "a", "b");
});

/** Ends the agent at a step: as an exception that nothing catches, or as a process that is killed. */
async function crash(world: World, step: string): Promise<void> {
  if (!isThorough) {
    const fatal = (name: string) => {
      if (name === step) throw new Error("crash");
    };
    return world.once({ step: fatal }).then(
      () => assert.unreachable(`${step} was not reached`),
      (error) => assert.is(error.message, "crash"),
    );
  }
  const file = fileURLToPath(new URL("../support/mover.ts", import.meta.url));
  const args = "Deno" in globalThis ? ["run", "-A", "--quiet", file] : ["--import", "tsx", file];
  const { key, filespace, root, state } = world;
  const child = spawn(process.execPath, [...args, server.url, key, filespace, root, state, step], { stdio: "inherit" });
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

moves("that a crash cut off is finished at the next start, wherever it was", async () => {
  for (const [steps, folder] of [
    [within, "within"],
    [across, "across"],
  ] as const)
    for (const step of steps) {
      const world = await openWorld("a");
      if (folder === "across" && !mount(world, folder)) return;
      const id = approve(world, "a", `${folder}/b`);
      await crash(world, step);
      await world.once();
      assert.is(taskOf(id).status, "done", step);
      assertOnce(world, "a", `${folder}/b`);
    }
});

moves("that a crash cut off is undone, or left as it is, where the files changed meanwhile", async () => {
  for (const step of ["intended", "copied", "verified", "placed", "removing", "removed"]) {
    const world = await openWorld("a");
    if (!mount(world, "across")) return;
    const id = approve(world, "a", "across/b");
    await crash(world, step);
    const isMoved = step === "removing" || step === "removed"; // it cannot be told any more
    writeFileSync(join(world.root, "a"), "a new version");
    await world.once();
    await world.once();
    assert.is(taskOf(id).status, isMoved ? "done" : "failed", step);
    assert.is(readFileSync(join(world.root, "a"), "utf8"), "a new version", step);
    assert.is(existsSync(join(world.root, "across/b")), isMoved, step);
    world.assertSame();
  }
});

moves("never removes the last copy: a source that vanished is put together from a whole one", async () => {
  const world = await openWorld("a");
  if (!mount(world, "across")) return;
  approve(world, "a", "across/b");
  await crash(world, "verified");
  rmSync(join(world.root, "a"));
  assert.is((await world.once()).moves.done, 1);
  assertOnce(world, "a", "across/b");
});

const places = suite("a place without hard links");

places("is taken by a file of the move's own, which a crash leaves and the next start tells", async () => {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, "a"), join(folder, "b")];
  writeFileSync(from, "bytes");
  const stop = placeByName(from, to, "token", (name) => {
    throw new Error(name);
  });
  await stop.then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, "kept free"),
  );
  assert.equal([await isPlaceholder(to, "token"), await isPlaceholder(to, "other")], [true, false]);
  rmSync(to);
  await placeByName(from, to, "token", () => {});
  assert.equal([readdirSync(folder), readFileSync(to, "utf8")], [["b"], "bytes"]);
  writeFileSync(from, "others");
  const intrude = () => writeFileSync(join(folder, "c"), "written by another program");
  for (const [name, step] of [
    ["b", () => {}],
    ["c", intrude],
  ] as const)
    await placeByName(from, join(folder, name), "token", step).then(
      () => assert.unreachable(),
      (error) => assert.instance(error, MoveProblem),
    );
  assert.equal(
    ["a", "b", "c"].map((name) => readFileSync(join(folder, name), "utf8")),
    [...["others", "bytes", "written by another program"]],
  );
});

places("that a crash left is removed, and the move is made", async () => {
  const world = await openWorld("a");
  const id = approve(world, "a", "b");
  await crash(world, "intended");
  const [name = ""] = readdirSync(join(world.state, "moves"));
  const { token } = JSON.parse(readFileSync(join(world.state, "moves", name), "utf8"));
  writeFileSync(join(world.root, "b"), token);
  await world.once();
  assert.is(taskOf(id).status, "done");
  assertOnce(world, "a", "b");
});
places.after(async () => {
  for (const place of mounts) spawnSync("umount", ["-l", place], { stdio: "ignore" });
  for (const world of worlds) world.remove();
  await server.stop();
});
moves.run();
places.run();
