// Clients of others read the event stream: the eventsource package with a header, curl, and fetch in Chromium.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EventSource } from "eventsource";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { feedOf } from "../../src/features/events/state.ts";
import { demoFolder, mint, openTestServer } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { freePort } from "../support/free_port.ts";
import { until } from "../support/until.ts";

const names = (count: number, key: string): string[] => Array.from({ length: count }, (_, at) => `${key}${at}`);

const clients = suite("clients of the event stream");

clients("eventsource connects again after a restart, and gets every event once", async () => {
  const data = await demoFolder();
  const port = await freePort();
  let server = await openTestServer({ data, port });
  const token = mint(server.store);
  const source = new EventSource(`${server.url}/api/v1/events?after=start`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  });
  const keys: string[] = [];
  source.onmessage = ({ data }) => void keys.push(JSON.parse(data).data.key);
  recordEvents(server.store, 1, { count: 3, key: "a" });
  await until(() => keys.length === 3);
  await server.close();
  server = await openTestServer({ data, port });
  recordEvents(server.store, 1, { count: 3, key: "b" });
  await until(() => keys.length >= 6);
  source.close();
  assert.equal(keys, [...names(3, "a"), ...names(3, "b")]);
  await server.stop();
});

const noCurl = !existsSync("/usr/bin/curl");
if (noCurl) console.log("skipped: curl is not installed");
else
  clients("curl gets the stream, and ends without an error when the server stops", async () => {
    const server = await openTestServer();
    const headers = ["-H", `authorization: Bearer ${mint(server.store)}`, "-H", "accept: text/event-stream"];
    const curl = spawn("/usr/bin/curl", ["-sSN", ...headers, `${server.url}/api/v1/events`]);
    let [out, err] = ["", ""];
    curl.stdout.on("data", (chunk) => (out += chunk));
    curl.stderr.on("data", (chunk) => (err += chunk));
    const ended = new Promise((resolve) => curl.once("close", resolve));
    await until(() => out.includes("id: "));
    recordEvents(server.store, 1, { key: "curl" });
    await until(() => out.includes('"key":"curl0"'));
    await server.stop();
    assert.equal([await ended, err], [0, ""]);
  });

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined || "Deno" in globalThis)
  console.log("skipped: Chromium, which is not installed or not for Deno");
else
  clients("fetch in Chromium reads the stream with a key, from a page of a configured origin", async () => {
    const { chromium } = await import("playwright-core");
    const site = createServer((_, res) => void res.setHeader("content-type", "text/html").end("<p>A dashboard"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const server = await openTestServer({ environment: { TALLYLIGHT_CORS_ORIGINS: origin } });
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const page = await browser.newPage();
    await page.goto(origin);
    const reading = page.evaluate(
      async ([url, key]) => {
        const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
        const response = await fetch(`${url}/api/v1/events`, { headers });
        let text = "";
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        while (!text.includes('"key":"page0"')) text += (await reader?.read())?.value;
        return text;
      },
      [server.url, mint(server.store)],
    );
    await until(() => feedOf(server.app).readers > 0);
    recordEvents(server.store, 1, { key: "page" });
    assert.match(await reading, /^retry: \d+\nid: [0-9a-f]{8}-\d+\n\nid: [0-9a-f]{8}-\d+\ndata: \{/);
    await browser.close();
    site.close();
    await server.stop();
  });

clients.run();
