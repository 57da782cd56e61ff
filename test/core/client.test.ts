// Who sends a request: the address and the network, as a socket or a proxy writes them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ClientAddress, clientAt, clientOf } from "../../src/core/http/client.ts";

const unknown = "unknown";
/** Of each way to write an address, the address and its network. */
const written: Readonly<Record<string, readonly [address: string, network: string]>> = {
  "203.0.113.7": ["203.0.113.7", "203.0.113.7"],
  "203.0.113.7:5001": ["203.0.113.7", "203.0.113.7"],
  "::ffff:203.0.113.7": ["203.0.113.7", "203.0.113.7"],
  "::FFFF:cb00:7107": ["203.0.113.7", "203.0.113.7"],
  "[::ffff:203.0.113.7]:443": ["203.0.113.7", "203.0.113.7"],
  "0:0:0:0:0:ffff:203.0.113.7": ["203.0.113.7", "203.0.113.7"],
  "2001:0db8:0001::": ["2001:db8:1::", "2001:db8:1:0"],
  "2001:db8:1::": ["2001:db8:1::", "2001:db8:1:0"],
  "2001:DB8:1:0:a:b:c:d": ["2001:db8:1:0:a:b:c:d", "2001:db8:1:0"],
  "[2001:db8:1::9]": ["2001:db8:1::9", "2001:db8:1:0"],
  "[2001:db8:1::9]:5001": ["2001:db8:1::9", "2001:db8:1:0"],
  "fe80::1%eth0": ["fe80::1", "fe80:0:0:0"],
  "[fe80::1%25eth0]:80": ["fe80::1", "fe80:0:0:0"],
  "::1": ["::1", "0:0:0:0"],
};
const malformed = [
  ...["", " ", "unknown", "_hidden", "localhost", "203.0.113.300", "0203.0.113.7", "203.0.113.7:", "203.0.113.7:x"],
  ...["203.0.113.7:123456", "[203.0.113.7]:80", "[]", "[::1", "::1]", "[::1]x", ":::", "1:2:3", "127.1", "2130706433"],
];

const client = suite("the client of a request");

client("is one address and one network, however it is written", () => {
  for (const [text, expected] of Object.entries(written)) {
    const { address, network } = clientAt(text);
    assert.equal([address, network], expected, text);
  }
});

client("is of one shared network if the address is none, and never this machine", () => {
  for (const text of malformed) assert.equal(clientAt(text), { address: unknown, network: unknown }, text);
});

/** The client of a request from `peer` with an X-Forwarded-For. */
const asked = (peer: string | undefined, forwarded: string | undefined, trust_proxy: boolean): ClientAddress =>
  clientOf({
    req: { socket: { remoteAddress: peer }, headers: { "x-forwarded-for": forwarded } },
    app: { config: { trust_proxy } },
  } as never); // only these fields are read

client("is the other end of the connection, or with trust_proxy the last that X-Forwarded-For names", () => {
  for (const [peer, forwarded, trusts, address] of [
    ["127.0.0.1", "203.0.113.7", false, "127.0.0.1"],
    ["::ffff:127.0.0.1", undefined, false, "127.0.0.1"],
    [undefined, undefined, false, unknown],
    ["127.0.0.1", "203.0.113.7", true, "203.0.113.7"],
    ["127.0.0.1", "127.0.0.1, 203.0.113.7:5001", true, "203.0.113.7"],
    ["127.0.0.1", "203.0.113.7,[2001:db8::1]:80 ", true, "2001:db8::1"],
    ["127.0.0.1", undefined, true, unknown],
    ["127.0.0.1", "", true, unknown],
    ["127.0.0.1", "203.0.113.7,", true, unknown],
    ["127.0.0.1", "203.0.113.7, hidden", true, unknown],
  ] as const)
    assert.is(asked(peer, forwarded, trusts).address, address, `${forwarded}`);
});

client.run();
