// The OpenAPI description: it matches the table row by row, and its examples are the demo's responses.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pathsOf } from "../../src/core/operation.ts";
import { eventTypes } from "../../src/core/store/event_types.ts";
import { templated } from "../../src/features/openapi/operation.ts";
import type { Example } from "../../src/features/openapi/recorded_examples.ts";
import { openTestServer } from "../support/app.ts";
import { openValidator } from "../support/openapi_validator.ts";
import { table } from "../support/operations.ts";
import { examplesFile, recordExamples, written } from "../support/recording.ts";

type Json = Record<string, any>;

const server = await openTestServer();
const document = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as Json;
const examples: Record<string, Example> = JSON.parse(readFileSync(examplesFile, "utf8"));

const description = suite("the description");

description("has an operation for every row, with its name, path, method, scope and errors", () => {
  for (const row of table) {
    const operation = document.paths[templated(row.path)]?.[row.method.toLowerCase()];
    assert.is(operation?.operationId, row.name);
    const scopes = row.scope === null ? [] : [row.scope];
    const oauth = row.scope === "admin" || row.scope === "edit" ? [] : [{ oauth: scopes }]; // a sign-in never grants it
    assert.equal(operation.security, [{ key: scopes }, ...oauth]);
    for (const status of [401, 403, ...row.errors])
      assert.ok(operation.responses[status], `${row.name} has no ${status}`);
  }
});

description("describes every field of a row's input as a parameter or a field of the body", () => {
  for (const row of table) {
    const operations: Json[] = pathsOf(row).map((path) => document.paths[templated(path)][row.method.toLowerCase()]);
    const parameters: Json[] = operations.flatMap((operation) => operation.parameters ?? []);
    const bodies: Json[] = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
    const described = new Set([
      ...parameters.map(({ name }) => name),
      ...bodies.flatMap(({ schema }) => Object.keys(schema.properties ?? { [row.whole_body as string]: schema })),
    ]);
    for (const field of Object.keys(row.input.entries)) assert.ok(described.has(field), `${row.name} hides ${field}`);
    for (const [, field] of row.path.matchAll(/:(\w+)/g))
      assert.ok(
        parameters.find(({ name, in: place, required }: Json) => name === field && place === "path" && required),
      );
  }
});

description("says of every operation that a replica answers with the age of its copy, and with 503", () => {
  const { responses, headers } = document.components;
  const age = { $ref: "#/components/headers/Tallylight-Replica-Age" };
  assert.match(headers["Tallylight-Replica-Age"].description, /replica/);
  assert.match(responses.Unavailable.description, /replica.*write.*max_staleness.*primary/);
  for (const item of Object.values<Json>(document.paths))
    for (const operation of Object.values<Json>(item).filter(({ operationId }) => operationId !== undefined)) {
      const unavailable = operation.responses[503];
      // /healthz says itself why nothing can be read.
      if (operation.operationId !== "healthz")
        assert.equal(unavailable, { $ref: "#/components/responses/Unavailable" }, operation.operationId);
      else assert.match(unavailable.description, /cannot be read/);
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        const { headers: described } = response.$ref ? responses[response.$ref.split("/").at(-1)] : response;
        assert.equal(described["Tallylight-Replica-Age"], age, `${operation.operationId} ${status}`);
      }
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

description("an event has one schema for each type, which refuses another subject and data without its fields", () => {
  const { Event, VersionReleasedEvent } = document.components.schemas;
  assert.equal(Object.keys(Event.discriminator.mapping), [...eventTypes().keys()]);
  assert.is(Event.oneOf.length, eventTypes().size);
  assert.equal(VersionReleasedEvent.properties.subject.properties.kind, { type: "string", const: "version" });
  const validator = openValidator(document);
  const { path, answer } = examples.list_events as Example;
  const example = structuredClone(answer) as { events: Json[] };
  const response = new Response(null, { headers: { "content-type": "application/json" } });
  const violations = () =>
    validator.violations({ method: "GET", path: `/api/v1${path}`, response, text: JSON.stringify(example) });
  assert.equal(violations(), []);
  const [event] = example.events as [Json];
  for (const spoiled of [{ subject: { kind: "nothing", id: 1 } }, { data: {} }, { type: "version.lost" }]) {
    example.events[0] = { ...event, ...spoiled };
    assert.ok(violations().length > 0, JSON.stringify(spoiled));
  }
});

description("ids are integers without a format, and no stream is a string", () => {
  const text = JSON.stringify(document);
  assert.is(document.components.schemas.Scene.properties.node_id.format, undefined);
  assert.not.match(text, /"text\/event-stream":\{"schema":\{"type":"string"/);
});

const operations = Object.values(document.paths as Json).flatMap((item) => Object.values(item as Json)) as Json[];

description("every parameter, and every field of a body, has a description", () => {
  let described = 0;
  for (const { operationId, parameters = [], requestBody } of operations) {
    for (const { $ref, name, description } of parameters)
      assert.ok($ref !== undefined || description?.length > 5, `${operationId} ${name}`);
    for (const { schema } of Object.values((requestBody?.content ?? {}) as Json))
      for (const [name, field] of Object.entries((schema.properties ?? {}) as Json)) {
        assert.ok(field.description?.length > 5, `${operationId} ${name}`);
        described++;
      }
  }
  assert.ok(described > 50);
});

description("a parameter that is a list is an array with its values, which may be repeated", () => {
  const parameterOf = (id: string, name: string) =>
    operations.find(({ operationId }) => operationId === id)?.parameters.find((one: Json) => one.name === name);
  for (const [id, name, value] of [
    ["list_assets", "include", "still"],
    ["list_scenes", "fields", "slugline"],
    ["list_deliveries", "status", "sent"],
    ["search", "kinds", "scene"],
    ["list_events", "types", "version.released"],
  ] as const) {
    const { style, explode, schema, description } = parameterOf(id, name);
    assert.equal([style, explode, schema.type, schema.items.type], ["form", true, "array", "string"], `${id} ${name}`);
    assert.ok(schema.items.enum.includes(value) && description.length > 10);
  }
});

description.after(() => server.stop());
description.run();
