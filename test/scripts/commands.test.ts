// tallylight script-changes: the order of the list, the choices, and what a decision says.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { openImports } from "../support/import.ts";
import { draft, names, numbered, scene } from "../support/numbered_scenes.ts";

const test = suite("tallylight script-changes");

/** A series with a draft of each of two episodes that changes 4's text, adds 2A and 2B, and omits 3. */
async function open() {
  const first = numbered(names(4));
  const later = [first[0], first[1], scene("NEW", "2A"), scene("NEWER", "2B"), `${first[3]} and more`] as string[];
  const production = await openImports(draft(first), { episode: "101" });
  await production.import(draft(first), { episode: "102", new_episode: true });
  await production.import(draft(later, "blue.fountain"), { episode: "102" });
  await production.import(draft(later, "pink.fountain"), { episode: "101" });
  production.store.close();
  return dirname(production.store.file);
}

const run = async (data: string, ...args: string[]) => {
  const { out, err, status } = await tallylight("script-changes", ...args, "--production", "1", "--data", data);
  return { lines: out.trim().split("\n"), err, status };
};

test("lists in the order of the script, with the episode, and only what is chosen", async () => {
  const data = await open();
  const listed = async (...args: string[]) =>
    (await run(data, "list", ...args)).lines.flatMap((line) => /10\d\/\w+(?= added|:)/.exec(line)?.[0] ?? []);
  const of = (code: string) => ["2A", "2B", "3", "4"].map((number) => `${code}/${number}`);
  assert.equal(await listed(), [...of("101"), ...of("102")]);
  assert.equal(await listed("--episode", "102"), of("102"));
  assert.equal(await listed("--draft", "pink.fountain"), of("101"));
  assert.equal(await listed("--draft", "drafts/pink.fountain"), of("101"), "the path with which it was imported");
  assert.equal(await listed("--kind", "omitted"), ["101/3", "102/3"]);
  assert.is((await run(data, "list", "--kind", "lifted")).status, 2);
});

test("decides what is chosen, and says what that did", async () => {
  const data = await open();
  const text = await run(data, "approve", "--episode", "101", "--kind", "changed");
  assert.equal(text.lines, ["1 script change approved: the text of 1 scene replaced", "  101/4: text changed"]);
  const added = await run(data, "approve", "--episode", "101", "--kind", "added");
  assert.is(added.lines[0], "2 script changes approved: 2 added");
  const dismissed = await run(data, "dismiss", "--draft", "blue.fountain");
  assert.is(dismissed.lines[0], "4 script changes dismissed");
  assert.equal((await run(data, "approve", "--all")).lines[0], "1 script change approved: 1 changed");
  assert.match((await run(data, "approve", "--all", "7")).err, /choose pending changes; do not give an ID with them/);
});

test("names a draft or an episode that there is not, and decides nothing", async () => {
  const data = await open();
  for (const verb of ["list", "approve", "dismiss"]) {
    const draft = await run(data, verb, "--draft", "green.fountain");
    assert.match(
      draft.err,
      /there is no draft green\.fountain; drafts are later\.fountain, blue\.fountain, pink\.fountain/,
    );
    const episode = await run(data, verb, "--episode", "109");
    assert.match(episode.err, /there is no episode 109/);
    assert.equal([draft.status, episode.status], [2, 2]);
  }
  assert.is((await run(data, "list")).lines.length, 9);
});

test("are in the order of the script over HTTP too, also in pages, where it is asked", async () => {
  const first = numbered(names(3));
  const later = [scene("NEW", "A1"), first[0], scene("NEWER", "1A"), scene("NEWEST", "1B"), `${first[1]} and more`];
  const production = await openImports(draft(first));
  await production.import(draft([...first.slice(0, 2), `${first[2]} and more`] as string[]));
  await production.import(draft([...later, `${first[2]} and more`] as string[]));
  const server = await openTestServer({ data: dirname(production.store.file) });
  const key = mint(server.store, { production_id: production.production_id, scopes: ["read"] });
  const numbers: string[] = [];
  let path = "/api/v1/script-changes?order=script&limit=2";
  for (let link: string | undefined = path; link !== undefined; link = /<([^>]*)>/.exec(path)?.[1]) {
    const answer: Response = await server.ask(key, link.replace(/^https?:\/\/[^/]*/, ""));
    for (const { scene_number } of (await answer.json()) as { scene_number: string }[]) numbers.push(scene_number);
    path = answer.headers.get("link") ?? "";
  }
  assert.equal(numbers, ["A1", "1A", "1B", "2", "3"]);
  await server.stop();
});

test.run();
