// tallylight follow and promote over ssh, against an sshd of this machine: the port, the user and the key are those of
// ssh's configuration or of --ssh-port. Skipped with a message without sshd, sqlite3_rsync or rsync.
// It needs an sshd and sqlite3_rsync.
// Thorough: only --all runs it.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readReplicaRecord } from "../../src/features/replica/record.ts";
import { demoFolder } from "../support/app.ts";
import { answerOf, launch, type Running, root } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { canCopy, copier, followUntil, mediaOf, replicaFolder } from "../support/replication.ts";
import { canConnect, type SshServer, startSshServer } from "../support/ssh.ts";
import { until } from "../support/until.ts";

const isTested = canCopy && canConnect;
const following = suite(`following over ssh${isTested ? "" : ": skipped, it needs sshd, sqlite3_rsync and rsync"}`);
const test = isTested ? following : following.skip;

const onOtherMachine = { remoteCopier: copier };
const copiers = ["--copier", copier, "--remote-copier", copier];
let server: SshServer;
following.before(async () => {
  if (isTested) server = await startSshServer();
});
following.after(() => server?.stop());

function assertCopied(source: string, data: string): void {
  const media = mediaOf(source);
  assert.ok(media.length > 0);
  assert.equal(mediaOf(data), media);
  for (const name of media) assert.equal(readFileSync(join(data, name)), readFileSync(join(source, name)), name);
}

/** Starts the command, which copies every 0.1 s. */
const startFollowing = (source: string, data: string, ...flags: string[]): Running =>
  launch(["follow", source, "--data", data, "--every", "0.1", "--json", ...copiers, ...flags]);

const untilCopied = (check: () => boolean, { out, err }: Running): Promise<void> =>
  until(check).catch(() => assert.unreachable(`${out()}${err()}${server.log()}`));

test("the first copy has the database and every medium, and the next one what changed", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const running = startFollowing(`${server.name}:${source}`, data);
  await untilCopied(() => running.out().includes('"copied":'), running);
  const [first = ""] = running.out().split("\n");
  const { media, missing } = JSON.parse(first).copied;
  assert.equal([media, missing], [new Set(mediaOf(source)).size, 0]);
  assertCopied(source, data);
  assert.is(readReplicaRecord(data)?.source, `${server.name}:${source}`);
  const database = new Database(join(source, "tallylight.db"));
  database.exec("UPDATE productions SET title = 'Changed' WHERE id = 1");
  database.close();
  const before = Date.now();
  await untilCopied(() => Date.parse(readReplicaRecord(data)?.synced_at ?? "") > before, running);
  assert.is((await answerOf("productions", "list", "--data", data))[0].title, "Changed");
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
});

test("a promotion fetches the media that are missing over ssh", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const remote = `${server.name}:${source}`;
  const running = startFollowing(remote, data);
  await untilCopied(() => running.out().includes('"copied":'), running);
  running.signal("SIGTERM");
  await running.ended;
  assertCopied(source, data);
  const [name = ""] = mediaOf(source);
  rmSync(join(data, name));
  const promotion = await answerOf("promote", "--data", data);
  assert.equal([promotion.source, promotion.missing], [remote, []]);
  assert.ok(existsSync(join(data, name)));
});

test("copies a directory whose name has spaces and quotes", async () => {
  const source = join(temporaryFolder(), "the show's data");
  renameSync(await demoFolder(), source);
  const data = replicaFolder();
  const { reported } = await followUntil(`${server.name}:${source}`, data, 1, onOtherMachine);
  assert.match(reported[0] as string, /^copied [1-9]\d* 0$/);
  assertCopied(source, data);
});

test("says what ssh says if the machine refuses the connection, the key or the directory", async () => {
  const data = replicaFolder();
  const reason = async (source: string) => (await followUntil(source, data, 1, onOtherMachine)).reported[0] ?? "";
  assert.match(await reason(`${server.closedName}:/data`), /Connection refused/);
  assert.match(await reason(`nobody-here@${server.name}:/data`), /Permission denied/);
  assert.match(await reason(`${server.name}:/nowhere`), /\/nowhere\/tallylight\.db/);
});

/** The program of the package that limits a follower's key, with sqlite3_rsync beside it. */
function onlyFollow(source: string): string {
  const folder = temporaryFolder();
  copyFileSync(join(root, ".ci/package/debian/only-follow"), join(folder, "only-follow"));
  chmodSync(join(folder, "only-follow"), 0o755);
  symlinkSync(find(copier), join(folder, "sqlite3_rsync"));
  return `${join(folder, "only-follow")} ${source}`;
}

/** The path of a program. */
const find = (program: string): string =>
  execFileSync("sh", ["-c", 'command -v "$1"', "sh", program], { encoding: "utf8" }).trim();

const limited = isTested && spawnSync("sh", ["-c", "command -v rrsync"]).status === 0 ? following : following.skip;

limited("a follower whose key may run only-follow copies everything, and the key does nothing else", async () => {
  const source = await demoFolder();
  server.allowOnly(onlyFollow(source));
  try {
    const data = replicaFolder();
    const { reported } = await followUntil(`${server.name}:${source}`, data, 1, onOtherMachine);
    assert.match(reported[0] as string, /^copied [1-9]\d* 0$/);
    assertCopied(source, data);
    const refused = (program: string, ...words: string[]): void => {
      const { status, stdout } = spawnSync(program, words, { encoding: "utf8", timeout: 20_000 });
      assert.is.not(status, 0, `${program} ${words.join(" ")}: ${stdout}`);
      assert.not.match(stdout, /root:|ticket_keys/);
    };
    const taken = join(temporaryFolder(), "taken");
    refused("ssh", server.name, "cat", "/etc/passwd");
    refused("ssh", server.name, "sh", "-c", "id");
    refused("ssh", server.name, `rsync --server --sender -e.LsfxCIvu . ${source}/media/ /etc/`);
    refused("ssh", server.name, `rsync --server --sender -e.LsfxCIvu . ${source}/media/\nid\n ${source}/media/`);
    refused("rsync", `${server.name}:${source}/secrets.json`, taken);
    refused("rsync", `${server.name}:${source}/media/../secrets.json`, taken);
    refused("rsync", "-r", `${server.name}:/etc/`, taken);
    refused("rsync", "-r", join(source, "media/"), `${server.name}:${source}/media/`);
    assert.not.ok(existsSync(taken));
    const other = join(temporaryFolder(), "other.db");
    spawnSync(copier, [`${server.name}:/etc/other.db`, other]);
    const copy = new Database(other, { readonly: true });
    assert.ok(copy.prepare("SELECT count(*) FROM epochs").pluck().get(), "whatever is asked for, it is this database");
    copy.close();
  } finally {
    server.allowOnly(undefined);
  }
});

following.run();
