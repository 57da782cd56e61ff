// Imports over the API: one after the other, with the rights of the key when the transaction runs.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, openTestServer } from "../support/app.ts";

const server = await openTestServer();
const key = mint(server.store, { production_id: 1, scopes: ["read", "admin"] });
const other = mint(server.store, { production_id: 2, scopes: ["read", "admin"] });

const send = (body: unknown, query = "", token = key) =>
  server.ask(token, `/api/v1/admin/import${query}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const person = (name: string) => ({ people: [{ name, role: "Stand-in" }] });

const test = suite("POST /admin/import");

test("answers the plan of a dry run and writes nothing; the import then does what the plan says", async () => {
  const planned = (await (await send(person("Una Rae"), "?dry_run=1")).json()) as any;
  assert.equal([planned.dry_run, planned.counts.added, planned.changes[0].id], [true, 1, null]);
  const people = await server.get(key, "/people");
  assert.not.ok(people.some(({ name }: any) => name === "Una Rae"));
  const applied = (await (await send(person("Una Rae"), `?if_revision=${planned.revision}`)).json()) as any;
  assert.ok((await server.get(key, "/people")).some(({ id }: any) => id === applied.changes[0].id));
  await assertRefused(
    await send(person("Ula Rae"), `?if_revision=${planned.revision}`),
    409,
    /what this would change is another by now/,
  );
});

test("returns 422 for a query parameter that it does not have, and writes nothing", async () => {
  await assertRefused(await send(person("Ona Rae"), "?dryrun=1"), 422, /must not have "dryrun".*dry_run, exact/);
  await assertRefused(await server.ask(key, "/api/v1/admin/keys?limits=1"), 422, /must not have "limits"/);
  assert.not.ok((await server.get(key, "/people?unknown=1")).some(({ name }: any) => name === "Ona Rae"));
});

test("refuses a number that JSON cannot keep, with its place, as a file does", async () => {
  const post = (text: string, query = "") =>
    server.ask(key, `/api/v1/admin/import${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
    });
  const losses = {
    "1e400": "is larger than the largest number, about 1.8e308",
    "-1e-400": "is nearer to 0 than any number, about 5e-324",
    "0.12345678901234567890123": "has more digits than a number keeps",
    "12345678901234567890": "has more digits than a number keeps",
  };
  for (const [number, loss] of Object.entries(losses))
    for (const query of ["", "?dry_run=1"]) {
      const text = `{"people": [{"name": "Ada Rae", "role": "x"}], "$comment": {"x": ${number}}}`;
      const form = new FormData();
      form.append("files", new Blob([text]), "given.json");
      const sentence = new RegExp(`\\$comment\\.x ${loss}: ${number}`);
      await assertRefused(await post(text, query), 422, sentence);
      const file = { method: "POST", body: form };
      await assertRefused(await server.ask(key, `/api/v1/admin/import${query}`, file), 422, sentence);
    }
  assert.not.ok((await server.get(key, "/people")).some(({ name }: any) => name === "Ada Rae"));
});

test("refuses such a number in JSON in a cell of a list, and a number that it keeps plans nothing again", async () => {
  const post = (type: string, body: string, query = "") =>
    server.ask(key, `/api/v1/admin/import${query}`, { method: "POST", headers: { "content-type": type }, body });
  const cells = {
    deliveries: ["Title,Spec", "Lossless", '[{"x": NUMBER}]', "spec[0].x"],
    "cost-report": ["Account,Department,Figures (JSON)", "100,Camera", '{"x": NUMBER}', "figures.x"],
    schedule: ["Day,Date,Scene,Calls", "999,2027-12-24,101/1", '[{"who": NUMBER, "time": "07:00"}]', "calls[0].who"],
  };
  for (const [kind, [header, start, cell, place]] of Object.entries(cells) as [string, string[]][])
    for (const number of ["1e400", "0.12345678901234567890123", "12345678901234567890"]) {
      const json = (cell as string).replace("NUMBER", number).replaceAll('"', '""');
      const answer = await post("text/csv", `${header}\n${start},"${json}"\n`, `?as=${kind}&week=2027-12-20`);
      await assertRefused(answer, 422, new RegExp(`${(place as string).replace(/[[\].]/g, "\\$&")}[^;]*: ${number}`));
    }
  const spec = '[{"x": -0.0, "y": [1e20, 9007199254740992], "z": -1.5e17}]';
  const counts = async (body: string) => ((await (await post("application/json", body)).json()) as any).counts;
  const delivery = `{"deliveries": [{"title": "Far away", "kind": "internal", "spec": ${spec}}]}`;
  assert.is((await counts(delivery)).added, 1);
  assert.is((await counts(delivery)).changed, 0);
  const exported = await (await server.ask(key, "/api/v1/admin/export")).text();
  assert.match(exported, /100000000000000000000/);
  assert.is((await counts(exported)).changed, 0, "an export can be imported");
});

test("lists the problems of refused files beside the detail, with their places and names", async () => {
  const people = [
    { name: "Una Rae", role: "x", department: "none" },
    { name: "Ada Rae", role: 5 },
  ];
  const refused: any = await (await send({ people })).json();
  assert.match(refused.detail, /people\[0\] \(person Una Rae\)\.department names no department/);
  assert.equal(refused.problems[0], {
    file: "the document",
    place: "people[0].department",
    name: "person Una Rae",
    message: 'names no department: "none"',
  });
  assert.is(refused.problems[1].place, "people[1].role");
  const number: any = await (
    await server.ask(key, "/api/v1/admin/import", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"people": [{"name": "Ada Rae", "role": "x", "$comment": 1e400}]}',
    })
  ).json();
  assert.equal([number.problems[0].place, number.problems[0].name], ["people[0].$comment", "person Ada Rae"]);
  assert.is(((await (await send(person("Ira Rae"), "?if_revision=x")).json()) as any).problems, undefined);
});

test("takes a list as a body of text/csv, and says what is missing if its headings may be of two kinds", async () => {
  const post = (query: string, body = "Name,Role\nIva Rae,Stand-in\n") =>
    server.ask(key, `/api/v1/admin/import${query}`, {
      method: "POST",
      headers: { "content-type": "text/csv; charset=utf-8" },
      body,
    });
  const refused: any = await (await post("", "Name,Kind,Status\nA,B,open\n")).json();
  assert.match(refused.detail, /`as` must say what the file is: schedule, people/);
  assert.equal([refused.problems[0].file, refused.problems[0].place], ["body.csv", null]);
  assert.match(refused.problems[0].message, /^`as` must say/);
  assert.equal(refused.problems[0].choices, ["deliveries", "assets"]);
  assert.is((await post("?as=people")).status, 200);
  assert.ok((await server.get(key, "/people")).some(({ name }: any) => name === "Iva Rae"));
});

test("updates only the production of the key", async () => {
  await send(person("Ina Rae"), "", other);
  assert.not.ok((await server.get(key, "/people")).some(({ name }: any) => name === "Ina Rae"));
  assert.ok((await server.get(other, "/people")).some(({ name }: any) => name === "Ina Rae"));
});

test("returns 422 with every problem, and writes nothing", async () => {
  const bad = { people: [{ name: "Mia Rae", role: "x", department: "none" }], scenes: [{ stat: 1 }] };
  await assertRefused(await send(bad), 422, /names no department: "none".*is not a known field/);
  await assertRefused(
    await send({
      ingredients: [{ label: "x", kind: "swatch", media: { label: "a", kind: "still", file: "/etc/passwd" } }],
    }),
    422,
    /replaced by base64/,
  );
});

test("runs imports one after the other, and returns 503 for more than wait", async () => {
  const answers = await Promise.all(Array.from({ length: 14 }, (_, at) => send(person(`Extra ${at}`))));
  const statuses = answers.map(({ status }) => status);
  assert.equal([...new Set(statuses)].sort(), [200, 503]);
  const names = (await server.get(key, "/people")).map(({ name }: any) => name);
  for (const [at, status] of statuses.entries()) assert.is(names.includes(`Extra ${at}`), status === 200);
});

test.after(() => server.stop());
test.run();
