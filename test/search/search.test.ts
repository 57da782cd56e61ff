// GET /search and GET /assets/usage: what is found, in which order, and after which changes.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { statementTexts } from "../../src/core/store/statements.ts";
import { alternativesOf } from "../../src/features/search/near_words.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { answersOf } from "../support/list_pages.ts";
import { signIn } from "../support/pages.ts";

const server = await openTestServer();
const { store } = server;
const feature = one(store, "SELECT id FROM productions WHERE format = 'single'");
const series = one(store, "SELECT id FROM productions WHERE format = 'episodic'");
const key = mint(store, { production_id: feature });
const ofSeries = mint(store, { production_id: series, scopes: ["read"] });

interface Found {
  corrected: string | null;
  kind: string;
  id: number;
  label: string;
  excerpt: string;
  rank: number;
}
const found = (q: string, token = key, more = ""): Promise<Found[]> =>
  server.get(token, `/search?q=${encodeURIComponent(q)}${more}`);
const labels = async (q: string, token = key): Promise<string[]> => (await found(q, token)).map(({ label }) => label);

const searching = suite("GET /search");

searching("finds words in any order, by their beginning, without case and accents", async () => {
  assert.equal(await labels("FRENCH coat butt"), await labels("bütton french coat"));
  assert.ok((await labels("frénch coa silv")).includes("Alan - French coat with silver buttons"));
});

searching("finds a scene by its number before everything else", async () => {
  for (const q of ["22", "scene 22", "Sc. 22", "scène 22", "22 scene", "22 scènes"]) {
    const [first] = await found(q);
    assert.is(first?.rank, 0, q);
    assert.match(first?.label ?? "", /^22 /);
  }
  const scenes = await found("scene 22");
  assert.ok(scenes.every(({ kind }) => kind === "scene"));
});

searching("finds a scene of a series by its episode and number", async () => {
  const [first, ...others] = await found("102/5", ofSeries);
  assert.match(first?.label ?? "", /^102\/5 /);
  assert.is(first?.rank, 0);
  assert.ok(others.every(({ rank }) => rank > 0));
  assert.ok((await found("5", ofSeries)).filter(({ rank }) => rank === 0).length > 1, "each episode has a scene 5");
});

searching("comes in pages, which together are the whole answer, with a Link where it is cut", async () => {
  // Axel, and his costumes, are found by their labels, by the beginnings of these and by their texts.
  for (const [path, limit] of [
    ["/search?q=s", 3],
    ["/search?q=t&kinds=scene,asset", 3],
    ...[1, 2, 3, 4, 5].map((limit) => ["/search?q=axel", limit] as const),
  ] as const) {
    const whole = await server.ask(ofSeries, `/api/v1${path}&limit=200`);
    assert.is(whole.headers.get("link"), null);
    const rows = await whole.json();
    const pages: object[] = [];
    for await (const answer of answersOf((next) => server.ask(ofSeries, next), `/api/v1${path}&limit=${limit}`))
      pages.push(...((await answer.json()) as object[]));
    assert.equal(pages, rows, `${path}, ${limit} a page`);
    assert.ok(pages.length > 6);
  }
  const people = await server.ask(ofSeries, "/api/v1/people?limit=1");
  const [, other] = /after=([^>]+)>/.exec(people.headers.get("link") ?? "") ?? [];
  for (const after of [other, "x", Buffer.from('["search","0"]').toString("base64url")])
    await assertRefused(await server.ask(ofSeries, `/api/v1/search?q=s&after=${after}`), 422, /^after must be from/);
});

searching("finds shoot days, omitted scenes, colors and cast", async () => {
  assert.is((await found("day 5"))[0]?.kind, "shoot_day");
  const omitted = await found("omitted", ofSeries);
  assert.equal(
    omitted.map(({ kind }) => kind),
    omitted.map(() => "scene"),
  );
  assert.ok(omitted.length > 0);
  const pink = await found("pink", ofSeries, "&kinds=scene");
  assert.is(
    pink.length,
    one(store, "SELECT count(*) FROM scenes WHERE production_id = ? AND revision_color = 'pink'", series),
  );
  const cast = await found("hoseason", key, "&kinds=scene&limit=200");
  assert.ok(cast.some(({ excerpt }) => /Hoseason/.test(excerpt)));
});

searching("shows 20 words around the first one that was found, and a short text as a whole", async () => {
  const scene = one(store, "SELECT min(node_id) FROM scenes WHERE production_id = ?", feature);
  const words = Array.from({ length: 60 }, (_, at) => (at === 30 ? "Quirèsizes" : `w${at}`));
  const put = (synopsis: string) =>
    store.writeSync(() =>
      store.database.prepare("UPDATE scenes SET synopsis = ? WHERE node_id = ?").run(synopsis, scene),
    );
  const excerpt = async () => (await found("quirésize"))[0]?.excerpt;
  put(words.join(" "));
  assert.is(await excerpt(), `…${words.slice(27, 47).join(" ")}…`);
  put("Quirèsizes.");
  assert.match((await excerpt()) ?? "", /^Quirèsizes\. · /);
});

searching("answers the same whatever the page: the best lists first, each thing once", async () => {
  for (const q of ["s", "the", "a b", "scene", "int day", "1"]) {
    const whole = await found(q, key, "&limit=200");
    for (const limit of [1, 3, 50])
      assert.equal(await found(q, key, `&limit=${limit}`), whole.slice(0, limit), `${q}, ${limit} a page`);
  }
});

searching("reads labels in an index of their own: a word of many bodies costs a search of labels nothing", () => {
  const plan = store.database.prepare(`EXPLAIN QUERY PLAN ${statementTexts().get("search")}`).all({
    production_id: feature,
    q: "a",
    number: null,
    episode: null,
    kinds: null,
    limit: 20,
    numbered: '"a"',
    numbered_in_series: '"a"',
    words: '"a"',
    beginnings: '"a"*',
    near: null,
    after: null,
    after_tie: null,
  }) as { detail: string }[];
  const matching = plan.flatMap(
    ({ detail }) => /^SCAN (search\w*) VIRTUAL TABLE INDEX \d+:\w*M/.exec(detail)?.[1] ?? [],
  );
  assert.equal(matching.sort(), ["search", "search_labels", "search_labels", "search_labels", "search_scripts"]);
});

searching("answers nothing of another production, and nothing for marks alone", async () => {
  assert.equal(await labels("breck", ofSeries), []);
  for (const q of ['"*', "'", "NEAR(", "-", 'a" OR "b']) assert.type((await found(q)).length, "number", q);
  assert.equal(await found('"*"'), []);
});

searching("refuses an unknown kind, an empty query and a bound key", async () => {
  await assertRefused(await server.ask(key, "/api/v1/search?q=a&kinds=scene,foo"), 422, /kinds must be some of/);
  await assertRefused(await server.ask(key, "/api/v1/search?q="), 422, /q/);
  await assertRefused(await server.ask(key, "/api/v1/search"), 422, /q is required/);
  const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", feature);
  await assertRefused(
    await server.ask(mint(store, { production_id: feature, engagement_id }), "/api/v1/search?q=a"),
    403,
  );
});

searching("follows every change: a new asset, another label, a removal", async () => {
  const json = (body: object): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const created = await server.ask(key, "/api/v1/assets", json({ label: "Zymurgy lantern" }));
  const { node_id } = (await created.json()) as { node_id: number };
  assert.equal(
    (await found("zymurgy")).map(({ id }) => id),
    [node_id],
  );
  const play = store.database.prepare("UPDATE nodes SET kind = 'character', performer = ? WHERE id = ?");
  const played = async () => (await found("Oxenstjerna")).map(({ id, excerpt }) => [id, excerpt]);
  store.writeSync(() => play.run("Ida Oxenstjerna", node_id));
  assert.equal(await played(), [[node_id, "character · Ida Oxenstjerna · planned"]]);
  store.writeSync(() => play.run(null, node_id));
  assert.equal(await played(), []);
  store.writeSync(() => store.database.prepare("UPDATE nodes SET label = 'Quillon lantern' WHERE id = ?").run(node_id));
  assert.equal(await found("zymurgy"), []);
  assert.equal(
    (await found("quillon")).map(({ id }) => id),
    [node_id],
  );
  store.writeSync(() =>
    store.database.exec(
      `UPDATE activity SET node_id = NULL WHERE node_id = ${node_id}; DELETE FROM nodes WHERE id = ${node_id}`,
    ),
  );
  assert.equal(await found("quillon"), []);
});

searching("finds locations, background, departments and vendors, and purchase orders for who sees money", async () => {
  const admin = mint(store, { production_id: feature, scopes: ["read", "admin"] });
  const accountant = mint(store, { production_id: feature, scopes: ["read", "read:money"] });
  const put = async (document: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await server.ask(admin, "/api/v1/admin/import", {
      method: "POST",
      headers,
      body: JSON.stringify(document),
    });
    assert.is(answer.status, 200, await answer.text());
  };
  const kindsOf = async (q: string, token = key, more = "") =>
    (await found(q, token, more)).map(({ kind, label, excerpt }) => [kind, label, excerpt]);
  assert.ok((await kindsOf("Essendean manse", key, "&kinds=shoot_day")).length > 0);
  assert.ok((await found("redcoats", key, "&kinds=scene")).every(({ excerpt }) => /redcoats/.test(excerpt)));
  assert.ok((await found("redcoats", key, "&kinds=scene")).length > 1);
  assert.is((await kindsOf("marine", key, "&kinds=department"))[0]?.[1], "Marine and Boats");
  assert.equal(await kindsOf("fairlead", key, "&kinds=vendor"), [
    ["vendor", "Fairlead Marine Services", "Brig, boats and tank"],
  ]);
  const order = {
    number: "PO-2041",
    account: "2700",
    description: "Periscope for the brig",
    amount: 7,
    date: "2026-05-01",
  };
  await put({ purchase_orders: [{ ...order, vendor: "Fairlead Marine Services", department: "marine" }] });
  const shown = [
    "purchase_order",
    "PO-2041",
    "Periscope for the brig · Fairlead Marine Services · Marine and Boats · open · 2026-05-01",
  ];
  for (const q of ["PO-2041", "po 2041", "periscope"]) {
    assert.equal(await kindsOf(q, accountant), [shown], q);
    assert.equal(await kindsOf(q), [], `${q} without read:money`);
    assert.equal(await kindsOf(q, key, "&kinds=purchase_order"), [], `${q} without read:money, asked for`);
    const counted = await server.ask(key, `/api/v1/search?q=${q}&total=1`);
    assert.is(counted.headers.get("tallylight-total"), "0");
  }
  await put({ vendors: [{ name: "Leadline Boats", was: "Fairlead Marine Services" }] });
  assert.equal(await kindsOf("fairlead", accountant, "&kinds=vendor,purchase_order"), [
    ["vendor", "Leadline Boats", "Brig, boats and tank · was Fairlead Marine Services"],
  ]);
  assert.is((await kindsOf("leadline", accountant, "&kinds=purchase_order&limit=200")).length > 1, true);
  const page = await (await signIn(server, accountant)).text("/search?q=leadline");
  assert.match(page, /<strong>Leadline Boats<\/strong>[\s\S]*was Fairlead Marine Services/);
  assert.match(page, /<a href="\/orders">PO-2041</);
});

searching(
  "follows the name of a character in the scenes that it is in, and of a department in its people",
  async () => {
    const rename = (sql: string) => store.writeSync(() => store.database.exec(sql));
    const before = (await found("breck", key, "&kinds=scene&limit=200")).length;
    assert.ok(before > 0);
    rename(`UPDATE nodes SET label = 'Alan Xanadu' WHERE label = 'Alan Breck Stewart' AND production_id = ${feature}`);
    assert.ok((await found("xanadu", key, "&kinds=scene&limit=200")).length >= before - 1);
    rename(`UPDATE nodes SET label = 'Alan Breck Stewart' WHERE label = 'Alan Xanadu' AND production_id = ${feature}`);
    assert.is((await found("breck", key, "&kinds=scene&limit=200")).length, before);
    rename(`UPDATE departments SET name = 'Wardrobery' WHERE slug = 'costume' AND production_id = ${feature}`);
    assert.ok((await found("wardrobery", key, "&kinds=person")).length > 0);
    assert.is(one(store, "SELECT count(*) FROM search_changes"), 0);
    const columns = "rowid, label, kind, production_id";
    for (const [some, others] of [["search", "search_labels"] as const, ["search_labels", "search"] as const])
      assert.is(
        one(store, `SELECT count(*) FROM (SELECT ${columns} FROM ${some} EXCEPT SELECT ${columns} FROM ${others})`),
        0,
      );
  },
);

searching.run();

const correctedOf = async (q: string, token = key, more = "") =>
  (await found(q, token, more)).map(({ label, corrected }) => [label, corrected]);

async function createCostume(label: string, token = key): Promise<void> {
  const body = JSON.stringify({ label, kind: "costume" });
  const headers = { "content-type": "application/json" };
  assert.is((await server.ask(token, "/api/v1/assets", { method: "POST", headers, body })).status, 200);
}

searching("tries plurals and one wrong letter if nothing has the words, and says so", async () => {
  for (const label of ["Siege coat", "Red coat of Élodie", "Box of lady's brushes"]) await createCostume(label);
  for (const q of ["siege coats", "seige coat", "siegee coat", "SIÈGES coatt"])
    assert.equal(await correctedOf(q), [["Siege coat", "siege coat"]], q);
  assert.equal(await correctedOf("sieg coat"), [["Siege coat", null]], "a beginning is no mistake");
  assert.equal(await correctedOf("reed coat elodia"), [["Red coat of Élodie", "red coat elodie"]]);
  assert.equal(await correctedOf("boxes ladies"), [["Box of lady's brushes", "box lady"]]);
  for (const q of ["siege coats", "boxes ladies"]) assert.equal(await correctedOf(q, key, "&kinds=person"), []);
  assert.equal(
    await correctedOf("siege coats of a long query with words"),
    [],
    "of more than six words none is changed",
  );
});

searching("looks for a wrong letter among the words with the first letter, and for fewer than sixty others", () => {
  const asked: [number, string][] = [];
  const known = ["harbour", "harbours", "arbour", "barbour", "hat"];
  const near = alternativesOf(
    ["harbor", "arbuor"],
    () => false,
    (words, first) => {
      asked.push([words.length, first]);
      return known.filter((word) => words.includes(word) || word.startsWith(first));
    },
  );
  assert.equal(
    near?.map((words) => [...words]),
    [["harbour"], ["arbour"]],
  );
  assert.equal(
    asked.map(([count, first]) => [count < 60, first]),
    [
      [true, "h"],
      [true, "a"],
    ],
  );
  const statement = store.statement<{ word: string }>("list_known_words");
  const words = statement.all({ words: '["breck","nothing"]', first: "é" }).map(({ word }) => word);
  assert.equal(words, ["breck"]);
  const plan = store.database.prepare(`EXPLAIN QUERY PLAN ${statementTexts().get("list_known_words")}`);
  const scans = (plan.all({ words: "[]", first: "h" }) as { detail: string }[]).flatMap(
    ({ detail }) => /search_words VIRTUAL TABLE INDEX (\d+)/.exec(detail)?.[1] ?? [],
  );
  assert.equal(scans, ["1", "6"], "one word, and a range of them; 0 reads all");
});

searching("corrects in pages, which end as the whole answer does", async () => {
  for (const number of [1, 2, 3]) await createCostume(`Pavillion ${number}`);
  const all = await correctedOf("pavilion");
  assert.equal(
    all.map(([label]) => label),
    ["Pavillion 1", "Pavillion 2", "Pavillion 3"],
  );
  const rows: unknown[] = [];
  let path: string | undefined = "/api/v1/search?q=pavilion&limit=1";
  while (path !== undefined) {
    const response: Response = await server.ask(key, path);
    rows.push(...((await response.json()) as Found[]).map(({ label, corrected }) => [label, corrected]));
    path = /<[^>]*?(\/api[^>]+)>/.exec(response.headers.get("link") ?? "")?.[1];
  }
  assert.equal(rows, all);
});

searching("never corrects by a word of another production", async () => {
  await createCostume("Zanzibar lantern", mint(store, { production_id: series }));
  assert.equal(await labels("zanzibr", ofSeries), ["Zanzibar lantern"]);
  assert.equal(await found("zanzibr"), []);
  assert.equal(await found("zanzibr lanterns"), []);
});

const usage = suite("GET /assets/usage");
const coat = "Alan - French coat with silver buttons";

usage("answers where an asset is used, by label and by id, in less than 6 KB", async () => {
  const answer = await server.get(key, `/assets/usage?label=${encodeURIComponent(coat.toUpperCase())}`);
  const { node_id } = answer.asset;
  assert.equal(answer, await server.get(key, `/assets/${node_id}/usage`));
  assert.ok(JSON.stringify(answer).length < 6_000);
  const linked = one(
    store,
    "SELECT count(*) FROM node_links l JOIN scenes s ON s.node_id = l.from_node_id WHERE l.to_node_id = ?",
    node_id,
  );
  assert.is(answer.scenes.length, linked);
  assert.ok(answer.shoot_days.length > 0);
});

usage("names the episode of each scene on a series, as the page of the asset does", async () => {
  const series = one(store, "SELECT id FROM productions WHERE format = 'episodic'");
  const node_id = one(
    store,
    "SELECT l.to_node_id FROM node_links l JOIN scenes s ON s.node_id = l.from_node_id WHERE s.production_id = ? LIMIT 1",
    series,
  );
  const crew = mint(store, { production_id: series, scopes: ["read"] });
  const { scenes } = await server.get(crew, `/assets/${node_id}/usage`);
  const codes = new Map((await server.get(crew, "/scenes")).map((scene: any) => [scene.node_id, scene.episode_code]));
  assert.ok(scenes.length > 0);
  const page = await (await signIn(server, crew)).text(`/assets/${node_id}`);
  for (const scene of scenes) {
    assert.is(scene.episode_code, codes.get(scene.node_id));
    assert.match(page, new RegExp(`>${scene.episode_code}/${scene.number} `));
  }
});

usage("names the live grants that reach the asset, of its department too", async () => {
  const grants = one<string>(
    store,
    `SELECT json_group_array(n.id) FROM grants g JOIN nodes n ON n.production_id = g.production_id AND n.kind <> 'scene'
     AND (g.node_id = n.id OR (g.department_id = n.department_id AND g.verb = 'read')) WHERE g.revoked_at IS NULL AND g.production_id = ?`,
    feature,
  );
  const [node_id] = JSON.parse(grants) as number[];
  const answer = await server.get(key, `/assets/${node_id}/usage`);
  assert.ok(answer.grants.length > 0);
  for (const { engagement_id } of answer.grants) {
    const bound = mint(store, { production_id: feature, engagement_id, scopes: ["read"] });
    assert.is((await server.ask(bound, `/api/v1/bundles/asset/${node_id}`)).status, 200);
  }
});

usage("two assets of one label are 422 with both ids, an unknown label is 404", async () => {
  const ids = [1, 2].map(() =>
    store.writeSync(() =>
      Number(
        store.database
          .prepare(
            "INSERT INTO nodes (production_id, kind, label, status, created_at, updated_at) VALUES (?, 'prop', 'Twin oar', 'planned', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
          )
          .run(feature).lastInsertRowid,
      ),
    ),
  );
  const detail = await assertRefused(await server.ask(key, "/api/v1/assets/usage?label=twin%20oar"), 422);
  for (const id of ids) assert.match(detail, String(id));
  await assertRefused(await server.ask(key, "/api/v1/assets/usage?label=none"), 404);
  const words = await server.get(key, "/assets/usage?label=french%20coat");
  assert.is(words.asset.label, coat);
  const version = ["id", "version", "variant", "status", "released"];
  assert.equal([Object.keys(words.newest), Object.keys(words.newest_released)], [version, [...version, "media_id"]]);
  assert.equal([words.newest.released, words.newest_released.released], [false, true]);
  assert.ok(words.newest_released.version < words.newest.version);
  const { media_id } = words.newest_released;
  assert.is((await server.ask(key, `/api/v1/media/${media_id}/content`)).status, 200);
  await assertRefused(
    await server.ask(key, "/api/v1/assets/usage?label=coat"),
    422,
    /^label is a part of several labels: \d+ \(.*French coat.*; send node_id instead$/,
  );
  await assertRefused(await server.ask(key, `/api/v1/assets/usage?label=a&node_id=${ids[0]}`), 422);
});

usage.after(() => server.stop());
usage.run();
