// A model's questions at /mcp?tools=assistant, asked with the official clients, old and new: each takes at most three
// calls of at most 8 KB, on the demo and on a production of 2,000 scenes, and has the answer in it.
// Thorough: only --all runs it.
import * as current from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { folderOfLarger } from "../support/larger_production.ts";

const maxCalls = 3;
/** In bytes, of one answer as the model reads it. */
const maxAnswer = 8_000;
const info = { name: "tests", version: "1.0.0" };

/** The parts of both packages that are used here; their own types are unrelated. */
const packages: Record<string, { client: () => any; transport: (address: URL, options: object) => any }> = {
  "sdk 1.x": {
    client: () => new Client(info),
    transport: (address, options) => new StreamableHTTPClientTransport(address, options),
  },
  "client 2.x": {
    client: () => new current.Client(info),
    transport: (address, options) => new current.StreamableHTTPClientTransport(address, options),
  },
};

type Row = Record<string, any>;
type Call = (name: string, given: object) => Promise<any>;
interface Show {
  thing: string;
  date: string;
  since: string;
}

/** Each question, as a model asks it: it reads an answer before it calls again. */
const questions: Readonly<Record<string, (call: Call, show: Show) => Promise<void>>> = {
  async "Where is the coat, who signs for it, and which day is it needed?"(call, { thing }) {
    const found: Row[] = await call("search", { q: thing, kinds: "asset", limit: 5 });
    assert.is(found[0]?.kind, "asset");
    const usage = await call("get_asset_usage", { node_id: found[0]?.id });
    assert.ok(usage.scenes.length > 0 && usage.shoot_days.length > 0);
    assert.ok(usage.approvals.every(({ awaiting }: Row) => Array.isArray(awaiting)));
  },
  async "Which scenes are shot tomorrow?"(call, { date }) {
    const [day]: Row[] = await call("get_schedule", { date });
    assert.is(day?.date, date);
    assert.ok(day?.scenes.length > 0);
  },
  async "What waits for whom?"(call) {
    const waiting: Row[] = await call("list_approvals", { status: "pending", fields: "title,awaiting,due" });
    assert.ok(waiting.length > 0 && waiting.every(({ awaiting }) => awaiting.length > 0));
  },
  async "What changed since yesterday?"(call, { since }) {
    const changed: Row[] = await call("list_activity", { since, fields: "summary,actor,created_at" });
    assert.ok(changed.length > 0 && changed.every(({ summary }) => typeof summary === "string"));
  },
};

const productions: Record<string, Show & { title: string; data?: () => Promise<string> }> = {
  "the demo": {
    title: "The Silver Button",
    thing: "french coats",
    date: "2026-11-23",
    since: "2026-11-18T00:00:00Z",
  },
  "2,000 scenes": {
    title: "Larger",
    thing: "thing 12",
    date: "2026-01-21",
    since: "2026-11-18T00:00:00Z",
    data: folderOfLarger,
  },
};

for (const [place, { title, data, ...show }] of Object.entries(productions)) {
  const dialogue = suite(`a model's questions on ${place}`);
  const server = await openTestServer(data ? { data: await data() } : {});
  const production_id = one(server.store, "SELECT id FROM productions WHERE title = ?", title);
  const key = mint(server.store, { production_id, scopes: ["read"] });
  for (const [name, { client: open, transport }] of Object.entries(packages))
    dialogue(`takes at most ${maxCalls} calls of at most 8 KB each with ${name}`, async () => {
      const client = open();
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(transport(new URL(`${server.url}/mcp?tools=assistant`), { requestInit }));
      const { tools } = await client.listTools();
      for (const [question, ask] of Object.entries(questions)) {
        const sizes: number[] = [];
        await ask(async (tool, given) => {
          assert.ok(
            tools.some((listed: Row) => listed.name === tool),
            `${tool} is offered`,
          );
          const { content, isError } = await client.callTool({ name: tool, arguments: given });
          assert.is(isError, false, content[0].text);
          sizes.push(content.reduce((sum: number, { text }: Row) => sum + Buffer.byteLength(text), 0));
          return JSON.parse(content[0].text);
        }, show);
        const said = `${question} took ${sizes.join(" and ")} bytes`;
        if (process.env.SHOW) console.log(`${place}, ${name}: ${said}`);
        assert.ok(sizes.length <= maxCalls && sizes.every((size) => size <= maxAnswer), said);
      }
      await client.close();
    });
  dialogue.after(() => server.stop());
  dialogue.run();
}
