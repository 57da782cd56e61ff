// The state of an agent of version 1.1, which was files in the same folder: it is set aside, and the agent reports everything anew.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AgentHarness, openTestServer, put } from "../support/agent_harness.ts";

const former = suite("a state of version 1.1");

former("is set aside once, with its moves, and everything is reported anew", async () => {
  const server = await openTestServer();
  const harness = await AgentHarness.open(server, "f");
  for (const name of ["journal", "moves"]) mkdirSync(join(harness.state, name), { recursive: true });
  const texts = { "journal/journal.json": "{", "moves/7.json": "{}", spool: "x", "agent.lock": "{}" };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(harness.state, name), text);
  put(harness.root, "a");
  put(harness.root, "b");
  assert.is((await harness.once()).created, 2);
  harness.assertInSync();
  const asides = () => readdirSync(harness.state).filter((name) => /^version-1\.1-\d+$/.test(name));
  const [aside = ""] = asides();
  for (const [name, text] of Object.entries(texts)) {
    assert.not(existsSync(join(harness.state, name)), name);
    assert.is(readFileSync(join(harness.state, aside, name), "utf8"), text);
  }
  assert.is((await harness.once()).created, 0);
  assert.is(asides().length, 1);
  harness.remove();
  await server.stop();
});

former.run();
