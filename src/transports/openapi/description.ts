// The description of the whole interface in OpenAPI 3.1, made from the table's rows and the schemas that judge and shape.
// Knows no HTTP; lists no operation of its own.
import type { Addresses } from "../../context.ts";
import { scopeMeanings } from "../../inputs.ts";
import { type Operation, table } from "../../operations.ts";
import { type Examples, readExamples } from "./examples.ts";
import { extraPaths, messageSchemas, type TransportPaths } from "./extra_paths.ts";
import { nounOf, operationOf, templated } from "./operation.ts";
import { headers, parameters, refusalResponses } from "./responses.ts";
import { type Json, recordSchemas } from "./schemas.ts";

const about = `**Keys.** Every request carries \`Authorization: Bearer <API_KEY>\`. A key belongs to one production. It is either *production-wide*
or *bound to an engagement*: then it reaches bundles, turnovers, media and purchase orders alone, and of those what its
engagement was granted. What is not reached is 404, as if it were not there.

**Errors.** Every error is \`{"detail": "…"}\`: a sentence that says what was wrong, and where.

**Conditional requests.** Every GET that can be kept bears an ETag. Send it back in \`If-None-Match\`: 304, without a body, while
nothing changed. Every GET also answers HEAD.

**Growth.** Changes are additive. Fields may appear in any answer at any time: ignore those that you do not know. Timestamps are
UTC, ISO 8601. Ids are integers.

Examples are answers of the demo; long lists are cut.`;

const securitySchemes = ({ auth_url }: Addresses, { authorize, token }: TransportPaths): Json => ({
  key: { type: "http", scheme: "bearer", bearerFormat: "tl_…", description: "An API key of the production." },
  oauth: {
    type: "oauth2",
    description:
      "Sign-in for MCP clients: authorization code with PKCE. The access token acts as the key that was signed in with.",
    flows: {
      authorizationCode: {
        authorizationUrl: auth_url + authorize,
        tokenUrl: auth_url + token,
        refreshUrl: auth_url + token,
        scopes: scopeMeanings,
      },
    },
  },
});

function pathsOf(rows: readonly Operation[], examples: Examples): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    const path = templated(row.path);
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row, examples[row.name]) };
  }
  return paths;
}

/** What the nouns of the paths mean to a production. */
const glossary: Readonly<Record<string, string>> = {
  production: "The production that the key belongs to.",
  departments: "Who makes it.",
  scenes: "The script, scene by scene.",
  assets: "Everything that scenes need: characters, costumes, props, locations, and their versions.",
  schedule: "Shoot days and their strips.",
  deliveries: "What departments and vendors owe each other.",
  approvals: "Who must say yes, in which order.",
  "script-changes": "What a new draft of the script would change.",
  activity: "What happened, newest first.",
  people: "The crew.",
  jobs: "Images and videos being generated.",
  bundles: "Everything about one scene or character in one round trip.",
  turnovers: "A vendor's deliveries, and the work handed in on them.",
  media: "Files: what is known of them, and their bytes.",
  "media-ticket": "For players and browsers that cannot send a header; for production-wide keys.",
  "purchase-orders": "A vendor's own money.",
  storage: "The storage agent's wire: file events in, approved moves out.",
  percep: "Restyling on set.",
  mcp: "The same operations as tools and resources, for language models.",
  discovery: "Public: what this server is, and how to sign in.",
};

const tagsOf = (rows: readonly Operation[]): Json[] =>
  [...new Set([...rows.map(nounOf), "mcp", "discovery"])].map((name) => ({
    name,
    description: glossary[name] ?? `Below \`/${name}\`.`,
  }));

/** The components of one kind that something in `used` refers to. */
function referred(kind: string, components: Record<string, Json>, used: string): Json {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => used.includes(`"#/components/${kind}/${name}"`)),
  );
}

/** The OpenAPI document of a server at `addresses` whose doors answer at `ways`. */
export function describe(
  addresses: Addresses,
  transportPaths: TransportPaths,
  rows: readonly Operation[] = table,
  examples: Examples = readExamples(),
): Json {
  const paths = { ...pathsOf(rows, examples), ...extraPaths(addresses, transportPaths, examples) };
  const schemas: Record<string, Json> = { ...recordSchemas(), ...messageSchemas };
  const responses = refusalResponses();
  const used = JSON.stringify([paths, schemas, responses]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Tallylight",
      version: "1.0.0",
      summary: "One production's graph, live, for the tools around it.",
      description: about,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: addresses.base_url + transportPaths.rest, description: "This server." }],
    tags: tagsOf(rows),
    paths,
    components: {
      schemas: referred("schemas", schemas, used),
      parameters,
      headers,
      responses: referred("responses", responses, used),
      securitySchemes: securitySchemes(addresses, transportPaths),
    },
  };
}
