// The clients that the server offers, before a box with a certificate of its own: they say that it is not trusted, ask
// nothing then, and work where it is named. docs/api.md, "Clients".
// Thorough: only --all runs it.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { folderOfClients, type Runtime, runtimesOf } from "./box/runtimes.ts";

const folder = temporaryFolder();
const fileOf = (name: string): string => join(folder, name);
/** Makes an authority, and a certificate of it for this machine. False without an openssl that can. */
function certify(name: string): boolean {
  const make = (of: string, ...words: string[]): boolean =>
    spawnSync("openssl", [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", `/CN=${of}`],
      ...["-keyout", fileOf(`${of}.key`), "-out", fileOf(`${of}.pem`), ...words],
    ]).status === 0;
  return (
    make(`${name}-authority`) &&
    make(
      name,
      ...["-CA", fileOf(`${name}-authority.pem`), "-CAkey", fileOf(`${name}-authority.key`)],
      ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=CA:FALSE"],
    )
  );
}

const [own, other] = [fileOf("box-authority.pem"), fileOf("other-authority.pem")];
if (!certify("box") || !certify("other")) console.log("skipped: there is no openssl here to make a certificate with");
else {
  const plain = await openTestServer(); // the clients are fetched from it
  const tls = { cert: readFileSync(fileOf("box.pem"), "utf8"), key: readFileSync(fileOf("box.key"), "utf8") };
  const box = await openTestServer({ tls });
  const key = mint(box.store);
  const runtimes = (await runtimesOf(plain.url)).filter(({ hasFiles }) => hasFiles);
  const asked = () => box.lines.filter((line) => line.includes("/api/v1/")).length;
  const steps = [{ name: "get_production" }];
  /** What tells a runtime which certificate to trust. */
  const trusting = ({ name }: Runtime, file: string) => {
    if (name === "Python") return { options: { ca: file } };
    return { environment: { [name === "Deno" ? "DENO_CERT" : "NODE_EXTRA_CA_CERTS"]: file } };
  };
  const trust = suite("the certificate of a box");

  for (const runtime of runtimes) {
    trust(`is not trusted on ${runtime.name} unless it is named, and then nothing is asked`, async () => {
      for (const given of [{}, trusting(runtime, other)]) {
        const { results } = await runtime.run({ url: box.url, key, steps, ...given });
        assert.is(results[0]?.error?.status, 0, JSON.stringify(results));
        assert.match(String(results[0]?.error?.detail), /certificate|UnknownIssuer/i);
      }
      assert.is(asked(), 0);
    });
    trust(`is trusted on ${runtime.name} where it is named`, async () => {
      const { results } = await runtime.run({ url: box.url, key, steps, ...trusting(runtime, own) });
      assert.is(results[0]?.value?.title, "The Saknussemm Cipher", JSON.stringify(results));
      box.lines.length = 0;
    });
  }

  if (hasPython) {
    const program = join(await folderOfClients(plain.url), "tallylight.py");
    const run = (...words: string[]) =>
      new Promise<{ status: number | null; out: string; problems: string }>((resolve) => {
        const child = spawn("python3", ["-B", program, "--url", box.url, "--key", key, ...words]);
        let [out, problems] = ["", ""];
        child.stdout.on("data", (chunk) => (out += chunk));
        child.stderr.on("data", (chunk) => (problems += chunk));
        child.on("close", (status) => resolve({ status, out, problems }));
      });
    trust("is named by --ca, before or after the command", async () => {
      for (const words of [
        ["--ca", own, "get", "/production"],
        ["get", "/production", "--ca", own],
      ]) {
        const { status, out, problems } = await run(...words);
        assert.is(status, 0, problems);
        assert.is(JSON.parse(out).title, "The Saknussemm Cipher");
      }
    });
    trust("is asked for by a sentence, with exit status 1", async () => {
      const { status, problems } = await run("get", "/production");
      assert.is(status, 1);
      assert.match(
        problems,
        /^https:\/\/\S+ has a certificate that is not trusted \(.+\); name the one of the box as ca\n$/,
      );
    });
    trust("must be one: any other file is misuse, named in a sentence", async () => {
      const text = join(folder, "text.pem");
      writeFileSync(text, "no certificate");
      for (const file of [text, join(folder, "absent.pem"), folder]) {
        const { status, problems } = await run("get", "/production", "--ca", file);
        assert.is(status, 2, problems);
        assert.match(problems, file);
      }
    });
  }

  trust.after(async () => {
    await plain.stop();
    await box.stop();
  });
  trust.run();
}
