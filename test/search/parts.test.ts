// GET /search in languages that write no spaces between words, and in letters that people type in another way.

import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import { searchForm } from "../../src/core/wording.ts";
import { mint, one, openTestServer } from "../support/app.ts";

const server = await openTestServer();
const { store } = server;
const production_id = one(store, "SELECT id FROM productions WHERE format = 'single'");
const key = mint(store, { production_id });

const labels = [
  "東京タワーの模型",
  "红色大衣",
  "김민수의 우산",
  "หมวกของมาลี",
  "ハンドル３号",
  "Łódź lantern",
  "Smørrebrød of Ærø",
  "Œuvre Đorđe Þór",
  "Straßenlaterne",
  "Ἀθῆναι",
  "करण का कोट",
  "किरण का कोट",
  "БОЙ flag",
  "Dragon’s egg",
];
for (const label of labels) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ label, kind: "prop" });
  assert.is((await server.ask(key, "/api/v1/assets", { method: "POST", headers, body })).status, 200);
}

type Found = { label: string; excerpt: string; rank: number; corrected: string | null };
const found = (q: string): Promise<Found[]> => server.get(key, `/search?q=${encodeURIComponent(q)}&limit=200`);
const labelsOf = async (q: string): Promise<string[]> => (await found(q)).map(({ label }) => label);

const parts = suite("GET /search in languages without spaces");

parts("finds Chinese, Japanese, Korean and Thai by any part of one character or more", async () => {
  for (const [label, ...queries] of [
    ["東京タワーの模型", "東京タワーの模型", "東京", "京タ", "タワー", "ー", "模", "型", "ﾀﾜｰ", "模型 東京"],
    ["红色大衣", "红", "色大", "衣", "红色"],
    ["김민수의 우산", "김", "민수", "수의", "우산", "김민수의 우산", "김민수".normalize("NFD")],
    ["หมวกของมาลี", "หมวก", "ของ", "มาลี", "ลี", "ล", "กของ"],
    ["ハンドル３号", "ハンドル3号", "ル3", "3号", "号", "ﾊﾝﾄﾞﾙ"],
  ] as const)
    for (const q of queries) {
      const [first, ...others] = (await found(q)).filter((one) => labels.includes(one.label));
      assert.equal([first?.label, others.length, first?.corrected], [label, 0, null], q);
    }
});

parts("does not find characters that stand apart or in another order, nor a sign without its mark", async () => {
  for (const q of ["東模", "京東", "衣红", "수민", "ลีมา", "タワ一", "ハントル"])
    assert.equal(
      (await labelsOf(q)).filter((one) => labels.includes(one)),
      [],
      q,
    );
  assert.equal(await labelsOf("करण"), ["करण का कोट"]);
  assert.equal(await labelsOf("किरण"), ["किरण का कोट"]);
  assert.equal(await labelsOf("бои"), []);
});

parts("is first by its whole label, however it is written", async () => {
  for (const q of ["東京ﾀﾜｰの模型", " 红色大衣 ", "DRAGON'S EGG", "straßenlaterne", "STRASSENLATERNE", "lodz lantern"])
    assert.is((await found(q))[0]?.rank, 0, q);
  assert.is((await found("東京"))[0]?.rank, 1);
});

parts("knows the letters that no accent makes, and the accents of Latin and Greek", async () => {
  for (const [q, label] of [
    ["lodz", "Łódź lantern"],
    ["ŁÓDŹ", "Łódź lantern"],
    ["smorrebrod aero", "Smørrebrød of Ærø"],
    ["oeuvre dorde thor", "Œuvre Đorđe Þór"],
    ["strassen", "Straßenlaterne"],
    ["STRAẞEN", "Straßenlaterne"],
    ["αθηναι", "Ἀθῆναι"],
    ["ΑΘΗΝΑΙ", "Ἀθῆναι"],
    ["бой", "БОЙ flag"],
    ["dragonʼs", "Dragon’s egg"],
    ["ｌａｎｔｅｒｎ łódź", "Łódź lantern"],
  ] as const)
    assert.ok((await labelsOf(q)).includes(label), q);
});

parts("shows the part of a long text around the characters that were found, as they are written", async () => {
  const scene = one(store, "SELECT min(node_id) FROM scenes WHERE production_id = ?", production_id);
  const synopsis = `${"山".repeat(60)}龍が飛ぶ。${"川".repeat(60)}`;
  store.writeSync(() =>
    store.database.prepare("UPDATE scenes SET synopsis = ? WHERE node_id = ?").run(synopsis, scene),
  );
  const [first] = await found("龍が");
  assert.match(first?.excerpt ?? "", /^…山山山龍が飛ぶ。川+…$/);
});

parts("finds a number and a scene as before, and nothing for marks alone", async () => {
  assert.is((await found("scene 22"))[0]?.rank, 0);
  for (const q of ["。", "・・", "\u3099", "「」"]) assert.equal(await found(q), [], q);
});

parts("are found from the first start on in what an older version stored", () => {
  const database = new Database(":memory:");
  const before = migrations().findIndex(({ name }) => name.includes("search_by_parts"));
  migrate(database, migrations().slice(0, before));
  database.exec(`
    INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (1, '', '', '', '', '', 'single', '');
    INSERT INTO people (id, production_id, name, role, is_hod, is_admin) VALUES (1, 1, '김민수', 'Łódź unit', 0, 0);
    INSERT INTO frozen_productions (production_id, frozen_at) VALUES (1, '2026-01-01');`);
  migrate(database);
  for (const words of ['"민 수"', '"lodz"'])
    assert.is(database.prepare("SELECT shown_label FROM search WHERE search MATCH ?").pluck().get(words), "김민수");
  database.close();
});

parts("has a form that stays as it is when it is formed again", () => {
  for (const label of labels) assert.is(searchForm(searchForm(label)), searchForm(label));
});

parts.after(() => server.stop());
parts.run();
