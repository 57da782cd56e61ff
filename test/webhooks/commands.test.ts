// tallylight webhooks: every verb, what is refused, and that no secret is shown twice.
// Thorough: only --all runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isEventType } from "../../src/core/store/event_types.ts";
import { commands } from "../../src/features/webhooks/commands.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { openReceiver } from "../support/receiver.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

const data = join(scratch(), "data");
await answerOf("import", writeDocument(smallDocument()), "--data", data);
writeFileSync(join(data, "config.json"), JSON.stringify({ webhook_hosts: ["127.0.0.1"] }));

const run = (...argv: string[]) => tallylight("webhooks", ...argv, "--data", data);
const answer = (...argv: string[]) => answerOf("webhooks", ...argv, "--data", data);
const url = "http://127.0.0.1:9000/hook";
const add = (...more: string[]) => ["add", "--production", "1", "--url", url, ...more];

const test = suite("tallylight webhooks");

test("adds one, and shows its secret only then", async () => {
  const added = await answer(...add("--types", "version.released, asset.created"));
  assert.equal(Object.keys(added), ["id", "url", "types", "secret"]);
  assert.equal([added.url, added.types], [url, ["asset.created", "version.released"]]);
  assert.match(added.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const [row] = await answer("list", "--production", "1");
  assert.equal([row.id, row.status, row.tries, row.next_try_at], [added.id, "active", 0, null]);
  const rest = JSON.stringify([row, await answerOf("audit", "--data", data)]);
  assert.not.ok(rest.includes(added.secret.slice(6)));
});

test("without --types, delivers every type", async () => {
  const { id, types } = await answer(...add());
  assert.is(types, null);
  await answer("remove", String(id));
});

for (const [name, argv, sentence] of [
  [
    "a host that is not listed",
    ["add", "--production", "1", "--url", "http://10.0.0.1/"],
    /10\.0\.0\.1 is not in the setting webhook_hosts/,
  ],
  ["a link-local address", ["add", "--production", "1", "--url", "http://169.254.169.254/"], /is a link-local address/],
  [
    "another scheme",
    ["add", "--production", "1", "--url", "file:///etc/passwd"],
    /^url must be an http or https address/,
  ],
  ["an unknown type", add("--types", "asset.eaten"), /^types has "asset.eaten", which is not an event type/],
  ["an unknown production", ["add", "--production", "9", "--url", url], /^there is no production 9/],
  ["an unknown webhook", ["pause", "99"], /^there is no webhook 99; `tallylight webhooks list`/],
  ["a malformed cursor", ["replay", "1", "--after", "x"], /^after must be the cursor/],
  ["a cursor of another database", ["replay", "1", "--after", "00000000-1"], /continue with after=now/],
] as const)
  test(`refuses ${name}`, async () => {
    const { status, err } = await run(...argv);
    assert.is(status, 1);
    assert.match(err, sentence);
  });

test("has examples whose types exist", () => {
  for (const { example = "" } of commands)
    for (const type of / --types (\S+)/.exec(example)?.[1]?.split(",") ?? []) assert.ok(isEventType(type), type);
});

test("pauses, resumes, rotates, replays and removes, with an audit entry each", async () => {
  const { id, secret } = await answer(...add());
  assert.is((await answer("pause", String(id))).status, "paused");
  assert.is((await answer("resume", String(id))).status, "active");
  const rotated = await answer("rotate", String(id));
  assert.ok(rotated.secret !== secret && Date.parse(rotated.former_until) > Date.now());
  assert.match((await answer("replay", String(id), "--after", "start")).cursor, /^[0-9a-f]{8}-0$/);
  assert.equal(await answer("deliveries", String(id)), []);
  assert.equal(await answer("remove", String(id)), { id, url });
  const actions = (await answerOf("audit", "--data", data)).slice(0, 6).map(({ action }: { action: string }) => action);
  assert.equal(
    actions,
    ["removed", "replayed", "rotated", "resumed", "paused", "added"].map((verb) => `webhook.${verb}`),
  );
  assert.is((await run("pause", String(id))).status, 1);
});

test("sends a test message, and exits with 1 if it is not accepted", async () => {
  const secrets: string[] = [];
  const receiver = await openReceiver({ secrets: () => secrets });
  const added = await answer("add", "--production", "1", "--url", receiver.url);
  secrets.push(added.secret);
  assert.is((await answer("test", String(added.id))).delivered, true);
  assert.equal([receiver.delivered.length, receiver.invalid], [1, []]);
  await receiver.close();
  const { status, out } = await run("test", String(added.id));
  assert.is(status, 1);
  assert.match(out, /refused the connection/);
});

test.run();
