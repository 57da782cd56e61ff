// The OpenAPI description: it matches the table row by row, and its examples are the demo's responses.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
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

const operations = Object.values(document.paths as Json).flatMap((item) => Object.values(item as Json)) as Json[];

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
  const validator = openValidator(document, true);
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
  const { schema } = document.webhooks.event.post.requestBody.content["application/json"];
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  const isEvent = ajv.addSchema(document, "api").compile({ $ref: `api${schema.$ref}` });
  const { events } = (examples.list_events as Example).answer as { events: Json[] };
  for (const event of events) {
    assert.ok(isEvent(event), event.type);
    for (const spoiled of [{ subject: { kind: "nothing", id: 1 } }, { data: {} }, { type: "version.lost" }])
      assert.not.ok(isEvent({ ...event, ...spoiled }), JSON.stringify(spoiled));
  }
});

description("GET /events answers events of one schema, to which one of a later type belongs, too", () => {
  const { schemas } = document.components;
  const { schema } = document.paths["/events"].get.responses[200].content["application/json"];
  const { items } = schemas[schema.$ref.split("/").at(-1)].properties.events;
  const { type, properties, required } = schemas[items.$ref.split("/").at(-1)];
  assert.equal([type, properties.type.type, properties.type.enum], ["object", "string", undefined]);
  assert.equal(required, Object.keys(properties));
});

description("rows of a list that takes fields need no field, and other answers keep theirs", () => {
  const { schemas } = document.components;
  const named = ({ $ref }: Json) => schemas[$ref.split("/").at(-1)];
  let lists = 0;
  for (const { operationId, parameters = [], responses } of operations) {
    if (!parameters.some(({ name }: Json) => name === "fields")) continue;
    const { items } = responses[200].content["application/json"].schema;
    assert.is((items.$ref ? named(items) : items).required, undefined, operationId);
    lists++;
  }
  assert.ok(lists > 20);
  const { schema } = document.paths["/scenes/{node_id}"].get.responses[200].content["application/json"];
  assert.ok(named(schema).required.includes("slugline"));
});

description("ids are integers without a format, and no stream is a string", () => {
  const text = JSON.stringify(document);
  assert.is(document.components.schemas.Scene.properties.node_id.format, undefined);
  assert.not.match(text, /"text\/event-stream":\{"schema":\{"type":"string"/);
});

/** The fields of a body's schema, with those of the objects in it. */
function fieldsIn(schema: Json): [name: string, field: Json][] {
  const { $ref, items, properties = {} } = schema;
  if ($ref) return fieldsIn(document.components.schemas[$ref.split("/").at(-1)]);
  if (items) return fieldsIn(items);
  return Object.entries<Json>(properties).flatMap(([name, field]) => [[name, field], ...fieldsIn(field)]);
}

description("every parameter, and every field of a body and of the objects in it, has a description", () => {
  let described = 0;
  for (const { operationId, parameters = [], requestBody } of operations) {
    for (const { $ref, name, description } of parameters)
      assert.ok($ref !== undefined || description?.length > 5, `${operationId} ${name}`);
    for (const [type, { schema }] of Object.entries<Json>(requestBody?.content ?? {})) {
      // The fields of a production document are described in docs/format.md.
      if (operationId === "import_documents") continue;
      for (const [name, field] of fieldsIn(schema)) {
        assert.ok(field.description?.length > 5, `${operationId} ${type} ${name}`);
        described++;
      }
    }
  }
  assert.ok(described > 60, String(described));
});

description("a flag in a query is true, false, 1 or 0, and the width of a picture one of its values", () => {
  const { parameters } = document.paths["/assets"].get;
  assert.equal(parameters.find(({ name }: Json) => name === "released").schema, {
    anyOf: [{ type: "boolean" }, { type: "string", enum: ["1", "0"] }],
  });
  const width = document.paths["/media/{id}/content"].get.parameters.find(({ name }: Json) => name === "width");
  assert.equal(width.schema, { type: "integer", enum: [160, 320, 640, 1280] });
});

description("where upload_ids replace files, the body is described as JSON beside the form", () => {
  for (const path of ["/turnovers/{delivery_id}/submissions", "/assets/{node_id}/versions"]) {
    const { content, required } = document.paths[path].post.requestBody;
    assert.equal([Object.keys(content), required], [["multipart/form-data", "application/json"], true]);
    const { properties, required: needed } = content["application/json"].schema;
    assert.equal([needed, properties.upload_ids.items], [["upload_ids"], { type: "string" }]);
    assert.not.ok("file" in properties || "files" in properties);
  }
});

description("a parameter that is a list is an array with its values, separated by commas", () => {
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
    assert.equal([style, explode, schema.type, schema.items.type], ["form", false, "array", "string"], `${id} ${name}`);
    assert.ok(schema.items.enum.includes(value) && description.length > 10);
  }
});

description("a list of objects in a form is a text, whose schema is that of the list in JSON", () => {
  const { content } = document.paths["/batch/versions"].post.requestBody;
  const { type, contentMediaType, contentSchema } = content["multipart/form-data"].schema.properties.versions;
  const { description: _, ...list } = content["application/json"].schema.properties.versions;
  assert.equal([type, contentMediaType, contentSchema], ["string", "application/json", list]);
  assert.not.ok("versions" in (content["multipart/form-data"].encoding ?? {}));
});

description("what names the object in a query is required there, and what goes with it is not", () => {
  const requiredAt = (path: string) =>
    document.paths[path].get.parameters.filter(({ required }: Json) => required).map(({ name }: Json) => name);
  assert.equal([requiredAt("/bundles/day"), requiredAt("/bundles/day/{shoot_day_id}")], [["date"], ["shoot_day_id"]]);
  assert.equal([requiredAt("/assets/usage"), requiredAt("/assets/{node_id}/usage")], [["label"], ["node_id"]]);
});

description.after(() => server.stop());
description.run();
