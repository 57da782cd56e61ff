// What a vendor gets of search, usage, notes, versions, the asset's bundle, the manifest and media: through REST, MCP
// and the media route, only what its grants reach, and the same refusal for everything else.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { callTool, resultOf, send } from "../support/rpc.ts";
import { sampleOf } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, reader, submitter, submitterKey } = seedDataOf(store);
const crew = mint(store, { production_id: production, scopes: ["read", "write"] });
const vendors = [submitterKey, { ...submitterKey, engagement_id: reader }].map((key) => mint(store, key));
const all = "/mcp?tools=all";
const ask = (token: string, path: string) => server.ask(token, `/api/v1${path}`);
const column = (sql: string): number[] => store.database.prepare(sql).pluck().all() as number[];
const nodes = column("SELECT id FROM nodes WHERE kind <> 'scene'");
const media = column("SELECT id FROM media");
const note = one(store, "SELECT min(id) FROM notes WHERE production_id = ?", production);
assert.ok(note > 0 && submitter !== reader);

const test = suite("a vendor");

test("is refused search, usage, notes, versions and vendors, by REST and as tools, whatever it asks for", async () => {
  const { label, node_id } = (await server.get(crew, "/assets"))[0];
  const refused: [path: string, tool: string, given: object][] = [
    ["/search?q=a", "search", { q: "a" }],
    [`/assets/${node_id}/usage`, "get_asset_usage", { node_id }],
    [`/assets/usage?label=${encodeURIComponent(label)}`, "get_asset_usage", { label }],
    [`/assets/${node_id}/notes`, "list_notes", { node_id }],
    [`/notes/${note}`, "get_note", { note_id: note }],
    [`/assets/${node_id}/versions`, "list_versions", { node_id }],
    ["/vendors", "list_vendors", {}],
  ];
  for (const vendor of vendors) {
    const { tools } = await resultOf(await send(server, vendor, "tools/list", {}, 0, all));
    for (const [path, tool, given] of refused) {
      await assertRefused(await ask(vendor, path), 403, /bound to an engagement/);
      await assertRefused(await callTool(server, vendor, tool, given, all), 403, /bound to an engagement/);
      assert.not.ok(
        tools.some(({ name }: { name: string }) => name === tool),
        tool,
      );
      assert.is((await ask(crew, path)).status, 200, path);
    }
  }
});

test("opens the bundle of each asset that /me lists and gets the same 404 for the others, by REST and as a tool", async () => {
  for (const vendor of vendors) {
    const { reach } = await server.get(vendor, "/me");
    const reached = reach.nodes.map(({ node_id }: { node_id: number }) => node_id);
    const unknown = await (await ask(vendor, "/bundles/asset/999999")).text();
    let hidden = 0;
    const [open, closed] = [true, false].map((is) => nodes.filter((id) => reached.includes(id) === is)) as [
      number[],
      number[],
    ];
    for (const node_id of [...open, ...sampleOf(closed)]) {
      const answer = await ask(vendor, `/bundles/asset/${node_id}`);
      const tool = await callTool(server, vendor, "get_asset_bundle", { node_id }, all);
      assert.equal([answer.status, tool.status], reached.includes(node_id) ? [200, 200] : [404, 404], `${node_id}`);
      const text = await answer.text();
      if (tool.status === 200) assert.is((await resultOf(tool)).content[0].text, text);
      else {
        hidden++;
        assert.equal([text, await tool.text()], [unknown, unknown]);
      }
    }
    assert.ok(hidden > 0 && reached.length > 0);
  }
});

test("has one manifest by REST and as a tool, and the media in it open while every other medium is the same 404", async () => {
  for (const vendor of vendors) {
    const text = await (await ask(vendor, "/me/manifest")).text();
    assert.is((await resultOf(await callTool(server, vendor, "get_manifest", {}, all))).content[0].text, text);
    const listed = new Set(JSON.parse(text).media.map(({ id }: { id: number }) => id));
    const unknown = await (await ask(vendor, "/media/999999/content")).text();
    let hidden = 0;
    const [open, closed] = [true, false].map((is) => media.filter((id) => listed.has(id) === is)) as [
      number[],
      number[],
    ];
    for (const id of [...sampleOf(open, 3), ...sampleOf(closed)]) {
      const [facts, content, tool] = [
        await ask(vendor, `/media/${id}`),
        await ask(vendor, `/media/${id}/content`),
        await callTool(server, vendor, "get_media", { id }, all),
      ];
      const status = listed.has(id) ? 200 : 404;
      assert.equal([facts.status, content.status, tool.status], [status, status, status], `medium ${id}`);
      if (status === 200) continue;
      hidden++;
      assert.equal([await facts.text(), await content.text(), await tool.text()], [unknown, unknown, unknown]);
    }
    assert.ok(hidden > 0);
  }
});

test("gets no ticket of the media route, and its key is none", async () => {
  const path = one<string>(store, "SELECT path FROM media WHERE production_id = ?", production);
  for (const vendor of vendors) {
    await assertRefused(await ask(vendor, "/media-ticket"), 403);
    for (const ticket of ["", `?t=${vendor}`])
      assert.is((await server.ask(vendor, `/media/${path}${ticket}`)).status, 401, path);
  }
});

test.after(() => server.stop());
test.run();
