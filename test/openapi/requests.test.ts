// Generates requests from the description: valid ones never cause a server error, ones that are invalid in one place
// are refused with a message, and every response matches the description.
// Thorough: only --all runs it.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { templated } from "../../src/features/openapi/operation.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { invalid, invalidText, type Schema, valid } from "../support/arbitrary.ts";
import { caseOf, casesOf } from "../support/cases.ts";
import { openValidator } from "../support/openapi_validator.ts";
import { table } from "../support/operations.ts";
import { sampling } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Json = Record<string, any>;
type Form = "application/json" | "multipart/form-data";

/** A request before it is sent: the values of its parts. */
interface GeneratedRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
}

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
  /** Mints a key: a generated request may revoke the key of another one. */
  token(): string;
  /** The 5xx statuses of the row: this server has no provider, for example. */
  mayLack: number[];
}

const described: Described[] = table.map((row) => {
  const template = templated(row.path);
  const operation = document.paths[template][row.method.toLowerCase()];
  const content: Json = operation.requestBody?.content ?? {};
  const form = Object.keys(content).at(-1) as Form | undefined;
  const { engagement, production } = caseOf(cases, row.name);
  const bound = row.reach === "production" ? null : (engagement ?? null);
  const production_id =
    bound === null ? production : one(store, "SELECT production_id FROM engagements WHERE id = ?", bound);
  return {
    name: row.name,
    method: row.method,
    template,
    parameters: operation.parameters?.filter(({ name }: Json) => name !== undefined) ?? [],
    form,
    body: form && content[form].schema,
    token: () => mint(store, { production_id: production_id ?? seedData.production, engagement_id: bound, scopes }),
    mayLack: row.errors.filter((status) => status >= 500),
  };
});

const isFile = (schema: Schema): boolean => schema.format === "binary" || schema.items?.format === "binary";
const theFile = { const: "a file goes here" };
const file = () => new Blob([Buffer.from("bytes")]);

/** Path parameters are often those of the example, so that requests get past "not found". */
function validRequest({ parameters, body }: Described): fc.Arbitrary<GeneratedRequest> {
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
  return fc.record({ path: part("path"), query: part("query"), body: fields }) as fc.Arbitrary<GeneratedRequest>;
}

const withFiles = (body: Schema): Schema => ({
  ...body,
  properties: Object.fromEntries(
    Object.entries<Schema>(body.properties).map(([name, schema]) => [name, isFile(schema) ? theFile : schema]),
  ),
});

/** Changes a generated request so that one place is invalid. */
type Mutation = fc.Arbitrary<(request: GeneratedRequest) => void>;

const setting =
  (place: "path" | "query" | "body", name: string) =>
  (value: unknown) =>
  (request: GeneratedRequest): void => {
    (request[place] as Json)[name] = value;
  };

function mutationsOf({ parameters, body, form }: Described): Mutation[] {
  const ofParameters = parameters.flatMap(({ name, in: place, schema }): Mutation[] => {
    const values = place === "header" ? undefined : invalidText(schema);
    return values === undefined ? [] : [values.map(setting(place, name))];
  });
  const fields = Object.entries<Schema>(body?.properties ?? {}).filter(([, schema]) => !isFile(schema));
  const ofFields = fields.flatMap(([name, schema]): Mutation[] => {
    const values = form === "application/json" ? invalid(schema) : invalidText(schema);
    return values === undefined ? [] : [values.map(setting("body", name))];
  });
  const ofAbsence = (body?.required ?? []).map((name: string) =>
    fc.constant(({ body }: GeneratedRequest) => void delete (body as Json)[name]),
  );
  return [...ofParameters, ...ofFields, ...ofAbsence];
}

const addressOf = ({ template }: Described, { path, query }: GeneratedRequest): string => {
  const way = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, String(one));
  return `/api/v1${way}${search.size > 0 ? `?${search}` : ""}`;
};

function bodyOf(
  { form, body }: Described,
  request: GeneratedRequest,
): { body?: string | FormData; headers?: Record<string, string> } {
  if (request.body === undefined) return {};
  if (form === "application/json") return { body: JSON.stringify(request.body), headers: { "content-type": form } };
  const data = new FormData();
  for (const [name, value] of Object.entries(request.body)) {
    if (isFile(body?.properties[name])) data.append(name, file(), "file.bin");
    // a list in a form is JSON
    else data.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return { body: data };
}

async function send(operation: Described, request: GeneratedRequest): Promise<{ status: number; text: string }> {
  const path = addressOf(operation, request);
  const init = bodyOf(operation, request);
  const response = await server.ask(operation.token(), path, {
    method: operation.method,
    signal: AbortSignal.timeout(120_000),
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

const requests = suite("requests request from the description");

for (const operation of described) {
  const options = { ...sampling(2, 1), endOnFailure: true };

  requests(`${operation.name}: a valid request causes no server error`, async () => {
    await fc.assert(
      fc.asyncProperty(validRequest(operation), async (request) => {
        const { status, text } = await send(operation, request);
        assert.ok(status < 500 || operation.mayLack.includes(status), `${status} ${text}`);
      }),
      options,
    );
  });

  const mutations = mutationsOf(operation);
  if (mutations.length === 0) continue;
  requests(`${operation.name}: a request that is invalid in one place is refused`, async () => {
    await fc.assert(
      fc.asyncProperty(validRequest(operation), fc.oneof(...mutations), async (request, mutate) => {
        mutate(request);
        const { status, text } = await send(operation, request);
        assert.ok(status >= 400 && status < 500, `${JSON.stringify(request)}: ${status} ${text}`);
      }),
      { ...options, ...sampling(4, 1) },
    );
  });
}

requests.after(() => server.stop());
requests.run();
