// Records the description's examples: sends every case to the demo at a fixed time and stores the responses.
import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "../../src/core/access/callers.ts";
import { recordEvent } from "../../src/core/store/events.ts";
import type { Example } from "../../src/features/openapi/recorded_examples.ts";
import { demoFolder, importedAt, mint, openTestServer, type TestServer, untilUsed } from "./app.ts";
import { type Case, type Cases, caseOf, casesOf, sendCase } from "./cases.ts";
import { type Operation, table } from "./operations.ts";
import { seedDataOf } from "./seed_data.ts";

export const examplesFile = new URL("../../fixtures/api/examples.json", import.meta.url);

/** Lists are cut to this many rows. */
const rowsShown = 2;
const longestText = 400;

/** A time of a commit, which comes some milliseconds after the fixed time of the request. */
const isCommitTime = (text: string): boolean => text.startsWith(importedAt.slice(0, 14)) && text.endsWith("Z");

/**
 * A document whose lists of records and long texts are cut. Secrets, tokens, times of commits and durations are
 * replaced: they differ in every run.
 */
function cut(value: unknown): unknown {
  if (typeof value === "string" && value.startsWith("tl_")) return `tl_${"x".repeat(value.length - 3)}`;
  if (typeof value === "string" && value.startsWith("whsec_")) return `whsec_${"x".repeat(value.length - 6)}`;
  if (typeof value === "string" && isCommitTime(value)) return importedAt;
  if (typeof value === "string") return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  if (Array.isArray(value)) return (typeof value[0] === "object" ? value.slice(0, rowsShown) : value).map(cut);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, name === "milliseconds" ? 12 : cut(inner)]);
  return Object.fromEntries(entries);
}

/** The sizes of a response that is the same in every run. */
const sizesOf = (text: string): Pick<Example, "bytes" | "rows"> => {
  const parsed = JSON.parse(text);
  return { bytes: Buffer.byteLength(text), ...(Array.isArray(parsed) && { rows: parsed.length }) };
};

const answerOf = async (response: Response, method = "POST"): Promise<Omit<Example, "path">> => {
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    ...(json && { answer: cut(JSON.parse(text)), ...(method === "GET" && sizesOf(text)) }),
  };
};

const textsOf = (form: NonNullable<Case["form"]>) =>
  Object.fromEntries(Object.entries(form).filter(([, value]) => typeof value === "string")) as Record<string, string>;

async function recordRow(server: TestServer, row: Operation, cases: Cases): Promise<Example> {
  const testCase = caseOf(cases, row.name);
  const { path, json, form, production, engagement } = testCase;
  const token = mint(server.store, {
    production_id: production ?? seedDataOf(server.store).production,
    engagement_id: row.reach === "production" ? null : (engagement ?? null),
    scopes,
    label: "Pipeline",
    token: `tl_${hash("sha256", row.name, "base64url")}`, // the same in every run, because GET /me shows its prefix
  });
  const answer = await answerOf(await sendCase(server, testCase, row.method, token), row.method);
  await untilUsed(server.store, token); // lists of keys say when each was used
  return {
    path,
    ...(json && Object.keys(json).length > 0 && { body: cut(json) as Record<string, unknown> }),
    ...(form && { form: textsOf(form) }),
    ...answer,
  };
}

const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_production", arguments: {} } };

async function recordOthers(server: TestServer): Promise<Record<string, Example>> {
  const token = mint(server.store, { production_id: seedDataOf(server.store).production });
  const get = async (path: string): Promise<Example> => ({
    path,
    ...(await answerOf(await server.ask(undefined, path))),
  });
  const sent = { method: "POST", body: JSON.stringify(message), headers: { "content-type": "application/json" } };
  return {
    mcp: { path: "/mcp", body: message, ...(await answerOf(await server.ask(token, "/mcp", sent))) },
    protected_resource: await get("/.well-known/oauth-protected-resource"),
    authorization_server: await get("/.well-known/oauth-authorization-server"),
    healthz: await get("/healthz"),
  };
}

/** Fixes the epoch, which is random, and records an event to show. */
function prepareEvents({ store }: TestServer, production_id: number): void {
  const subject = { kind: "version", id: 93 } as const;
  const data = { node_id: 37, version: 2, variant: "On-Set" };
  const event = { type: "version.released", subject, data, production_id, actor: "admin", activity_id: 812 } as const;
  store.writeSync(() => {
    store.database.prepare("UPDATE epochs SET epoch = '5f0c1d2e'").run();
    recordEvent(store, event, importedAt);
  });
}

/** Records the current examples. They are the same in every run: fixed ids, time, signing key and address. */
export async function recordExamples(): Promise<Record<string, Example>> {
  const data = await demoFolder();
  const ticket_keys = [{ id: "00000000", secret: Buffer.alloc(32).toString("base64url") }];
  writeFileSync(join(data, "secrets.json"), JSON.stringify({ ticket_keys }), { mode: 0o600 });
  const url = "http://127.0.0.1:8787";
  const addresses = { base_url: url, mcp_url: url, media_url: url, auth_url: url };
  const server = await openTestServer({ data, addresses, clock: () => Date.parse(importedAt) });
  try {
    const seedData = seedDataOf(server.store);
    prepareEvents(server, seedData.production);
    const cases = casesOf(server.store, seedData);
    const examples: Record<string, Example> = {};
    for (const row of table) examples[row.name] = await recordRow(server, row, cases);
    return { ...examples, ...(await recordOthers(server)) };
  } finally {
    await server.stop();
  }
}

/** One line for each example, so that a change shows which ones differ. */
export const written = (examples: Record<string, Example>): string => {
  const lines = Object.entries(examples).map(
    ([name, example]) => `${JSON.stringify(name)}: ${JSON.stringify(example)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
};

if (process.argv.includes("--write")) writeFileSync(examplesFile, written(await recordExamples()));
