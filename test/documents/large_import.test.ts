// An import of 24,000 scenes over HTTP, which is below every documented limit, and one of half of them beside a client
// that writes without a pause.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { openStore } from "../../src/core/store/database.ts";
import { mint } from "../support/app.ts";
import { startKillable } from "../support/killable_server.ts";
import { writeDocument } from "../support/small_document.ts";
import { openProduction } from "../support/update.ts";

const test = suite("an import of 24,000 scenes");

const document = (synopsis: string, count: number): string =>
  JSON.stringify({
    scenes: Array.from({ length: count }, (_, at) => ({
      number: `${at + 1}`,
      slugline: `INT. PLACE ${at} - DAY`,
      synopsis,
      elements: { int_ext: "INT", set: `PLACE ${at}`, cast: ["ADA"], pages: "1 2/8" },
    })),
  });

test("is applied beside a writer, who is never refused, in less than 700 MB", async () => {
  const small = { document: "tallylight production", document_version: 1, production: { title: "Large" } };
  const { store } = await openProduction(writeDocument(small));
  const { file } = store;
  const token = mint(store, { production_id: 1, scopes });
  store.close();
  const { url, kill, process: server } = await startKillable(dirname(file));
  const authorization = { authorization: `Bearer ${token}` };
  const imported = async (synopsis: string, count: number) => {
    const form = new FormData();
    form.append("files", new Blob([document(synopsis, count)]), "scenes.json");
    const answer = await fetch(`${url}/api/v1/admin/import?limit=1`, {
      method: "POST",
      headers: authorization,
      body: form,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const first = await imported("She waits.", 24_000);
  assert.is(first.status, 200, first.text.slice(0, 500));
  let peak = 0;
  let done = false;
  const refused: string[] = [];
  let written = 0;
  const writing = (async () => {
    while (!done) {
      const headers = { ...authorization, "content-type": "application/json" };
      const answer = await fetch(`${url}/api/v1/assets`, { method: "POST", headers, body: '{"label":"Lamp"}' });
      if (answer.status === 200) written++;
      else refused.push(await answer.text());
      if (written % 20 === 0)
        peak = Math.max(
          peak,
          Number(execFileSync("ps", ["-o", "rss=", "-p", String(server)], { encoding: "utf8" })) / 1000,
        );
    }
  })();
  try {
    let answer = await imported("She leaves.", 12_000);
    // the machine is busy
    for (let again = 0; answer.status === 503 && again < 3; again++) answer = await imported("She leaves.", 12_000);
    assert.is(answer.status, 200, answer.text.slice(0, 500));
  } finally {
    done = true;
    await writing;
    await kill();
  }
  assert.equal(refused, []);
  assert.ok(written > 50, `${written} writes`);
  assert.ok(peak < 700, `${peak} MB`);
  const after = openStore(file);
  assert.is(after.database.prepare("SELECT count(*) FROM scenes WHERE synopsis = 'She leaves.'").pluck().get(), 12_000);
  after.close();
});

test.run();
