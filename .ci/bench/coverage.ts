// Counts which files and functions of src one request or one command runs, by V8's precise coverage: node .ci/node.js
// .ci/bench/coverage.ts Each is done before, so that what is counted is the call and not the loading of files. With
// words: only those whose name contains one;
// --list prints the files, --functions also the functions.
import "../../src/features.ts";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { main } from "../../src/cli/main.ts";
import { mint, one, openTestServer } from "../../test/support/app.ts";
import { editFields, proofIn, signIn } from "../../test/support/pages.ts";
import { seedDataOf } from "../../test/support/seed_data.ts";

/** The functions that were called, by file; the top level of a file is none of them. */
type Called = ReadonlyMap<string, readonly string[]>;

const source = pathToFileURL(join(import.meta.dirname, "../../src/")).href;
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** What has run since the last call. */
async function called(): Promise<Called> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = new Map<string, string[]>();
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue;
    const names = functions
      .filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0 && whole.startOffset > 0)
      .map(({ functionName, ranges }) => functionName || `at ${ranges[0]?.startOffset}`);
    if (names.length > 0) files.set(url.slice(source.length), names);
  }
  return files;
}

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean", default: false }, functions: { type: "boolean", default: false } },
});

/** Beside a server that was just started: what is done once, a second after the start, is not counted. */
const startTime = 1_500;

const server = await openTestServer();
await pause(startTime);
const { scene, asset, production, delivery } = seedDataOf(server.store);
const key = mint(server.store, { production_id: production, scopes: ["read", "write"] });
const title = one<string>(server.store, "SELECT title FROM deliveries WHERE id = ?", delivery);
const statuses = ["ready", "sent"];

async function ask(path: string, init: RequestInit = {}): Promise<void> {
  const headers = { ...(init.headers as object), authorization: `Bearer ${key}` };
  const answer = await fetch(server.url + path, { ...init, headers });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

const bundle = () => ask(`/api/v1/bundles/scene/${scene}`);
const note = () =>
  ask(`/api/v1/assets/${asset}/notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"text":"a note"}',
  });

const browser = await signIn(server, key);
const page = async () => void (await (await browser.get("/scenes")).arrayBuffer());

/** Runs the command without its output. */
async function command(...argv: string[]): Promise<void> {
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    if ((await main([...argv, "--data", server.folder])) !== 0) throw new Error(`${argv.join(" ")} failed`);
  } finally {
    process.stdout.write = write;
  }
}

const setStatus = async () => {
  const status = statuses.reverse()[0];
  await command("set", "deliveries", title, `status=${status}`, "--production", String(production));
};

const admin = await signIn(
  server,
  mint(server.store, { production_id: production, scopes: ["admin", "read", "write"] }),
);
const edited = `/edit/deliveries/${delivery}`;
let form: Record<string, string> = {};
const readForm = async () => {
  const proof = proofIn(await admin.text(edited));
  form = { ...(await editFields(admin, edited)), proof, status: statuses.reverse()[0] ?? "" };
};
const save = async () => {
  const { status } = await admin.post(edited, form);
  if (status !== 303) throw new Error(`${edited}: ${status}`);
};
const undo = async () => {
  const newest = one<number>(server.store, "SELECT max(id) FROM change_sets");
  await command("undo", String(newest));
};

interface Measured {
  name: string;
  /** What is counted. */
  run(): Promise<void>;
  /** What is done before, each time. */
  before?: () => Promise<void>;
}

const all: readonly Measured[] = [
  { name: "a warm bundle", run: bundle },
  { name: "an uncached bundle", before: note, run: bundle },
  { name: "a note", run: note },
  { name: "set deliveries X status=", run: setStatus },
  { name: "a page", before: note, run: page },
  { name: "a page save, but for the thread of its import", before: readForm, run: save },
  { name: "an undo", before: setStatus, run: undo },
];

for (const { name, before, run } of all) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  for (let round = 0; round < 3; round++) {
    await before?.();
    await run();
  }
  await before?.();
  await pause(100); // for what runs after an answer, such as the end of a connection
  await called();
  await run();
  const files = await called();
  const functions = [...files.values()].flat().length;
  console.log(`${name}: ${files.size} files, ${functions} functions`);
  if (values.list || values.functions)
    for (const [file, names] of files) console.log(`  ${file}${values.functions ? `: ${names.join(", ")}` : ""}`);
}
await server.stop();
process.exit(0);
