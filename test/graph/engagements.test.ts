import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { addEngagement, endEngagement, listEngagements } from "../../src/graph/engagements.ts";
import { findProduction } from "../../src/graph/find_production.ts";
import { addGrant, revokeGrant } from "../../src/graph/grants.ts";
import { findKeyByToken, mintKey } from "../../src/graph/keys.ts";
import { imported, now, refusal, smallDocument, writeDocument } from "../support/small_document.ts";

const { store, blobs } = await imported(writeDocument(smallDocument()));
const other = smallDocument();
other.production.title = "Other";
await importDocument(store, blobs, readDocument(writeDocument(other)), { now });
const later = "2026-11-20T08:00:01.000Z";

const count = (sql: string): number => store.database.prepare(sql).pluck().get() as number;

const engagements = suite("engagements");

engagements("are listed with their grants and whether each grant is live", () => {
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

engagements("are added for a new vendor, or for a known one in any case", () => {
  const vendors = count("SELECT count(*) FROM vendors");
  const known = addEngagement(localAdmin(store, now), { production_id: 1, vendor: " pixel co ", title: "More" });
  assert.equal([known.vendor, known.title, known.active], ["Pixel Co", "More", true]);
  assert.is(count("SELECT count(*) FROM vendors"), vendors);
  assert.is(addEngagement(localAdmin(store, now), { production_id: 1, vendor: "New" }).title, "New");
  assert.is(count("SELECT count(*) FROM vendors"), vendors + 1);
  assert.match(
    refusal(() => addEngagement(localAdmin(store, now), { production_id: 1, vendor: " " })),
    /^vendor must not be empty/,
  );
});

engagements("that exist for that vendor and title, and are active, are not created again", () => {
  const first = addEngagement(localAdmin(store, now), { production_id: 1, vendor: "Twice Ltd", title: "Fog" });
  const before = [count("SELECT count(*) FROM engagements"), count("SELECT count(*) FROM audit")];
  const again = addEngagement(localAdmin(store, later), { production_id: 1, vendor: " twice ltd", title: "FOG" });
  assert.equal([first.existed, again.existed, again.id, again.title], [false, true, first.id, "Fog"]);
  assert.equal([count("SELECT count(*) FROM engagements"), count("SELECT count(*) FROM audit")], before);
  assert.is(
    addEngagement(localAdmin(store, now), { production_id: 1, vendor: "Twice Ltd", title: "Rain" }).existed,
    false,
  );
  assert.is(
    addEngagement(localAdmin(store, now), { production_id: 2, vendor: "Twice Ltd", title: "Fog" }).existed,
    false,
  );
  endEngagement(localAdmin(store, now), { id: first.id });
  const anew = addEngagement(localAdmin(store, later), { production_id: 1, vendor: "Twice Ltd", title: "Fog" });
  assert.equal([anew.existed, anew.active, anew.id === first.id], [false, true, false]);
});

engagements("end once, and with them their grants", () => {
  const { id } = addEngagement(localAdmin(store, now), { production_id: 1, vendor: "Short" });
  addGrant(localAdmin(store, now), { engagement_id: id, verb: "read", delivery_id: 1 });
  const ended = endEngagement(localAdmin(store, later), { id });
  assert.equal([ended.was_ended, ended.active, ended.ended_at, ended.grants[0]?.live], [false, false, later, false]);
  assert.is(endEngagement(localAdmin(store, "2027-01-01T00:00:00.000Z"), { id }).ended_at, later);
  assert.match(
    refusal(() => addGrant(localAdmin(store, later), { engagement_id: id, verb: "read", delivery_id: 1 })),
    /has ended$/,
  );
  assert.match(
    refusal(() => endEngagement(localAdmin(store, now), { id: 99 })),
    /^there is no engagement 99;/,
  );
});

engagements("with an end in the future are active until then, for every command", () => {
  const { id } = addEngagement(localAdmin(store, now), { production_id: 1, vendor: "Seasonal" });
  const ends = "2026-12-24T00:00:00.000Z";
  store.writeSync(() => store.database.prepare("UPDATE engagements SET ended_at = ? WHERE id = ?").run(ends, id));
  const grant = addGrant(localAdmin(store, now), { engagement_id: id, verb: "read", delivery_id: 1 });
  const { token } = mintKey(localAdmin(store, now), {
    production_id: 1,
    label: "s",
    engagement_id: id,
    scopes: ["read"],
  });
  const seen = (at: string) => {
    const [row] = listEngagements(store, { id }, at);
    return [row?.active, row?.grants[0]?.live, findKeyByToken(store, token, at)?.engagement_ended_at];
  };
  assert.is(grant.live, true);
  assert.equal(seen(now), [true, true, null]);
  assert.equal(seen(ends), [false, false, ends]);
  assert.match(
    refusal(() =>
      mintKey(localAdmin(store, ends), { production_id: 1, label: "s", engagement_id: id, scopes: ["read"] }),
    ),
    /was ended on 2026-12-24$/,
  );
  assert.match(
    refusal(() => addGrant(localAdmin(store, ends), { engagement_id: id, verb: "submit", delivery_id: 1 })),
    /has ended$/,
  );
  const ended = endEngagement(localAdmin(store, later), { id });
  assert.equal([ended.was_ended, ended.active, ended.ended_at], [false, false, later]);
});

engagements.run();

const grants = suite("grants");

grants("take effect with their target and expiry", () => {
  const grant = addGrant(localAdmin(store, now), { engagement_id: 1, verb: "read", node_id: 2, expires: "2026-11-21" });
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
    /^there is no verb write; the verbs are read, submit, read:own_po$/,
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
    /^expires must be in the future/,
  ],
];
for (const [name, given, sentence] of refused)
  grants(`with ${name} are refused`, () => {
    const before = count("SELECT count(*) FROM grants");
    assert.match(
      refusal(() => addGrant(localAdmin(store, now), { engagement_id: 1, ...given })),
      sentence,
    );
    assert.is(count("SELECT count(*) FROM grants"), before);
  });

/** Creates an engagement without grants. */
const newEngagement = () =>
  addEngagement(localAdmin(store, now), { production_id: 1, vendor: "Bare", title: `Bare ${++engagementCount}` }).id;
let engagementCount = 0;

grants("that exist are not created again, and a given expiry replaces theirs", () => {
  const given = { engagement_id: newEngagement(), verb: "read", delivery_id: 1 };
  const first = addGrant(localAdmin(store, now), given);
  const rows = () => [count("SELECT count(*) FROM grants"), count("SELECT count(*) FROM audit")];
  const [grants = 0, audits = 0] = rows();
  const again = addGrant(localAdmin(store, later), given);
  assert.equal([first.existed, again.existed, again.id, again.expires_at], [false, true, first.id, null]);
  assert.equal(rows(), [grants, audits]);
  const ending = addGrant(localAdmin(store, later), { ...given, expires: "2026-12-01" });
  assert.equal([ending.existed, ending.id, ending.expires_at], [true, first.id, "2026-12-01T23:59:59.999Z"]);
  assert.is(addGrant(localAdmin(store, later), { ...given, expires: "2026-12-01" }).existed, true);
  assert.is(addGrant(localAdmin(store, later), given).expires_at, "2026-12-01T23:59:59.999Z");
  assert.equal(rows(), [grants, audits + 1]);
  const { action, detail } = store.database.prepare("SELECT * FROM audit ORDER BY id DESC").get() as Record<
    string,
    string
  >;
  assert.equal([action, JSON.parse(detail as string).expires_at], ["grant.changed", "2026-12-01T23:59:59.999Z"]);
});

grants("with another verb or target, and those that have ended, do not prevent a new one", () => {
  const given = { engagement_id: newEngagement(), verb: "read", delivery_id: 1 };
  const { id } = addGrant(localAdmin(store, now), { ...given, expires: "2026-12-01" });
  const others = [
    { ...given, verb: "submit" },
    { ...given, delivery_id: 2 },
    { ...given, engagement_id: newEngagement() },
  ];
  for (const other of others) assert.is(addGrant(localAdmin(store, now), other).existed, false);
  assert.is(addGrant(localAdmin(store, "2026-12-02T00:00:00.000Z"), given).existed, false);
  assert.is(revokeGrant(localAdmin(store, now), { id }).was_revoked, false);
});

grants("that exist twice from before are revoked with the id of the other, and get a new expiry together", () => {
  const engagement_id = newEngagement();
  const given = { engagement_id, verb: "read", delivery_id: 1 };
  const { id } = addGrant(localAdmin(store, now), given);
  const copy = store.database.prepare(
    "INSERT INTO grants (production_id, engagement_id, verb, delivery_id, created_at) VALUES (1, ?, 'read', 1, ?)",
  );
  const twin = store.writeSync(() => Number(copy.run(engagement_id, now).lastInsertRowid));
  addGrant(localAdmin(store, now), { ...given, expires: "2026-12-01" });
  const ends = listEngagements(store, { id: engagement_id }, now)[0]?.grants.map(({ expires_at }) => expires_at);
  assert.equal(ends, ["2026-12-01T23:59:59.999Z", "2026-12-01T23:59:59.999Z"]);
  assert.equal(revokeGrant(localAdmin(store, now), { id }).still_live, [twin]);
  assert.equal(revokeGrant(localAdmin(store, now), { id: twin }).still_live, []);
});

grants("are revoked once", () => {
  const { id } = addGrant(localAdmin(store, now), { engagement_id: 1, verb: "read", department_id: 2 });
  assert.equal(revokeGrant(localAdmin(store, now), { id }), {
    id,
    engagement_id: 1,
    verb: "read",
    revoked_at: now,
    was_revoked: false,
    still_live: [],
  });
  assert.equal(revokeGrant(localAdmin(store, later), { id }).was_revoked, true);
  assert.match(
    refusal(() => revokeGrant(localAdmin(store, now), { id: 999 })),
    /^there is no grant 999;/,
  );
});

grants.run();

const administration = suite("administration");

administration("finds a production by id or title", () => {
  assert.equal(findProduction(store, "2"), { id: 2, title: "Other" });
  assert.equal(findProduction(store, "other"), { id: 2, title: "Other" });
  assert.match(
    refusal(() => findProduction(store, "3")),
    /^there is no production 3;/,
  );
});

administration.run();
