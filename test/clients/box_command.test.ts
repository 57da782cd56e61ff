// The command line of the Python client that the server offers. docs/api.md, "Clients".
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { folderOfClients } from "./box/runtimes.ts";

const server = await openTestServer();
const { store } = server;
const seed = seedDataOf(store);
const key = mint(store, { production_id: seed.production });
const vendor = mint(store, {
  production_id: seed.production,
  engagement_id: seed.submitter,
  scopes: ["read", "submit:turnover"],
});
const program = join(await folderOfClients(server.url), "tallylight.py");

function start(words: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn("python3", ["-B", program, ...words], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", problems: "" };
  child.stdout.on("data", (chunk) => (said.out += chunk));
  child.stderr.on("data", (chunk) => (said.problems += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", (status) => resolve(status)));
  return { child, said, ended };
}
async function run(words: readonly string[], token = key, environment: Record<string, string> = {}) {
  const { said, ended } = start(words, { TALLYLIGHT_URL: server.url, TALLYLIGHT_KEY: token, ...environment });
  return { status: await ended, ...said, lines: said.out.trimEnd().split("\n") };
}

const command = suite("tallylight.py");

command("get prints the answer of a path, with the address and the key before or after the command", async () => {
  const production = await server.get(key, "/production");
  for (const path of ["/production", "production", "/api/v1/production"])
    assert.equal(JSON.parse((await run(["get", path])).out), production);
  for (const words of [
    ["--url", server.url, "--key", key, "get", "/production"],
    ["get", "/production", "--url", `${server.url}/api/v1/`, "--key", key],
  ])
    assert.equal(JSON.parse((await run(words, "", { TALLYLIGHT_URL: "" })).out), production);
});

command("list prints a row a line, from all pages", async () => {
  const { lines, status } = await run(["list", "list_scenes", "limit=2", "fields=node_id", "fields=number"]);
  assert.is(status, 0);
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    await server.get(key, "/scenes?fields=node_id,number"),
  );
});

command("mirror writes into a folder and prints what it did", async () => {
  const folder = temporaryFolder();
  const { out, status, problems } = await run(["mirror", folder]);
  assert.is(status, 0, problems);
  assert.ok(JSON.parse(out).written > 10);
  assert.ok(readdirSync(folder).includes("scenes.json"));
});

command("submit hands in files, once for the same files, and answers an earlier submission", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "comp_v4.txt");
  writeFileSync(file, "the comp");
  const count = () => one(store, "SELECT count(*) FROM submissions");
  const before = count();
  const first = await run(["submit", String(seed.delivery), file], vendor);
  assert.is(first.status, 0, first.problems);
  assert.equal((await run(["submit", String(seed.delivery), file], vendor)).out, first.out);
  assert.is(count(), before + 1);
  const { id } = JSON.parse(first.out);
  const answer = await run(["submit", String(seed.delivery), file, "--answers", String(id)], vendor);
  assert.is(answer.status, 0, answer.problems);
  assert.is(JSON.parse(answer.out).answers, id);
  assert.is(count(), before + 2);
});

command("submit hands in a file above 8 MB once, though it is uploaded again", async () => {
  const [large, small] = ["take.mov", "notes.txt"].map((name) => join(temporaryFolder(), name)) as [string, string];
  writeFileSync(large, randomBytes(9_000_000));
  writeFileSync(small, "small");
  const count = () => one(store, "SELECT count(*) FROM submissions");
  const before = count();
  const submit = () => run(["submit", String(seed.delivery), large, small], vendor);
  const first = await submit();
  assert.is(first.status, 0, first.problems);
  const second = await submit();
  assert.equal([second.status, second.out], [0, first.out], second.problems);
  assert.is(count(), before + 1);
  writeFileSync(small, "other");
  assert.is((await submit()).status, 0);
  assert.is(count(), before + 2, "other bytes are another submission");
});

command("follow prints an event a line as it comes", async () => {
  const { child, said, ended } = start(["follow"], { TALLYLIGHT_URL: server.url, TALLYLIGHT_KEY: key });
  let notes = 0;
  while (!said.out.includes("\n") && notes < 600) {
    await server.ask(key, `/api/v1/assets/${seed.asset}/notes`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: `note ${notes++}` }),
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGINT");
  await ended;
  assert.is(JSON.parse(said.out.split("\n")[0] as string).type, "note.created");
});

command("follow says within ten seconds that the line passes nothing on any more, and that it does again", async () => {
  let isOpen = true;
  const lines: Socket[] = [];
  const silent = createServer((near) => {
    const far = connect(Number(new URL(server.url).port), "127.0.0.1");
    lines.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on("error", () => {}).on("data", (bytes) => isOpen && to.write(bytes));
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { child, said, ended } = start(["follow"], { TALLYLIGHT_URL: url, TALLYLIGHT_KEY: key });
  const until = async (isSo: () => boolean) => {
    const from = performance.now();
    while (!isSo() && performance.now() - from < 30_000) await new Promise((resolve) => setTimeout(resolve, 50));
    return performance.now() - from;
  };
  await until(() => lines.length >= 4); // the second request waits for an event
  isOpen = false;
  const cut = await until(() => said.problems !== "");
  assert.ok(cut < 10_000, `${cut} ms`);
  assert.match(said.problems, /^http:\S+ did not answer: timed out; waiting for the server\n$/);
  isOpen = true;
  await until(() => said.problems.endsWith("\nthe server answers again\n"));
  child.kill("SIGINT");
  await ended;
  for (const line of lines) line.destroy();
  silent.close();
  assert.match(said.problems, /^\S+ did not answer: timed out; waiting for the server\nthe server answers again\n$/);
});

command("exits with 1 and a sentence if it is refused, or if the server does not answer", async () => {
  const refused = await run(["get", "/scenes/999999"]);
  assert.is(refused.status, 1);
  assert.match(refused.problems, /^404 \S.* .*\n$/);
  assert.is((await run(["get", "/production"], "tl_wrong")).status, 1);
  assert.is((await run(["submit", "1", join(temporaryFolder(), "absent.mov")], vendor)).status, 1);
  const url = "http://127.0.0.1:9"; // nothing listens on it
  const unanswered = await run(["get", "/production", "--url", url]);
  assert.equal([unanswered.status, unanswered.out], [1, ""]);
  assert.match(unanswered.problems, /^http:\/\/127\.0\.0\.1:9 did not answer: .+\n$/);
});

command("exits with 2 if it is misused", async () => {
  for (const words of [
    [],
    ["get"],
    ["list", "list_nothing"],
    ["list", "create_note"],
    ["list", "list_scenes", "statuss=planned"],
    ["list", "list_scenes", "planned"],
    ["list", "get_scene"],
    ["submit", "one", "file"],
    ["get", "/production", "--ca", "/nowhere.pem"],
    ["get", "/production", "--url", "tally.example.lan"],
  ]) {
    const { status, out, problems } = await run(words);
    assert.is(status, 2, `${words.join(" ")}: ${out}${problems}`);
    assert.is(out, "");
  }
  assert.is((await run(["get", "/production"], "")).status, 2, "without a key");
});

command("warns on standard error of a parameter that the server ignored", async () => {
  const { status, problems } = await run(["get", "/scenes?colour=red"]);
  assert.is(status, 0);
  assert.match(problems, /ignored.*colour/);
});

command("prints the bytes of a medium", async () => {
  const id = one(store, "SELECT min(id) FROM media WHERE production_id = ?", seed.production);
  const into = join(temporaryFolder(), "medium");
  const child = spawn("sh", ["-c", 'python3 -B "$0" get "$1" > "$2"', program, `/media/${id}/content`, into], {
    env: { PATH: process.env.PATH ?? "", TALLYLIGHT_URL: server.url, TALLYLIGHT_KEY: key },
  });
  await new Promise((resolve) => child.on("close", resolve));
  const response = await server.ask(key, `/api/v1/media/${id}/content`);
  assert.ok(readFileSync(into).equals(Buffer.from(await response.arrayBuffer())));
});

command.after(() => server.stop());
if (hasPython) command.run();
else {
  console.log("skipped: there is no python3 here to run tallylight.py with");
  await server.stop();
}
