// The paperwork of the series: an episode's drafts, one-liner and crew list in its production.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/command.ts";
import { openImports } from "../support/import.ts";
import { fixture } from "../support/lists.ts";
import { episodeDraft } from "../support/paperwork.ts";

const test = suite("the paperwork of The Saknussemm Cipher");
const paper = (name: string) => ({ name, text: fixture(`paperwork/the-saknussemm-cipher-${name}`) });
const production = await openImports(join(root, "fixtures/the-saknussemm-cipher.json"));

test("the Final Draft file is what the writer makes of the Fountain draft", () => {
  assert.is(paper("101.fdx").text.toString(), episodeDraft());
});

test("the script agrees with the production, in both formats", async () => {
  await production.import(paper("101.fountain"), { episode: "101" });
  assert.equal(
    production.changes().filter(({ draft }) => draft !== null),
    [],
  );
  assert.equal((await production.import(paper("101.fdx"), { episode: "101" })).changes, []);
});

test("the next draft raises its four changes", async () => {
  await production.import(paper("101-blue.fountain"), { episode: "101", color: "blue" });
  const raised = production.changes().filter(({ draft }) => draft !== null);
  assert.equal(
    raised.map(({ kind, scene_number, fields }) => `${kind} ${scene_number} ${Object.keys(fields)[0]}`),
    ["omitted 3 omitted", "changed 5 text", "added 12A number", "changed 13 slugline"],
  );
});

test("the one-liner and the crew list change what they say", async () => {
  const days = await production.import(paper("101-one-liner.csv"), { episode: "101", as: "schedule" });
  assert.equal(
    days.changes.filter(({ section, action }) => section === "schedule" && action === "add"),
    [],
  );
  const crew = await production.import(paper("crew-list.csv"), { as: "people" });
  assert.equal(
    crew.changes.map(({ action, key }) => `${action} ${key}`),
    ["add Ilka Sommer"],
  );
});

test.run();
