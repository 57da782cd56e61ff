// --production beside an id: every command that takes an id takes it, needs it nowhere, and refuses the id of another
// production.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixtureFiles } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { folderWith } from "../support/template.ts";

process.env.TALLYLIGHT_WEBHOOK_HOSTS = "127.0.0.1";
const test = suite("--production beside an id");

test("is taken by every command that acts on one id, and refused if it is another one", async () => {
  const data = await folderWith(fixtureFiles, "2026-11-20T08:00:00.000Z");
  const run = (...words: string[]) => tallylight(...words, "--data", data);
  const list = (...words: string[]) => answerOf(...words, "--data", data);
  const done = async (...words: string[]) => {
    const { status, err } = await run(...words);
    assert.is(status, 0, `${words.join(" ")}: ${err}`);
  };
  const productions: { id: number }[] = await list("productions", "list");
  const [first, second] = productions.map(({ id }) => String(id)) as [string, string];
  const [person] = await list("list", "people", "--production", first);
  await done("set", "people", person.key, "role=Producer of the show", "--production", first);
  const [set] = await list("history", "--production", first);
  await done("keys", "mint", "--production", first, "--label", "desk");
  await done("webhooks", "add", "--production", first, "--url", "https://127.0.0.1/hook");
  const idOf = async (...words: string[]) => String((await list(...words, "--production", first))[0]?.id);
  const engagements = await list("engagements", "list", "--production", first);
  const engagement = engagements.find(({ grants }: { grants: object[] }) => grants.length > 0);
  const commands: [string[], string][] = [
    [["history"], String(set.id)],
    [["undo"], String(set.id)],
    [["submissions", "remove"], await idOf("submissions", "list")],
    [["grants", "revoke"], String(engagement.grants[0].id)],
    [["engagements", "end"], String(engagement.id)],
    [["keys", "rotate"], await idOf("keys", "list")],
    [["keys", "revoke"], await idOf("keys", "list")],
    [["webhooks", "pause"], await idOf("webhooks", "list")],
    [["webhooks", "remove"], await idOf("webhooks", "list")],
  ];
  for (const [words, id] of commands) {
    const refused = await run(...words, id, "--production", second);
    assert.is(refused.status, 1, `${words.join(" ")}: ${refused.out}${refused.err}`);
    assert.match(refused.err, new RegExp(`there is no .*${id}`), words.join(" "));
    await done(...words, id, "--production", first);
  }
  const [undo] = await list("history", "--production", first);
  await done("undo", String(undo.id)); // the id tells
});

test.run();
