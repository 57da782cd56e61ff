// The settings host, port, public_url and those of TLS stand for the flags of `serve`, which win; --as-found serves
// what it finds.
// Thorough: only --all runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writeReplicaRecord } from "../../src/features/replica/record.ts";
import { demoFolder } from "../support/app.ts";
import { addressOf, launch, tallylight } from "../support/command.ts";
import { freePort } from "../support/free_port.ts";

const test = suite("tallylight serve: settings for flags");

async function served(data: string, ...flags: string[]): Promise<{ url: string; health: any }> {
  const running = launch(["serve", "--data", data, ...flags]);
  const url = await addressOf(running);
  const health = await (await fetch(`${url}/healthz`)).json();
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
  return { url, health };
}

test("the port of the settings is used unless a flag names another one", async () => {
  const data = await demoFolder();
  const [one, two] = [await freePort(), await freePort()];
  writeFileSync(join(data, "config.json"), JSON.stringify({ host: "127.0.0.1", port: one }));
  assert.is((await served(data)).url, `http://127.0.0.1:${one}`);
  assert.is((await served(data, "--port", String(two))).url, `http://127.0.0.1:${two}`);
});

test("what a flag may not be, a setting may not be", async () => {
  const data = await demoFolder();
  const refusal = async (settings: object): Promise<string> => {
    writeFileSync(join(data, "config.json"), JSON.stringify(settings));
    return (await tallylight("serve", "--data", data)).err;
  };
  assert.match(await refusal({ port: 70_000 }), /port in config\.json must be a whole number from 0 to 65535/);
  assert.match(await refusal({ public_url: "https://a.example/path" }), /an address without a path or a user/);
  assert.match(await refusal({ tls_cert: "/nowhere.pem" }), /together: --tls-key or the setting tls_key is missing/);
  assert.match(await refusal({ tls_key: "/nowhere.pem" }), /together: --tls-cert or the setting tls_cert is missing/);
  assert.match(await refusal({ tls_cert: "/nowhere.pem", tls_key: "/nowhere.pem" }), /\/nowhere\.pem/);
});

test("--as-found serves a replica read-only, and the same directory as a primary once it is none", async () => {
  const data = await demoFolder();
  assert.is((await served(data, "--as-found", "--port", "0")).health.replica, undefined);
  writeReplicaRecord(data, { synced_at: new Date().toISOString(), source: "/elsewhere" });
  assert.is(typeof (await served(data, "--as-found", "--port", "0")).health.replica.age, "number");
  const both = await tallylight("serve", "--as-found", "--replica", "--data", data);
  assert.equal([both.status, /exclude each other/.test(both.err)], [2, true]);
});

test.run();
