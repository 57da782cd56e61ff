// tallylight serve: serves a data directory until SIGTERM or SIGINT. In a terminal SIGHUP ends it too; elsewhere SIGHUP
// reads the lists of the settings again.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import type { Command, Flag, ParsedArgs } from "./command.ts";
import { type Config, type Environment, readConfig } from "./config.ts";
import type { Addresses } from "./context.ts";
import { CliError, errorOf, UsageError } from "./errors.ts";
import { contribution } from "./features.ts";
import { isLoopback } from "./http/request_head.ts";
import { stopSignal, stopSignals } from "./program.ts";
import type { RunningServer } from "./server.ts";
import { databaseName } from "./store/database.ts";
import { isReplica, oneAddress } from "./store/directory_records.ts";
import { freeBytes, writeProblemOf } from "./store/disk_space.ts";
import { cannotRead, causeOf } from "./system_errors.ts";
import { cut } from "./wording.ts";

/** The flags of a command that serves. docs/network.md, "Addresses". */
export const addressFlags: Readonly<Record<string, Flag>> = {
  host: { value: "HOST", summary: "the address to listen on; 127.0.0.1 by default" },
  port: { value: "PORT", summary: "the port to listen on, 0 for any free one; 8787 by default" },
  "public-url": {
    value: "URL",
    summary:
      "the address that clients use, if it differs from HOST and PORT: of a proxy, or on one of several networks",
  },
  "tls-cert": { value: "FILE", summary: "serves https with this certificate and its chain (PEM); needs --tls-key" },
  "tls-key": { value: "FILE", summary: "the certificate's private key (PEM)" },
  "trust-proxy": { summary: "uses X-Forwarded-For as the client address; only for a server behind a proxy" },
  log: { value: "FILE", summary: "appends the request log to FILE; standard error by default" },
};

/** The port of --port; 8787 without it. Throws UsageError for anything but a number from 0 to 65535. */
function portOf(args: ParsedArgs): number {
  const written = args.text("port") ?? "8787";
  if (!/^\d{1,5}$/.test(written) || Number(written) > 65_535)
    throw new UsageError(`--port takes a number from 0 to 65535, not ${cut(written)}`);
  return Number(written);
}

/**
 * Returns the four public addresses from --public-url, without a trailing slash, or none if the flag is absent. Throws
 * UsageError for anything but the origin of a web address.
 */
export function addressesOf(args: ParsedArgs): Partial<Addresses> {
  const written = args.text("public-url");
  if (written === undefined) return {};
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError(`--public-url takes an http or https address, not ${cut(written)}`);
  if (url.pathname !== "/" || url.username !== "" || url.password !== "")
    throw new UsageError(
      `--public-url takes an address without a path or a user, such as ${url.origin}, not ${cut(written)}: pages and media are always at the root of a host`,
    );
  return oneAddress(url.origin);
}

/** The files of --tls-cert and --tls-key, or of their settings. Returns undefined if neither is given. */
function tlsFilesOf(args: ParsedArgs): { cert: string; key: string } | undefined {
  const [cert, key] = [args.text("tls-cert"), args.text("tls-key")];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const lacking = cert === undefined ? "tls-cert" : "tls-key";
    const names = `--${lacking} or the setting ${lacking.replace("-", "_")}`;
    throw new UsageError(`a certificate and its private key must be given together: ${names} is missing`);
  }
  return { cert, key };
}

/** A certificate with its chain, and its private key, as PEM. */
type Pems = { cert: string; key: string };

/** Reads certificate and key. Returns undefined if neither flag is given. */
function tlsOf(args: ParsedArgs): Pems | undefined {
  const files = tlsFilesOf(args);
  if (files === undefined) return undefined;
  const { cert, key } = files;
  const read = (file: string): string => {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      throw cannotRead(file, error);
    }
  };
  const pems = { cert: read(cert), key: read(key) };
  const parsed = <T>(parse: () => T, problem: string): T => {
    try {
      return parse();
    } catch {
      throw new CliError(problem);
    }
  };
  const certificate = parsed(() => new X509Certificate(pems.cert), `${cert} has no certificate in PEM`);
  const privateKey = parsed(() => createPrivateKey(pems.key), `${key} has no private key in PEM without a password`);
  if (!certificate.checkPrivateKey(privateKey)) throw new CliError(`${key} is not the private key of ${cert}`);
  return pems;
}

function openLog(file: string): number {
  try {
    return openSync(file, "a", 0o600);
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${causeOf(error)}`);
  }
}

interface RequestLog {
  write?: (lines: string) => void;
  /**
   * Opens the file again, which another program may have moved. Throws CliError if it cannot; then the former one
   * stays.
   */
  reopen(): void;
  close(): void;
}

function logOf(file: string | undefined): RequestLog {
  if (file === undefined) return { reopen() {}, close() {} };
  let handle = openLog(file);
  return {
    write: (lines) => appendFileSync(handle, lines),
    reopen() {
      const next = openLog(file);
      closeSync(handle);
      handle = next;
    },
    close: () => closeSync(handle),
  };
}

/**
 * What SIGHUP does: the log and the certificate are opened again, and the lists of the settings are read again. Returns
 * a line for each.
 */
function reload(args: ParsedArgs, server: RunningServer, log: RequestLog): string {
  const attempt = (work: () => string): string => {
    try {
      return work();
    } catch (error) {
      return `what was open stays: ${errorOf(error).message}`;
    }
  };
  const parts: [flag: string, work: () => string][] = [
    ["log", () => reopenLog(log)],
    ["tls-cert", () => renewCertificate(args, server)],
  ];
  const given = parts.filter(([flag]) => args.text(flag) !== undefined).map(([, work]) => attempt(work));
  return [...given, server.reload()].map((line) => `${line}\n`).join("");
}

function reopenLog(log: RequestLog): string {
  log.reopen();
  return "the log was opened again";
}

function renewCertificate(args: ParsedArgs, server: RunningServer): string {
  const pems = tlsOf(args);
  if (pems === undefined) throw new Error("the server began without a certificate");
  server.useCertificate(pems);
  return `the certificate was read again: it is valid until ${new Date(new X509Certificate(pems.cert).validTo).toISOString()}`;
}

/** Returns a note with the address that the server gives to clients, if it was given one or had to choose one. */
function noteOf({ url, chosen }: RunningServer, given: string | undefined): string {
  if (given !== undefined) return `note: the public address is ${given}\n`;
  if (chosen === undefined) return "";
  if (chosen.interface === undefined)
    return `note: this machine has only loopback addresses, so clients get the address ${url}; --public-url sets another\n`;
  return `note: clients get the address ${url}, the first of this machine (${chosen.interface}); --public-url sets another\n`;
}

/** The settings that have a flag of `serve`, which wins. */
const settingsOfFlags = ["host", "port", "public_url", "tls_cert", "tls_key"] as const;

/** The flags, and for those that are not given the settings of the same names. */
function withSettings(given: ParsedArgs, config: Config): ParsedArgs {
  const settings = new Map(settingsOfFlags.map((name) => [name.replaceAll("_", "-"), config[name]]));
  return { ...given, text: (flag) => given.text(flag) ?? settings.get(flag)?.toString() };
}

/**
 * SIGHUP is the end of a terminal session if the server was started from a terminal. Otherwise it asks for a reload.
 */
const hasTerminal = (): boolean => isatty(0) || isatty(1);

/** Throws CliError or UsageError if there is nothing to serve; makes the directory with --new. */
async function prepareDirectory(args: ParsedArgs): Promise<void> {
  if (["new", "replica", "as-found"].filter((flag) => args.has(flag)).length > 1)
    throw new UsageError("--new, --replica and --as-found exclude each other");
  if (!args.has("new") && (args.has("replica") || existsSync(join(args.data, databaseName)))) return;
  const { makeData, requireData } = await import("./data_directory.ts");
  if (args.has("new")) (await makeData(args.data)).close();
  else requireData(args.data);
}

/** What the flags and the settings say about the server. Throws CliError or UsageError if they are wrong. */
function servedAs(given: ParsedArgs) {
  const environment: Environment = given.has("trust-proxy")
    ? { ...process.env, TALLYLIGHT_TRUST_PROXY: "true" }
    : process.env;
  const config = readConfig(given.data, environment);
  const args = withSettings(given, config);
  const host = args.text("host") ?? "127.0.0.1";
  const addresses = addressesOf(args);
  return {
    args,
    environment,
    config: { ...config, public_url: addresses.base_url },
    host,
    port: portOf(args),
    addresses,
  };
}

/** The sentence about a former primary whose peer took over; undefined for every other directory. */
async function supersededSentence(folder: string): Promise<string | undefined> {
  if (!isReplica(folder)) return undefined;
  const copy = await contribution("copy")?.();
  return copy?.supersededSentence(folder);
}

/** How often a server that can only read looks whether it could write, in milliseconds. */
const writableInterval = 2_000;
/** In bytes: what a start needs beside what is there. */
const roomToStart = 4 << 20;

/**
 * Calls `use` once a server that had to start without being able to write could start anew: its disk was full or
 * read-only.
 */
function onceWritable({ app }: RunningServer, use: () => void): void {
  if (app.store.unwritable === undefined || app.copy !== undefined) return;
  const { file } = app.store;
  const timer = setInterval(() => {
    if (writeProblemOf(file) === undefined && freeBytes(dirname(file)) > roomToStart) use();
  }, writableInterval).unref();
  app.onClose(() => clearInterval(timer));
}

/**
 * Starts the server. `superseded` resolves when the peer has taken over, or when a server that could only read can
 * write; the caller then closes this server and starts another one.
 */
async function startOnce(
  { args, port, ...options }: ReturnType<typeof servedAs>,
  tls: Pems | undefined,
  log: RequestLog,
): Promise<{ server: RunningServer; superseded: Promise<string> }> {
  const superseded = Promise.withResolvers<string>();
  const formerly = await supersededSentence(args.data);
  if (formerly !== undefined) process.stderr.write(`${formerly}\n`);
  // loaded here, so that the other commands do not load the transports
  const { listenProblemOf, startServer } = await import("./server.ts");
  try {
    const server = await startServer({
      ...options,
      port,
      data: args.data,
      superseded: () => superseded.resolve("superseded"),
      withoutMedia: args.has("without-media"),
      replica: args.has("replica") || formerly !== undefined || (args.has("as-found") && isReplica(args.data)),
      ...(log.write && { log: log.write }),
      ...(tls && { tls }),
    });
    onceWritable(server, () => superseded.resolve("writable"));
    return { server, superseded: superseded.promise };
  } catch (error) {
    if (formerly === undefined && (await supersededSentence(args.data)) !== undefined)
      return startOnce({ args, port, ...options }, tls, log);
    throw listenProblemOf(error, options.host, port);
  }
}

/**
 * Serves until a signal, then finishes the requests in progress. Calls `started` once the server listens. `logFile` is
 * where requests are logged, if not on standard error.
 */
export async function serveUntilStopped(
  given: ParsedArgs,
  started: (server: RunningServer) => Promise<void> | void,
  logFile = given.text("log"),
): Promise<void> {
  const options = servedAs(given);
  const { args, host, addresses } = options;
  await prepareDirectory(args);
  const tls = tlsOf(args);
  if (!isLoopback(host) && tls === undefined)
    process.stderr.write(
      `warning: other machines can reach ${host} without TLS, so keys are sent unencrypted; use --tls-cert and --tls-key, or a proxy\n`,
    );
  const log = logOf(logFile);
  process.stderr.on("error", () => {}); // the terminal may be closed; what is in progress is finished anyway
  let running: RunningServer | undefined;
  const reloads = !hasTerminal();
  const stop = stopSignal(stopSignals.filter((signal) => signal !== "SIGHUP" || !reloads)).then(() => "stop");
  if (reloads) process.on("SIGHUP", () => void (running && process.stderr.write(reload(args, running, log))));
  let { server, superseded } = await startOnce(options, tls, log);
  running = server;
  process.stderr.write(noteOf(server, addresses.base_url));
  await started(server);
  while ((await Promise.race([stop, superseded])) !== "stop") {
    await server.close();
    ({ server, superseded } = await startOnce({ ...options, port: server.port }, tls, log));
    running = server;
  }
  process.stderr.write("stopping after the requests in progress have finished\n");
  await server.close();
  log.close();
}

export const commands: readonly Command[] = [
  {
    words: "serve",
    summary: "serves the data directory",
    details:
      "Prints the address, and serves until it is stopped. With --new and no production, the second line is the link that begins one.",
    example: "tallylight serve --data ./show --port 8080",
    flags: {
      ...addressFlags,
      new: {
        summary:
          "creates the data directory if it is absent or empty, and prints a link that begins its first production",
      },
      "as-found": { summary: "serves a replica read-only, and every other directory as a primary; for a service" },
      "without-media": {
        summary: "also serves if the media folder is missing or empty although the database has media",
      },
      replica: { summary: "serves a replica, which follow or another program copies into the directory, read-only" },
    },
    async run(args) {
      await serveUntilStopped(args, async ({ url, app }) => {
        const begin = args.has("new") ? await (await contribution("beginning")?.())?.beginning(app) : undefined;
        if (args.json) return void process.stdout.write(`${JSON.stringify({ url, begin: begin?.link })}\n`);
        process.stdout.write([url, begin?.link, ""].filter((line) => line !== undefined).join("\n"));
        if (begin !== undefined) process.stderr.write(`note: ${begin.note}\n`);
      });
      return undefined;
    },
  },
];
