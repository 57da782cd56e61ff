// The drill of docs/replication.md over a real sshd: the second box copies the first one, the first one is killed, the
// second one takes over with the commands of the page, and the first one comes back as its replica; then the other way
// round. Prints how long each step took. Skipped with a message without sshd, sqlite3_rsync or rsync.
// It needs an sshd and sqlite3_rsync, and runs two boxes.
// Thorough: only --all runs it.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { demoFolder, mint } from "../support/app.ts";
import { addressOf, answerOf, launch, type Running } from "../support/command.ts";
import { pageAt } from "../support/documentation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freePort } from "../support/free_port.ts";
import { canCopy, copier, mediaOf, replicaFolder } from "../support/replication.ts";
import { canConnect, type SshServer, startSshServer } from "../support/ssh.ts";
import { until } from "../support/until.ts";

const isTested = canCopy && canConnect;
const drill = suite(`the drill of two boxes${isTested ? "" : ": skipped, it needs sshd, sqlite3_rsync and rsync"}`);
const test = isTested ? drill : drill.skip;

let ssh: SshServer;
drill.before(async () => {
  if (isTested) ssh = await startSshServer();
});
drill.after(() => ssh?.stop());

interface Box {
  data: string;
  port: number;
  url: string;
}

const secretFile = join(temporaryFolder(), "peer.secret");
writeFileSync(secretFile, "5".repeat(64), { mode: 0o600 });

const setPeer = ({ data }: Box, { url }: Box): void =>
  writeFileSync(
    join(data, "config.json"),
    JSON.stringify({ peer: { url, secret_file: secretFile }, max_staleness: 600 }),
  );

const serve = async ({ data, port }: Box, ...flags: string[]): Promise<Running> => {
  const running = launch(["serve", "--data", data, "--port", String(port), ...flags]);
  await addressOf(running);
  return running;
};

const follow = (from: Box, to: Box): Running =>
  launch([
    ...["follow", `${ssh.name}:${from.data}`, "--data", to.data, "--every", "0.2", "--json"],
    ...["--copier", copier, "--remote-copier", copier],
  ]);

async function end(running: Running): Promise<void> {
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
}

async function burn({ child, ended }: Running): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

test("the second box takes over with the commands of the page, the first one comes back as its replica, and the other way round", async () => {
  const [a, b] = await Promise.all(
    [await demoFolder(), replicaFolder()].map(async (data): Promise<Box> => {
      const port = await freePort();
      return { data, port, url: `http://127.0.0.1:${port}` };
    }),
  );
  if (a === undefined || b === undefined) throw new Error("there are two boxes");
  mkdirSync(b.data);
  setPeer(a, b);
  setPeer(b, a);
  const store = openStore(join(a.data, "tallylight.db"));
  const token = mint(store);
  store.close();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const add = async ({ url }: Box, label: string) =>
    (await fetch(`${url}/api/v1/assets`, { method: "POST", headers, body: JSON.stringify({ kind: "prop", label }) }))
      .status;
  const has = async ({ url }: Box, label: string) => {
    const answer = await fetch(`${url}/api/v1/assets`, { headers }).catch(() => undefined);
    return answer?.status === 200 && (await answer.text()).includes(`"${label}"`);
  };
  const took: string[] = [];
  let began = performance.now();
  const mark = (what: string): void => {
    took.push(`${what} ${((performance.now() - began) / 1000).toFixed(1)} s`);
    began = performance.now();
  };

  const first = await serve(a);
  const following = follow(a, b);
  await until(() => following.out().includes('"copied":'));
  const second = await serve(b, "--replica");
  mark("first copy and start of the second box");
  assert.is(await add(a, "Before the fire"), 200);
  await until(() => has(b, "Before the fire"));
  assert.is(await add(b, "On the replica"), 503);
  mark("a write arrives");

  await end(following);
  assert.is(await add(a, "In the last second"), 200);
  // the first box burns: its disk is gone, and so is its server
  const followingAgain = follow({ ...a, data: "/nowhere" }, b);
  await burn(first);
  await until(() => followingAgain.out().includes('"failed":'));

  const [, after = ""] = pageAt("docs/replication.md").text.split("**When the first box fails**");
  assert.equal(after.split("```")[1]?.trim().split("\n"), [
    "sudo -u tallylight tallylight promote --data /var/lib/tallylight",
    "sudo systemctl restart tallylight",
  ]);
  began = performance.now();
  const promotion = await answerOf("promote", "--data", b.data);
  assert.equal([promotion.missing, promotion.peer.told], [[], false]);
  assert.is(await followingAgain.ended, 0);
  mark("promote");
  await end(second);
  const present = await serve(b); // what is restarted
  assert.is(await add(b, "After the fire"), 200);
  mark("the second box takes writes");

  const [kept = ""] = mediaOf(a.data);
  const inode = statSync(join(a.data, kept)).ino;
  const back = await serve(a);
  await until(() => back.err().includes("served as a replica only"));
  assert.is(await add(a, "On the former primary"), 503);
  mark("the first box comes back and gives way");
  const returning = follow(b, a);
  await until(() => has(a, "After the fire"));
  mark("it follows");
  assert.is(statSync(join(a.data, kept)).ino, inode, "its media stay");
  await until(() => /"kept":"tallylight\.db\.before-[0-9a-f]{8}"/.test(returning.out()));
  const name = /"kept":"([^"]+)"/.exec(returning.out())?.[1] ?? "";
  const former = new Database(join(a.data, name), { readonly: true });
  const late = former.prepare("SELECT count(*) FROM nodes WHERE label = 'In the last second'").pluck().get();
  former.close();
  assert.is(late, 1, "what nobody had copied is kept");

  // The other way round, planned: the second box stops, and the first one takes over again.
  await end(present);
  const { peer } = await answerOf("promote", "--data", a.data);
  assert.is(peer.told, false);
  await returning.ended;
  await end(back);
  const again = await serve(a);
  assert.is(await add(a, "At home"), 200);
  const former2 = await serve(b);
  await until(() => former2.err().includes("served as a replica only"));
  assert.ok(existsSync(join(b.data, "replica.json")));
  assert.match(readFileSync(join(b.data, "replica.json"), "utf8"), /superseded_by/);
  mark("and back");
  await end(again);
  await end(former2);
  console.log(`the drill: ${took.join(", ")}`);
});

drill.run();
