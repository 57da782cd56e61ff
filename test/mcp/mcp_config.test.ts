// `tallylight mcp-config`: what it prints for clients, and that they can use it.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addressOf, answerOf, launch, tallylight } from "../support/command.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

const config = suite("mcp-config");

config("prints configurations with a placeholder for the key, and without a key for signing in", async () => {
  const { status, out, err } = await tallylight("mcp-config");
  assert.equal([status, err], [0, ""]);
  assert.is(out.match(/"url": "http:\/\/127\.0\.0\.1:8787\/mcp\?tools=assistant"/g)?.length, 3);
  assert.is(out.match(/Bearer tl_YOUR_KEY/g)?.length, 3);
});

config("uses the given public address and key", async () => {
  const document = await answerOf("mcp-config", "--public-url", "https://lamp.example/", "--token", "tl_x");
  const url = "https://lamp.example/mcp?tools=assistant";
  assert.equal(document, {
    url,
    with_key: { mcpServers: { tallylight: { type: "http", url, headers: { Authorization: "Bearer tl_x" } } } },
    signing_in: { mcpServers: { tallylight: { type: "http", url } } },
  });
});

config("prints the other addresses with --all and --plain, and refuses both", async () => {
  const address = async (flag: string) => (await answerOf("mcp-config", "--public-url", "https://a.example", flag)).url;
  assert.is(await address("--all"), "https://a.example/mcp?tools=all");
  assert.is(await address("--plain"), "https://a.example/mcp");
  assert.is((await tallylight("mcp-config", "--all", "--plain")).status, 2);
});

config("finds the address of the server that runs on the data directory, as open and openapi do", async () => {
  const data = join(scratch(), "data");
  await answerOf("import", writeDocument(smallDocument()), "--data", data);
  const stopped = await answerOf("mcp-config", "--data", data);
  assert.is(stopped.url, "http://127.0.0.1:8787/mcp?tools=assistant");
  for (const given of [undefined, "https://lamp.example"]) {
    const flags = given === undefined ? [] : ["--public-url", given];
    const server = launch(["serve", "--data", data, "--port", "0", ...flags]);
    const address = given ?? (await addressOf(server));
    await addressOf(server);
    assert.is((await answerOf("mcp-config", "--data", data)).url, `${address}/mcp?tools=assistant`);
    assert.is(
      (await answerOf("mcp-config", "--data", data, "--public-url", "http://a.example")).url,
      "http://a.example/mcp?tools=assistant",
    );
    const { servers } = JSON.parse((await tallylight("openapi", "--data", data)).out);
    assert.is(servers[0].url, `${address}/api/v1`);
    assert.ok((await answerOf("open", "--data", data)).link.startsWith(`${address}/open?link=`));
    server.signal("SIGTERM");
    await server.ended;
  }
  const { status, err } = await tallylight("open", "--data", data);
  assert.is(status, 1);
  assert.match(err, /^no server runs on .*; `.*tallylight.* serve --data .*` starts one\n$/);
});

config("exits with 2 if the address is invalid", async () => {
  const { status, out, err } = await tallylight("mcp-config", "--public-url", "lamp");
  assert.equal([status, out], [2, ""]);
  assert.match(err, /--public-url takes an http or https address, not lamp/);
});

config.run();
