// The questions of the guide that agents ask: each takes at most two calls and 12 KB, on the demo and on a production
// of 2,000 scenes.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { folderOfLarger } from "../support/larger_production.ts";

const maxCalls = 2;
const maxBytes = 12_000;

interface Question {
  question: string;
  paths: string[];
  /** In bytes, of the demo and of the larger production. */
  sizes: number[];
}

const guide = readFileSync(fileURLToPath(new URL("../../docs/api.md", import.meta.url)), "utf8");
const section = /## Questions that agents ask\n([\s\S]*?)\n## /.exec(guide)?.[1] ?? "";
const table: Question[] = [...section.matchAll(/^\| (.+\?) \| (.+?) \| (\S+) KB \| (\S+) KB \|$/gm)].map(
  ([, question = "", calls = "", ...sizes]) => ({
    question,
    paths: [...calls.matchAll(/`GET ([^`]+)`/g)].map(([, path]) => path as string),
    sizes: sizes.slice(0, 2).map((size) => Number(size) * 1_000),
  }),
);

/** What the larger production has in the place of what the guide names. */
const places: readonly [RegExp, string][] = [
  [/date=2026-11-23/, "date=2026-01-21"],
  [/french%20coat/, "thing%2012"],
  [/brig%20cuts%20boat%20two/, "happens%20scene%201717"],
];

/** Asks a question, and returns the bytes of its answers without pictures. */
async function bytesOf(server: TestServer, token: string, { question, paths }: Question): Promise<number> {
  let bytes = 0;
  let former: any;
  for (const path of paths) {
    const media_id = former?.newest_released?.media_id;
    if (path.includes("{media_id}") && typeof media_id !== "number") continue; // the asset has no picture
    const response = await server.ask(token, `/api/v1${path.replace("{media_id}", String(media_id))}`);
    assert.is(response.status, 200, `${question} ${path}`);
    if (!response.headers.get("content-type")?.startsWith("application/json")) continue;
    const text = await response.text();
    former = JSON.parse(text);
    assert.ok(text.length > 100, `${path} answers something`);
    bytes += Buffer.byteLength(text);
  }
  return bytes;
}

const questions = suite("a question that agents ask");

questions("has a row in the guide, with at most two calls", () => {
  assert.is(table.length, 8);
  for (const { paths } of table) assert.ok(paths.length > 0 && paths.length <= maxCalls);
});

for (const [at, name] of ["the demo", "2,000 scenes"].entries())
  questions(`takes as many bytes as the guide says on ${name}, at most 12 KB`, async () => {
    const server = await openTestServer(at === 0 ? {} : { data: await folderOfLarger() });
    const title = at === 0 ? "The Silver Button" : "Larger";
    const production_id = one(server.store, "SELECT id FROM productions WHERE title = ?", title);
    const key = mint(server.store, { production_id });
    const problems: string[] = [];
    for (const row of table) {
      const paths = row.paths.map((path) =>
        at === 0 ? path : places.reduce((text, [demo, larger]) => text.replace(demo, larger), path),
      );
      const bytes = await bytesOf(server, key, { ...row, paths });
      const said = row.sizes[at] as number;
      if (bytes > maxBytes || Math.abs(bytes - said) > Math.max(100, bytes / 10))
        problems.push(
          `${row.question} takes ${(bytes / 1_000).toFixed(1)} KB on ${name}, and the guide says ${said / 1_000} KB`,
        );
    }
    assert.equal(problems, []);
    await server.stop();
  });

questions.run();
