// What a plan says is written, once: the same update again plans nothing.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import { root } from "../support/command.ts";
import { documentOf, type Json, openProduction, silverButton } from "../support/update.ts";

const document = documentOf(silverButton);
const cipher = join(root, "fixtures/the-saknussemm-cipher.json");

const written = suite("what is planned is written");

written("for a filespace with another name", async () => {
  const production = await openProduction();
  const rename = { storage: [{ filespace: "main", was: "silver-button-main" }] };
  const plan = await production.update(rename);
  assert.equal(
    plan.changes.map(({ fields }) => fields),
    [{ filespace: { from: "silver-button-main", to: "main" } }],
  );
  assert.equal((await production.update(rename)).changes, []);
  const swap = [
    { filespace: "main", was: "silver-button-camera-tests" },
    { filespace: "silver-button-camera-tests", was: "main" },
  ];
  await production.update({ storage: swap });
  const installs = production.rows("SELECT filespace, active FROM storage_installs ORDER BY id");
  assert.equal(
    new Map(installs.map(({ filespace, active }) => [filespace, active])),
    new Map([
      ["main", 0],
      ["silver-button-camera-tests", 1],
    ]),
  );
});

written("once, for a grant that has expired already", async () => {
  const production = await openProduction();
  const [{ title, vendor }] = document.engagements;
  const grants = [{ verb: "read", scene: "2", expires_at: "2026-05-01T00:00:00.000Z" }];
  await production.update({ engagements: [{ title, vendor, grants }] });
  assert.equal((await production.update({ engagements: [{ title, vendor, grants }] })).changes, []);
});

written("once, for grants of which several documents of one import give a list: the last one counts", async () => {
  const production = await openProduction();
  const { vendor } = document.engagements[0];
  const lists = [
    [{ verb: "read", scene: "2", expires_at: "2026-05-01T00:00:00.000Z" }],
    [],
    [{ verb: "read", scene: "2" }],
  ];
  const documents = lists.map((grants) => ({ engagements: [{ title: "Work in lists", vendor, grants }] }));
  await production.update(documents);
  assert.equal((await production.update(documents)).changes, []);
  assert.equal((await production.update([...documents].reverse())).changes.length, 1, "the reverse ends the grant");
  assert.equal((await production.update([...documents].reverse())).changes, []);
});

written("once, for what several documents of one import say of a new thing: as if the first was stored", async () => {
  const production = await openProduction();
  const file = (path: string) => ({ path, state: "present", detected_at: "2026-05-01T00:00:00.000Z" });
  const documents = [
    {
      storage: [{ filespace: "new", files: [file("0.mov")] }],
      scenes: [{ number: "700", slugline: "EXT. QUAY - DAY", elements: { set: "QUAY" } }],
    },
    { storage: [{ filespace: "new", files: [file("1.mov")] }], scenes: [{ number: "700", synopsis: "They land." }] },
  ];
  await production.update(documents);
  const { storage, scenes } = await production.export();
  assert.equal(
    storage.find((one: Json) => one.filespace === "new").files.map(({ path }: Json) => path),
    ["0.mov", "1.mov"],
  );
  const { elements, synopsis } = scenes.find((one: Json) => one.number === "700");
  assert.equal([elements.set, synopsis], ["QUAY", "They land."]);
  assert.equal((await production.update(documents)).changes, []);
});

written("and sent_at only when a delivery becomes sent", async () => {
  const production = await openProduction();
  const title = "Torran reef turnover";
  await production.update({ deliveries: [{ title, sent_at: null }] });
  const now = "2026-12-01T00:00:00.000Z";
  const plan = await production.update({ deliveries: [{ title, due: "2026-12-24" }] }, { now });
  assert.equal(Object.keys((plan.changes[0] as Json).fields), ["due"]);
  await production.update({ deliveries: [{ title, status: "ready" }] }, { now });
  const again = await production.update({ deliveries: [{ title, status: "sent" }] }, { now });
  assert.is((again.changes[0] as Json).fields.sent_at.to, now);
});

written(
  "and sent_at of a delivery that is not sent stays as a document gave it, until the delivery is sent and comes back",
  async () => {
    const production = await openProduction();
    const { title } = document.deliveries.find(({ status }: Json) => status === "ready");
    const fields = async (delivery: Json) => {
      const [change] = (await production.update({ deliveries: [{ title, ...delivery }] })).changes as Json[];
      return Object.keys(change.fields).sort();
    };
    assert.equal(await fields({ sent_at: "2026-01-01T00:00:00.000Z" }), ["sent_at"]);
    assert.equal(await fields({ due: "2027-01-01" }), ["due"]);
    assert.equal(await fields({ status: "draft" }), ["status"]);
    assert.equal(await fields({ status: "sent" }), ["sent_at", "status"]);
    const sent_at = "2026-02-01T00:00:00.000Z";
    const two = [{ deliveries: [{ title, sent_at }] }, { deliveries: [{ title, due: "2027-02-01" }] }];
    const [change] = (await production.update(two)).changes as Json[];
    assert.is(change.fields.sent_at.to, sent_at, "another file says nothing of it");
    assert.equal((await production.update(two)).changes, []);
    assert.equal(await fields({ status: "ready" }), ["sent_at", "status"]);
  },
);

written("with one active report and install, whatever file makes them active", async () => {
  const production = await openProduction();
  const report = (week_of: string) => ({ cost_reports: [{ week_of, active: true }] });
  const storage = (filespace: string) => ({ storage: [{ filespace }] });
  const files = [report("2026-11-23"), report("2026-11-30"), storage("one"), storage("two")];
  const planned = await production.update(files, { dry_run: true });
  const applied = await production.update(files);
  assert.equal(planned.counts, applied.counts);
  const active = (section: string) =>
    applied.changes.filter((one) => one.section === section && one.fields.active?.to === true);
  assert.equal(
    [...active("cost_reports"), ...active("storage")].map(({ key }) => key),
    ["2026-11-30", "two"],
  );
  const back = await production.update({
    cost_reports: [{ week_of: "2026-11-23" }, { week_of: "2026-11-16", active: true }],
  });
  assert.equal(
    back.changes.map(({ key }) => key),
    ["2026-11-16", "2026-11-30"],
  );
});

written("and a new install of a later file does not replace the one that an earlier file makes active", async () => {
  const production = await openProduction();
  const files = [
    { storage: [{ filespace: "silver-button-camera-tests", active: true }] },
    { storage: [{ filespace: "new" }] },
  ];
  const { changes } = await production.update(files);
  assert.equal(
    changes.map(({ key, fields }) => [key, fields.active?.to]),
    [
      ["silver-button-camera-tests", true],
      ["silver-button-main", false],
      ["new", false],
    ],
  );
  assert.equal((await production.update(files)).changes, []);
});

written("for each element that a slugline has, and again with the former slugline", async () => {
  const production = await openProduction();
  const elements = async () => (await production.export()).scenes[0].elements;
  const former = await elements();
  for (const [slugline, own] of [
    ["INT. DODGE -- NIGHT", { day_night: "NIGHT" }],
    [document.scenes[0].slugline, {}],
  ] as const) {
    const update = { scenes: [{ number: document.scenes[0].number, slugline }] };
    await production.update(update);
    assert.equal(await elements(), { ...former, ...own });
    assert.equal((await production.update(update)).changes, []);
  }
});

written("or refused, for the title of another production", async () => {
  const production = await openProduction();
  const small = { document: "tallylight production", document_version: 1, production: { title: "Another" } };
  await importDocument(production.store, production.blobs, checkedDocument(small, "a.json", "."), {
    now: "2026-11-01T00:00:00.000Z",
  });
  assert.equal(await production.problems({ production: { title: "ANOTHER" } }), [
    "production.title is taken: production 2 has it already",
  ]);
});

written("or refused, for an episode that has drafts; an episode that is added is the last one", async () => {
  const production = await openProduction(cipher);
  const { episodes } = await production.export();
  await production.update({ episodes: [{ code: "190", title: "A coda" }] });
  assert.equal(
    (await production.export()).episodes.map(({ code }: Json) => code),
    [...episodes.map(({ code }: Json) => code), "190"],
  );
  const { production_id, store } = production;
  const [{ id }] = production.rows("SELECT id FROM episodes WHERE code = '190'");
  store.database
    .prepare(
      "INSERT INTO script_drafts (production_id, episode_id, file, color, departments, imported_at) VALUES (?, ?, 'x', 'white', '{}', '')",
    )
    .run(production_id, id);
  assert.equal(await production.problems({ episodes }, { exact: true }), [
    'episodes must list episode "190", which cannot be removed: it has a stored draft',
  ]);
});

written("when an engagement goes that a session looks as, and what one wears with it", async () => {
  const production = await openProduction();
  const { production_id, store } = production;
  const { engagements, assets, scenes } = await production.export();
  const [last] = production.rows("SELECT max(id) AS id FROM engagements");
  store.database
    .prepare(
      "INSERT INTO sessions (token_sha256, production_id, seen_as, browser, created_at, expires_at) VALUES ('x', ?, ?, '', '', '9')",
    )
    .run(production_id, last.id);
  await production.update({ engagements: engagements.slice(0, -1) }, { exact: true });
  assert.equal(production.rows("SELECT * FROM sessions"), []);
  await production.update({
    assets: [
      { label: "New coat", kind: "costume" },
      { label: "New face", kind: "character", costumes: ["New coat"] },
    ],
  });
  await production.update({ assets, scenes }, { exact: true });
  assert.equal((await production.export()).assets.length, assets.length);
});

written("or refused, for a costume that becomes something else", async () => {
  const production = await openProduction();
  const label = "Alan - heather rags";
  assert.equal(await production.problems({ assets: [{ label, kind: "prop" }] }), [
    `assets[0] (asset ${label}).kind must stay costume: "Alan Breck Stewart" wears it`,
  ]);
});

written("two files that say something of one asset leave the latest time that one of them says", async () => {
  const [early, late] = ["2031-01-01T00:00:00.000Z", "2031-06-01T00:00:00.000Z"];
  for (const times of [
    [late, undefined],
    [undefined, late],
    [late, early],
    [early, late],
  ]) {
    const production = await openProduction(silverButton);
    const { assets } = await production.export();
    for (const asset of [{ label: "New lantern", kind: "prop" }, assets[0]]) {
      const named = { label: asset.ref ?? asset.label, kind: asset.kind };
      const files = times.map((updated_at, at) => ({
        assets: [{ ...named, ...(updated_at && { updated_at }), ...(at === 1 && { status: "done" }) }],
      }));
      await production.update(files);
      const after: Json[] = (await production.export()).assets;
      const found = after.find(({ label, ref }) => (ref ?? label) === named.label);
      assert.equal([found.status, found.updated_at], ["done", late], `${named.label}, ${times}`);
    }
  }
});

written.run();
