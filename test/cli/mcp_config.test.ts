import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answerOf, tallylight } from "../support/command.ts";

const config = suite("mcp-config");

config("prints configurations with a placeholder for the key, and without a key for signing in", async () => {
  const { status, out, err } = await tallylight("mcp-config");
  assert.equal([status, err], [0, ""]);
  assert.is(out.match(/"url": "http:\/\/127\.0\.0\.1:8787\/mcp"/g)?.length, 3);
  assert.is(out.match(/Bearer tl_YOUR_KEY/g)?.length, 3);
});

config("uses the given public address and key", async () => {
  const document = await answerOf("mcp-config", "--public-url", "https://lamp.example/", "--token", "tl_x");
  const url = "https://lamp.example/mcp";
  assert.equal(document, {
    url,
    with_key: { mcpServers: { tallylight: { type: "http", url, headers: { Authorization: "Bearer tl_x" } } } },
    signing_in: { mcpServers: { tallylight: { type: "http", url } } },
  });
});

config("exits with 2 if the address is invalid", async () => {
  const { status, out, err } = await tallylight("mcp-config", "--public-url", "lamp");
  assert.equal([status, out], [2, ""]);
  assert.match(err, /--public-url takes an http or https address, not lamp/);
});

config.run();
