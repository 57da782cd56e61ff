// The files of the clients that the server offers: without a key, of its own version, one method for each operation of
// the description, and nothing that Python 3.9 or a browser lacks.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { release } from "../../src/core/program.ts";
import { openTestServer } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { programOf } from "../support/tools.ts";
import { folderOfClients } from "./box/runtimes.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const server = await openTestServer();
const folder = await folderOfClients(server.url);
const textOf = (name: string): string => readFileSync(join(folder, name), "utf8");
const [python, javascript, types] = [textOf("tallylight.py"), textOf("tallylight.mjs"), textOf("tallylight.d.ts")];
const paths = ["/docs/tallylight.py", "/docs/tallylight.mjs", "/docs/tallylight.d.ts"];
const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

interface Described {
  operationId: string;
  tags: string[];
  parameters?: { name?: string; in?: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, { description?: string }> } }> };
}
const description = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Described>>;
};
const operations = Object.values(description.paths)
  .flatMap(({ get, post }) => [get, post].filter((one) => one !== undefined))
  .filter(({ tags }) => !tags.some((tag) => ["uploads", "mcp", "discovery"].includes(tag)));
const fieldsOf = ({ parameters = [], requestBody }: Described): string[] => [
  ...parameters.flatMap(({ name, in: place }) => (name !== undefined && place !== "header" ? [name] : [])),
  ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
];

const files = suite("GET /docs/tallylight.py, .mjs and .d.ts");

files("need no key, name the server's version, and are 304 under their ETag", async () => {
  for (const path of paths) {
    const response = await fetch(server.url + path);
    assert.is(response.status, 200);
    assert.match(await response.text(), `Tallylight ${release}`);
    const etag = response.headers.get("etag") as string;
    assert.is((await fetch(server.url + path, { headers: { "if-none-match": etag } })).status, 304);
    assert.is((await fetch(server.url + path, { method: "HEAD" })).status, 200);
    assert.is((await fetch(server.url + path, { method: "POST" })).status, 405);
  }
  assert.match((await fetch(server.url + paths[1])).headers.get("content-type") as string, /^text\/javascript/);
  assert.is((await fetch(`${server.url}/docs/tallylight.rb`)).status, 404);
});

files("have a method for each operation of the description, with every argument", () => {
  assert.ok(operations.length > 80);
  for (const operation of operations) {
    const { operationId } = operation;
    const method = new RegExp(`    def ${operationId}\\(self(.*)\\):\n        """([\\s\\S]*?)"""`).exec(python);
    const [, words = "", about = ""] = method ?? [];
    assert.ok(method !== null, operationId);
    const declared =
      new RegExp(`\n  ${camelCase(operationId)}\\(([\\s\\S]*?)\\): Promise<`).exec(types)?.[1] ?? "absent";
    assert.ok(javascript.includes(`\n  ${camelCase(operationId)}(input) {`), operationId);
    for (const field of new Set(fieldsOf(operation))) {
      const name = ["from", "as"].includes(field) ? `${field}_` : field;
      assert.match(words, new RegExp(`, ${name}\\b`), `${operationId} ${field}`);
      assert.match(about, new RegExp(`\n        ${name}: \\S`), `${operationId} describes ${field}`);
      assert.match(declared, new RegExp(`    ${field}\\??: `), `${operationId} ${field}`);
    }
  }
});

files("have no other method than those, get, rows, events and mirror", () => {
  const known = [...operations.map(({ operationId }) => operationId), "get", "rows", "events", "mirror"];
  const body = python.slice(python.indexOf("\nclass Tallylight("), python.indexOf("\ndef _print("));
  const methods = [...body.matchAll(/\n {4}def ([a-z]\w*)/g)].map(([, name]) => name as string);
  assert.equal(
    methods.filter((name) => !known.includes(name)),
    [],
  );
});

files("of JavaScript import nothing where a browser reads it", () => {
  assert.equal(
    [...javascript.matchAll(/^import .*/gm)].map(([line]) => line),
    [],
  );
  assert.equal([...javascript.matchAll(/\b(?:require|import)\((?!\/\* @vite)/g)].length, 0);
  assert.equal(
    [...javascript.matchAll(/^export (\w+ \w+)/gm)].map(([, name]) => name),
    ["class TallylightError", "class Tallylight"],
  );
});

/** What the client uses of the modules of Python. Each was there in 3.9: look up a new one in its documentation. */
const usedOfPython = [
  "argparse: ArgumentParser SUPPRESS",
  "base64: b64encode",
  "collections: OrderedDict namedtuple",
  "hashlib: sha256",
  "http: client.HTTPException",
  "json: dumps load loads",
  "os: O_WRONLY devnull dup2 environ.get fspath getpid link listdir makedirs open path.basename path.dirname path.exists path.getsize path.join path.lexists path.realpath path.splitext remove replace rmdir",
  "random: uniform",
  "re: IGNORECASE compile fullmatch match search sub",
  "shutil: copyfile",
  "ssl: SSLCertVerificationError create_default_context",
  "sys: exit stderr stdout.buffer.write stdout.fileno",
  "time: sleep",
  "unicodedata: normalize",
  "urllib: error.HTTPError parse.quote parse.unquote parse.urlencode parse.urljoin parse.urlsplit request.HTTPRedirectHandler request.HTTPSHandler request.Request request.build_opener",
  "uuid: uuid4",
  "warnings: showwarning warn",
  "zlib: decompress",
];
files("of Python use no syntax and no module that 3.9 does not have", () => {
  if (!hasPython) return console.log("skipped: there is no python3 here to parse tallylight.py with");
  const program = fileURLToPath(new URL("./box/look_at.py", import.meta.url));
  const look = (file: string): { used: string[]; newer: string[] } =>
    JSON.parse(execFileSync("python3", [program, file], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }));
  const { used, newer } = look(join(folder, "tallylight.py"));
  assert.equal([used, newer], [usedOfPython, []]);
  const [sample, refused] = [join(folder, "newer.py"), join(folder, "refused.py")];
  writeFileSync(sample, "def f(a: int | None):\n    return zip(a, a, strict=True), (1).bit_count()\n");
  assert.equal(look(sample).newer, ["a type with |", "bit_count", "zip with strict"]);
  writeFileSync(refused, "match 1:\n    case 1:\n        pass\n");
  assert.throws(() => look(refused), /SyntaxError/);
});

files("of Python take what the documentation says", () => {
  if (!hasPython) return console.log("skipped: there is no python3 here to import tallylight.py with");
  const text = `import inspect
from tallylight import *
for one in (Tallylight, TallylightError, Tallylight.events, Tallylight.mirror, Tallylight.get_media_content):
    print(inspect.signature(one))
print(help(Tallylight.get_schedule))`;
  const said = execFileSync("python3", ["-B", "-c", text], { cwd: folder, encoding: "utf8" });
  assert.equal(said.split("\n").slice(0, 4), [
    "(url, key, *, cache=None, ca=None)",
    "(status, detail, request=None)",
    "(self, since='now', waiting=None)",
    "(self, folder, names=False)",
  ]);
  assert.match(said, /\n\(self, id, \*, .*\binto=None\)\n/);
  assert.match(said, /\n +from_: \S/);
});

files("of types describe the module to the compiler", () => {
  const tsc = join(root, ".ci/tools/node_modules/typescript/bin/tsc");
  if (!existsSync(tsc) || programOf("tsc") === undefined) return console.log("skipped: there is no tsc here");
  const own = join(folder, "typed");
  mkdirSync(own);
  writeFileSync(join(own, "tallylight.mjs"), javascript);
  writeFileSync(join(own, "tallylight.d.mts"), types);
  writeFileSync(
    join(own, "use.mts"),
    `import { Tallylight, TallylightError } from "./tallylight.mjs";
const tally = new Tallylight("https://tally.example.lan", "tl_", { cache: "cache" });
const numbers: string[] = (await tally.listScenes({ status: ["planned"] })).map(({ number }) => number);
const labels: (string | undefined)[] = (await tally.listAssets({ fields: ["label"] })).map(({ label }) => label);
const bytes: Blob = await tally.getMediaContent({ id: 1 });
const path: string = await tally.getMediaContent({ id: 1, into: "file" });
await tally.submitTurnover({ delivery_id: 1, files: ["a.mov", new Blob(["b"])] });
for await (const event of tally.events("start")) if (event.type === "note.created") console.log(event.cursor);
// @ts-expect-error: there is no such argument
await tally.listScenes({ statuss: "planned" });
// @ts-expect-error: the scene must be named
await tally.getScene();
export const status = (error: TallylightError): number => error.status + numbers.length + labels.length + bytes.size + path.length;
`,
  );
  const words = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2022,dom",
    "--types",
    "",
  ];
  try {
    execFileSync(process.execPath, [tsc, "--ignoreConfig", ...words, "use.mts"], { cwd: own, encoding: "utf8" });
  } catch (error) {
    assert.unreachable(String((error as { stdout?: string }).stdout));
  }
});

files.after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});
files.run();
