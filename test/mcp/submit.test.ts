// submit_turnover over MCP: the same function as the REST route, with files as base64.
// Thorough: only --all runs it.
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { assertProtocolError, callTool, resultOf } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const ceiling = 5 * 1024 * 1024;
const server = await openTestServer({ environment: { TALLYLIGHT_UPLOAD_LIMIT: String(ceiling) } });
const { store, folder } = server;
const seedData = seedDataOf(store);
const { delivery, submitter, reader } = seedData;
const scopes = ["read", "submit:turnover"] as const;
const key = mint(store, { production_id: seedData.production, engagement_id: submitter, scopes, label: "vendor bot" });
const submit = (token: string, given: object) => callTool(server, token, "submit_turnover", given);
const fileOf = (bytes: Uint8Array, filename = "a.exr") => ({
  filename,
  content_base64: Buffer.from(bytes).toString("base64"),
});
const submissions = () => one(store, "SELECT count(*) FROM submissions");
const staged = () => readdirSync(join(folder, "media", "staging")).length;

const submitting = suite("submit_turnover over MCP");

submitting("stores files of any size byte for byte, with their labels, as one submission", async () => {
  const contents = [1, 2, 3, 196_607, 196_608, 196_609, 3_000_000].map((size) => randomBytes(size));
  const files = contents.map((bytes, at) => fileOf(bytes, `../plates/shot ${at}.exr`));
  const result = await resultOf(await submit(key, { delivery_id: delivery, title: "Comp v7", note: "Grain.", files }));
  const submission = result.structuredContent;
  assert.is(result.content[0].text, JSON.stringify(submission));
  assert.is(submission.delivery_id, delivery);
  assert.is(submission.status, "submitted");
  assert.is(submission.title, "Comp v7");
  assert.is(submission.note, "Grain.");
  assert.equal(
    submission.media.map(({ label }: { label: string }) => label),
    contents.map((_, at) => `plates/shot ${at}.exr`),
  );
  for (const [at, { id }] of submission.media.entries()) {
    const response = await server.ask(key, `/api/v1/media/${id}/content`);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(contents[at] as Buffer));
  }
  assert.is(staged(), 0);
});

submitting("uses the delivery's title by default and names the key in the activity feed", async () => {
  const { structuredContent } = await resultOf(
    await submit(key, { delivery_id: delivery, files: [fileOf(Buffer.of(1))] }),
  );
  assert.is(structuredContent.title, one<string>(store, "SELECT title FROM deliveries WHERE id = ?", delivery));
  assert.is(one<string>(store, "SELECT actor FROM activity ORDER BY id DESC"), "vendor bot");
});

submitting("returns -32602 with the place and stores nothing if a file is invalid", async () => {
  const before = submissions();
  const good = fileOf(randomBytes(300_000));
  const text = Buffer.from(randomBytes(300_000)).toString("base64");
  const wrong: [files: unknown, sentence: RegExp][] = [
    [undefined, /^files is required$/],
    [[], /^files must have at least one file$/],
    ["aGk=", /^files must have at least one file$/],
    [[good, "aGk="], /^files\[1\] must be an object$/],
    [[{ content_base64: "" }], /^files\[0\]\.filename must be text$/],
    [[{ filename: "a" }], /^files\[0\]\.content_base64 must be text$/],
    [[good, { filename: "a", content_base64: "aGk" }], /^files\[1\]\.content_base64 must be base64$/],
    [[{ filename: "a", content_base64: "aG k=" }], /must be base64$/],
    [[{ filename: "a", content_base64: "aGl=" }], /must be base64$/],
    [[{ filename: "a", content_base64: "-_-_" }], /must be base64$/],
    [[{ filename: "a", content_base64: "data:image/png;base64,aGk=" }], /must be base64$/],
    [[{ filename: "a", content_base64: `${text.slice(0, 262_142)}==${text.slice(262_144)}` }], /must be base64$/],
  ];
  for (const [files, sentence] of wrong)
    await assertProtocolError(await submit(key, { delivery_id: delivery, files }), -32602, sentence);
  await assertProtocolError(await submit(key, { delivery_id: delivery, title: 7, files: [good] }), -32602, /^title/);
  assert.is(submissions(), before);
  assert.is(staged(), 0);
});

submitting("returns a tool error with the message of the REST route if a file is over the limit", async () => {
  const bytes = randomBytes(ceiling + 1);
  const form = new FormData();
  form.append("files", new Blob([bytes]), "a.exr");
  const rest = await server.ask(key, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body: form });
  const detail = await assertRefused(rest, 413);
  const result = await resultOf(await submit(key, { delivery_id: delivery, files: [fileOf(bytes)] }));
  assert.equal(result, { content: [{ type: "text", text: detail }], isError: true });
  assert.is(staged(), 0);
});

submitting("returns the errors of the REST route for key, scope and reach before it reads any file", async () => {
  const wide = mint(store, { production_id: seedData.production, scopes: ["submit:turnover"] });
  const unscoped = mint(store, {
    production_id: seedData.production,
    engagement_id: submitter,
    scopes: ["read", "write"],
  });
  const reading = mint(store, { production_id: seedData.production, engagement_id: reader, scopes });
  const foreign = one(store, "SELECT id FROM deliveries WHERE production_id = ?", seedData.otherProduction);
  for (const [token, delivery_id, status] of [
    ["tl_nobody", delivery, 401],
    [unscoped, delivery, 403],
    [wide, delivery, 403],
    [reading, delivery, 403],
    [key, foreign, 404],
    [key, 999_999, 404],
  ] as const) {
    const form = new FormData();
    form.append("files", new Blob(["x"]), "a");
    const rest = await server.ask(token, `/api/v1/turnovers/${delivery_id}/submissions`, {
      method: "POST",
      body: form,
    });
    const body = await rest.text();
    assert.is(rest.status, status, body);
    for (const files of [[fileOf(Buffer.of(1))], "no files"]) {
      const answer = await submit(token, { delivery_id, files });
      assert.is(answer.status, status);
      assert.is(await answer.text(), body);
    }
  }
  await assertRefused(
    await submit(unscoped, { delivery_id: delivery }),
    403,
    "key does not have the `submit:turnover` scope",
  );
});

submitting("returns -32602 for an invalid delivery id, where REST returns 422", async () => {
  await assertProtocolError(await submit(key, { delivery_id: "1", files: [] }), -32602, /^delivery_id must be/);
  const rest = await server.ask(key, "/api/v1/turnovers/x/submissions", { method: "POST" });
  await assertRefused(rest, 422, /^delivery_id must be/);
});

submitting.after(() => server.stop());
submitting.run();
