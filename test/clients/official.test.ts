// The official MCP clients, old and new, against /mcp: with a key and by signing in they connect, list, call every
// tool, read every resource, get every prompt, and get what REST returns.
// Thorough: only --all runs it.
import * as current from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, revoke } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { Provider } from "./provider.ts";

let now = Date.parse("2026-11-20T09:00:00Z");
const server = await openTestServer({ clock: () => now });
const { store, url } = server;
const seedData = seedDataOf(store);
const info = { name: "tests", version: "1.0.0" };
const scopes = ["read", "write", "submit:turnover", "read:money"] as const;

/** The parts of both packages that are used here; their own types are unrelated. */
interface ClientPackage {
  client: () => any;
  transport: (address: URL, options: object) => any;
}
const clientPackages: Record<string, ClientPackage> = {
  "@modelcontextprotocol/sdk 1.x": {
    client: () => new Client(info),
    transport: (address, options) => new StreamableHTTPClientTransport(address, options),
  },
  "@modelcontextprotocol/client 2.x": {
    client: () => new current.Client(info),
    transport: (address, options) => new current.StreamableHTTPClientTransport(address, options),
  },
  "@modelcontextprotocol/client 2.x, looking for the newest revision first": {
    client: () => new current.Client(info, { versionNegotiation: { mode: "auto" } }),
    transport: (address, options) => new current.StreamableHTTPClientTransport(address, options),
  },
};

/** Arguments for every tool, and the REST address with the same response. */
const calls: Record<string, [given: object, path: string]> = {
  get_production: [{}, "/production"],
  list_departments: [{}, "/departments"],
  get_department: [{ slug: seedData.department }, `/departments/${seedData.department}`],
  list_scenes: [{}, "/scenes"],
  list_assets: [{ kind: "character" }, "/assets?kind=character"],
  get_asset: [{ node_id: seedData.asset }, `/assets/${seedData.asset}`],
  get_schedule: [{ episode_id: [1, 2] }, "/schedule?episode_id=1&episode_id=2"],
  list_deliveries: [{}, "/deliveries"],
  list_approvals: [{ status: "pending" }, "/approvals?status=pending"],
  list_activity: [{ limit: 5 }, "/activity?limit=5"],
  get_purchase_orders: [{}, "/purchase-orders"],
  get_scene_bundle: [{ node_id: seedData.scene }, `/bundles/scene/${seedData.scene}`],
  get_character_bundle: [{ node_id: seedData.character }, `/bundles/character/${seedData.character}`],
  list_turnovers: [{}, "/turnovers"],
};

/** Asks what shoots on a date and what is not released for it, with one call. */
async function askOfDay(client: any, key: string): Promise<void> {
  const date = seedData.shootDate;
  const { structuredContent, isError } = await client.callTool({ name: "get_day_bundle", arguments: { date } });
  assert.is(isError, false);
  assert.equal(structuredContent, await server.get(key, `/bundles/day?date=${date}`));
}

for (const [name, clientPackage] of Object.entries(clientPackages)) {
  const connecting = suite(name);

  connecting("connects with a key, lists, calls every tool, reads every resource, gets every prompt", async () => {
    const key = mint(store, { production_id: seedData.production, scopes });
    const client = clientPackage.client();
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(clientPackage.transport(new URL(`${url}/mcp`), { requestInit }));
    assert.equal(client.getServerVersion(), { name: "tallylight", version: "1.0.0" });

    const { tools } = await client.listTools();
    assert.equal(
      tools.map((tool: { name: string }) => tool.name).sort(),
      [...Object.keys(calls), "submit_turnover"].sort(),
    );
    for (const [tool, [given, path]] of Object.entries(calls)) {
      const response = await server.ask(key, `/api/v1${path}`);
      const text = await response.text();
      if (response.status !== 200) {
        await assertRefusedWith(client.callTool({ name: tool, arguments: given }), response.status);
        continue;
      }
      const result = await client.callTool({ name: tool, arguments: given });
      assert.equal(result.content, [{ type: "text", text }], tool);
      assert.equal(result.structuredContent, text.startsWith("{") ? JSON.parse(text) : undefined, tool);
    }

    const { resources } = await client.listResources();
    assert.is(resources.length, 6);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      assert.ok(JSON.parse(contents[0].text), uri);
    }

    const { prompts } = await client.listPrompts();
    assert.is(prompts.length, 4);
    for (const prompt of prompts) {
      const given = { node_id: "7", delivery_id: "7", limit: "7" };
      const { messages } = await client.getPrompt({ name: prompt.name, arguments: given });
      assert.match(messages[0].content.text, /Call the tool|call the tool/);
    }
    await client.ping();
    await client.close();
  });

  connecting("asks for all tools with a key", async () => {
    const key = mint(store, { production_id: seedData.production, scopes });
    const client = clientPackage.client();
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(clientPackage.transport(new URL(`${url}/mcp?tools=all`), { requestInit }));
    const { tools } = await client.listTools();
    for (const tool of ["get_me", "get_day_bundle", "list_submissions", "list_people", "create_asset"])
      assert.ok(
        tools.some((offered: { name: string }) => offered.name === tool),
        tool,
      );
    await askOfDay(client, key);
    await client.close();
  });

  connecting("signs in at the address that asks for all tools, and the metadata names that address", async () => {
    const key = mint(store, { production_id: seedData.production, scopes });
    const provider = new Provider(key);
    const address = new URL(`${url}/mcp?tools=all`);
    const first = clientPackage.transport(address, { authProvider: provider });
    await rejects(clientPackage.client().connect(first));
    const back = provider.back as URL;
    assert.is(provider.asked?.searchParams.get("resource"), address.href);
    await first.finishAuth(name.includes("2.x") ? back.searchParams : back.searchParams.get("code"));
    const client = clientPackage.client();
    await client.connect(clientPackage.transport(address, { authProvider: provider }));
    await askOfDay(client, key);
    now += 3600_000;
    await askOfDay(client, key);
    await client.close();
  });

  connecting("a vendor's key submits work, and gets the error for what it may not do", async () => {
    const { delivery: delivery_id, submitter: engagement_id, production: production_id } = seedData;
    const key = mint(store, { production_id, engagement_id, scopes });
    const client = clientPackage.client();
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(clientPackage.transport(new URL(`${url}/api/v1/mcp`), { requestInit }));
    const files = [{ filename: "comp.exr", content_base64: Buffer.from("pixels").toString("base64") }];
    const { structuredContent, isError } = await client.callTool({
      name: "submit_turnover",
      arguments: { delivery_id, files },
    });
    assert.is(isError, false);
    const { id } = structuredContent.media[0];
    assert.is(await (await server.ask(key, `/api/v1/media/${id}/content`)).text(), "pixels");
    await assertRefusedWith(client.callTool({ name: "get_production", arguments: {} }), 403);
    // An error does not break the connection: the next call succeeds.
    assert.is((await client.callTool({ name: "list_turnovers", arguments: {} })).isError, false);
    await client.close();
  });

  for (const [scope, granted] of [
    [undefined, "read write submit:turnover read:money"],
    ["openid email profile", "read write submit:turnover read:money"],
    ["read", "read"],
  ] as const)
    connecting(`signs in with only the address, asking for ${scope ?? "no scope"}`, async () => {
      const key = mint(store, { production_id: seedData.production, scopes, label: "signed in" });
      const provider = new Provider(key, scope);
      const address = new URL(`${url}/mcp`);
      const first = clientPackage.transport(address, { authProvider: provider });
      await rejects(clientPackage.client().connect(first));
      const back = provider.back as URL;
      assert.ok(back, "nobody was sent to sign in");
      await first.finishAuth(name.includes("2.x") ? back.searchParams : back.searchParams.get("code"));
      assert.is(provider.tokens().scope, granted);

      const client = clientPackage.client();
      await client.connect(clientPackage.transport(address, { authProvider: provider }));
      const { structuredContent } = await client.callTool({ name: "get_production", arguments: {} });
      assert.equal(structuredContent, await server.get(key, "/production"));

      // An hour later the access token has expired: the client refreshes it without asking the person.
      const { access_token } = provider.tokens();
      provider.back = undefined;
      now += 3600_000;
      assert.is((await client.callTool({ name: "list_scenes", arguments: {} })).isError, false);
      assert.is.not(provider.tokens().access_token, access_token);
      assert.is(provider.back, undefined);

      // After the key is revoked every call fails.
      revoke(store, "signed in");
      await rejects(client.callTool({ name: "list_scenes", arguments: {} }));
      await client.close();
    });

  connecting.run();
}

async function rejects(attempt: Promise<unknown>): Promise<Error> {
  try {
    await attempt;
  } catch (error) {
    return error as Error;
  }
  throw new Error("the client was not refused");
}

async function assertRefusedWith(attempt: Promise<unknown>, status: number): Promise<void> {
  const error: any = await rejects(attempt);
  assert.ok(
    error.code === status || String(error.message).includes(String(status)) || error.data?.status === status,
    String(error),
  );
}

const last = suite("after all sign-ins");
last("every registered client was used", () => {
  assert.is(one(store, "SELECT count(*) FROM oauth_clients WHERE used_at IS NULL"), 0);
});
last.after(() => server.stop());
last.run();
