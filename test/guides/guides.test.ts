// Runs the guides beside the clients that the server offers, against the demo, as a reader would.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { folderOfClients } from "../clients/box/runtimes.ts";
import { mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { openBreakingProxy } from "../support/breaking_proxy.ts";
import { hasPython } from "../support/checkout.ts";
import { runtime } from "../support/runtime.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const guidesFolder = fileURLToPath(new URL(".", import.meta.url));
const jobs = ["pipeline", "submit", "moves", "mirror"];
/** How to run the guides of each language. */
const guides = [
  { language: "py", command: ["python3", "-B"] },
  { language: "ts", command: [process.execPath, ...runtime] },
];
/**
 * A network that loses the first response: the server did the work, and the client does not know. `lose` ends that
 * exchange.
 */
async function openLossyProxy(target: string, lose: (socket: Socket) => void = (socket) => socket.destroy()) {
  let lost = false;
  const proxy = createServer(async (req, res) => {
    const body: Buffer[] = [];
    for await (const chunk of req) body.push(chunk);
    const names = ["authorization", "content-type", "idempotency-key"];
    const headers = Object.fromEntries(names.map((name) => [name, String(req.headers[name])]));
    const answer = await fetch(target + req.url, { method: "POST", headers, body: Buffer.concat(body) });
    const text = await answer.text();
    if (lost) res.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    else lose(req.socket);
    lost = true;
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      proxy.close(() => resolve());
      proxy.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

for (const { language, command } of guides) {
  const server = await openTestServer();
  const clients = await folderOfClients(server.url);
  for (const job of jobs) cpSync(join(guidesFolder, `${job}.${language}`), join(clients, `${job}.${language}`));
  const { store } = server;
  const seedData = seedDataOf(store);
  const guide = suite(`the guides in ${language}`);
  const wide = { production_id: seedData.production };
  const vendor = { ...wide, engagement_id: seedData.submitter, scopes: ["read", "submit:turnover"] as const };

  let running: ChildProcess;
  /** Runs a guide beside the client that the server offers; its words begin with the guide. */
  const run = (token: string, url: string, [job, ...args]: readonly string[]) =>
    new Promise<{ status: number | null; lines: string[]; problems: string }>((resolve) => {
      const [program, ...rest] = [...command, join(clients, `${job}.${language}`), ...args] as [string, ...string[]];
      const child = spawn(program, rest, {
        // an empty one is as if it were not set
        env: { ...process.env, TALLYLIGHT_URL: url, TALLYLIGHT_KEY: token },
        timeout: 600_000,
      });
      running = child;
      let [text, problems] = ["", ""];
      child.stdout.on("data", (chunk) => (text += chunk));
      child.stderr.on("data", (chunk) => (problems += chunk));
      child.on("close", (status) => resolve({ status, lines: text.trimEnd().split(/\r?\n/), problems }));
    });

  guide("polls a bundle and reports that it is unchanged the second time", async () => {
    const { status, lines, problems } = await run(mint(store, wide), server.url, [
      "pipeline",
      "poll",
      String(seedData.scene),
      "0.1",
      "2",
    ]);
    assert.is(status, 0, problems);
    assert.match(lines[0] as string, /^scene /);
    assert.equal(lines.slice(1), ["unchanged"]);
  });

  guide("submits a turnover whose files can be fetched", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "comp_v4.txt"), "the comp");
    const token = mint(store, vendor);
    const { status, lines, problems } = await run(token, server.url, [
      "submit",
      String(seedData.delivery),
      join(folder, "comp_v4.txt"),
    ]);
    rmSync(folder, { recursive: true });
    assert.is(status, 0, problems);
    assert.match(lines[0] as string, /^submission \d+, .+: submitted$/);
    const medium = /medium (\d+): comp_v4\.txt/.exec(lines[1] as string)?.[1];
    assert.is(await (await server.ask(token, `/api/v1/media/${medium}/content`)).text(), "the comp");
  });

  guide("submits once if the response is lost and the script retries", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "take.txt"), "take two");
    const token = mint(store, vendor);
    const before = one(store, "SELECT count(*) FROM submissions");
    const { url, close } = await openLossyProxy(server.url);
    const { status, problems } = await run(token, url, ["submit", String(seedData.delivery), join(folder, "take.txt")]);
    rmSync(folder, { recursive: true });
    await close();
    assert.is(status, 0, problems);
    assert.is(one(store, "SELECT count(*) FROM submissions"), before + 1);
  });

  guide("submits once if the script is killed before the response and run again", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "take.txt");
    writeFileSync(file, `take three of ${language}`);
    const args = ["submit", String(seedData.delivery), file];
    const token = mint(store, vendor);
    const before = one(store, "SELECT count(*) FROM submissions");
    const { url, close } = await openLossyProxy(server.url, () => process.kill(running.pid as number, "SIGKILL"));
    assert.is((await run(token, url, args)).lines.join(), ""); // killed
    assert.is(one(store, "SELECT count(*) FROM submissions"), before + 1);
    const { status, lines, problems } = await run(token, url, args);
    await close();
    assert.is(status, 0, problems);
    assert.is(one(store, "SELECT count(*) FROM submissions"), before + 1);
    assert.match(lines[0] as string, `submission ${one(store, "SELECT max(id) FROM submissions")},`);
    writeFileSync(file, "another take"); // other bytes make another submission
    assert.is((await run(token, server.url, args)).status, 0);
    assert.is(one(store, "SELECT count(*) FROM submissions"), before + 2);
    rmSync(folder, { recursive: true });
  });

  guide("lists the scenes that a vendor's key reaches, and all scenes for a production's key", async () => {
    const token = mint(store, { ...wide, engagement_id: seedData.sceneGrantee, scopes: ["read"] });
    const { reach } = await server.get(token, "/me");
    const expected = reach.nodes.filter(({ kind }: any) => kind === "scene").map(({ node_id }: any) => node_id);
    const idsIn = (lines: string[]) => lines.map((line) => Number(line.split(":")[0]));
    assert.equal(idsIn((await run(token, server.url, ["pipeline", "scenes"])).lines), expected);
    const all = await run(mint(store, wide), server.url, ["pipeline", "scenes"]);
    assert.is(all.lines.length, (await server.get(mint(store, wide), "/scenes")).length, all.problems);
  });

  guide("says what is not ready for a shoot day", async () => {
    const token = mint(store, wide);
    const { scenes } = await server.get(token, `/bundles/day?date=${seedData.shootDate}`);
    const assets = scenes.flatMap((scene: any) => scene.assets);
    const { status, lines, problems } = await run(token, server.url, ["pipeline", "day", seedData.shootDate]);
    assert.is(status, 0, problems);
    assert.is(lines.filter((line) => line.startsWith("  scene ")).length, scenes.length);
    const missing = assets.filter(({ ready }: any) => !ready).length;
    assert.is(lines.filter((line) => line.includes("not ready:")).length, missing);
  });

  guide("uploads a large file in parts over a connection that breaks, and submits it once", async () => {
    const folder = temporaryFolder();
    const content = randomBytes(18_000_000);
    writeFileSync(join(folder, "take.mov"), content);
    writeFileSync(join(folder, "notes.txt"), "small");
    const token = mint(store, vendor);
    const proxy = await openBreakingProxy(
      () => server.port,
      (broken) => (broken < 3 ? 5_000_000 : Number.POSITIVE_INFINITY),
    );
    const args = ["submit", String(seedData.delivery), join(folder, "take.mov"), join(folder, "notes.txt")];
    const { status, lines, problems } = await run(token, `http://127.0.0.1:${proxy.port}`, args);
    proxy.close();
    rmSync(folder, { recursive: true });
    assert.is(status, 0, problems);
    assert.is(proxy.broken, 3);
    const [id, label] = /medium (\d+): (.+)/.exec(lines[1] as string)?.slice(1) ?? [];
    assert.is(label, "take.mov");
    const stored = Buffer.from(await (await server.ask(token, `/api/v1/media/${id}/content`)).arrayBuffer());
    assert.ok(stored.equals(content));
    assert.match(lines[2] as string, /notes\.txt$/);
    await until(() => readdirSync(join(server.folder, "media", "staging")).length === 0);
  });

  guide("fetches the stills of a vendor's bundle by media_id", async () => {
    const folder = temporaryFolder();
    const token = mint(store, { ...wide, engagement_id: seedData.sceneGrantee, scopes: ["read"] });
    const { assets } = await server.get(token, `/bundles/scene/${seedData.scene}`);
    const { status, lines, problems } = await run(token, server.url, [
      "pipeline",
      "stills",
      String(seedData.scene),
      folder,
    ]);
    assert.is(status, 0, problems);
    const media = assets
      .flatMap(({ released_versions }: any) => released_versions)
      .filter(({ media_id }: any) => media_id);
    assert.ok(media.length > 0);
    assert.is(lines.length, media.length);
    const sha256s = readdirSync(folder).map((file) => hash("sha256", readFileSync(join(folder, file))));
    const stored = media.map(({ media_id }: any) =>
      one<string>(store, "SELECT sha256 FROM media WHERE id = ?", media_id),
    );
    assert.equal(sha256s.sort(), stored.sort());
    rmSync(folder, { recursive: true });
  });

  guide("exits with the server's message if a request is refused", async () => {
    const { status, problems } = await run(mint(store, vendor), server.url, ["moves", "x", "/nowhere"]);
    assert.is(status, 1);
    assert.match(problems, /403 this key is bound to an engagement/);
  });

  guide("carries out approved moves, acknowledges them and reports the events", async () => {
    const root = temporaryFolder();
    const token = mint(store, { production_id: seedData.storageProduction });
    const { tasks } = await server.get(token, "/storage/tasks");
    const [task] = tasks;
    mkdirSync(dirname(join(root, task.src)), { recursive: true });
    writeFileSync(join(root, task.src), "frames");
    const filespace = one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");
    const { status, lines, problems } = await run(token, server.url, ["moves", filespace, root]);
    assert.is(status, 0, problems);
    assert.is(lines[0], `task ${task.task_id}: ${task.src} -> ${task.dst}, 2 events accepted`);
    assert.is(readFileSync(join(root, task.dst), "utf8"), "frames");
    assert.not.ok(existsSync(join(root, task.src)));
    assert.equal((await server.get(token, "/storage/tasks")).tasks, []);
    rmSync(root, { recursive: true });
  });

  guide("say how they are called, if arguments are missing", async () => {
    for (const job of jobs) {
      const { status, problems } = await run("none", "http://127.0.0.1:9", [job]);
      assert.is.not(status, 0, job);
      assert.match(problems, new RegExp(`${job}\\.${language} `));
      assert.not.match(problems, /Traceback|Error|at file:/);
    }
  });

  guide("say in one line that an address or a key is missing, and exit with 2", async () => {
    for (const words of [
      ["pipeline", "scenes"],
      ["submit", "1", "a.mov"],
      ["moves", "x", "y"],
      ["mirror", "x"],
    ])
      for (const [token, url] of [
        ["", "http://127.0.0.1:9"],
        ["none", ""],
      ] as const) {
        const { status, problems } = await run(token, url, words);
        assert.is(status, 2, problems);
        assert.match(problems, /^set TALLYLIGHT_URL .*TALLYLIGHT_KEY.*\n$/);
      }
  });

  guide("have at most forty lines of code", () => {
    for (const job of jobs) {
      const lines = readFileSync(join(guidesFolder, `${job}.${language}`), "utf8").split("\n");
      const code = lines.filter((line) => line.trim() !== "" && !/^\s*(?:#|\/\/|\/?\*)/.test(line));
      assert.ok(code.length >= 10 && code.length <= 40, `${job}.${language} has ${code.length}`);
    }
  });

  guide.after(() => server.stop());
  if (language === "py" && !hasPython) {
    console.log("skipped: there is no python3 here to run the guides with");
    await server.stop();
  } else guide.run();
}
