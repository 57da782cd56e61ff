// Tallylight-Request: every answer names its line in the request log.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { openAsAdmin, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const server = await openTestServer();
const token = mint(server.store);
const { production, releasedStill } = seedDataOf(server.store);
const requestOf = ({ headers }: Response): string => headers.get("tallylight-request") ?? "";

/** The line of an answer in the request log; undefined if it is not written yet. */
const lineOf = (response: Response) =>
  server.lines
    .join("")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line || "{}"))
    .find(({ request }) => request === requestOf(response));

async function assertLogged(response: Response, status: number, operation: string): Promise<void> {
  await response.arrayBuffer();
  assert.is(response.status, status);
  await until(() => lineOf(response) !== undefined);
  const line = lineOf(response);
  assert.equal([line.status, line.operation], [status, operation]);
}

const test = suite("Tallylight-Request");

test("is in answers, also kept ones, and names their line in the log", async () => {
  const [first, again] = [await server.ask(token, "/api/v1/scenes"), await server.ask(token, "/api/v1/scenes")];
  const unchanged = await server.ask(token, "/api/v1/scenes", {
    headers: { "if-none-match": first.headers.get("etag") as string },
  });
  for (const answer of [first, again]) await assertLogged(answer, 200, "list_scenes");
  await assertLogged(unchanged, 304, "list_scenes");
  assert.is(new Set([first, again, unchanged].map(requestOf)).size, 3);
});

test("is in refusals, media, pages, and in answers of MCP", async () => {
  await assertLogged(await server.ask(undefined, "/api/v1/scenes"), 401, "list_scenes");
  await assertLogged(await server.ask(token, "/api/v1/nothing"), 404, "/api/v1/nothing");
  await assertLogged(await server.ask(token, `/api/v1/media/${releasedStill}/content`), 200, "get_media_content");
  await assertLogged(await fetch(`${server.url}/signin`), 200, "pages");
  await assertLogged(await server.ask(undefined, "/healthz"), 200, "healthz");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  for (let round = 0; round < 2; round++) {
    const headers = { "content-type": "application/json" };
    await assertLogged(await server.ask(token, "/mcp", { method: "POST", body, headers }), 200, "mcp ping");
  }
});

test("leads to a line that names the key, or none for the admin's session, which has none", async () => {
  const admin = await openAsAdmin(server, production);
  const signedIn = await signIn(server, token);
  for (const [browser, hasKey] of [
    [admin, false],
    [signedIn, true],
  ] as const) {
    const page = await browser.get("/scenes");
    await assertLogged(page, 200, "pages");
    assert.is(typeof lineOf(page)?.key, hasKey ? "number" : "object");
  }
});

test("does not tell how many requests others made", async () => {
  const names: string[] = [];
  for (let at = 0; at < 12; at++) names.push(requestOf(await fetch(`${server.url}/healthz`)));
  for (const name of names) assert.match(name, /^[0-9a-f]{16}$/);
  assert.not.equal(names, names.toSorted(), "names that count are in order");
  assert.is(new Set(names.map((name) => name.slice(0, 8))).size, names.length, "and share what they begin with");
});

test.after(() => server.stop());
test.run();
