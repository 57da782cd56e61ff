// Many at once on the pages: assets get a status and a department as one change set, a vendor may see them, grants are
// revoked together, and approvals are decided together; and each is taken back together.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, production, department, submitter } = seedDataOf(store);
const editor = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));
const writer = await signIn(server, mint(store, { production_id: feature }));
const rows = (sql: string, ...values: unknown[]) => store.database.prepare(sql).all(...values);

const assets = suite("many assets");
const ids = (
  rows("SELECT id FROM nodes WHERE production_id = ? AND kind = 'prop' LIMIT 3", feature) as { id: number }[]
).map(({ id }) => String(id));
const slug = one<string>(store, "SELECT slug FROM departments WHERE production_id = ? ORDER BY id DESC", feature);
const stateOf = () => ids.map((id) => rows("SELECT status, department_id FROM nodes WHERE id = ?", Number(id))[0]);

assets("change together, are one change set, and are undone together", async () => {
  const before = stateOf();
  const fields = { action: "bulk", ids, set_status: "blocked", set_department: slug };
  const sent = await editor.send("/assets?kind=prop", fields);
  const location = sent.headers.get("location") as string;
  assert.match(location, /^\/assets\?kind=prop&saved=\d+$/);
  for (const id of ids) assert.is(one(store, "SELECT status FROM nodes WHERE id = ?", Number(id)), "blocked");
  const undo = /href="(\/settings\/history\/\d+)\?undo=1"/.exec(await editor.text(location))?.[1] as string;
  const revision = /name="revision" value="([^"]+)"/.exec(await editor.text(`${undo}?undo=1`))?.[1] as string;
  assert.is((await editor.send(undo, { revision }, `${undo}?undo=1`)).status, 200);
  assert.equal(stateOf(), before);
});

assets("need a choice and a change, keep what was chosen, and are for those who may edit", async () => {
  const none = await (await editor.send("/assets", { action: "bulk", set_status: "done" })).text();
  assert.match(none, /Choose at least one asset\.[^§]*value="done" selected/);
  const idle = await (await editor.send("/assets", { action: "bulk", ids })).text();
  assert.match(idle, new RegExp(`Choose the status or the department[^§]*|value="${ids[0]}" checked`));
  assert.not.match(await writer.text("/assets"), /form="bulk"/);
  const before = stateOf();
  assert.is((await writer.send("/assets", { action: "bulk", ids, set_status: "done" })).status, 422);
  assert.equal(stateOf(), before);
  assert.ok(department);
});

const wholeIn = (page: string) => / name="whole" value="([^"]+)"/.exec(page)?.[1] as string;

assets("of the whole list are chosen with its number, and not if it is another list meanwhile", async () => {
  const page = await editor.text("/assets?kind=prop");
  const all = rows("SELECT id FROM nodes WHERE production_id = ? AND kind = 'prop'", feature);
  assert.match(page, `all ${all.length} assets of this list`);
  const fields = { action: "bulk", whole: wholeIn(page), set_status: "done" };
  await editor.send("/assets", { label: "One more", kind: "prop" });
  const refused = await editor.send("/assets?kind=prop", fields);
  assert.match(await refused.text(), `The list has changed since it was shown, and has ${all.length + 1} assets now.`);
  const present = wholeIn(await editor.text("/assets?kind=prop"));
  assert.is((await editor.send("/assets?kind=prop", { ...fields, whole: present })).status, 303);
  const states = rows(
    "SELECT DISTINCT kind = 'prop' AS prop, status FROM nodes WHERE kind = 'prop' AND production_id = ?",
    feature,
  );
  assert.equal(states, [{ prop: 1, status: "done" }]);
});

const grants = suite("many grants");
const admin = await signIn(server, mint(store, { production_id: production, scopes: ["read", "admin"] }));
const vendor = await signIn(server, mint(store, { production_id: production, engagement_id: submitter }));
const liveGrants = () =>
  one<number>(
    store,
    "SELECT count(*) FROM grants WHERE engagement_id = ? AND revoked_at IS NULL AND ifnull(expires_at, '~') > strftime('%Y-%m-%dT')",
    submitter,
  );
const noted = (location: string | null) =>
  /^(\/[^?]+)\?(?:show=\d+&)?(granted|revoked)=(.+)$/.exec(location ?? "") ?? [];

grants("are made by an admin's key of nobody, taken back with one tap, and made again", async () => {
  const chosen: string[] = [];
  for (const { id } of rows("SELECT id FROM nodes WHERE production_id = ? AND kind = 'prop'", production) as {
    id: number;
  }[])
    if ((await vendor.get(`/assets/${id}`)).status === 404) chosen.push(String(id));
  chosen.splice(3);
  const before = liveGrants();
  const seen = async () =>
    (await Promise.all(chosen.map((id) => vendor.get(`/assets/${id}`)))).map(({ status }) => status);
  assert.match(await admin.text("/assets"), "Let the vendor see the chosen");
  const nobody = await admin.send("/assets", { action: "bulk", chosen: "grant", ids: chosen });
  assert.match(await nobody.text(), "Choose the vendor who may see them.");
  const fields = { action: "bulk", chosen: "grant", ids: chosen, engagement_id: String(submitter) };
  const sent = await admin.send("/assets", fields);
  const [location = "", path, what] = noted(sent.headers.get("location"));
  assert.equal([path, what], ["/assets", "granted"]);
  assert.is(liveGrants(), before + 3);
  assert.equal(await seen(), [200, 200, 200]);
  assert.match(await (await admin.send("/assets", fields)).text(), "sees all of the chosen already");
  const notice = await admin.text(location);
  const at = /name="at" value="([^"]+)"/.exec(notice)?.[1] as string;
  assert.match(notice, /can now see [^§]*Take it back/);
  const back = await admin.send("/settings/vendors", { action: "take_back", at });
  assert.is(liveGrants(), before);
  assert.equal(await seen(), [404, 404, 404]);
  const again = await admin.send("/settings/vendors", { action: "take_back", at });
  assert.is(again.status, 422, "it is taken back once");
  const held = rows("SELECT id FROM grants WHERE engagement_id = ? AND revoked_at IS NULL", submitter) as {
    id: number;
  }[];
  const [grant_id = "", other = ""] = held.map(({ id }) => String(id));
  const revoke = { action: "change", engagement_id: String(submitter), had: [grant_id, other] };
  assert.match(
    await (await admin.send("/settings/vendors", revoke)).text(),
    /Take 2 things back from [^§]*>Take them back</,
  );
  assert.match(await admin.text(back.headers.get("location") as string), /can no longer [^§]*Allow it again/);
  const [, , , revoked = ""] = noted(back.headers.get("location"));
  await admin.send("/settings/vendors", { action: "grant_again", at: decodeURIComponent(revoked) });
  assert.is(liveGrants(), before + 3);
});

grants("of one vendor are revoked together once that is confirmed, and all of them come back", async () => {
  const before = liveGrants();
  const page = await admin.text(`/settings/vendors?show=${submitter}&change=1`);
  const had = [...page.matchAll(/name="had" value="(\d+)"/g)].map(([, id]) => id as string);
  const fields = { action: "change", engagement_id: String(submitter), had };
  const asked = await (await admin.send("/settings/vendors", fields)).text();
  assert.match(asked, `Take ${before} things back from `);
  assert.is(liveGrants(), before);
  const sent = await admin.send("/settings/vendors", { ...fields, sure: "1" });
  assert.is(liveGrants(), 0);
  const [, , what, at = ""] = noted(sent.headers.get("location"));
  assert.is(what, "revoked");
  await admin.send("/settings/vendors", { action: "grant_again", at: decodeURIComponent(at) });
  assert.is(liveGrants(), before);
  const none = await (await admin.send("/settings/vendors", { ...fields, keep: had })).text();
  assert.match(none, "Nothing was changed");
});

grants("are for an admin alone", async () => {
  const own = await signIn(server, mint(store, { production_id: production, scopes: ["read", "write", "edit"] }));
  assert.not.match(await own.text("/assets"), "Let the vendor see");
  const before = liveGrants();
  const [node] = rows("SELECT id FROM nodes WHERE production_id = ? AND kind = 'prop'", production) as { id: number }[];
  const fields = { action: "bulk", chosen: "grant", ids: String(node?.id), engagement_id: String(submitter) };
  const refused = await own.send("/assets", fields);
  assert.match(await refused.text(), /admin/);
  assert.is(liveGrants(), before);
});

const approvals = suite("many approvals");

approvals("of one person are decided together and taken back together; what is refused is named", async () => {
  const person_id = one(store, "SELECT min(id) FROM people WHERE production_id = ? AND active = 1", feature);
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({
    approvals: [1, 2, 3].map((n) => ({ title: `Bulk ${n}`, mode: "decision", steps: [{ person: name }] })),
  });
  assert.is((await server.ask(admin, "/api/v1/admin/import", { method: "POST", headers, body })).status, 200);
  const made = (rows("SELECT id FROM approvals WHERE title LIKE 'Bulk %' ORDER BY id") as { id: number }[]).map(
    ({ id }) => id,
  );
  const own = await signIn(server, mint(store, { production_id: feature, person_id }));
  const page = await own.text("/approvals");
  const chosen = made.map((id) => new RegExp(`name="chosen" value="(${id}:\\d+:\\d*)"`).exec(page)?.[1] as string);
  const statuses = () => made.map((id) => one<string>(store, "SELECT status FROM approvals WHERE id = ?", id));
  const noNote = await own.send("/approvals", { all: "changes", chosen });
  assert.match(await noNote.text(), /0 approvals of 3: done\. Write in the note what should change/);
  const sent = await own.send("/approvals", { all: "approved", chosen });
  assert.is(sent.headers.get("location"), `/approvals?decided=${made.join(".")}`);
  assert.equal(statuses(), ["approved", "approved", "approved"]);
  const just = await own.text(`/approvals?decided=${made.join(".")}`);
  assert.match(just, /Just now[^§]*Take all of them back/);
  const again = await own.send("/approvals", { all: "approved", chosen });
  assert.match(await again.text(), /0 approvals of 3: done\. The approval is approved already/);
  await own.send("/approvals", { all: "take_back", chosen: made.map((id) => `${id}::`) });
  assert.equal(statuses(), ["pending", "pending", "pending"]);
  const other = await writer.send("/approvals", { all: "approved", chosen });
  assert.is(other.status, 422);
  assert.equal(statuses(), ["pending", "pending", "pending"], "a key of nobody signs for nobody");
});

approvals(
  "are decided by a key of nobody in the name that it chooses, and only those that wait for that person",
  async () => {
    const people = rows(
      "SELECT id, name FROM people WHERE production_id = ? AND active = 1 ORDER BY id LIMIT 2",
      feature,
    );
    const [one_person, other] = people as { id: number; name: string }[];
    const key = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
    const headers = { "content-type": "application/json" };
    const titles = ["First", "Second", "Other's"];
    const body = JSON.stringify({
      approvals: titles.map((title) => ({
        title: `By name: ${title}`,
        mode: "decision",
        steps: [{ person: title === "Other's" ? other?.name : one_person?.name }],
      })),
    });
    assert.is((await server.ask(key, "/api/v1/admin/import", { method: "POST", headers, body })).status, 200);
    const made = (rows("SELECT id FROM approvals WHERE title LIKE 'By name%' ORDER BY id") as { id: number }[]).map(
      String,
    );
    const idOf = (title: string) => one<number>(store, "SELECT id FROM approvals WHERE title = ?", `By name: ${title}`);
    const statusOf = (title: string) =>
      one<string>(store, "SELECT status FROM approvals WHERE title = ?", `By name: ${title}`);
    const session = await signIn(server, key);
    const page = await session.text("/approvals");
    const chosen = titles.map(
      (title) => new RegExp(`name="chosen" value="(${idOf(title)}:1:)"`).exec(page)?.[1] as string,
    );
    const nameless = await session.send("/approvals", { all: "approved", chosen });
    assert.match(await nameless.text(), "Choose the name of the person who decides");
    const decided_by = String(one_person?.id);
    const sent = await session.send("/approvals", { all: "approved", chosen, decided_by });
    const location = sent.headers.get("location") as string;
    assert.is(location, `/approvals?decided=${idOf("First")}.${idOf("Second")}&left=${idOf("Other's")}`);
    assert.equal(titles.map(statusOf), ["approved", "approved", "pending"]);
    assert.match(await session.text(location), /Take all of them back[^§]*Not decided[^§]*By name: Other&#39;s/);
    await session.send("/approvals", {
      all: "take_back",
      chosen: chosen.slice(0, 2).map((text) => text.replace("1:", ":")),
    });
    const waiting = rows(
      `SELECT a.id FROM approvals a JOIN approval_steps s ON s.approval_id = a.id WHERE a.production_id = ? AND a.status = 'pending'
       AND s.person_id = ? AND s.position = (SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending')`,
      feature,
      one_person?.id,
    );
    const whole = wholeIn(await session.text("/approvals"));
    await session.send("/approvals", { all: "approved", whole, decided_by });
    assert.equal(titles.map(statusOf), ["approved", "approved", "pending"]);
    const mine = (waiting as { id: number }[]).map(({ id }) =>
      one(
        store,
        "SELECT decided_at IS NOT NULL FROM approval_steps WHERE approval_id = ? AND person_id = ?",
        id,
        one_person?.id,
      ),
    );
    assert.ok(mine.length > 1 && mine.every((is) => is === 1), `all ${made.length} of the person are decided`);
  },
);

assets.run();
grants.run();
approvals.after(() => server.stop());
approvals.run();
