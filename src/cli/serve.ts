// tallylight serve: serves what a data directory holds until it is told to stop.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { appendFileSync, closeSync, openSync, readFileSync } from "node:fs";
import type { Addresses } from "../context.ts";
import { CliError } from "../errors.ts";
import { isLoopback } from "../network.ts";
import type { RunningServer } from "../server.ts";
import { type Command, type Flag, type ParsedArgs, UsageError } from "./arguments.ts";
import { requireData } from "./data.ts";

/** Where a server of this machine is found that was told nothing. */
export const usualAddress = "http://127.0.0.1:8787";

export const addressFlags: Readonly<Record<string, Flag>> = {
  host: { value: "HOST", summary: "the address to listen on; 127.0.0.1 where left out" },
  port: { value: "PORT", summary: "the port to listen on, 0 for any free one; 8787 where left out" },
  "public-url": {
    value: "URL",
    summary:
      "the address that clients use, if it is another than HOST and PORT: of a proxy, or of one network of several",
  },
  "tls-cert": { value: "FILE", summary: "serves https with this certificate, PEM with its chain; needs --tls-key" },
  "tls-key": { value: "FILE", summary: "the certificate's private key, PEM" },
  "trust-proxy": { summary: "counts by the address that the proxy before this server names in X-Forwarded-For" },
  log: { value: "FILE", summary: "appends the request log to FILE; standard error where left out" },
};

function portOf(args: ParsedArgs, hint: string): number {
  const written = args.text("port") ?? "8787";
  if (!/^\d{1,5}$/.test(written) || Number(written) > 65_535)
    throw new UsageError(`--port takes a number from 0 to 65535, not ${written}`, hint);
  return Number(written);
}

/** One public address is all four; none of them ends in a slash. */
export function addressesOf(args: ParsedArgs, hint: string): Partial<Addresses> {
  const written = args.text("public-url");
  if (written === undefined) return {};
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError(`--public-url takes an http or https address, not ${written}`, hint);
  const address = url.href.replace(/\/+$/, "");
  return { base_url: address, mcp_url: address, media_url: address, auth_url: address };
}

/** Certificate and key; undefined where neither is named. */
function tlsOf(args: ParsedArgs, hint: string): { cert: string; key: string } | undefined {
  const files = [args.text("tls-cert"), args.text("tls-key")];
  const [cert, key] = files;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key need each other", hint);
  const read = (file: string): string => {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      throw new CliError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const pems = { cert: read(cert), key: read(key) };
  let fit = false;
  try {
    fit = new X509Certificate(pems.cert).checkPrivateKey(createPrivateKey(pems.key));
  } catch {
    // no PEM at all
  }
  if (!fit) throw new CliError(`${cert} and ${key} are no certificate and its private key`);
  return pems;
}

function logOf(file: string | undefined): { write?: (lines: string) => void; close(): void } {
  if (file === undefined) return { close() {} };
  try {
    const handle = openSync(file, "a", 0o600);
    return { write: (lines) => appendFileSync(handle, lines), close: () => closeSync(handle) };
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function sentenceOf(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new CliError(`port ${port} of ${host} is taken by another program; choose another with --port`);
  if (code === "EACCES") return new CliError(`port ${port} of ${host} may not be used by this user`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return new CliError(`${host} is no address of this machine`);
  return error;
}

/** Says which address clients are told, if the server had to choose one. */
function noteOf({ url, chosen }: RunningServer): string {
  if (chosen === undefined) return "";
  if (chosen.interface === undefined)
    return `note: this machine has no address but loopback, so clients are told ${url}; --public-url names another\n`;
  return `note: clients are told ${url}, the first address of this machine (${chosen.interface}); --public-url names another\n`;
}

/**
 * Resolves once the process is asked to stop. Asked again after a second, it stops at once; sooner it is the same asking,
 * which a terminal sends to every process of its group and a launcher then passes on.
 */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    let asked: number | undefined;
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.on(signal, () => {
        if (asked !== undefined && performance.now() - asked > 1000) process.exit(1);
        asked ??= performance.now();
        resolve();
      });
  });
}

/** Serves until SIGTERM or SIGINT, then lets what is under way finish. `started` runs once it listens. */
export async function serveUntilStopped(
  args: ParsedArgs,
  words: string,
  started: (server: RunningServer) => void,
): Promise<void> {
  const hint = `tallylight ${words} --help`;
  const host = args.text("host") ?? "127.0.0.1";
  const port = portOf(args, hint);
  const addresses = addressesOf(args, hint);
  requireData(args.data);
  const tls = tlsOf(args, hint);
  const environment = args.has("trust-proxy") ? { ...process.env, TALLYLIGHT_TRUST_PROXY: "true" } : process.env;
  if (!isLoopback(host) && tls === undefined)
    process.stderr.write(
      `warning: ${host} is beyond this machine and without TLS, so keys travel in the clear; use --tls-cert and --tls-key, or a proxy\n`,
    );
  const log = logOf(args.text("log"));
  const stop = stopped();
  let server: RunningServer;
  const { startServer } = await import("../server.ts"); // here alone: no other command waits for the doors to load
  try {
    server = await startServer({
      ...{ data: args.data, host, port, addresses, environment },
      ...(log.write && { log: log.write }),
      ...(tls && { tls }),
    });
  } catch (error) {
    throw sentenceOf(error, host, port);
  }
  if (addresses.base_url === undefined) process.stderr.write(noteOf(server));
  started(server);
  await stop;
  process.stderr.write("stopping once what is under way has finished\n");
  await server.close();
  log.close();
}

export const serveCommand: Command = {
  words: "serve",
  summary: "serves what the data directory holds and prints its address",
  flags: addressFlags,
  async run(args) {
    await serveUntilStopped(args, "serve", ({ url }) => {
      process.stdout.write(args.json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    });
    return undefined;
  },
};
