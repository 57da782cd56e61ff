// From nothing in a browser: a production from a script or empty, the list of what it needs, a second production, and
// the way back after signing out.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { minute } from "../../src/core/times.ts";
import { jobsOf } from "../../src/features/documents/jobs/import_job.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { beginPathFor, openAsAdmin, signIn, type Visitor, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const empty = await openTestServer({ data: temporaryFolder() });
const seeded = await openTestServer();
const plain = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const count = () => one<number>(empty.store, "SELECT count(*) FROM productions");
const hasProduction = (title: string) =>
  one<number>(empty.store, "SELECT count(*) FROM productions WHERE title = ?", title) > 0;

type Fields = Readonly<Record<string, string | File>>;

/** Opens the form that begins a production. Returns what sends it, as a browser does. */
async function formOf(browser: Visitor, path: string, { url } = empty): Promise<(fields: Fields) => Promise<Response>> {
  const page = await browser.text(path);
  const [, proof] = /name="proof" value="([^"]+)"/.exec(page) ?? [];
  const [, action] = /action="([^"]+)" enctype="multipart/.exec(page) ?? [];
  return (fields) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ proof, ...fields })) form.append(name, value as string | File);
    const headers = { cookie: browser.cookies(), origin: url, accept: "text/html" };
    return fetch(`${url}${action}`, { method: "POST", body: form, headers, redirect: "manual" });
  };
}

const begin = async (browser: Visitor, path: string, fields: Fields): Promise<Response> =>
  (await formOf(browser, path))(fields);

/** Opens the one-time link to which a form leads. */
async function follow(browser: Visitor, response: Response): Promise<void> {
  assert.is(response.status, 303, await response.text());
  assert.is((await browser.get(response.headers.get("location") as string)).headers.get("location"), "/");
}

const beginning = suite("a production from nothing");
const admin = visitor(empty);

beginning("begins empty with a title, and says what is missing", async () => {
  const path = beginPathFor(empty);
  assert.match(await admin.text(path), /Begin with the script[\s\S]*Begin empty/);
  const untitled = await begin(admin, path, { action: "empty", title: "" });
  assert.is(untitled.status, 422);
  assert.match(await untitled.text(), /Give the title of the production/);
  const scriptless = await begin(admin, path, { action: "script", title: "Kept" });
  assert.match(
    await scriptless.text(),
    /value="Kept"[\s\S]*Choose a script, a \.fountain or \.fdx file, or begin empty/,
  );
  assert.is(count(), 0);
  const script = new File(["Title: Chosen Show\n\nINT. ROOM - DAY\n"], "chosen.fountain");
  await follow(admin, await begin(admin, path, { action: "empty", title: "First Show", script }));
  assert.is(count(), 1);
  assert.ok(hasProduction("First Show"));
  assert.is(one(empty.store, "SELECT count(*) FROM scenes"), 0, "begun empty, whatever script was chosen");
});

beginning("begins a series, empty or from a script, and asks what it needs", async () => {
  const fresh = await openTestServer({ data: temporaryFolder() });
  try {
    const browser = visitor(fresh);
    const send = async (fields: Fields) => (await formOf(browser, beginPathFor(fresh), fresh))(fields);
    const refused = async (fields: Fields) => plain(await (await send({ title: "Low Tide", ...fields })).text());
    const series = { action: "empty", format: "episodic" };
    assert.match(await refused(series), /Give the code of the first episode, such as 101/);
    assert.match(await refused({ ...series, episode: "101", season: "one" }), /The season is a number from 1/);
    assert.match(await refused({ action: "empty", format: "single", episode: "101" }), /choose Series/);
    const coded = new File(["Title: Low Tide\nEpisode: 201\n\nINT. ROOM - DAY #1#\n"], "low.fountain");
    const uncoded = new File(["Title: Low Tide\n\nINT. ROOM - DAY #1#\n"], "low.fountain");
    assert.match(
      await refused({ action: "script", format: "single", script: coded }),
      /names episode 201: choose Series/,
    );
    assert.match(await refused({ action: "script", format: "episodic", script: uncoded }), /names no episode/);
    assert.match(
      await refused({ action: "script", format: "episodic", script: coded, episode: "101" }),
      /the title page is of episode 201, and the form says 101/i,
    );
    const page = await (await send({ ...series, title: "Low Tide", episode: "7", season: "x" })).text();
    assert.match(page, /value="episodic" selected[\s\S]*name="episode" maxlength="50" value="7"/);
    assert.is((await send({ action: "script", format: "episodic", script: coded, season: "2" })).status, 303);
    const [row] = fresh.store.database
      .prepare("SELECT title, format, season_number FROM productions")
      .all() as object[];
    assert.equal({ ...row }, { title: "Low Tide", format: "episodic", season_number: 2 });
    assert.is(one(fresh.store, "SELECT code FROM episodes"), "201");
  } finally {
    await fresh.close();
  }
});

beginning("begins one first production, however often and by whomever its form is sent", async () => {
  const fresh = await openTestServer({ data: temporaryFolder() });
  const other = await openTestServer({ data: temporaryFolder() });
  const oneShow = { action: "empty", title: "One Show" };
  const twoShow = { action: "empty", title: "Two Show" };
  try {
    const browser = visitor(fresh);
    const send = await formOf(browser, beginPathFor(fresh), fresh);
    const sendLate = await formOf(visitor(fresh), beginPathFor(fresh), fresh);
    const answers = await Promise.all([send(oneShow), send(oneShow)]);
    const links = [...answers, await send(oneShow)].map(({ headers }) => headers.get("location") as string);
    assert.is(new Set(links).size, 3, "each click has a link of its own");
    for (const link of links) assert.is((await browser.get(link)).headers.get("location"), "/");
    for (const sendAgain of [sendLate, send]) {
      const refused = await sendAgain(twoShow);
      assert.is(refused.status, 409);
      assert.match(await refused.text(), /This server has a production already/);
    }
    assert.is(one(fresh.store, "SELECT count(*) FROM productions"), 1);

    const path = beginPathFor(other);
    const [sendOne, sendTwo] = [await formOf(visitor(other), path, other), await formOf(visitor(other), path, other)];
    const sent = await Promise.all([sendOne(oneShow), sendTwo(twoShow)]);
    assert.equal(sent.map(({ status }) => status).sort(), [303, 409]);
    assert.is(one(other.store, "SELECT count(*) FROM productions"), 1);
  } finally {
    await fresh.stop();
    await other.stop();
  }
});

beginning("remembers for an hour what a form has begun", async () => {
  let ahead = 0;
  const fresh = await openTestServer({ data: temporaryFolder(), clock: () => Date.now() + ahead });
  try {
    const send = await formOf(visitor(fresh), beginPathFor(fresh), fresh);
    const fields = { action: "empty", title: "One Show" };
    assert.is((await send(fields)).status, 303);
    ahead = 59 * minute;
    assert.is((await send(fields)).status, 303);
    ahead = 61 * minute;
    assert.is((await send(fields)).status, 409);
    assert.is(one(fresh.store, "SELECT count(*) FROM productions"), 1);
  } finally {
    await fresh.stop();
  }
});

beginning(
  "has a list of what it needs, with links to the import of each kind, until it is put away for everybody",
  async () => {
    const page = await admin.text("/");
    for (const kind of ["fountain", "departments", "people", "schedule"])
      assert.match(page, new RegExp(`<a href="/settings/import\\?as=${kind}">`));
    assert.match(plain(page), /To begin with 7 of 7 left/);
    assert.match(await admin.text("/settings/import?as=people"), /<option value="people" selected>/);
    const editorKey = mint(empty.store, { production_id: 1, scopes: ["read", "edit"], label: "Editor" });
    const editor = await signIn(empty, editorKey);
    assert.match(plain(await editor.text("/")), /To begin with 4 of 4 left/, "an editor makes no keys");
    const reader = await signIn(empty, mint(empty.store, { production_id: 1, scopes: ["read"] }));
    assert.not.match(await reader.text("/"), /To begin with/);
    assert.is((await reader.send("/checklist", {}, "/")).status, 403);
    await empty.ask(editorKey, "/api/v1/admin/import", {
      method: "POST",
      body: JSON.stringify({ people: [{ name: "Ada", role: "Director" }] }),
      headers: { "content-type": "application/json" },
    });
    assert.match(plain(await editor.text("/")), /3 of 4 left .*Import the crew list done/);
    assert.is((await editor.send("/checklist", {}, "/")).headers.get("location"), "/");
    for (const one of [editor, admin]) assert.not.match(await one.text("/"), /To begin with/);
    assert.match(await admin.text("/checklist"), /Import the schedule/, "its page stays");
  },
);

beginning("is not the only one: the admin of the machine begins a second and goes from one to the other", async () => {
  assert.match(await admin.text("/"), /href="\/settings\/productions">Other productions/);
  const untitled = await begin(admin, "/settings/productions", { action: "empty", title: "" });
  assert.is(untitled.status, 422);
  const send = await formOf(admin, "/settings/productions");
  const title = { action: "empty", title: "Second Show" };
  const [, second] = await Promise.all([send(title), send(title)]);
  await follow(admin, second);
  assert.is(count(), 2, "a second click begins no third one");
  assert.match(await admin.text("/"), /<title>Today · Second Show<\/title>/);
  assert.match(await admin.text("/"), /To begin with/, "each has its own list");
  await follow(admin, await admin.send("/settings/productions", { action: "open", production_id: "1" }));
  assert.match(await admin.text("/"), /<title>Today · First Show<\/title>/);
  assert.is((await admin.send("/settings/productions", { action: "open", production_id: "99" })).status, 404);
});

beginning("answers others while a production of a script waits for the database", async () => {
  const other = openStore(empty.store.file);
  const jobs = jobsOf(empty.app);
  const begun = Promise.withResolvers<void>();
  const run = jobs.run.bind(jobs);
  jobs.run = (task) => {
    other.database.exec("BEGIN IMMEDIATE");
    begun.resolve();
    return run(task);
  };
  try {
    const script = new File(["Title: Waiting Show\n\nINT. ROOM - DAY\n\nAda waits.\n"], "waiting.fountain");
    const sent = begin(await openAsAdmin(empty, 1), "/settings/productions", { action: "script", title: "", script });
    await Promise.race([begun.promise, sent]);
    assert.is((await fetch(`${empty.url}/signin`)).status, 200);
    assert.not.ok(hasProduction("Waiting Show"));
    other.database.exec("COMMIT");
    assert.is((await sent).status, 303);
  } finally {
    jobs.run = run;
    other.close();
  }
  assert.ok(hasProduction("Waiting Show"));
  const again = new File(["INT. ROOM - DAY\n"], "untitled.fountain");
  const fields = { action: "script", title: "", script: again };
  assert.match(
    await (await begin(admin, "/settings/productions", fields)).text(),
    /no title page; give the title above/,
  );
  const title = { action: "empty", title: "Waiting Show" };
  assert.match(
    await (await begin(admin, "/settings/productions", title)).text(),
    /The title &quot;Waiting Show&quot; is that of another production; give another one\./,
  );
  const text = new File(["name,role\n"], "crew.csv");
  const list = { action: "script", title: "", script: text };
  assert.match(
    await (await begin(admin, "/settings/productions", list)).text(),
    /Choose a script: a \.fountain or \.fdx file, which crew\.csv is not\./,
  );
});

beginning("tells a key of no other production", async () => {
  const key = mint(empty.store, { production_id: 1, scopes: ["read", "admin"] });
  const keyed = await signIn(empty, key);
  const page = await keyed.text("/settings/productions");
  assert.not.match(page, /Second Show/);
  for (const fields of [
    { action: "open", production_id: "2" },
    { action: "empty", title: "Third" },
  ] as Record<string, string>[])
    assert.is((await keyed.send("/settings/productions", fields)).status, 403);
  assert.not.match(await keyed.text("/"), /Other productions/);
  assert.is((await keyed.send("/leaving", {}, "/settings/keys")).status, 403, "nor does it make an admin's key");
  assert.is(count(), 3);
  assert.is((await keyed.send("/signout", {}, "/settings/keys")).headers.get("location"), "/", "and is not asked");
});

beginning(
  "offers a coordinator's key before who came by a link signs out, if there is none: no address is an admin's",
  async () => {
    empty.store.writeSync(() =>
      empty.store.database.prepare("UPDATE api_keys SET revoked_at = '2026-01-01T00:00:00.000Z'").run(),
    );
    const asked = await admin.send("/signout", {}, "/settings/keys");
    assert.is(asked.status, 200);
    assert.match(
      await asked.text(),
      /If you sign out without one, you cannot come back[\s\S]*Make a coordinator&#39;s key/,
    );
    const made = await (await admin.send("/leaving", {})).text();
    const token = /<code>(tl_[^<]+)<\/code>/.exec(made)?.[1] as string;
    assert.is(
      (await admin.send("/signout", {}, "/settings/keys")).headers.get("location"),
      "/",
      "and is not asked again",
    );
    assert.match(await admin.text("/"), /name="key"/);
    const back = await signIn(empty, token);
    assert.match(await back.text("/"), /First Show/);
    assert.equal(
      empty.store.database
        .prepare("SELECT label, scopes FROM api_keys WHERE production_id = 1 AND revoked_at IS NULL")
        .all(),
      [{ label: "Coordinator", scopes: '["read","write","read:money","edit"]' }],
    );
  },
);

beginning("lets who insists sign out without a key", async () => {
  const other = await openAsAdmin(empty, 2);
  assert.is((await other.send("/signout", {}, "/settings/keys")).status, 200);
  assert.is((await other.send("/signout", { sure: "1" }, "/settings/keys")).headers.get("location"), "/");
  assert.match(await other.text("/"), /name="key"/);
});

beginning("gives who looks as a vendor no key and no list", async () => {
  const { submitterKey } = seedDataOf(seeded.store);
  const looking = await openAsAdmin(seeded, submitterKey.production_id);
  await looking.send("/settings/vendors", { action: "see", engagement_id: `${submitterKey.engagement_id}` });
  assert.match(await looking.text("/turnovers"), /You see what this vendor sees/);
  for (const path of ["/settings/productions", "/leaving", "/checklist"])
    assert.is((await looking.get(path)).status, 404, path);
  assert.not.match(await looking.text("/turnovers"), /Other productions|To begin with/);
});

beginning.after(async () => {
  await empty.stop();
  await seeded.stop();
});
beginning.run();
