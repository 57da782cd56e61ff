import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addMove, flagVersion, installStorage, listMoves } from "../../src/access/administration.ts";
import { addEngagement, addGrant, endEngagement, listEngagements, revokeGrant } from "../../src/access/engagements.ts";
import { findKeyByToken, mintKey } from "../../src/access/keys.ts";
import { findProduction } from "../../src/access/productions.ts";
import { importDocument } from "../../src/document/import.ts";
import { readDocument } from "../../src/document/read.ts";
import { imported, now, refusal, smallDocument, writeDocument } from "../support/small_document.ts";

const { store, blobs } = await imported(writeDocument(smallDocument()));
const other = smallDocument();
other.production.title = "Other";
await importDocument(store, blobs, readDocument(writeDocument(other)), { now });
const later = "2026-11-20T08:00:01.000Z";

const count = (sql: string): number => store.database.prepare(sql).pluck().get() as number;

const engagements = suite("engagements");

engagements("are listed with their grants and whether each is live", () => {
  const [first, second, ...rest] = listEngagements(store, { production_id: 1 }, now);
  assert.is(rest.length, 0);
  assert.equal(
    first?.grants.map(({ verb, target, target_id, target_name, live }) => [verb, target, target_id, target_name, live]),
    [
      ["read", "node", 1, "scene E1/1, INT. HUT - DAY", false],
      ["read", "node", 4, "costume Coat", false],
      ["read:own_po", "department", 1, "Costume", true],
      ["submit", "delivery", 1, "Reel", true],
    ],
  );
  assert.equal([first?.vendor, first?.active, second?.active, second?.grants], ["Looms Ltd", true, false, []]);
});

engagements("are added for a vendor who is known in whatever case, or new", () => {
  const vendors = count("SELECT count(*) FROM vendors");
  const known = addEngagement(store, { production_id: 1, vendor: " pixel co ", title: "More" }, now);
  assert.equal([known.vendor, known.title, known.active], ["Pixel Co", "More", true]);
  assert.is(count("SELECT count(*) FROM vendors"), vendors);
  assert.is(addEngagement(store, { production_id: 1, vendor: "New" }, now).title, "New");
  assert.is(count("SELECT count(*) FROM vendors"), vendors + 1);
  assert.match(
    refusal(() => addEngagement(store, { production_id: 1, vendor: " " }, now)),
    /^vendor must not be empty/,
  );
});

engagements("that are there already, live and of that vendor and title, are not made a second time", () => {
  const first = addEngagement(store, { production_id: 1, vendor: "Twice Ltd", title: "Fog" }, now);
  const before = [count("SELECT count(*) FROM engagements"), count("SELECT count(*) FROM audit")];
  const again = addEngagement(store, { production_id: 1, vendor: " twice ltd", title: "FOG" }, later);
  assert.equal([first.existed, again.existed, again.id, again.title], [false, true, first.id, "Fog"]);
  assert.equal([count("SELECT count(*) FROM engagements"), count("SELECT count(*) FROM audit")], before);
  assert.is(addEngagement(store, { production_id: 1, vendor: "Twice Ltd", title: "Rain" }, now).existed, false);
  assert.is(addEngagement(store, { production_id: 2, vendor: "Twice Ltd", title: "Fog" }, now).existed, false);
  endEngagement(store, { id: first.id }, now);
  const anew = addEngagement(store, { production_id: 1, vendor: "Twice Ltd", title: "Fog" }, later);
  assert.equal([anew.existed, anew.active, anew.id === first.id], [false, true, false]);
});

engagements("end once, and none of their grants is live from then on", () => {
  const { id } = addEngagement(store, { production_id: 1, vendor: "Short" }, now);
  addGrant(store, { engagement_id: id, verb: "read", delivery_id: 1 }, now);
  const ended = endEngagement(store, { id }, later);
  assert.equal([ended.was_ended, ended.active, ended.ended_at, ended.grants[0]?.live], [false, false, later, false]);
  assert.is(endEngagement(store, { id }, "2027-01-01T00:00:00.000Z").ended_at, later);
  assert.match(
    refusal(() => addGrant(store, { engagement_id: id, verb: "read", delivery_id: 1 }, later)),
    /has ended$/,
  );
  assert.match(
    refusal(() => endEngagement(store, { id: 99 }, now)),
    /^there is no engagement 99;/,
  );
});

engagements("with an end in the future are active until then, for every command", () => {
  const { id } = addEngagement(store, { production_id: 1, vendor: "Seasonal" }, now);
  const ends = "2026-12-24T00:00:00.000Z";
  store.writeSync(() => store.database.prepare("UPDATE engagements SET ended_at = ? WHERE id = ?").run(ends, id));
  const grant = addGrant(store, { engagement_id: id, verb: "read", delivery_id: 1 }, now);
  const { token } = mintKey(store, { production_id: 1, label: "s", engagement_id: id, scopes: ["read"] }, now);
  const seen = (at: string) => {
    const [row] = listEngagements(store, { id }, at);
    return [row?.active, row?.grants[0]?.live, findKeyByToken(store, token, at)?.engagement_ended_at];
  };
  assert.is(grant.live, true);
  assert.equal(seen(now), [true, true, null]);
  assert.equal(seen(ends), [false, false, ends]);
  assert.match(
    refusal(() => mintKey(store, { production_id: 1, label: "s", engagement_id: id, scopes: ["read"] }, ends)),
    /was ended on 2026-12-24$/,
  );
  assert.match(
    refusal(() => addGrant(store, { engagement_id: id, verb: "submit", delivery_id: 1 }, ends)),
    /has ended$/,
  );
  const ended = endEngagement(store, { id }, later);
  assert.equal([ended.was_ended, ended.active, ended.ended_at], [false, false, later]);
});

engagements.run();

const grants = suite("grants");

grants("take effect with their target and expiry", () => {
  const grant = addGrant(store, { engagement_id: 1, verb: "read", node_id: 2, expires: "2026-11-21" }, now);
  assert.equal(
    [grant.live, grant.expires_at, grant.target_name],
    [true, "2026-11-21T23:59:59.999Z", "scene E2/1, EXT. SEA - NIGHT"],
  );
  assert.is(listEngagements(store, { id: 1 }, "2026-11-22T00:00:00.000Z")[0]?.grants.at(-1)?.live, false);
});

const refused: [name: string, given: Omit<Parameters<typeof addGrant>[1], "engagement_id">, sentence: RegExp][] = [
  ["no target", { verb: "read" }, /^a grant has exactly one target/],
  ["two targets", { verb: "read", node_id: 1, delivery_id: 1 }, /^a grant has exactly one target/],
  [
    "an unknown verb",
    { verb: "write", node_id: 1 },
    /^there is no verb write; a grant's is one of read, submit, read:own_po$/,
  ],
  ["submit on a node", { verb: "submit", node_id: 1 }, /^submit needs a delivery, not a node$/],
  [
    "read:own_po on a delivery",
    { verb: "read:own_po", delivery_id: 1 },
    /^read:own_po needs a department, not a delivery$/,
  ],
  [
    "a node of another production",
    { verb: "read", node_id: 6 },
    /^there is no node 6 in the production of engagement 1$/,
  ],
  [
    "a department that does not exist",
    { verb: "read", department_id: 99 },
    /^there is no department 99 in the production/,
  ],
  [
    "an expiry in the past",
    { verb: "read", node_id: 1, expires: "2020-01-01T00:00:00Z" },
    /^expires must lie in the future/,
  ],
];
for (const [name, given, sentence] of refused)
  grants(`with ${name} are refused`, () => {
    const before = count("SELECT count(*) FROM grants");
    assert.match(
      refusal(() => addGrant(store, { engagement_id: 1, ...given }, now)),
      sentence,
    );
    assert.is(count("SELECT count(*) FROM grants"), before);
  });

/** An engagement without grants. */
const bare = () => addEngagement(store, { production_id: 1, vendor: "Bare", title: `Bare ${++bares}` }, now).id;
let bares = 0;

grants("that are there already are not made a second time, and a given expiry replaces theirs", () => {
  const given = { engagement_id: bare(), verb: "read", delivery_id: 1 };
  const first = addGrant(store, given, now);
  const rows = () => [count("SELECT count(*) FROM grants"), count("SELECT count(*) FROM audit")];
  const [grants = 0, audits = 0] = rows();
  const again = addGrant(store, given, later);
  assert.equal([first.existed, again.existed, again.id, again.expires_at], [false, true, first.id, null]);
  assert.equal(rows(), [grants, audits]);
  const ending = addGrant(store, { ...given, expires: "2026-12-01" }, later);
  assert.equal([ending.existed, ending.id, ending.expires_at], [true, first.id, "2026-12-01T23:59:59.999Z"]);
  assert.is(addGrant(store, { ...given, expires: "2026-12-01" }, later).existed, true);
  assert.is(addGrant(store, given, later).expires_at, "2026-12-01T23:59:59.999Z");
  assert.equal(rows(), [grants, audits + 1]);
  const { action, detail } = store.database.prepare("SELECT * FROM audit ORDER BY id DESC").get() as Record<
    string,
    string
  >;
  assert.equal([action, JSON.parse(detail as string).expires_at], ["grant.changed", "2026-12-01T23:59:59.999Z"]);
});

grants("of another verb or target, and those that are no longer live, are no hindrance", () => {
  const given = { engagement_id: bare(), verb: "read", delivery_id: 1 };
  const { id } = addGrant(store, { ...given, expires: "2026-12-01" }, now);
  const others = [
    { ...given, verb: "submit" },
    { ...given, delivery_id: 2 },
    { ...given, engagement_id: bare() },
  ];
  for (const other of others) assert.is(addGrant(store, other, now).existed, false);
  assert.is(addGrant(store, given, "2026-12-02T00:00:00.000Z").existed, false);
  assert.is(revokeGrant(store, { id }, now).was_revoked, false);
});

grants("that stood twice before are revoked with a word about the other, and share a new expiry", () => {
  const engagement_id = bare();
  const given = { engagement_id, verb: "read", delivery_id: 1 };
  const { id } = addGrant(store, given, now);
  const copy = store.database.prepare(
    "INSERT INTO grants (production_id, engagement_id, verb, delivery_id, created_at) VALUES (1, ?, 'read', 1, ?)",
  );
  const twin = store.writeSync(() => Number(copy.run(engagement_id, now).lastInsertRowid));
  addGrant(store, { ...given, expires: "2026-12-01" }, now);
  const ends = listEngagements(store, { id: engagement_id }, now)[0]?.grants.map(({ expires_at }) => expires_at);
  assert.equal(ends, ["2026-12-01T23:59:59.999Z", "2026-12-01T23:59:59.999Z"]);
  assert.equal(revokeGrant(store, { id }, now).still_live, [twin]);
  assert.equal(revokeGrant(store, { id: twin }, now).still_live, []);
});

grants("are revoked once", () => {
  const { id } = addGrant(store, { engagement_id: 1, verb: "read", department_id: 2 }, now);
  assert.equal(revokeGrant(store, { id }, now), {
    id,
    engagement_id: 1,
    verb: "read",
    revoked_at: now,
    was_revoked: false,
    still_live: [],
  });
  assert.equal(revokeGrant(store, { id }, later).was_revoked, true);
  assert.match(
    refusal(() => revokeGrant(store, { id: 999 }, now)),
    /^there is no grant 999;/,
  );
});

grants.run();

const administration = suite("administration");

administration("of versions, storage and moves leaves an activity entry and an audit row each, once", () => {
  const entries = () => [
    count("SELECT count(*) FROM activity WHERE production_id = 1"),
    count("SELECT count(*) FROM audit"),
  ];
  const [activity = 0, audit = 0] = entries();
  assert.is(flagVersion(store, { id: 2, flag: "released" }, now).summary, "Released version 2 (On-Set) of Coat");
  assert.is(flagVersion(store, { id: 2, flag: "released" }, now).summary, undefined);
  assert.is(flagVersion(store, { id: 2, flag: "archived" }, now).version.archived, true);
  assert.is(installStorage(store, { production_id: 1, filespace: "old" }, now).install.filespace, "old");
  assert.is(installStorage(store, { production_id: 1, filespace: "old" }, now).summary, undefined);
  assert.is(installStorage(store, { production_id: 1, filespace: "brand new" }, now).install.active, true);
  assert.is(addMove(store, { production_id: 1, src: "a/x", dst: "b/x" }, now).status, "pending");
  assert.equal(entries(), [activity + 5, audit + 5]);
  const verbs = store.database
    .prepare("SELECT DISTINCT actor || ' ' || verb FROM activity ORDER BY id DESC LIMIT 4")
    .pluck()
    .all();
  assert.ok(verbs.includes("admin storage.move_approved") && verbs.includes("admin version.released"));
});

administration("refuses what cannot be", () => {
  assert.match(
    refusal(() => flagVersion(store, { id: 999, flag: "released" }, now)),
    /^there is no version 999$/,
  );
  const move = (src: string, dst: string, production_id = 1) =>
    refusal(() => addMove(store, { production_id, src, dst }, now));
  assert.match(move("/../x", "b"), /^src must be relative to the filespace/);
  assert.match(move("//x", "b"), /^src must be relative to the filespace/);
  assert.match(move("a", "../b"), /^dst must be relative to the filespace/);
  assert.match(move("same", "/same"), /same path$/);
  assert.match(move("/a/x", "c/x"), /^move \d+ of a\/x is pending already$/);
  assert.is(listMoves(store, { production_id: 1 }).filter(({ filespace }) => filespace === "brand new").length, 1);
});

administration("keeps the paths of a move without their leading /", () => {
  const { src, dst } = addMove(store, { production_id: 1, src: "/r/x", dst: "/s/x" }, now);
  assert.equal([src, dst], ["r/x", "s/x"]);
});

administration("finds a production by id or title", () => {
  assert.equal(findProduction(store, "2"), { id: 2, title: "Other" });
  assert.equal(findProduction(store, "other"), { id: 2, title: "Other" });
  assert.match(
    refusal(() => findProduction(store, "3")),
    /^there is no production 3;/,
  );
});

administration.run();
