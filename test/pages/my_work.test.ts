// What waits for a person on the first page, with its number in the menu, and what a vendor's desk begins with.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, otherProduction, submitterKey, delivery, production } = seedDataOf(store);
const headers = { "content-type": "application/json" };
const post = (key: string, path: string, body: object) =>
  server.ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
const person_id = one(
  store,
  "SELECT person_id FROM approval_steps WHERE production_id = ? AND status = 'pending' GROUP BY person_id ORDER BY count(*) DESC",
  feature,
);
const key = mint(store, { production_id: feature, person_id, label: "Own key" });
const browser = await signIn(server, key);
const others = mint(store, { production_id: feature, label: "Others" });
const waiting = (page: string) =>
  Number(/class="chip warn">(\d+)<span class="unseen"> wait for you/.exec(page)?.[1] ?? 0);
const beginning = (page: string) => page.split("<h1>")[0] as string;

const own = suite("the first page of a person");

own(
  "begins with what waits to be signed, in the order of their dates, with its number in the menu of every page",
  async () => {
    const mine = await server.get(key, `/approvals?person_id=${person_id}`);
    const page = await browser.text("/");
    assert.match(beginning(page), /Waits for you[^§]*To sign/);
    for (const { id } of mine) assert.match(beginning(page), new RegExp(`href="/approvals/${id}"`));
    assert.ok(waiting(page) >= mine.length);
    assert.is(waiting(await browser.text("/scenes")), waiting(page));
    assert.is(waiting(await (await signIn(server, others)).text("/")), 0, "a key of nobody has no work of its own");
  },
);

own("has what came back to whom made it, until a newer version comes, and notes of others on it", async () => {
  const form = () => {
    const body = new FormData();
    body.append("file", new Blob([jpeg(16, 16)]), "s.jpg");
    return { method: "POST", body };
  };
  const created = await post(key, "/assets", { label: "A lantern of mine", kind: "prop" });
  const { node_id } = (await created.json()) as { node_id: number };
  await server.ask(key, `/api/v1/assets/${node_id}/versions`, form());
  await post(others, `/assets/${node_id}/notes`, { text: "Rust on the ring" });
  await post(key, `/assets/${node_id}/notes`, { text: "My own remark" });
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
  const signer = one<string>(store, "SELECT name FROM people WHERE production_id = ? AND id <> ?", feature, person_id);
  const approvals = [
    { title: "Sign the lantern", asset: "A lantern of mine", mode: "decision", steps: [{ person: signer }] },
  ];
  assert.is((await post(admin, "/admin/import", { approvals })).status, 200);
  const id = one(store, "SELECT max(id) FROM approvals");
  const before = waiting(await browser.text("/"));
  assert.not.match(await browser.text("/"), /Returned to you/);
  await post(others, `/approvals/${id}/decide`, { decision: "changes", decided_by: signer, note: "Without rust" });
  const page = beginning(await browser.text("/"));
  assert.match(page, /Returned to you[^§]*Sign the lantern[^§]*Without rust/);
  assert.match(page, /New notes on what you made[^§]*A lantern of mine v1[^§]*Rust on the ring/);
  assert.not.match(page, /My own remark/);
  assert.is(waiting(await browser.text("/")), before + 1);
  await server.ask(key, `/api/v1/assets/${node_id}/versions`, form());
  assert.not.match(await browser.text("/"), /Returned to you/);
  assert.is(waiting(await browser.text("/")), before);
});

own("has what they asked to be changed, once a newer version came, until they decide again", async () => {
  const [asked, made] = store.database
    .prepare("SELECT id, name FROM people WHERE production_id = ? AND id <> ? ORDER BY id DESC LIMIT 2")
    .all(feature, person_id) as { id: number; name: string }[];
  const signer = mint(store, { production_id: feature, person_id: asked?.id as number, label: "Signer" });
  const maker = mint(store, { production_id: feature, person_id: made?.id as number, label: "Maker" });
  const land = () => {
    const body = new FormData();
    body.append("file", new Blob([jpeg(16, 16)]), "s.jpg");
    return server.ask(maker, `/api/v1/assets/${node_id}/versions`, { method: "POST", body });
  };
  const { node_id } = (await (await post(maker, "/assets", { label: "A second lantern", kind: "prop" })).json()) as {
    node_id: number;
  };
  await land();
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
  const steps = [{ person: asked?.name }];
  await post(admin, "/admin/import", {
    approvals: [{ title: "The second lantern", asset: "A second lantern", mode: "decision", steps }],
  });
  const id = one(store, "SELECT max(id) FROM approvals");
  const [theirs, makers] = [await signIn(server, signer), await signIn(server, maker)];
  const decided = { approval_id: `${id}`, position: "1", decided_by: `${asked?.id}` };
  await theirs.send(`/approvals/${id}`, { ...decided, decision: "changes", note: "Less shine" });
  assert.match(await makers.text(`/approvals/${id}`), /A new version <a href="\/assets\/\d+">of A second lantern/);
  assert.not.match(await theirs.text("/"), /A new version since/);
  await land();
  assert.match(beginning(await theirs.text("/")), /A new version since you asked for changes[^§]*The second lantern/);
  const nobody = async (...scopes: ("read" | "write" | "edit")[]) => {
    const page = await (await signIn(server, mint(store, { production_id: feature, scopes }))).text("/");
    assert.is(waiting(page), 0);
    return beginning(page);
  };
  assert.match(
    await nobody("read", "write", "edit"),
    new RegExp(`A new version since changes were asked for[^§]*"/approvals/${id}"`),
  );
  assert.not.match(await nobody("read", "write"), /A new version since/, "whoever may not ask again");
  assert.not.match(
    await makers.text(`/approvals/${id}`),
    /value="(?:take_back|reopen|ask_again)"/,
    "who made it decides nothing",
  );
  const page = await theirs.text(`/approvals/${id}`);
  assert.match(page, new RegExp(`v2 came since ${asked?.name} asked for changes[^§]*>Ask about v2<`));
  const version_id = `${one(store, "SELECT max(id) FROM versions")}`;
  await theirs.send(`/approvals/${id}`, { approval_id: `${id}`, decision: "ask_again", version_id });
  assert.match(beginning(await theirs.text("/")), /To sign[^§]*The second lantern/);
  assert.match(await theirs.text(`/approvals/${id}`), /Signs v2 On-Set of A second lantern/);
});

own("is counted as a whole, however many approvals a page shows, and the menu writes at most 99", async () => {
  const { lastInsertRowid: person } = store.database
    .prepare("INSERT INTO people (production_id, name, role, is_hod, is_admin, active) VALUES (?, 'Many', '', 0, 0, 1)")
    .run(feature);
  const steps = [{ person: "Many" }];
  const approvals = Array.from({ length: 120 }, (_, at) => ({ title: `Of many ${at}`, mode: "decision", steps }));
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
  assert.is((await post(admin, "/admin/import", { approvals })).status, 200);
  const many = await signIn(server, mint(store, { production_id: feature, person_id: Number(person) }));
  const page = await many.text("/approvals");
  assert.match(page, /Waits for you <span class="count">120</);
  assert.match(page, /class="chip warn">99\+<span class="unseen"> wait for you/);
});

own("is of the person's own production, and says when nothing waits", async () => {
  const idle = one(
    store,
    `SELECT min(id) FROM people WHERE production_id = ? AND is_hod = 0
       AND id NOT IN (SELECT person_id FROM approval_steps) AND id NOT IN (SELECT ifnull(created_by_person_id, 0) FROM versions)`,
    otherProduction,
  );
  const token = mint(store, { production_id: otherProduction, person_id: idle });
  assert.match(await (await signIn(server, token)).text("/"), /Waits for you[^§]*Nothing: all is signed/);
});

const desk = suite("the desk of a vendor");

desk("begins with what was decided, the newest of each turnover, and with what is due", async () => {
  const vendorKey = mint(store, submitterKey);
  const vendor = await signIn(server, vendorKey);
  const submit = async () => {
    const body = new FormData();
    body.append("title", "Cut of the reef");
    body.append("files", new Blob(["x"]), "x.txt");
    const answer = await server.ask(vendorKey, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
    return ((await answer.json()) as { id: number }).id;
  };
  const studio = mint(store, { production_id: production });
  await post(studio, `/submissions/${await submit()}/decide`, { decision: "returned", note: "The edges breathe" });
  const page = await vendor.text("/turnovers");
  assert.match(page, /Decided[^§]*Cut of the reef[^§]*returned[^§]*The edges breathe/);
  const due = one<string | null>(
    store,
    "SELECT due FROM deliveries WHERE id = ? AND status NOT IN ('sent', 'accepted')",
    delivery,
  );
  if (due !== null && due !== undefined) assert.match(page, /<h2>Due/);
  await submit();
  assert.not.match(await vendor.text("/turnovers"), /The edges breathe/, "new work was submitted since");
});

own.run();
desk.after(() => server.stop());
desk.run();
