// Where webhooks may go: only what webhook_hosts lists, never link-local addresses, never this server.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../src/config.ts";
import type { HttpError } from "../../src/errors.ts";
import { destinationOf, webhookUrl } from "../../src/events/webhooks/destinations.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
/** The address that a url leads to, or the reason why it may not be used. */
async function outcome(url: string, hosts: string, ownPort?: number): Promise<string> {
  const rules = { hosts: readConfig(folder, { TALLYLIGHT_WEBHOOK_HOSTS: hosts }).webhook_hosts, ownPort };
  try {
    return (await destinationOf(webhookUrl(url), rules)).address;
  } catch (error) {
    return (error as Error).message;
  }
}

const test = suite("the destinations of webhooks");

const cases: readonly (readonly [url: string, hosts: string, outcome: string])[] = [
  ["http://10.20.1.2:9000/hook", "", "10.20.1.2 is not in the setting webhook_hosts"],
  ["http://10.20.1.2:9000/hook", "10.20.0.0/16", "10.20.1.2"],
  ["http://10.21.1.2/hook", "10.20.0.0/16", "10.21.1.2 is not in the setting webhook_hosts"],
  ["http://10.20.1.2/", "10.20.1.2", "10.20.1.2"],
  ["https://[fd00::5]:8443/", "fd00::/8", "fd00::5"],
  ["http://[fd00:0:0::5]/", "fd00::5", "fd00::5"],
  ["http://localhost:9/", "", "localhost is not in the setting webhook_hosts"],
  ["http://LOCALHOST:9/", "localhost", "127.0.0.1"],
  ["http://169.254.169.254/latest/meta-data", "0.0.0.0/0", "169.254.169.254 is a link-local address"],
  ["http://169.254.1.1/", "169.254.1.1", "169.254.1.1 is a link-local address"],
  ["http://[fe80::1]/", "::/0", "[fe80::1] (fe80::1) is a link-local address"],
  [
    "http://[::ffff:169.254.169.254]/",
    "::/0,0.0.0.0/0",
    "[::ffff:a9fe:a9fe] (169.254.169.254) is a link-local address",
  ],
  ["http://[::ffff:10.0.0.1]/", "10.0.0.0/8", "10.0.0.1"],
  ["http://2852039166/", "0.0.0.0/0", "169.254.169.254 is a link-local address"],
  ["http://0.0.0.0:80/", "0.0.0.0/0", "0.0.0.0 is not the address of a receiver"],
  ["http://[::]/", "::/0", "[::] (::) is not the address of a receiver"],
  ["http://224.0.0.1/", "0.0.0.0/0", "224.0.0.1 is not the address of a receiver"],
  ["http://no-such-host.invalid/", "no-such-host.invalid", "no-such-host.invalid cannot be resolved"],
];
for (const [url, hosts, expected] of cases)
  test(`${url} with ${hosts || "nothing listed"}: ${expected}`, async () => {
    assert.is((await outcome(url, hosts)).replace("::1", expected === "127.0.0.1" ? "127.0.0.1" : "::1"), expected);
  });

test("the own port is refused on every address of this machine, and not elsewhere", async () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]"])
    assert.match(await outcome(`http://${host}:8787/`, "0.0.0.0/0,::/0", 8787), /is this server itself$/);
  assert.is(await outcome("http://10.0.0.1:8787/", "10.0.0.1", 8787), "10.0.0.1");
  assert.is(await outcome("http://127.0.0.1:8788/", "127.0.0.1", 8787), "127.0.0.1");
  assert.match(await outcome("http://127.0.0.1/", "127.0.0.1", 80), /is this server itself$/);
});

for (const url of [
  "ftp://a/",
  "hook",
  "http://user:pass@a/",
  "http://a/#b",
  `http://a/${"x".repeat(2_000)}`,
  "javascript:1",
])
  test(`${url.slice(0, 30)}: is 422`, () => {
    try {
      webhookUrl(url);
      assert.unreachable("it is refused");
    } catch (error) {
      assert.is((error as HttpError).status, 422);
    }
  });

for (const hosts of ["10.0.0.0/33", "10.0.0.1/8/8", "http://a", "a:80", "fd00::/129", "a b", "host/8", "10.0.0.0/x"])
  test(`webhook_hosts does not take ${hosts}`, () => {
    assert.throws(() => readConfig(folder, { TALLYLIGHT_WEBHOOK_HOSTS: hosts }), /WEBHOOK_HOSTS must be host names/);
  });

test.run();
