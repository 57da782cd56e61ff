// Requests made from the description alone: sound ones never meet a fault of the server, ones that are broken in one place are
// refused with a sentence, and every answer is one that the description describes.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../../src/inputs.ts";
import { table } from "../../../src/operations.ts";
import { templated } from "../../../src/transports/openapi/operation.ts";
import { mint, one, openTestServer } from "../../support/app.ts";
import { invalid, invalidText, type Schema, valid } from "../../support/arbitrary.ts";
import { type Case, casesOf } from "../../support/cases.ts";
import { openValidator } from "../../support/openapi_validator.ts";
import { seedDataOf } from "../../support/seed_data.ts";

type Json = Record<string, any>;
type Form = "application/json" | "multipart/form-data";

/** One request in the making: what stands where. */
interface Made {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
}

const runs = 12;
const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const document = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as Json;
const validator = openValidator(document);

interface Described {
  name: string;
  method: string;
  template: string;
  parameters: Json[];
  form: Form | undefined;
  body: Schema | undefined;
  token: string;
  /** What needs what this deployment lacks, such as a provider. */
  mayLack: number[];
}

const described: Described[] = table.map((row) => {
  const template = templated(row.path);
  const operation = document.paths[template][row.method.toLowerCase()];
  const content: Json = operation.requestBody?.content ?? {};
  const form = Object.keys(content).at(-1) as Form | undefined;
  const { engagement, production } = (cases[row.name] as () => Case)();
  const bound = row.reach === "engagement" ? (engagement ?? null) : null;
  const production_id =
    bound === null ? production : one(store, "SELECT production_id FROM engagements WHERE id = ?", bound);
  return {
    name: row.name,
    method: row.method,
    template,
    parameters: operation.parameters?.filter(({ name }: Json) => name !== undefined) ?? [],
    form,
    body: form && content[form].schema,
    token: mint(store, { production_id: production_id ?? seedData.production, engagement_id: bound, scopes }),
    mayLack: row.errors.filter((status) => status >= 500),
  };
});

const isFile = (schema: Schema): boolean => schema.format === "binary" || schema.items?.format === "binary";
const theFile = { const: "a file goes here" };
const file = () => new Blob([Buffer.from("bytes")]);

/** A path's fields are often those of the example, so that requests get past "not found". */
function validRequest({ parameters, body }: Described): fc.Arbitrary<Made> {
  const part = (place: string) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    const valuesOf = ({ schema, example }: Json) =>
      example !== undefined && place === "path"
        ? fc.oneof({ weight: 3, arbitrary: fc.constant(example) }, valid(schema))
        : valid(schema);
    const values: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
      fields.map((field) => [field.name, valuesOf(field)]),
    );
    return fc.record(values, { requiredKeys: fields.filter(({ required }) => required).map(({ name }) => name) });
  };
  const fields = body === undefined ? fc.constant(undefined) : valid(withFiles(body));
  return fc.record({ path: part("path"), query: part("query"), body: fields }) as fc.Arbitrary<Made>;
}

const withFiles = (body: Schema): Schema => ({
  ...body,
  properties: Object.fromEntries(
    Object.entries<Schema>(body.properties).map(([name, schema]) => [name, isFile(schema) ? theFile : schema]),
  ),
});

/** A way to break a made request in one place. */
type Break = fc.Arbitrary<(made: Made) => void>;

const setting =
  (place: "path" | "query" | "body", name: string) =>
  (value: unknown) =>
  (made: Made): void => {
    (made[place] as Json)[name] = value;
  };

function breaksOf({ parameters, body, form }: Described): Break[] {
  const ofParameters = parameters.flatMap(({ name, in: place, schema }): Break[] => {
    const values = place === "header" ? undefined : invalidText(schema);
    return values === undefined ? [] : [values.map(setting(place, name))];
  });
  const fields = Object.entries<Schema>(body?.properties ?? {}).filter(([, schema]) => !isFile(schema));
  const ofFields = fields.flatMap(([name, schema]): Break[] => {
    const values = form === "application/json" ? invalid(schema) : invalidText(schema);
    return values === undefined ? [] : [values.map(setting("body", name))];
  });
  const ofAbsence = (body?.required ?? []).map((name: string) =>
    fc.constant(({ body }: Made) => void delete (body as Json)[name]),
  );
  return [...ofParameters, ...ofFields, ...ofAbsence];
}

const addressOf = ({ template }: Described, { path, query }: Made): string => {
  const way = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, String(one));
  return `/api/v1${way}${search.size > 0 ? `?${search}` : ""}`;
};

function bodyOf({ form, body }: Described, made: Made): { body?: string | FormData; headers?: Record<string, string> } {
  if (made.body === undefined) return {};
  if (form === "application/json") return { body: JSON.stringify(made.body), headers: { "content-type": form } };
  const data = new FormData();
  for (const [name, value] of Object.entries(made.body)) {
    if (isFile(body?.properties[name])) data.append(name, file(), "file.bin");
    else data.append(name, String(value));
  }
  return { body: data };
}

async function send(operation: Described, made: Made): Promise<{ status: number; text: string }> {
  const path = addressOf(operation, made);
  const init = bodyOf(operation, made);
  const response = await server.ask(operation.token, path, {
    method: operation.method,
    signal: AbortSignal.timeout(10_000),
    ...init,
  });
  const text = await response.text();
  const sent = typeof init.body === "string" ? init.body : undefined;
  assert.equal(
    validator.violations({ method: operation.method, path, sent, response, text }),
    [],
    `${path} ${sent} ${text}`,
  );
  if (response.status >= 400) assert.type(JSON.parse(text).detail, "string");
  return { status: response.status, text };
}

const requests = suite("requests made from the description");

for (const operation of described) {
  const options = { numRuns: runs, seed: Number(process.env.SEED ?? 7), endOnFailure: true };

  requests(`${operation.name}: a sound request meets no fault`, async () => {
    await fc.assert(
      fc.asyncProperty(validRequest(operation), async (made) => {
        const { status, text } = await send(operation, made);
        assert.ok(status < 500 || operation.mayLack.includes(status), `${status} ${text}`);
      }),
      options,
    );
  });

  const breaks = breaksOf(operation);
  if (breaks.length === 0) continue;
  requests(`${operation.name}: a request that is broken in one place is refused`, async () => {
    await fc.assert(
      fc.asyncProperty(validRequest(operation), fc.oneof(...breaks), async (made, hurt) => {
        hurt(made);
        const { status, text } = await send(operation, made);
        assert.ok(status >= 400 && status < 500, `${JSON.stringify(made)}: ${status} ${text}`);
      }),
      { ...options, numRuns: runs * 2 },
    );
  });
}

requests.after(() => server.stop());
requests.run();
