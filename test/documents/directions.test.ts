// Characters that turn the direction of text, and names that nobody sees: refused over the API, taken out of files,
// which is said.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { answerOf } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { documentOf, warningsOf } from "../support/lists.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { smallDocument, writeDocument } from "../support/small_document.ts";

const server = await openTestServer();
const { store } = server;
const { feature } = seedDataOf(store);
const key = mint(store, { production_id: feature, scopes: ["read", "write", "edit", "admin"] });
const post = (path: string, body: object) =>
  server.ask(key, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const controls = [..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];

const names = suite("a name that turns round, or that nobody sees");

names("is refused by its field over the API", async () => {
  for (const control of controls)
    await assertRefused(
      await post("/assets", { label: `Lamp ${control}x` }),
      422,
      "label must not contain characters that turn the direction of text",
    );
  for (const label of ["\u200b", "\u2060\ufeff", "\u3164", "\u2800 "])
    await assertRefused(await post("/assets", { label }), 422, "label must have a visible character");
  assert.is((await post("/assets", { label: "פנס \u200f" })).status, 200, "a mark of direction turns nothing round");
  await assertRefused(await post("/admin/keys", { label: "\u202eagent", scopes: ["read"] }), 422, /^label must not/);
});

names("is read from a document without these characters, in references too, which is said", async () => {
  const document = { assets: [{ label: "Be\u202ell", kind: "prop", scenes: [] }], vendors: ["\u2066North\u2069"] };
  const plan = (await (await post("/admin/import", document)).json()) as { warnings: string[] };
  assert.equal(
    plan.warnings.filter((one) => /direction/.test(one)),
    ["the document: characters that turn the direction of text were taken out of 2 names"],
  );
  assert.is(one(store, "SELECT count(*) FROM nodes WHERE label = 'Bell' AND production_id = ?", feature), 1);
  assert.is(one(store, "SELECT count(*) FROM vendors WHERE name = 'North' AND production_id = ?", feature), 1);
  await assertRefused(await post("/admin/import", { vendors: ["\u200b"] }), 422, /must have a visible character/);
});

names("of a new production is read without them, which is said", async () => {
  const document = smallDocument();
  document.production.title = "The \u202eRope";
  const made = await answerOf("import", writeDocument(document), "--data", temporaryFolder());
  assert.is(made.title, "The Rope");
});

names("in a list is the name without them, which is said", () => {
  const text = "Asset,Kind\nStorm \u202elamp,prop\n";
  assert.is(documentOf("assets", text).assets?.[0]?.label, "Storm lamp");
  assert.equal(warningsOf("assets", text), ["characters that turn the direction of text were taken out"]);
  assert.equal(warningsOf("assets", "Asset,Kind\nStorm “lamp”—x,prop\n"), []);
});

names.after(() => server.stop());
names.run();
