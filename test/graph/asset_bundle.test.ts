// GET /bundles/asset/{node_id}, and the files of deliveries: what a client needs to find an asset and the bytes around
// it.
import { hash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, submitter, reader, delivery } = seedDataOf(store);
const crew = mint(store, { production_id: production, scopes: ["read"] });
const keyOf = (engagement_id: number) => mint(store, { production_id: production, engagement_id, scopes });

const bundle = suite("GET /bundles/asset/{node_id}");

bundle(
  "shows the asset with its scenes in script order and the released versions that the list of assets shows",
  async () => {
    const assets = await server.get(crew, "/assets");
    const order = (await server.get(crew, "/scenes")).map(({ node_id }: { node_id: number }) => node_id);
    let shown = 0;
    for (const { versions, updated_at, cast_number, performer, ...asset } of assets) {
      const found = await server.get(crew, `/bundles/asset/${asset.node_id}`);
      assert.equal([found.version, found.asset], [1, asset]);
      const detail = await server.get(crew, `/assets/${asset.node_id}`);
      assert.equal(
        found.released_versions,
        detail.versions.filter(({ released }: { released: boolean }) => released),
      );
      const places = found.scenes.map(({ node_id }: { node_id: number }) => order.indexOf(node_id));
      assert.equal(
        places,
        [...places].sort((a, b) => a - b),
      );
      shown += places.length;
    }
    assert.ok(shown > 0);
  },
);

bundle("agrees with the scenes' bundles about what is in a scene", async () => {
  for (const token of [crew, keyOf(submitter)]) {
    const { reach } = await server.get(token, "/me");
    const ids: number[] =
      reach === null
        ? (await server.get(crew, "/assets")).map(({ node_id }: { node_id: number }) => node_id)
        : reach.nodes.filter(({ kind }: any) => kind !== "scene").map(({ node_id }: { node_id: number }) => node_id);
    const pairs = new Set<string>();
    for (const id of ids)
      for (const { node_id, number, slugline, episode_code } of (await server.get(token, `/bundles/asset/${id}`))
        .scenes) {
        const { scene } = await server.get(token, `/bundles/scene/${node_id}`);
        assert.equal([number, slugline, episode_code], [scene.number, scene.slugline, scene.episode_code]);
        pairs.add(`${node_id} ${id}`);
      }
    const expected = new Set<string>();
    const scenes: number[] =
      reach === null
        ? (await server.get(crew, "/scenes")).map(({ node_id }: { node_id: number }) => node_id)
        : reach.nodes.filter(({ kind }: any) => kind === "scene").map(({ node_id }: { node_id: number }) => node_id);
    for (const node_id of scenes)
      for (const asset of (await server.get(token, `/bundles/scene/${node_id}`)).assets)
        expected.add(`${node_id} ${asset.node_id}`);
    assert.equal([...pairs].sort(), [...expected].sort());
    assert.ok(pairs.size > 0);
  }
});

bundle("has the notes of the asset's department on its scenes, for an engagement that reaches both", async () => {
  const at = (department: string) =>
    `(SELECT id FROM departments WHERE production_id = ${production} AND ${department})`;
  const { node_id, scene_id, department_id } = store.database
    .prepare(
      `SELECT n.id AS node_id, link.from_node_id AS scene_id, n.department_id
       FROM nodes n JOIN node_links link ON link.to_node_id = n.id JOIN scenes s ON s.node_id = link.from_node_id
       WHERE n.production_id = ? AND n.department_id IS NOT NULL ORDER BY n.id LIMIT 1`,
    )
    .get(production) as Record<string, number>;
  const note = (department: string, about: unknown, summary: string) =>
    store.writeSync(() =>
      store.database.exec(
        `INSERT INTO department_notes (production_id, department_id, node_id, summary) VALUES (${production}, ${at(department)}, ${about}, '${summary}')`,
      ),
    );
  note(`id = ${department_id}`, scene_id, "own department, its scene");
  note(`id = ${department_id}`, node_id, "own department, itself");
  note(`id <> ${department_id} LIMIT 1`, scene_id, "another department, its scene");
  const notesFor = async (token: string) => {
    const { department_notes } = await server.get(token, `/bundles/asset/${node_id}`);
    return department_notes.map(({ summary }: { summary: string }) => summary);
  };
  const notes = await notesFor(crew);
  assert.ok(notes.includes("own department, its scene") && notes.includes("own department, itself"), `${notes}`);
  assert.not.ok(notes.includes("another department, its scene"));
  const grant = (target: string, id: unknown) =>
    store.writeSync(() =>
      store.database.exec(
        `INSERT INTO grants (production_id, engagement_id, verb, ${target}, created_at) VALUES (${production}, ${reader}, 'read', ${id}, '2026-11-20')`,
      ),
    );
  store.writeSync(() =>
    store.database.exec(`DELETE FROM grants WHERE engagement_id = ${reader} AND delivery_id IS NULL`),
  );
  grant("node_id", node_id);
  assert.equal(await notesFor(keyOf(reader)), ["own department, itself"]);
  grant("department_id", department_id);
  assert.equal(await notesFor(keyOf(reader)), ["own department, itself"]);
  grant("node_id", scene_id);
  assert.equal(await notesFor(keyOf(reader)), ["own department, its scene", "own department, itself"]);
});

bundle("has an ETag that is its field etag, answers 304 to it, and changes with a release", async () => {
  const version = store.database
    .prepare("SELECT id, node_id FROM versions WHERE production_id = ? AND released = 0 ORDER BY id LIMIT 1")
    .get(production) as { id: number; node_id: number };
  const path = `/api/v1/bundles/asset/${version.node_id}`;
  const ask = (headers = {}) => server.ask(crew, path, { headers });
  const first = await ask();
  const etag = first.headers.get("etag") as string;
  assert.is(((await first.json()) as { etag: string }).etag, etag);
  assert.is((await ask({ "if-none-match": etag })).status, 304);
  store.writeSync(() => store.database.exec(`UPDATE versions SET released = 1 WHERE id = ${version.id}`));
  const next = await ask({ "if-none-match": etag });
  assert.is(next.status, 200);
  const { released_versions } = (await next.json()) as { released_versions: { id: number }[] };
  assert.ok(released_versions.some(({ id }) => id === version.id));
});
bundle.run();

const files = suite("a delivery's own files");

files(
  "are on its turnover for each engagement that reaches it, without the work that was submitted, and can be fetched",
  async () => {
    const own = store.database
      .prepare("SELECT id FROM media WHERE delivery_id = ? AND work_item_id IS NULL ORDER BY id")
      .pluck();
    const body = new FormData();
    body.append("files", new Blob(["work of one vendor"]), "work.txt");
    const key = keyOf(submitter);
    const sent = await server.ask(key, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
    assert.is(sent.status, 200);
    const lists = [
      [key, "/turnovers"],
      [keyOf(reader), "/turnovers"],
      [crew, "/deliveries"],
    ] as const;
    for (const [token, path] of lists) {
      let shown = 0;
      for (const { id, media } of await server.get(token, path)) {
        assert.equal(
          media.map((medium: { id: number }) => medium.id),
          own.all(id),
        );
        for (const { id: medium, label, ...facts } of media) {
          const content = await server.ask(token, `/api/v1/media/${medium}/content`);
          const bytes = new Uint8Array(await content.arrayBuffer());
          const sha256 = hash("sha256", bytes);
          const content_type = content.headers.get("content-type");
          assert.equal(facts, { sha256, size: bytes.length, content_type }, label);
          assert.is(content.headers.get("etag"), `"${sha256}"`);
          const detail = await server.get(token, `/media/${medium}`);
          assert.equal(
            [detail.label, detail.sha256, detail.size, detail.content_type],
            [label, ...Object.values(facts)],
          );
          shown++;
        }
      }
      assert.ok(shown > 0, path);
    }
  },
);

files("are links on the page of the delivery and on the vendor's page of the turnover", async () => {
  const medium = one(store, "SELECT min(id) FROM media WHERE delivery_id = ? AND work_item_id IS NULL", delivery);
  for (const [token, path] of [
    [keyOf(submitter), `/turnovers/${delivery}`],
    [crew, `/deliveries/${delivery}`],
  ] as const) {
    const browser = await signIn(server, token);
    assert.match(await browser.text(path), `<a href="/files/${medium}">`);
    assert.is((await browser.get(`/files/${medium}`)).status, 200);
  }
});
files.after(() => server.stop());
files.run();
