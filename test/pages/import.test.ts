// The import page: what a file is is guessed and can be corrected without choosing it again, and the plan is in the
// order of the script.
// Thorough: only --all runs it.
import "../../src/features.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lastBefore } from "../../src/features/documents/pages/import.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature } = seedDataOf(store);
const key = mint(store, { production_id: feature, scopes: ["read", "edit"], label: "Coordinator" });
const editor = await signIn(server, key);
const path = "/settings/import";
const plain = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** Sends files with the form of the page. */
async function choose(
  files: Record<string, string>,
  fields: Record<string, string> = {},
  from = path,
): Promise<Response> {
  const form = new FormData();
  form.append("proof", /name="proof" value="([^"]+)"/.exec(await editor.text(from))?.[1] as string);
  for (const [name, value] of Object.entries({ action: "preview", ...fields })) form.append(name, value);
  for (const [name, text] of Object.entries(files)) form.append("files", new Blob([text]), name);
  const headers = { cookie: editor.cookies(), accept: "text/html", origin: server.url };
  return fetch(server.url + path, { method: "POST", body: form, headers });
}

/** The hidden fields of the form in which a page keeps the files. */
function keptIn(page: string): Record<string, string[]> {
  const form =
    /<form method="post" action="\/settings\/import" class="stack panel">[\s\S]*?<\/form>/.exec(page)?.[0] ?? "";
  const fields: Record<string, string[]> = {};
  for (const [, name = "", value = ""] of form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g))
    if (name !== "proof") fields[name] = [...(fields[name] ?? []), value];
  return fields;
}

const crew = "Name,Role,Department\nAda Byron,Focus puller,Camera\n";
const draft = "INT. KITCHEN - DAY #901#\n\nShe waits.\n\nEXT. YARD - NIGHT #902#\n\nHe comes.\n";

const test = suite("the import page");

test("guesses what a file is, also one whose name does not tell, and says so", async () => {
  assert.match(
    plain(await (await choose({ "crew.csv": crew })).text()),
    /crew\.csv is read as a list: people, as its headings say/,
  );
  assert.match(
    plain(await (await choose({ "crew.txt": crew })).text()),
    /crew\.txt is read as a list: people[\s\S]*It adds 1 person/,
  );
  assert.match(plain(await (await choose({ "draft.txt": draft })).text()), /draft\.txt is read as a script/);
  const document = JSON.stringify({ people: [{ name: "Grace", role: "Gaffer" }] });
  assert.match(plain(await (await choose({ "people.txt": document })).text()), /people\.txt is read as a document/);
});

test("a list of no known kind, or that cannot be read, is refused with a sentence, alone and beside another file", async () => {
  const unreadable = {
    "prices.csv": [
      "Colour,Weight,Price\n1,2,3\n",
      /prices\.csv: --as must say what the file is|must say what the file is/,
    ],
    "empty.csv": ["", /empty/],
    "blank.csv": ["\n\n\n", /.+/],
    "quote.csv": ['a,"b\nc,d\n', /.+/],
    "zeros.csv": ["a\0b,c\n1,2\n", /.+/],
  } as const;
  for (const [name, [text, said]] of Object.entries(unreadable))
    for (const beside of [{}, { "crew.csv": crew }]) {
      const response = await choose({ [name]: text, ...beside });
      const page = await response.text();
      assert.is(response.status, 422, `${name}: ${plain(page)}`);
      assert.match(plain(/class="error[\s\S]*?<\/p>/.exec(page)?.[0] ?? page), said, name);
    }
});

test("names a file that cannot be read once, as it is called", async () => {
  for (const [name, beside] of [
    ["photo.jpg", {}],
    ["my photo.pdf", { "crew.csv": crew }],
  ] as const) {
    const page = plain(await (await choose({ [name]: "%PDF-1.7", ...beside })).text());
    assert.match(page, new RegExp(` ${name}: the file is a PDF; export a script as`));
    assert.not.match(page, new RegExp(`${name} is a|P${name.slice(1)}`));
  }
});

test("asks what a list is whose headings are those of several kinds, with its first rows as each reads them", async () => {
  const asked = await choose({ "stock.csv": "Name,Desc\nStorm lamp,Brass\n" });
  const page = await asked.text();
  assert.is(asked.status, 422);
  assert.match(
    plain(page),
    /stock\.csv may be one of several lists Read it as people[\s\S]* Read it as assets Asset Storm lamp Read it as departments/,
  );
  assert.match(page, /<button name="kind" value="departments"[\s\S]*<th scope="col">Mission<\/th>[\s\S]*>Brass<\/td>/);
  const again = await (await editor.send(path, { ...keptIn(page), kind: "assets", as: "" })).text();
  assert.match(plain(again), /stock\.csv is read as a list: assets[\s\S]*It adds 1 asset/);
  assert.is((await editor.send(path, { ...keptIn(again), action: "apply", as: "assets" })).status, 200);
  assert.is(one(store, "SELECT count(*) FROM nodes WHERE label = 'Storm lamp'"), 1);
});

test("finds the places of added scenes with few comparisons, also in a script whose numbers are in no order", () => {
  const { compare } = new Intl.Collator("en", { numeric: true });
  const ordered = Array.from({ length: 1000 }, (_, at) => `${at + 1}`);
  const mixed = ordered.map((_, at) => `${((at * 37) % 1000) + 1}${at % 3 === 0 ? "A" : ""}`);
  const asked = [...ordered.map((number) => `${number}B`), "0", "A1", "9999"];
  for (const numbers of [ordered, mixed, []]) {
    let count = 0;
    const counted = (one: string, other: string) => {
      count++;
      return compare(one, other);
    };
    const before = lastBefore(numbers, counted);
    const found = asked.map(before);
    assert.ok(count < 12 * (numbers.length + asked.length), `${count} comparisons`);
    assert.equal(
      found,
      asked.map((number) => numbers.findLastIndex((one) => compare(one, number) <= 0)),
    );
  }
});

test("keeps the files of a refusal and of a plan: another kind is chosen without choosing them again", async () => {
  const list = "Name,Role\nNoel Adair,Runner\n";
  const refused = await choose({ "list.csv": list }, { as: "schedule" });
  const text = await refused.text();
  assert.is(refused.status, 422);
  assert.match(text, /It cannot be done like this[\s\S]*role="alert"/);
  const again = await editor.send(path, { ...keptIn(text), action: "preview", as: "people" });
  const page = await again.text();
  assert.match(plain(page), /list\.csv is read as a list: people[\s\S]*It adds 1 person/);

  const changed = await editor.send(path, { ...keptIn(page), action: "apply", as: "vendors" });
  assert.not.match(await changed.text(), /Applied/, "what is applied was shown");
  assert.is(one(store, "SELECT count(*) FROM people WHERE name = 'Noel Adair'"), 0);
  const applied = await (await editor.send(path, { ...keptIn(page), action: "apply", as: "people" })).text();
  assert.match(plain(applied), /Applied See the crew Undo It adds 1 person/);
  assert.is(one(store, "SELECT count(*) FROM people WHERE name = 'Noel Adair'"), 1);
  const same = await (await editor.send(path, { ...keptIn(page), action: "apply", as: "people" })).text();
  assert.match(plain(same), /It cannot be done like this .*changed meanwhile/, "and nothing is applied twice");
  assert.match(plain(await (await choose({ "list.csv": list }, { as: "people" })).text()), /already has all of this/);
});

test("names the fields of its form where a command names flags, in warnings and refusals", async () => {
  const words = async (files: Record<string, string>, fields?: Record<string, string>) =>
    plain((await (await choose(files, fields)).text()).replace(/&quot;/g, '"'));
  const strange = await words({ "crew.csv": "Name,Role,Zodiac\nAda Byron,Focus puller,Leo\n" });
  assert.match(
    strange,
    /column Zodiac is unknown; “Its headers mean” department=Zodiac reads it, otherwise it is ignored/,
  );
  const wrongMap = await words({ "crew.csv": crew }, { map: "Sign=role" });
  assert.match(wrongMap, /“Its headers mean” names "sign"/i);
  const schedule = await words({ "days.csv": "Day,Date,Scenes\n1,03/04/2027,1\n" }, { as: "schedule" });
  assert.match(schedule, /could be two dates; add “Its dates are written” day month year or month day year\./);
  const episode = await words({ "draft.fountain": draft }, { episode: "102" });
  assert.match(episode, /“The episode of a script or schedule” is only for an episodic production/);
  for (const page of [strange, wrongMap, schedule, episode]) assert.not.match(page, /--\w/);
});

test("offers nothing to apply where nothing would change, whatever it warns of", async () => {
  const name = one<string>(store, "SELECT name FROM people WHERE production_id = ?", feature);
  const page = await (await choose({ "list.csv": `Name\n${name}\nTotal\n` }, { as: "people" })).text();
  assert.match(plain(page), /What would change[\s\S]*Warnings/);
  assert.not.match(page, /value="apply"/);
});

test("a kind that a link fills in stands back where the file says what it is", async () => {
  const text = await (await choose({ "crew.csv": crew }, { as: "fountain" }, `${path}?as=fountain`)).text();
  assert.match(plain(text), /crew\.csv is read as a list: people/);
  assert.match(text, /<form method="post" action="\/settings\/import"/, "and the next file has no kind of this one");
});

test("the page of the script has the form that shows what a draft would change", async () => {
  const form =
    /<form [^>]*action="\/settings\/import"[^>]*>[^§]*?<\/form>/.exec(await editor.text("/scenes"))?.[0] ?? "";
  assert.match(form, /enctype="multipart\/form-data"[^§]*type="file"[^§]*name="action" value="preview"/);
  assert.not.match(
    await (await signIn(server, mint(store, { production_id: feature }))).text("/scenes"),
    /action="\/settings\/import"/,
    "who only reads",
  );
});

test("says what is missing if nothing was chosen", async () => {
  const response = await editor.send(path, { action: "preview" });
  assert.is(response.status, 422);
  assert.match(await response.text(), /Choose a file, or drop one on the page/);
});

test("shows changes of scenes in the order of the script, and leads to what is to be decided next", async () => {
  const scenes: { number: string }[] = await server.get(key, "/scenes");
  const wanted = [scenes[12], scenes[2], scenes[9]].map((scene) => scene?.number as string);
  const document = { scenes: wanted.map((number) => ({ number, synopsis: `New words for ${number}.` })) };
  const text = await (await choose({ "part.json": JSON.stringify(document) })).text();
  const shown = [...text.matchAll(/<strong>Scene (\S+)<\/strong> changes/g)].map(([, number]) => number);
  const order = scenes.map(({ number }) => number).filter((number) => wanted.includes(number));
  assert.equal(shown, order);
  assert.match(plain(text), /It changes 3 scenes\./);

  const exported = await server.ask(
    mint(store, { production_id: feature, scopes: ["read", "admin"] }),
    "/api/v1/admin/export",
  );
  const whole = (await exported.json()) as { scenes: { number: string; slugline: string }[] };
  const script = (slug: string) =>
    whole.scenes.map(({ number, slugline }, at) => `.${at === 3 ? slug : slugline} #${number}#\n\nWords.\n`).join("\n");
  const apply = async (name: string, body: string) => {
    const page = await (await choose({ [name]: body })).text();
    return (await editor.send(path, { ...keptIn(page), action: "apply" })).text();
  };
  await apply("white.fountain", script(whole.scenes[3]?.slugline as string));
  const second = await apply("blue.fountain", script("INT. ANOTHER PLACE - NIGHT"));
  assert.match(second, /<strong>Script change [^<]+<\/strong> waits for a decision/);
  assert.match(second, /<a class="button" href="\/settings\/script-changes">Decide \d+ changes? of the script/);
});

test.after(() => server.stop());
test.run();
