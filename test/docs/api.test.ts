// The tables of docs/api.md and docs/reference.md that are written by hand are those of the program: scopes, grants,
// statuses and choices.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { scopes } from "../../src/core/access/callers.ts";
import { mediaPath } from "../../src/core/http/request_head.ts";
import {
  authorizationServerPath,
  mcpPaths,
  openapiPath,
  protectedResourcePath,
} from "../../src/features/addresses/paths.ts";
import { errorResponsesOf } from "../../src/features/openapi/responses.ts";
import { staticPath } from "../../src/features/pages/static_files.ts";
import { accents, grantTargets } from "../../src/graph/values.ts";
import { codeWordsOf, type Page, pageAt, sectionOf, tableOf, tablesOf } from "../support/documentation.ts";
import { table } from "../support/operations.ts";

const page = pageAt("docs/api.md");
const reference = pageAt("docs/reference.md");
const docsPath = staticPath.slice(0, -1);
const firstCells = (of: Page, heading: string): string[] => tableOf(of, heading).rows.map(([cell = ""]) => cell);

const test = suite("docs/api.md");

test("has a line for every scope", () => {
  assert.equal(
    firstCells(page, "Keys and scopes").map((cell) => cell.replaceAll("`", "")),
    scopes,
  );
});

test("says which scope opens each operation", () => {
  const opened = (cell: string): string[] =>
    [...cell.matchAll(/`([^`]*)`/g)].map(([, text = ""]) => (text.includes(" ") ? text : `POST ${text}`));
  const named = tableOf(page, "Keys and scopes").rows.flatMap(([scope = "", grants = ""]) =>
    // What the line of `write` leaves out is named in another one.
    opened(grants.replace(/ except .*/, "")).map((what) => ({ scope: scope.replaceAll("`", ""), what })),
  );
  const scopeOf = (what: string): string | undefined =>
    named.find((one) => (one.what.endsWith("*") ? what.startsWith(one.what.slice(0, -1)) : what === one.what))?.scope;
  for (const { name, method, path, scope } of table) {
    const what = `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
    if (path.startsWith("/admin/")) assert.ok(scope === "admin" || scope === "edit", `${what}: ${scope}`);
    else if (name !== "get_me") assert.is(scope, scopeOf(what) ?? (method === "GET" ? "read" : "write"), what);
  }
});

test("has a line for every verb on every target of a grant", () => {
  const written = tableOf(page, "Engagements and grants").rows.map(([verb = "", target = ""]) => [
    verb.replaceAll("`", ""),
    target.split(" ")[0],
  ]);
  const known = Object.entries(grantTargets).flatMap(([verb, targets]) => targets.map((target) => [verb, target]));
  assert.equal(written, known);
});

test("has a line for every status that the description has words for", () => {
  const statuses = Array.from({ length: 200 }, (_, at) => 400 + at);
  const described = statuses.filter((status) => {
    try {
      return Object.keys(errorResponsesOf([status])).includes(String(status));
    } catch {
      return false;
    }
  });
  assert.ok(described.length > 10, "the statuses are found");
  const written = firstCells(reference, "Errors").map(Number);
  assert.equal(
    described.filter((status) => !written.includes(status)),
    [],
  );
  assert.equal(written, [...written].sort());
});

test("names every list that always comes in pages, but for the events and those of a webhook", () => {
  const words = codeWordsOf(sectionOf(page, "Lists in pages"));
  const isPaged = ({ input }: (typeof table)[number]) => v.getDefault(input.entries.limit ?? v.any()) !== undefined;
  const paths = table.filter((row) => row.method === "GET" && isPaged(row)).map(({ path }) => path);
  const named = paths.filter((path) => path !== "/events" && !path.startsWith("/admin/webhooks/"));
  assert.ok(named.length > 3, "the lists are found");
  for (const path of named) assert.ok(words.includes(path), `${path} is missing`);
});

test("names every accent", () => {
  const [, text = ""] =
    tableOf(reference, "Where the specification is silent").rows.find(([cell]) => cell === "`accent`") ?? [];
  assert.equal(text.replace("one of ", "").split(", "), accents);
});

test("names every path outside the table", () => {
  const others = tablesOf(reference, "Endpoints")[1]?.rows.flatMap(([cell = ""]) => codeWordsOf(cell)) ?? [];
  const paths = [...mcpPaths, protectedResourcePath, authorizationServerPath, openapiPath, mediaPath, docsPath];
  for (const path of paths)
    assert.ok(
      others.some((word) => word.includes(` ${path}`)),
      `${path} is missing`,
    );
});

test.run();
