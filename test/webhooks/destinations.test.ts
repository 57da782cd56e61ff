// Where webhooks may go: only what webhook_hosts lists, never link-local addresses, never this server.
import "../../src/features.ts";
import { networkInterfaces } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../src/core/config.ts";
import type { HttpError } from "../../src/core/errors.ts";
import { destinationOf, webhookUrl } from "../../src/features/webhooks/destinations.ts";
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

/** The IPv6 addresses that lead to an IPv4 address by a gateway: none of them may be used, whatever is listed. */
function embedded(address: string, reason: string): [url: string, hosts: string, outcome: string][] {
  const bytes = address.split(".").map(Number);
  const hex = (...parts: number[]): string => Buffer.from(parts).toString("hex");
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const [high, low] = [hex(a, b), hex(c, d)];
  const turned = [hex(a ^ 255, b ^ 255), hex(c ^ 255, d ^ 255)].join(":");
  return [
    `64:ff9b::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `0064:FF9B:0:0:0:0:${address}`,
    `64:ff9b:1::${high}:${low}`,
    `64:ff9b:1:${high}:${hex(0, c)}:${hex(d, 0)}::`,
    `64:ff9b:1:${hex(0, a)}:${hex(0, b)}:${low}::`,
    `64:ff9b:1:0:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`,
    `64:ff9b:1:abcd:0:1:${high}:${low}`,
    `2002:${high}:${low}:ffff:ffff:ffff:ffff:ffff`,
    `::ffff:0:${high}:${low}`,
    `::${high}:${low}`,
    `2001:0:808:808:0:ffff:${turned}`,
    `2001:0:${high}:${low}::f7f7:f7f7`,
    `2001:db8::5efe:${high}:${low}`,
    `fd00::200:5efe:${high}:${low}`,
  ].map((written) => {
    const shown = (URL.parse(`http://[${written}]`) as URL).hostname;
    return [`http://[${written}]/`, "::/0,0.0.0.0/0", `${shown} (${shown.slice(1, -1)}) ${reason}`];
  });
}

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
  ...embedded("169.254.169.254", "is a link-local address"),
  ...embedded("127.0.0.1", "is an address of the machine itself in another form"),
  ...embedded("0.0.0.1", "is not the address of a receiver").slice(0, 2),
  ...embedded("239.1.2.3", "is not the address of a receiver"),
  ["http://[64:ff9b::808:808]/", "64:ff9b::/96", "64:ff9b::808:808"],
  [
    "http://[64:ff9b::808:808]/",
    "fd00::/8",
    "[64:ff9b::808:808] (64:ff9b::808:808) is not in the setting webhook_hosts",
  ],
  ["http://[64:ff9b:1::808:808]/", "64:ff9b:1::/48", "64:ff9b:1::808:808"],
  ["http://[64:ff9b:1:808:8:800::]/", "64:ff9b:1::/48", "64:ff9b:1:808:8:800::"],
  ["http://[2002:808:808::1]/", "2002::/16", "2002:808:808::1"],
  ["http://[2001:db8::a9fe:a9fe]/", "2001:db8::/32", "2001:db8::a9fe:a9fe"],
  ["http://[fd00::7f00:1]/", "fd00::/8", "fd00::7f00:1"],
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
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const ipv4 = own.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  for (const [url] of ipv4 === undefined ? [] : embedded(ipv4, ""))
    assert.match(await outcome(url.replace("]/", "]:8787/"), "::/0", 8787), /is this server itself$/, url);
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
