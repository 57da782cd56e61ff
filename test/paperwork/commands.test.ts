// Paperwork at the command line and through the admin API.
// Thorough: only --all runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { answerOf, root, tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";

const paper = (name: string): string => join(root, "fixtures/paperwork", name);
const folder = temporaryFolder();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const commands = suite("paperwork at the command line");
const data = join(folder, "data");

commands("a script creates a production in an empty directory", async () => {
  const made = await answerOf("import", paper("the-silver-button.fdx"), "--data", data);
  assert.equal([made.production_id, made.title, made.scenes, made.assets], [1, "The Silver Button", 67, 53]);
  const { err, status } = await tallylight("import", paper("the-silver-button.fdx"), "--data", data);
  assert.is(status, 1);
  assert.match(err, /production\.title is taken: .*--production 1 updates it/);
});

commands("a script without a title page needs --title, and a list a production", async () => {
  const untitled = file("untitled.fountain", "INT. ROOM - DAY\n\nA chair.\n");
  const { err, status } = await tallylight("import", untitled, "--data", data);
  assert.is(status, 1);
  assert.match(err, /the script has no title page; add --title TEXT/);
  assert.is((await answerOf("import", untitled, "--title", "The Chair", "--data", data)).title, "The Chair");
  const list = await tallylight("import", paper("crew-list.csv"), "--data", data);
  assert.match(list.err, /crew-list\.csv: such a file can only update a stored production; add --production ID/);
});

commands("a list of an unclear kind is a question with its choices, whose status is that of a misuse", async () => {
  const list = file("unclear.csv", "Name,Desc\nStorm lamp,Brass\n");
  const asked = await tallylight("import", list, "--production", "1", "--json", "--data", data);
  assert.is(asked.status, 2);
  assert.equal(JSON.parse(asked.out).problems[0].choices, ["people", "vendors", "deliveries", "assets", "departments"]);
  assert.match(asked.err, /may be those of people, vendors, deliveries, assets or departments/);
  const beside = file("broken.csv", "Asset,Status\nLamp,purple\n");
  assert.is((await tallylight("import", list, beside, "--production", "1", "--data", data)).status, 1);
  assert.is(
    (await tallylight("import", list, "--production", "1", "--as", "assets", "--dry-run", "--data", data)).status,
    0,
  );
});

commands("a cast list counts for the schedule of the same import, whichever comes first", async () => {
  const cast = file("cast.csv", "Cast ID,Character,Actor\n901,ZORA,Ann Ek\n");
  const days = file("days.csv", 'Day,Date,Scene,Cast,Calls\n901,2027-05-04,1,"901, 903",07:00 Ann Ek\n');
  for (const files of [
    [cast, days],
    [days, cast],
  ]) {
    const { changes, warnings } = await answerOf("import", ...files, "--production", "1", "--dry-run", "--data", data);
    const day = changes.find(({ key }: { key: string }) => key === "901");
    assert.equal(day.fields.calls.to, [{ who: "ZORA", time: "07:00" }]);
    assert.ok(
      warnings.some((one: string) => one.endsWith("no character has the cast number 903")),
      warnings.join("\n"),
    );
  }
  const { warnings } = await answerOf("import", days, "--production", "1", "--dry-run", "--data", data);
  assert.ok(warnings.some((one: string) => one.endsWith("cast numbers 901, 903; import a cast list first")));
});

commands("flags that do not go together are a misuse", async () => {
  const cases: [argv: string[], sentence: RegExp][] = [
    [["--as", "people"], /^--as needs --production/],
    [["--production", "1", "--title", "x"], /^--title is only for a new production/],
    [["--production", "1", "--as", "crew"], /^--as must be one of schedule, people/],
    [["--production", "1", "--dates", "ydm"], /^--dates must be one of dmy, mdy, ymd/],
  ];
  for (const [argv, sentence] of cases) {
    const { status, err } = await tallylight("import", paper("crew-list.csv"), ...argv, "--data", data);
    assert.is(status, 2, argv.join(" "));
    assert.match(err, sentence);
  }
  const exact = await tallylight(
    "import",
    paper("crew-list.csv"),
    "--production",
    "1",
    "--as",
    "people",
    "--exact",
    "--data",
    data,
  );
  assert.equal([exact.status, /exact is only for production documents/.test(exact.err)], [1, true]);
});

commands("a later draft is listed, approved and dismissed", async () => {
  const plan = await answerOf("import", paper("the-silver-button-blue.fdx"), "--production", "1", "--data", data);
  assert.is(plan.counts.added, 7);
  const listed = await answerOf("script-changes", "list", "--production", "1", "--data", data);
  const omission = listed.find(({ kind }: { kind: string }) => kind === "omitted");
  const { out } = await tallylight("script-changes", "dismiss", String(omission.id), "--data", data);
  assert.match(out, /^1 script change dismissed/);
  const decided = await answerOf("script-changes", "approve", "--all", "--production", "1", "--data", data);
  assert.equal([decided.ids.length, decided.plan.counts.added, decided.plan.counts.changed], [6, 1, 5]);
  const again = await tallylight("script-changes", "approve", String(omission.id), "--data", data);
  assert.equal([again.status, /is dismissed already/.test(again.err)], [1, true]);
});

commands("a command without ID and --all is a misuse", async () => {
  for (const argv of [[], ["--all"], ["one"], ["1", "--all", "--production", "1"]])
    assert.is((await tallylight("script-changes", "approve", ...argv, "--data", data)).status, 2, argv.join(" "));
});

commands("an exported list is CSV that changes nothing", async () => {
  await answerOf("import", paper("one-liner.csv"), "--as", "schedule", "--production", "1", "--data", data);
  const { out } = await tallylight("export", "--as", "schedule", "--production", "1", "--data", data);
  assert.match(out, /^\ufeff?"?Day"?,/);
  const plan = await answerOf(
    "import",
    file("again.csv", out),
    "--as",
    "schedule",
    "--production",
    "1",
    "--data",
    data,
  );
  assert.equal(plan.changes, []);
  assert.is((await tallylight("export", "--as", "crew", "--production", "1", "--data", data)).status, 2);
});

const api = suite("POST /admin/import with paperwork, and POST /script-changes/{id}/decide");
const server = await openTestServer();
api.after(() => server.close());
const admin = mint(server.store, { production_id: 1, label: "desk", scopes: ["read", "admin"] });
/** Bodies are taken apart field by field. */
type Answer = Omit<Response, "json"> & { json(): Promise<any> };
const upload = (name: string, text: string, query = ""): Promise<Answer & Response> => {
  const body = new FormData();
  body.append("files", new Blob([text]), name);
  return server.ask(admin, `/api/v1/admin/import${query}`, { method: "POST", body });
};
const decide = (id: unknown, body: object): Promise<Answer & Response> =>
  server.ask(admin, `/api/v1/script-changes/${id}/decide`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

api("takes the flags as fields of the query", async () => {
  const csv = "Who,Job\nIsla Rae,Runner\n";
  const answer = await upload("crew.csv", csv, "?as=people&map=Who%3Dname&map=Job%3Drole&dry_run=1");
  assert.is(answer.status, 200, await answer.clone().text());
  assert.equal(
    (await answer.json()).changes.map(({ key }: { key: string }) => key),
    ["Isla Rae"],
  );
  await assertRefused(await upload("crew.csv", csv, "?as=crew"), 422, /^as must be one of schedule/);
  await assertRefused(await upload("crew.csv", csv, ""), 422, /^crew\.csv: `as` must say/);
  const script = "INT. A #1#\n\nx\n\nINT. B #1#\n\ny\n";
  await assertRefused(
    await upload("pink.fountain", script, "?episode=101"),
    422,
    /^pink\.fountain, line 5: scene number 1 appears twice/,
  );
});

api("decides a change that a draft raised, once", async () => {
  const all: { number: string; slugline: string; episode_code: string }[] = await server.get(admin, "/scenes");
  const scenes = all.filter(({ episode_code }) => episode_code === "101");
  const changed = scenes.map(
    ({ number, slugline }, at) => `.${slugline}${at === 0 ? " - AGAIN" : ""} #${number}#\n\nText ${number}.\n`,
  );
  const imported = await upload("blue.fountain", changed.join("\n"), "?color=blue&pages=1&episode=101");
  assert.is(imported.status, 200, await imported.clone().text());
  const pending = await server.get(admin, "/script-changes?all_episodes=1");
  const { id, node_id, fields, draft } = pending.find(
    (row: any) => row.draft?.file === "blue.fountain" && row.fields.slugline,
  );
  assert.equal([fields.slugline.to, draft.color], [`${scenes[0]?.slugline} - AGAIN`, "blue"]);
  await assertRefused(await decide(999_999, { decision: "dismissed" }), 404);
  await assertRefused(await decide(id, { decision: "perhaps" }), 422);
  await assertRefused(await decide(id, { decision: "approved", decided_by: "Nobody" }), 422, /decided_by must be/);
  const answer = await decide(id, { decision: "approved", note: "Yes" });
  const row = await answer.json();
  assert.equal([answer.status, row.status, row.note, row.node_id], [200, "approved", "Yes", node_id]);
  const [first] = await server.get(admin, "/scenes");
  assert.equal([first.slugline, first.revision_color], [`${scenes[0]?.slugline} - AGAIN`, "blue"]);
  await assertRefused(await decide(id, { decision: "dismissed" }), 409, /is approved already/);
});

// Both run after the server has started: uvu runs what is queued when the file waits.
commands.run();
api.run();
