// SIGHUP to a server without a terminal: it opens its log and its certificate again.
// Thorough: only --all runs it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { temporaryFolder } from "../support/app.ts";
import { serverRuntime } from "../support/runtime.ts";
import { folderWith } from "../support/template.ts";
import { until } from "../support/until.ts";

const program = fileURLToPath(new URL("../../bin/tallylight.js", import.meta.url));
const folder = await folderWith([], "2026-11-20T09:00:00.000Z");
const place = temporaryFolder();

const hangup = suite("SIGHUP, with openssl for the certificates");

const hasOpenssl = spawnSync("openssl", ["version"], { stdio: "ignore" }).status === 0;

(hasOpenssl ? hangup : hangup.skip)(
  "opens the log and the certificate again, and keeps what was open if it cannot",
  async () => {
    const [log, cert, key] = ["requests.log", "tls.pem", "tls.key"].map((name) => join(place, name)) as [
      string,
      string,
      string,
    ];
    const certify = (name: string) =>
      execFileSync(
        "openssl",
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"].concat([
          ...["-keyout", key, "-out", cert, "-subj", `/CN=${name}`],
        ]),
        { stdio: "ignore" },
      );
    certify("first");
    const flags = ["--data", folder, "--port", "0", "--log", log, "--tls-cert", cert, "--tls-key", key];
    const server = spawn(process.execPath, [...serverRuntime, program, "serve", ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let told = "";
    server.stderr.on("data", (chunk) => {
      told += chunk;
    });
    let port = 0;
    for await (const url of createInterface({ input: server.stdout })) {
      port = Number(new URL(url).port);
      break;
    }
    const named = () =>
      new Promise((done, fail) => {
        const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
          done(socket.getPeerCertificate().subject.CN);
          socket.end("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        });
        socket.resume().on("error", fail);
      });
    const reload = async (said: RegExp) => {
      told = "";
      process.kill(server.pid as number, "SIGHUP");
      await until(() => said.test(told));
    };
    assert.is(await named(), "first");
    await until(() => existsSync(log) && readFileSync(log, "utf8").includes("healthz"));
    renameSync(log, `${log}.1`);
    certify("second");
    await reload(
      /the log was opened again\n.*the certificate was read again: it is valid until 20.*\n.*the settings were read again/,
    );
    assert.is(await named(), "second");
    await until(() => readFileSync(log, "utf8").includes("healthz"));
    assert.is(readFileSync(`${log}.1`, "utf8").trim().split("\n").length, 1, "the moved file gets no further line");
    writeFileSync(cert, "nothing");
    await reload(/what was open stays: .* has no certificate in PEM/);
    assert.is(await named(), "second");
    process.kill(server.pid as number, "SIGTERM");
    await new Promise((done) => server.once("exit", done));
  },
);

hangup.run();
