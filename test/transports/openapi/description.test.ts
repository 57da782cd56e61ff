// The OpenAPI description: it matches the table row by row, its examples are the demo's responses, and Redocly's linter accepts
// it.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { table } from "../../../src/operations.ts";
import type { Example } from "../../../src/transports/openapi/examples.ts";
import { templated } from "../../../src/transports/openapi/operation.ts";
import { openTestServer, temporaryFolder } from "../../support/app.ts";
import { openValidator } from "../../support/openapi_validator.ts";
import { examplesFile, recordExamples, written } from "../../support/recording.ts";

type Json = Record<string, any>;

const server = await openTestServer();
const document = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as Json;
const examples: Record<string, Example> = JSON.parse(readFileSync(examplesFile, "utf8"));

const description = suite("the description");

description("has an operation for every row, with its name, path, method, scope and errors", () => {
  for (const row of table) {
    const operation = document.paths[templated(row.path)]?.[row.method.toLowerCase()];
    assert.is(operation?.operationId, row.name);
    const oauth = row.scope === "admin" ? [] : [{ oauth: [row.scope] }]; // a sign-in never grants it
    assert.equal(operation.security, [{ key: [row.scope] }, ...oauth]);
    for (const status of [401, 403, ...row.errors])
      assert.ok(operation.responses[status], `${row.name} has no ${status}`);
  }
});

description("describes every field of a row's input as a parameter or a field of the body", () => {
  for (const row of table) {
    const { parameters = [], requestBody } = document.paths[templated(row.path)][row.method.toLowerCase()];
    const bodies: Json[] = Object.values(requestBody?.content ?? {});
    const described = new Set([
      ...parameters.map(({ name }: Json) => name),
      ...bodies.flatMap(({ schema }) => Object.keys(schema.properties)),
    ]);
    for (const field of Object.keys(row.input.entries)) assert.ok(described.has(field), `${row.name} hides ${field}`);
    for (const [, field] of row.path.matchAll(/:(\w+)/g))
      assert.ok(
        parameters.find(({ name, in: place, required }: Json) => name === field && place === "path" && required),
      );
  }
});

description("resolves every reference and uses every component", () => {
  const text = JSON.stringify(document);
  const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string));
  for (const path of references)
    assert.ok(
      path.split("/").reduce((at: Json | undefined, part) => at?.[part], document),
      `${path} does not exist`,
    );
  for (const kind of ["schemas", "responses", "parameters", "headers"])
    for (const name of Object.keys(document.components[kind]))
      assert.ok(references.has(`components/${kind}/${name}`), `${kind}/${name} is not used`);
});

description("contains the demo's responses as examples", async () => {
  const now = written(await recordExamples());
  assert.ok(readFileSync(examplesFile, "utf8") === now, "the demo's responses have changed: run `npm run examples`");
});

description("each example is valid by its schema", () => {
  const validator = openValidator(document);
  for (const { name, method, path } of table) {
    const { status, answer, body } = examples[name] as Example;
    const response = new Response(null, { status, headers: shownHeaders(document, path, method, status) });
    const ctx = {
      method,
      path: `/api/v1${(examples[name] as Example).path}`,
      response,
      sent: body && JSON.stringify(body),
      text: answer === undefined ? undefined : JSON.stringify(answer),
    };
    assert.equal(validator.violations(ctx), [], name);
  }
});

/** The headers that a response is described with; the examples contain none. */
function shownHeaders({ paths }: Json, path: string, method: string, status: number): Record<string, string> {
  const { headers = {} } = paths[templated(path)][method.toLowerCase()].responses[status] ?? {};
  return { ...Object.fromEntries(Object.keys(headers).map((name) => [name, "1"])), "content-type": "application/json" };
}

description("the linter's recommended rules report nothing", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  const manifest = createRequire(import.meta.url).resolve("@redocly/cli/package.json");
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const lint = spawnSync(
    "node",
    [join(dirname(manifest), "bin/cli.js"), "lint", "openapi.json", "--extends=recommended"],
    {
      cwd: folder,
      env,
      encoding: "utf8",
    },
  );
  rmSync(folder, { recursive: true });
  assert.is(lint.status, 0, lint.stdout + lint.stderr);
  assert.match(lint.stdout + lint.stderr, /Your API description is valid/);
  assert.not.match(lint.stdout + lint.stderr, /\bwarnings?\b/i);
});

description.after(() => server.stop());
description.run();
