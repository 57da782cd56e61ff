// Every path that a feature answers by itself, at its limits: MCP, the authorization server, uploads, media, the
// description and the metrics.
import { createHash, randomBytes } from "node:crypto";
import { features } from "../../../src/core/features.ts";
import type { Asked, Cases, Measured, TurnCase } from "./case.ts";
import { changeSetsOf } from "./production.ts";

/** The paths of the routes, by which their cases are found. The pages have cases of their own. */
export const routeNames = (): string[] =>
  features().flatMap(({ routes = [] }) =>
    routes.flatMap(({ paths = [], below, fallback }) => (fallback ? [] : [...paths, ...(below ? [below] : [])])),
  );

const uploads = "/api/v1/uploads";
const tus = { "tus-resumable": "1.0.0" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const refused = { statuses: [400, 401, 422] };
const code = (size: number) => "Y".repeat(size);

export function routeCases({ ids, keys, send, create }: Measured): Cases {
  const { delivery, scene, asset } = ids;
  const vendor = { key: keys.vendor };
  const nobody = { key: "" };
  const read = (size: string, path: string, more: Partial<Asked> = {}): TurnCase => ({
    size,
    ask: () => ({ path, ...more }),
  });
  const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  const mcp = (size: string, method: string, params: object | ((at: number) => object), more: Partial<Asked> = {}) => ({
    size,
    ask: (at: number) => ({
      path: "/mcp?tools=all",
      body: message(method, typeof params === "function" ? params(at) : params),
      ...more,
    }),
  });
  const tool = (size: string, name: string, given: object | ((at: number) => object) = {}, more: Partial<Asked> = {}) =>
    mcp(
      `${name}, ${size}`,
      "tools/call",
      (at: number) => ({ name, arguments: typeof given === "function" ? given(at) : given }),
      more,
    );
  const files = (count: number, size: number) =>
    Array.from({ length: count }, (_, n) => ({
      filename: `sh${n}.dpx`,
      content_base64: randomBytes(size).toString("base64"),
    }));
  const submit = (count: number, size: number) =>
    tool(
      `${count} files of ${size} bytes`,
      "submit_turnover",
      (at: number) => ({ delivery_id: delivery, title: `Of turn ${at} and ${count}`, files: files(count, size) }),
      vendor,
    );
  const client = async () => {
    const answer = await send({
      path: "/register",
      ...nobody,
      body: { redirect_uris: ["https://app.example.com/back"], client_name: "Turns" },
    });
    return (answer as { client_id: string }).client_id;
  };
  const challenge = createHash("sha256").update(code(64)).digest("base64url");
  const request = (client_id: string, more: Record<string, string> = {}): string =>
    new URLSearchParams({
      client_id,
      response_type: "code",
      redirect_uri: "https://app.example.com/back",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...more,
    }).toString();
  const sealed = async (): Promise<string> => {
    const page = String(await send({ path: `/authorize?${request(await client())}`, ...nobody }));
    return /name="request" value="([^"]+)"/.exec(page)?.[1] ?? "";
  };
  const posted = (
    size: string,
    path: string,
    body: string | (() => Promise<string>),
    statuses: number[],
  ): TurnCase => ({
    size,
    ask: async () => ({
      path,
      body: typeof body === "string" ? body : await body(),
      headers: form,
      statuses,
      ...nobody,
    }),
  });
  const pairs = "a=&".repeat(3_990);
  const upload = (length: number, more: Record<string, string> = {}): Asked => ({
    path: uploads,
    method: "POST",
    headers: { ...tus, "upload-length": String(length), ...more },
  });
  const begun = async (length: number): Promise<string> => (await create(upload(length))).get("location") ?? "";
  const part = (path: string, bytes: number, headers: Record<string, string> = {}): Asked => ({
    path,
    method: "PATCH",
    headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream", ...headers },
    body: new Uint8Array(bytes),
  });
  const metadata = Array.from({ length: 1_200 }, (_, n) => `k${n} YWJj`).join(",");
  const sets = changeSetsOf(ids);
  const medium = ids.find<string>(
    "SELECT path FROM media WHERE version_id IS NOT NULL AND label = 'still10.jpg' AND production_id = ?",
  );
  const all: Record<string, TurnCase | readonly TurnCase[]> = {
    "/mcp": [
      mcp("every tool", "tools/list", {}),
      mcp("a message of 11 MiB that no method takes", "none", () => ({ text: "x".repeat(11 << 20) }), vendor),
      mcp("50,000 values", "tools/call", () => ({
        name: "get_production",
        arguments: { list: Array.from({ length: 49_000 }, (_, n) => n) },
      })),
      mcp("a tool with 2 MB of names", "tools/call", () => ({
        name: "get_production",
        arguments: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${n}${"n".repeat(90)}`, 1])),
      })),
      mcp("numbers of 11 MiB", "tools/call", () => ({ name: "0".repeat(100) }), {
        body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":[${`0.1${"0".repeat(990)}1,`.repeat(11_000)}1]}}`,
      }),
      mcp("2,000 scenes", "resources/read", { uri: "service://script" }),
      mcp("250 days", "resources/read", { uri: "service://schedule" }),
      mcp("a prompt of 11 MiB", "prompts/get", () => ({
        name: "scene_status",
        arguments: { node_id: "7".repeat(11 << 20) },
      })),
      tool("2,000 scenes with everything", "list_scenes", {
        limit: 500,
        include: "assets,department_notes,shoot_days,script",
      }),
      tool("2,000 assets with everything", "list_assets", { limit: 500, include: "versions,notes,still" }),
      tool("500 notes of departments", "get_scene_bundle", { node_id: scene }),
      tool("500 versions", "get_asset_bundle", { node_id: asset }),
      tool("2,000 things of 8 MB", "get_change_set", { id: sets.large }),
      tool("2,000 scenes in one", "list_turnovers", { limit: 500, include: "nodes" }, vendor),
      tool("2,000 scenes in one", "list_deliveries", { limit: 500, include: "nodes" }),
      tool("500 submissions of 2,000 files", "list_submissions", { delivery_id: delivery, limit: 500 }, vendor),
      tool("2,000 scenes", "get_manifest", {}, vendor),
      tool("every thing", "search", { q: "thing" }),
      submit(1, 8 << 20),
      submit(1_000, 8_000),
      tool(
        "1,000 uploads that there are not",
        "submit_turnover",
        {
          delivery_id: delivery,
          files: Array.from({ length: 1_000 }, () => ({ upload_id: "x".repeat(8_000) })),
        },
        { ...vendor, statuses: [200, 404] },
      ),
      tool("8 MiB of base64", "create_version", (at: number) => ({
        node_id: asset,
        note: `Turn ${at}`,
        file: { filename: "a.dpx", content_base64: randomBytes(8 << 20).toString("base64") },
      })),
      tool("a document of 8 MiB", "import_documents", () => ({
        dry_run: true,
        scenes: Array.from({ length: 2_000 }, (_, n) => ({ number: `${n + 1}`, synopsis: "y".repeat(4_000) })),
      })),
    ],
    "/api/v1/mcp": {
      ...mcp("the fifteen", "tools/list", {}),
      ask: () => ({ path: "/api/v1/mcp", body: message("tools/list", {}) }),
    },
    "/media/": {
      size: "2,500 files",
      ask: async () => {
        const { ticket } = (await send({ path: "/api/v1/media-ticket" })) as { ticket: string };
        return { path: `/media/${medium}?t=${ticket}`, ...nobody };
      },
    },
    "/docs": read("the page", "/docs", nobody),
    "/docs/": read("the page", "/docs/", nobody),
    "/docs/tallylight.py": read("every operation", "/docs/tallylight.py", nobody),
    "/docs/tallylight.mjs": read("every operation", "/docs/tallylight.mjs", nobody),
    "/docs/tallylight.d.ts": read("every operation", "/docs/tallylight.d.ts", nobody),
    "/metrics": read("every figure", "/metrics", { statuses: [200, 404] }),
    "/peer": read("no peer", "/peer", { statuses: [401, 404] }),
    "/.well-known/": read("the metadata", "/.well-known/oauth-authorization-server", nobody),
    "/register": {
      size: "16 KiB, 10 addresses",
      ask: () => ({
        path: "/register",
        ...nobody,
        statuses: [201, 429],
        body: {
          client_name: "\u200b".repeat(190),
          redirect_uris: Array.from({ length: 10 }, (_, n) => `https://a${n}.example/${"x".repeat(900)}`),
        },
      }),
    },
    "/authorize": [
      {
        size: "a state and scopes of 14 KB",
        ask: async () => ({
          path: `/authorize?${request(await client(), { state: "s".repeat(7_000), scope: "read ".repeat(1_000) })}`,
          ...nobody,
        }),
      },
      read("5,000 parameters", `/authorize?${"a&".repeat(5_000)}`, { ...nobody, ...refused }),
      posted(
        "a wrong key of 30 KB",
        "/authorize",
        async () => {
          const fields = { request: await sealed(), step: "review", api_key: "k".repeat(28_000) };
          return new URLSearchParams(fields).toString();
        },
        [401, 429],
      ),
      posted("a request of 32 KB that nobody signed", "/authorize", `request=${"r".repeat(32_000)}`, [400]),
    ],
    "/token": [
      posted("4,000 parameters", "/token", `${pairs}grant_type=code`, [400]),
      posted(
        "a code of 30 KB",
        "/token",
        async () =>
          new URLSearchParams({
            grant_type: "authorization_code",
            client_id: await client(),
            code: "c".repeat(28_000),
            redirect_uri: "https://app.example.com/back",
            code_verifier: code(64),
          }).toString(),
        [400],
      ),
    ],
    "/revoke": posted("a token of 32 KB", "/revoke", `token=${"t".repeat(32_000)}`, [200]),
    "/api/v1/openapi.json": read("every operation", "/api/v1/openapi.json", nobody),
    "/api/v1/uploads": [
      { size: "metadata of 14 KB", ask: () => upload(10, { "upload-metadata": metadata }) },
      {
        size: "1,000 that wait",
        ask: async () => {
          for (let at = 0; at < 200; at++) await begun(10);
          return upload(10);
        },
      },
    ],
    "/api/v1/uploads/": [
      { size: "a part of 64 MiB", ask: async () => part(await begun(64 << 20), 64 << 20) },
      {
        size: "a part of 64 MiB with another checksum",
        ask: async () => ({
          ...part(await begun(64 << 20), 64 << 20, {
            "upload-checksum": `sha512 ${Buffer.alloc(64).toString("base64")}`,
          }),
          statuses: [460],
        }),
      },
      { size: "its offset", ask: async () => ({ path: await begun(10), method: "HEAD", headers: tus }) },
      { size: "its end", ask: async () => ({ path: await begun(10), method: "DELETE", headers: tus }) },
    ],
  };
  return all;
}
