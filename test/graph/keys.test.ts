import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callerOfToken, signInScopes, studioScopes } from "../../src/core/access/callers.ts";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import { expiryOf, localAdmin } from "../../src/graph/admin.ts";
import { endEngagement } from "../../src/graph/engagements.ts";
import { findKeyByToken, listKeys, mintKey, mintWarnings, revokeKey } from "../../src/graph/keys.ts";
import { imported, now, refusal, smallDocument, writeDocument } from "../support/small_document.ts";

const { store, blobs, folder } = await imported(writeDocument(smallDocument()));
const other = smallDocument();
other.production.title = "Other";
await importDocument(store, blobs, readDocument(writeDocument(other)), { now });
const [looms, ended, loomsOfOther] = [1, 2, 3];
const later = "2026-11-20T08:00:01.000Z";

const minting = suite("minting a key");

minting("shows a token of 256 random bits once and stores only its hash and prefix", () => {
  const minted = mintKey(localAdmin(store, now), { production_id: 1, label: "pipeline" });
  assert.match(minted.token, /^tl_[A-Za-z0-9_-]{43}$/);
  assert.is(minted.prefix, minted.token.slice(0, 11));
  assert.equal(minted.scopes, ["read", "write"]);
  assert.is(callerOfToken(store, minted.token, now)?.key_id, minted.id);
  store.database.pragma("wal_checkpoint(TRUNCATE)");
  assert.not.ok(readFileSync(join(folder, "tallylight.db")).includes(minted.token));
  assert.not.ok(JSON.stringify(listKeys(store, {}, now)).includes(minted.token));
});

minting("stores scopes in a fixed order without duplicates", () => {
  const scopes = ["read:money", "read", "submit:turnover", "read"];
  assert.equal(mintKey(localAdmin(store, now), { production_id: 1, label: "v", engagement_id: looms, scopes }).scopes, [
    "read",
    "submit:turnover",
    "read:money",
  ]);
});

minting("accepts the scope write for an engagement, although no endpoint accepts it", () => {
  const minted = mintKey(localAdmin(store, now), {
    production_id: 1,
    label: "v",
    engagement_id: looms,
    scopes: ["write"],
  });
  assert.is(minted.engagement_id, looms);
});

minting("binds no key with a scope of production-wide keys to an engagement, and no sign-in gets one", () => {
  assert.ok(studioScopes.includes("admin") && studioScopes.includes("edit"));
  for (const scope of studioScopes) {
    const bound = { production_id: 1, label: "x", engagement_id: looms, scopes: ["read", scope] };
    assert.match(
      refusal(() => mintKey(localAdmin(store, now), bound)),
      `a key with the ${scope} scope is production-wide`,
    );
    assert.not(signInScopes.includes(scope));
  }
});

minting("without named scopes gives read and write, for an engagement too, with a warning about write", () => {
  const mintOf = (scopes?: readonly string[]) =>
    mintKey(localAdmin(store, now), { production_id: 1, label: "v", engagement_id: looms, scopes });
  for (const minted of [mintOf(), mintOf([])]) {
    assert.equal(minted.scopes, ["read", "write"]);
    assert.match(mintWarnings(minted).join(), /refuses a key that is bound .* needs the submit:turnover scope$/);
  }
  assert.equal(mintWarnings(mintOf(["read", "submit:turnover"])), []);
  assert.equal(mintWarnings(mintKey(localAdmin(store, now), { production_id: 1, label: "wide" })), []);
});

const cases: [name: string, given: Parameters<typeof mintKey>[1], sentence: RegExp][] = [
  [
    "an unknown scope",
    { production_id: 1, label: "x", scopes: ["root"] },
    /^there is no scope root; .*read, write, submit:turnover, read:money, edit, admin$/,
  ],
  [
    "the admin scope on an engagement",
    { production_id: 1, label: "x", engagement_id: looms, scopes: ["read", "admin"] },
    /^a key with the admin scope is production-wide/,
  ],
  [
    "an unknown engagement",
    { production_id: 1, label: "x", engagement_id: 99, scopes: ["read"] },
    /^there is no engagement 99;/,
  ],
  [
    "an engagement of another production",
    { production_id: 1, label: "x", engagement_id: loomsOfOther, scopes: ["read"] },
    /^engagement 3 is not an engagement of production 1$/,
  ],
  [
    "an engagement that has ended",
    { production_id: 1, label: "x", engagement_id: ended, scopes: ["read"] },
    /^engagement 2 was ended on 2026-05-01$/,
  ],
  ["an unknown person", { production_id: 1, label: "x", person_id: 99 }, /^there is no person 99$/],
  [
    "a person of another production",
    { production_id: 1, label: "x", person_id: 3 },
    /^person 3 is not a person of production 1$/,
  ],
  ["an expiry in the past", { production_id: 1, label: "x", expires: "2026-11-19" }, /^expires must be in the future/],
  [
    "an expiry that is not a date",
    { production_id: 1, label: "x", expires: "tomorrow" },
    /^expires must be a date such as/,
  ],
  ["an empty label", { production_id: 1, label: " " }, /^label must not be empty$/],
];
for (const [name, given, sentence] of cases)
  minting(`is refused for ${name}`, () => {
    const before = listKeys(store, {}, now).length;
    assert.match(
      refusal(() => mintKey(localAdmin(store, now), given)),
      sentence,
    );
    assert.is(listKeys(store, {}, now).length, before);
  });

minting("writes an audit entry without the token", () => {
  const { token, id } = mintKey(localAdmin(store, now), { production_id: 1, label: "audited", person_id: 1 });
  const entry = store.database.prepare("SELECT action, detail FROM audit ORDER BY id DESC LIMIT 1").get() as {
    action: string;
    detail: string;
  };
  assert.is(entry.action, "key.minted");
  assert.is(JSON.parse(entry.detail).id, id);
  assert.not.ok(entry.detail.includes(token));
});

minting.run();

const expiry = suite("when a key expires");

expiry("a date lasts until its last millisecond, a timestamp is used as it is", () => {
  assert.is(expiryOf("2026-11-20", now, "UTC"), "2026-11-20T23:59:59.999Z");
  assert.is(expiryOf("2026-11-20", now, "Europe/Budapest"), "2026-11-20T22:59:59.999Z");
  assert.is(expiryOf("2026-11-20", now, "America/Los_Angeles"), "2026-11-21T07:59:59.999Z");
  assert.is(expiryOf("2026-11-20T10:00:00+01:00", now, "Asia/Seoul"), "2026-11-20T09:00:00.000Z");
  assert.is(expiryOf(undefined, now, null), null);
});

expiry("the key is not live and not accepted from its expiry on", () => {
  const { token } = mintKey(localAdmin(store, now), {
    production_id: 1,
    label: "brief",
    expires: "2026-11-20T08:00:01Z",
  });
  assert.ok(callerOfToken(store, token, now));
  assert.is(callerOfToken(store, token, later), undefined);
  assert.is(findKeyByToken(store, token, now)?.live, true);
  assert.is(findKeyByToken(store, token, later)?.live, false);
});

expiry.run();

const revoking = suite("revoking a key");

revoking("by id, prefix or token ends it at once", () => {
  for (const by of ["id", "prefix", "token"] as const) {
    const minted = mintKey(localAdmin(store, now), { production_id: 1, label: "r" });
    const revoked = revokeKey(localAdmin(store, later), { key: String(minted[by]) });
    assert.equal([revoked.id, revoked.revoked_at, revoked.live, revoked.was_revoked], [minted.id, later, false, false]);
    assert.is(callerOfToken(store, minted.token, later), undefined);
  }
});

revoking("again returns was_revoked and changes nothing", () => {
  const { id } = mintKey(localAdmin(store, now), { production_id: 1, label: "r" });
  revokeKey(localAdmin(store, now), { key: String(id) });
  const audits = () => store.database.prepare("SELECT count(*) FROM audit").pluck().get();
  const before = audits();
  const again = revokeKey(localAdmin(store, later), { key: String(id) });
  assert.equal([again.was_revoked, again.revoked_at, audits()], [true, now, before]);
});

revoking("is refused if the key does not exist", () => {
  assert.match(
    refusal(() => revokeKey(localAdmin(store, now), { key: "9999" })),
    /^there is no key 9999;/,
  );
  assert.match(
    refusal(() => revokeKey(localAdmin(store, now), { key: "tl_nosuchkey" })),
    /^there is no key tl_nosuchke;/,
  );
  assert.match(
    refusal(() => revokeKey(localAdmin(store, now), { key: "" })),
    /^there is no key/,
  );
});

revoking.run();

const listing = suite("listing keys");

listing("shows their owners and whether they are live, for one production or for all", () => {
  mintKey(localAdmin(store, now), { production_id: 2, label: "of the other", person_id: 3 });
  assert.ok(listKeys(store, {}, now).some(({ label }) => label === "of the other"));
  const [key, ...rest] = listKeys(store, { production_id: 2 }, now);
  assert.equal([rest.length, key?.production, key?.person, key?.live], [0, "Other", "Ada", true]);
});

listing("shows when the engagement of a key has ended", () => {
  const { id } = mintKey(localAdmin(store, now), {
    production_id: 2,
    label: "v",
    engagement_id: loomsOfOther,
    scopes: ["read"],
  });
  endEngagement(localAdmin(store, later), { id: loomsOfOther });
  const key = listKeys(store, { production_id: 2 }, later).find((row) => row.id === id);
  assert.equal([key?.vendor, key?.engagement_ended_at], ["Looms Ltd", later]);
});

listing.run();
