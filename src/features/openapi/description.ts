// Generates the OpenAPI 3.1 description of the whole interface from the table of operations and their schemas.
import { scopeMeanings, signInScopes } from "../../core/access/callers.ts";
import type { Addresses } from "../../core/context.ts";
import { basePath } from "../../core/http/request_head.ts";
import { type Json, objectOf } from "../../core/input_schemas.ts";
import { type Operation, pathsOf as rowPathsOf } from "../../core/operation.ts";
import { allOperations } from "../../core/operation_table.ts";
import { release } from "../../core/program.ts";
import { oauthPaths } from "../addresses/paths.ts";
import { eventSchemas, webhookSection } from "./events.ts";
import { extraPaths, messageSchemas } from "./extra_paths.ts";
import { nounOf, operationOf, templated } from "./operation.ts";
import { type Examples, readExamples } from "./recorded_examples.ts";
import { errorComponents, headers, parameters } from "./responses.ts";
import { listOfRows, outputSchemas } from "./schemas.ts";

const introduction = `**Keys.** Every request has the header \`Authorization: Bearer <API_KEY>\`. A key belongs to one production. It is either
*production-wide* or *bound to an engagement*. A bound key reaches only bundles, turnovers, media and purchase orders, and of those
only what its engagement was granted. An object outside a key's reach is 404, as if it did not exist.

**Errors.** Every error is \`{"detail": "…"}\`: a sentence that says what was wrong and where.

**Conditional requests.** Every GET response that can be cached has an ETag. Send it in \`If-None-Match\`: the response is 304,
without a body, if nothing has changed. Every GET also supports HEAD.

**Replicas.** A server may be a read-only copy of another one, the primary. Each of its responses has the age of the copy in the header
\`Tallylight-Replica-Age\`. It answers writes with 503, every request but \`GET /healthz\` with 503 if the copy is too old, and keys that are
bound to an engagement with 403. The detail then says to use the primary.

**Compatibility.** Changes are additive. New fields may appear in any response at any time: ignore fields that you do not know.
Timestamps are UTC in ISO 8601. Ids are integers.

The examples are responses of the demo; long lists are shortened.`;

const securitySchemes = ({ auth_url }: Addresses): Json => ({
  key: { type: "http", scheme: "bearer", bearerFormat: "tl_…", description: "An API key of the production." },
  oauth: {
    type: "oauth2",
    description:
      "Sign-in for MCP clients: authorization code with PKCE. The access token acts as the key that the person signed in with.",
    flows: {
      authorizationCode: {
        authorizationUrl: auth_url + oauthPaths.authorize,
        tokenUrl: auth_url + oauthPaths.token,
        refreshUrl: auth_url + oauthPaths.token,
        scopes: Object.fromEntries(signInScopes.map((scope) => [scope, scopeMeanings[scope]])),
      },
    },
  },
});

function pathsOf(rows: readonly Operation[], outputs: Record<string, Json>, examples: Examples): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    for (const pattern of rowPathsOf(row)) {
      const path = templated(pattern);
      paths[path] = {
        ...paths[path],
        [row.method.toLowerCase()]: operationOf(row, pattern, outputs[row.name], examples[row.name]),
      };
    }
  }
  return paths;
}

/** The description of each tag. A tag is the first segment of its operations' paths. */
const tagDescriptions: Readonly<Record<string, string>> = {
  me: "The key of the call, and what it reaches.",
  production: "The production that the key belongs to.",
  vendors: "The vendors with their engagements.",
  search: "Finds things by words.",
  episodes: "The episodes of an episodic production.",
  notes: "Notes on assets.",
  submissions: "Answers to submitted work.",
  departments: "The departments of the production and their people.",
  scenes: "The scenes in script order.",
  assets: "Everything that scenes need: characters, costumes, props, locations, and their versions.",
  schedule: "Shoot days and their strips.",
  deliveries: "What departments and vendors deliver to each other.",
  approvals: "Approvals and their steps: who decides, in which order.",
  "script-changes": "The changes between a new draft of the script and the stored one.",
  activity: "The activity feed, newest first.",
  people: "The crew directory.",
  jobs: "Jobs that generate images and videos.",
  bundles: "Everything about one scene or character in one round trip.",
  turnovers: "A vendor's deliveries, and the work submitted on them.",
  uploads: "Resumable uploads, by the protocol tus 1.0.",
  events: "What changed, in commit order: in pages or as a stream.",
  media: "Media files: their details and their bytes.",
  "media-ticket": "Tickets for players and browsers that cannot send a header; for production-wide keys.",
  "purchase-orders": "A vendor's own purchase orders.",
  admin: "For administration: keys, engagements, grants, releases, storage and the audit log.",
  storage: "For the storage agent: it reports file events and polls approved moves.",
  percep: "Restyling on set.",
  mcp: "The same operations as tools and resources, for language models.",
  discovery: "Public documents: what this server is, and how to sign in.",
};

export const tagDescription = (name: string): string => tagDescriptions[name] ?? `The operations below \`/${name}\`.`;

const tagsOf = (rows: readonly Operation[]): Json[] =>
  [...new Set([...rows.map(nounOf), "uploads", "mcp", "discovery"])].map((name) => ({
    name,
    description: tagDescription(name),
  }));

/** Returns the components of one kind that the text `used` refers to. */
function referencedComponents(kind: string, components: Record<string, Json>, used: string): Json {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => used.includes(`"#/components/${kind}/${name}"`)),
  );
}

/** Returns the OpenAPI document of a server at `addresses`. */
export async function openapiDocument(addresses: Addresses): Promise<Json> {
  const rows = await allOperations();
  const examples = readExamples();
  const ofRows = rows.flatMap(({ name, output }) => (output === "bytes" ? [] : [[name, output] as const]));
  const { records, outputs } = outputSchemas(Object.fromEntries(ofRows));
  const rowSchemas: Record<string, Json> = {};
  for (const { name } of rows.filter(({ input }) => "fields" in input.entries)) {
    const { list, components } = listOfRows(objectOf(outputs[name]), records);
    outputs[name] = list;
    Object.assign(rowSchemas, components);
  }
  const paths = { ...pathsOf(rows, outputs, examples), ...extraPaths(addresses, examples) };
  const events = eventSchemas(objectOf(records.AnyEvent));
  const schemas: Record<string, Json> = { ...records, ...rowSchemas, ...events, ...messageSchemas };
  const used = JSON.stringify([paths, schemas, errorComponents]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Tallylight",
      version: "1.0.0",
      "x-release": release,
      summary: "One production's graph for the tools around it.",
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: addresses.base_url + basePath, description: "This server." }],
    tags: tagsOf(rows),
    paths,
    webhooks: webhookSection,
    components: {
      schemas: referencedComponents("schemas", schemas, used),
      parameters,
      headers,
      responses: referencedComponents("responses", errorComponents, used),
      securitySchemes: securitySchemes(addresses),
    },
  };
}
