// Sends texts, keys and numbers of 30,000 characters to every field: every refusal is short. Each field gets some of
// the values, and each value is given to many fields; CASES=10 gives every field every value.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseCommandArgs } from "../../src/cli/command_line.ts";
import { allCommands } from "../../src/cli/main.ts";
import { scopes } from "../../src/core/access/callers.ts";
import { jsonBody } from "../../src/core/body_limits.ts";
import { knownKinds } from "../../src/features/lists/lists.ts";
import { mint, openTestServer } from "../support/app.ts";
import { type Case, caseOf, casesOf } from "../support/cases.ts";
import { tallylight } from "../support/command.ts";
import { table } from "../support/operations.ts";
import { send } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
/** The most bytes of a refusal. */
const most = 8192;
const length = 30_000;
const text = "x".repeat(length);
const words = "word ".repeat(length / 5);
const number = `1${"0".repeat(length)}7`;

/**
 * Without the check of server.ask: an operation that ignores unknown fields takes what the description does not have.
 */
const ask = (token: string | undefined, path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
  fetch(server.url + path, {
    ...init,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(headers as Record<string, string>),
    },
    signal: AbortSignal.timeout(120_000),
  });

const test = suite("a refusal of something long");
let tries = 0;

async function assertShort(answer: Response, place: string): Promise<void> {
  tries++;
  const body = await answer.text();
  if (answer.status >= 400) assert.ok(body.length < most, `${place}: ${answer.status} with ${body.length} bytes`);
}

/** JSON in which a place has the given JSON text. */
const withText = (given: object, field: string, json: string): string =>
  JSON.stringify({ ...given, [field]: "\u0001here" }).replace(JSON.stringify("\u0001here"), () => json);
const hostileValues: readonly [name: string, json: string][] = [
  ["text", JSON.stringify(text)],
  ["words", JSON.stringify(words)],
  ["number", number],
  ["fraction", `0.${number}`],
  ["key", `{${JSON.stringify(text)}:1}`],
  ["list", `[${JSON.stringify(text)},${number}]`],
];

const toolValues = hostileValues.filter(([name]) => name !== "list" && name !== "fraction");
let turn = 0;
/** `count` of the values, which are others at each call. */
const someOf = <T>(values: readonly T[], count: number): T[] =>
  Number(process.env.CASES ?? 1) > 1
    ? [...values]
    : Array.from({ length: count }, () => values[turn++ % values.length] as T);

const tokens = new Map<string, string>();
function tokenFor({ engagement, production }: Case): string {
  const given = { production_id: production ?? seedData.production, engagement_id: engagement ?? null };
  const bound = scopes.filter((scope) => scope !== "edit" && scope !== "admin");
  const name = JSON.stringify(given);
  const token = tokens.get(name) ?? mint(store, { ...given, scopes: engagement === undefined ? scopes : bound });
  tokens.set(name, token);
  return token;
}

for (const row of table) {
  test(`${row.method} ${row.path}`, async () => {
    const arranged = caseOf(cases, row.name);
    const token = tokenFor(arranged);
    const [path = "", query = ""] = arranged.path.split("?");
    const headers = { "content-type": "application/json" };
    for (const field of [...Object.keys(row.input.entries), "unknown", text.slice(0, 3000)]) {
      const parameters = new URLSearchParams(query);
      for (const long of someOf([text, words, number], 1)) {
        parameters.set(field, long.slice(0, 7000));
        const body = row.method === "GET" ? {} : { body: JSON.stringify(arranged.json ?? {}), headers };
        const asked = `/api/v1${path}?${parameters}`;
        await assertShort(await ask(token, asked, { method: row.method, ...body }), `${row.name} ?${field}`);
      }
      if (row.method === "GET" || arranged.json === undefined) continue;
      for (const [name, json] of someOf(hostileValues, 2)) {
        const body = withText(arranged.json, field, json);
        const answer = await ask(token, `/api/v1${arranged.path}`, { method: row.method, body, headers });
        await assertShort(answer, `${row.name} ${field.slice(0, 20)} ${name}`);
      }
    }
    const longPath = arranged.path.replace(/\/\d+(?=[/?]|$)/, `/${number.slice(0, 7000)}`);
    await assertShort(await ask(token, `/api/v1${longPath}`, { method: row.method }), `${row.name} path`);
  });

  test(`the tool ${row.name}`, async () => {
    const arranged = caseOf(cases, row.name);
    const token = tokenFor(arranged);
    for (const field of [...Object.keys(row.input.entries), "unknown", text])
      for (const [name, json] of someOf(toolValues, 1)) {
        const call = withText(arranged.json ?? {}, field, json);
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${row.name}","arguments":${call}}}`;
        const headers = { "content-type": "application/json" };
        const answer = await ask(token, "/mcp?tools=all", { method: "POST", body, headers });
        tries++;
        const told = await answer.text();
        if (/"error":|"isError":true/.test(told.slice(0, 200) + told.slice(-200)))
          assert.ok(told.length < most, `${row.name} ${field.slice(0, 20)} ${name}: ${told.length} bytes`);
      }
  });
}

test("messages of MCP", async () => {
  const token = mint(store, { production_id: seedData.production });
  for (const [method, params] of [
    [text, {}],
    ["tools/call", { name: text }],
    ["tools/call", { name: "list_scenes", arguments: text }],
    ["resources/read", { uri: text }],
    ["resources/read", { uri: `service://${words}` }],
    ["prompts/get", { name: text }],
    ["prompts/get", { name: words, arguments: { [text]: text } }],
    ["initialize", { protocolVersion: text }],
    ["tools/list", { cursor: text }],
    ["completion/complete", { ref: { type: text } }],
  ] as const)
    for (const id of [1, text]) {
      const told = await (await send(server, token, method, params, id)).text();
      tries++;
      if (method !== "initialize" && method !== "tools/list")
        assert.ok(told.length < most, `${method.slice(0, 20)} ${told.length}`);
    }
});

test("every field of every section of a document", async () => {
  const token = mint(store, { production_id: seedData.production, scopes });
  const whole = (await (await ask(token, "/api/v1/admin/export")).json()) as Record<string, unknown>;
  const headers = { "content-type": "application/json" };
  const plan = (body: string) => ask(token, "/api/v1/admin/import?dry_run=1", { method: "POST", body, headers });
  for (const [section, things] of [...Object.entries(whole), [text, []] as const]) {
    for (const [name, json] of someOf(hostileValues, 2))
      await assertShort(await plan(withText({}, section, json)), `${section} ${name}`);
    const [first] = Array.isArray(things) ? (things as unknown[]) : [];
    if (typeof first !== "object" || first === null) continue;
    for (const field of [...Object.keys(first), "was", "remove", text])
      for (const [name, json] of someOf(hostileValues, 1))
        await assertShort(
          await plan(`{"${section}":[${withText(first, field, json)}]}`),
          `${section}.${field} ${name}`,
        );
  }
});

test("every kind of list", async () => {
  const token = mint(store, { production_id: seedData.production, scopes });
  const headers = { "content-type": "text/csv" };
  const heads = ["Name,Title,Day,Date,Scene,Number,Department,Status,Vendor,Amount,Cast,Character,Asset,Role,Account"];
  for (const kind of knownKinds)
    for (const body of someOf(
      [
        text,
        words,
        `${text},${text}\n1,2\n`,
        `Name,${text}\nA,B\n`,
        `${heads}\n${Array(15)
          .fill(`"${text.slice(0, 50_000)}"`)
          .join(",")}\n`,
        `${heads}\n${Array(15).fill(number.slice(0, 50_000)).join(",")}\n`,
        `${heads}\n${Array(15)
          .fill(`"${words.slice(0, 50_000)}"`)
          .join(",")}\n`,
      ],
      3,
    ))
      for (const query of someOf(["", `&map=${text.slice(0, 3000)}=x`], 1)) {
        const path = `/api/v1/admin/import?dry_run=1&as=${kind}${query}`;
        await assertShort(await ask(token, path, { method: "POST", body, headers }), `${kind} ${query.slice(0, 8)}`);
      }
});

test("headers", async () => {
  const token = mint(store, { production_id: seedData.production, scopes });
  const long = text.slice(0, 9000);
  for (const name of ["idempotency-key", "origin", "content-type", "if-none-match", "accept", "authorization", "range"])
    for (const path of ["/api/v1/assets", "/mcp", "/oauth/token", "/files", "/sign-in", "/nowhere"])
      for (const method of ["GET", "POST"]) {
        const body = method === "POST" ? { body: "{}" } : {};
        const answer = await ask(token, path, { method, headers: { [name]: long }, ...body });
        if (!/html/.test(answer.headers.get("content-type") ?? "")) await assertShort(answer, `${name} ${path}`);
      }
});

test("forms without a session", async () => {
  const fields = [
    "key",
    "client_id",
    "redirect_uri",
    "grant_type",
    "code",
    "request",
    "token",
    "next",
    text.slice(0, 3000),
  ];
  for (const path of ["/oauth/token", "/token", "/revoke", "/register", "/authorize", "/sign-in", "/"])
    for (const field of fields) {
      const body = new URLSearchParams({ [field]: text.slice(0, 14_000) });
      const answer = await ask(undefined, path, { method: "POST", body });
      if (!/html/.test(answer.headers.get("content-type") ?? "")) await assertShort(answer, `${path} ${field}`);
    }
});

test("words and flags of the command line", async () => {
  for (const command of await allCommands())
    for (const [flag, { value }] of Object.entries(command.flags ?? {})) {
      if (value === undefined) continue;
      tries++;
      try {
        parseCommandArgs(command, [`--${flag}`, text], "2026-11-20T08:00:00.000Z");
      } catch (error) {
        assert.ok((error as Error).message.length < most, `${command.words} --${flag}`);
      }
    }
  for (const argv of [
    [text],
    ["keys", text],
    [`--${text}`],
    ["import", text],
    ["serve", "--port", text],
    ["export", text],
  ]) {
    const { err } = await tallylight(...argv);
    tries++;
    assert.ok(err.length < most || argv[0] === "import", `${argv[0]?.slice(0, 20)}: ${err.length}`);
  }
});

test("are many", () => {
  assert.ok(length < jsonBody);
  assert.ok(tries > 1500, `${tries} tries`);
});

// Otherwise each of the webhooks that were added is served after each change that follows.
test.after.each(() => store.writeSync(() => void store.database.exec("DELETE FROM webhooks")));
test.after(() => server.stop());
test.run();
