// tus-js-client, as its package is, against the server: whole files, pieces, a connection that breaks at random
// offsets, and a key that it does not have.
// Thorough: only --all runs it.
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as tus from "tus-js-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openBreakingProxy } from "../support/breaking_proxy.ts";
import { randomOf, seed } from "../support/random.ts";
import { seedDataOf } from "../support/seed_data.ts";

const random = randomOf(seed);
const server = await openTestServer();
const { store, folder, ask } = server;
const { production: production_id, submitter: engagement_id, delivery } = seedDataOf(store);
const token = mint(store, { production_id, engagement_id, scopes });
const staged = () => readdirSync(join(folder, "media", "staging"));

/** Uploads bytes and returns the address of the upload. Retries at once, as often as the connection breaks. */
const upload = (endpoint: string, bytes: Buffer, options: Partial<tus.UploadOptions> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const sending = new tus.Upload(bytes, {
      endpoint,
      headers: { authorization: `Bearer ${token}` },
      retryDelays: Array.from({ length: 200 }, () => 5),
      metadata: { filename: "comp v4.exr" },
      storeFingerprintForResuming: false,
      onError: reject,
      onSuccess: () => resolve(sending.url as string),
      ...options,
    });
    sending.start();
  });

/** Submits an upload and checks that its bytes are those that were sent. */
async function submitted(address: string, bytes: Buffer): Promise<void> {
  const sent = await ask(token, `/api/v1/turnovers/${delivery}/submissions`, {
    method: "POST",
    body: JSON.stringify({ upload_ids: [address.split("/").at(-1)] }),
    headers: { "content-type": "application/json" },
  });
  const { media } = (await sent.json()) as { media: { id: number; label: string }[] };
  assert.is(media[0]?.label, "comp v4.exr");
  const content = await ask(token, `/api/v1/media/${media[0]?.id}/content`);
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(bytes), "the bytes are equal");
}

const endpoint = `${server.url}/api/v1/uploads`;
const test = suite("tus-js-client");

test("uploads a file in one request, in pieces, and with the creation", async () => {
  const bytes = randomBytes(5_000_000);
  for (const options of [
    {},
    { chunkSize: 700_000 },
    { uploadDataDuringCreation: true },
    { uploadDataDuringCreation: true, chunkSize: 1 << 20 },
  ])
    await submitted(await upload(endpoint, bytes, options), bytes);
  assert.equal(staged(), []);
});

test("uploads at the address with a slash, and is told that an empty file is refused", async () => {
  const bytes = randomBytes(10);
  await submitted(await upload(`${endpoint}/`, bytes), bytes);
  const refusal = await upload(endpoint, Buffer.alloc(0)).then(() => "", String);
  assert.match(refusal, /response code: 422.* is empty: a file of 0 bytes is not stored/s);
});

test("loses the connection at fifty random offsets, and the bytes are equal", async () => {
  const bytes = randomBytes(40_000_000);
  const most = 1_500_000;
  const proxy = await openBreakingProxy(
    () => server.port,
    (broken) => (broken < 50 ? Math.floor(random() * most) : Number.POSITIVE_INFINITY),
  );
  try {
    const address = await upload(`http://127.0.0.1:${proxy.port}/api/v1/uploads`, bytes);
    assert.is(proxy.broken, 50);
    await submitted(address, bytes);
    assert.equal(staged(), [], "nothing staged remains");
  } finally {
    proxy.close();
  }
});

test("terminates an upload", async () => {
  const address = await upload(endpoint, randomBytes(1000));
  await tus.Upload.terminate(address, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(staged(), []);
});

test("is told what is wrong: a wrong key, a file above the ceiling", async () => {
  const failure = (options: Partial<tus.UploadOptions>) =>
    upload(endpoint, Buffer.from("x"), { retryDelays: [], ...options }).then(
      () => assert.unreachable(),
      (error: tus.DetailedError) => error.originalResponse?.getStatus(),
    );
  assert.is(await failure({ headers: { authorization: "Bearer tl_wrong" } }), 401);
  assert.is(await failure({ uploadSize: 2 ** 50 }), 413);
});

test.after(() => server.stop());
test.run();
