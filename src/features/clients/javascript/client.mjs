/* @ts-self-types="./tallylight.d.ts" */
/**
 * The client of Tallylight @VERSION@: one file, for Node 20 or newer, Deno and browsers, without packages.
 *
 *     import { Tallylight } from "./tallylight.mjs";
 *     const tally = new Tallylight("https://tally.example.lan", "tl_...");
 * for (const { number, slugline } of await tally.listScenes({ status: ["planned", "active"] })) console.log(number,
 * slugline);
 * Each operation of the API is a method under its name, with one object of the API's names. A list goes through all its
 * pages. A request that failed on the way is tried again; a refusal is a TallylightError.
 */

/** Of each operation: its method, its path, where its arguments go, and what its body may be. */
export const operations = "@OPERATIONS@";
/** What mirror() reads with the key of a production: the name of the file, the path, and the scope. */
export const mirrored = "@MIRRORED@";

const triesAgain = 5;
/** In seconds; a server that asks for more has refused. */
const longestWait = 3600;
/** How long a request may be without a byte, in milliseconds; one that sends a body may take longer. */
const timeout = 90_000;
const bodyTimeout = 600_000;
/** A file above this size goes by a resumable upload, in bytes. */
export const large = 8_000_000;

/**
 * A refusal: the HTTP status, the sentence, and the name of the request in the server's log; 0, a sentence and null
 * where no answer came.
 */
export class TallylightError extends Error {
  constructor(status, detail, request = null) {
    super(status === 0 ? detail : `${status} ${detail}`);
    this.name = "TallylightError";
    this.status = status;
    this.detail = detail;
    this.request = request;
  }
}

/** A failure after which another try may help, `after` some seconds; undefined if the server names no time. */
export class Passing extends Error {
  constructor(error, after) {
    super(error.message);
    this.error = error;
    this.after = after;
  }
}

/** A name that nobody else has. crypto.randomUUID is missing where a page came without TLS. */
export const randomName = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Calls `attempt` until it succeeds; after a failure that may pass up to 5 times more, counted from the last progress.
 */
export async function retrying(attempt, progress = () => 0) {
  let failures = 0;
  let reached = progress();
  for (;;) {
    try {
      return await attempt(failures > 0);
    } catch (failure) {
      if (!(failure instanceof Passing)) throw failure;
      const now = progress();
      failures = now === reached ? failures + 1 : 1;
      reached = now;
      if (failures > triesAgain || (failure.after ?? 0) > longestWait) throw failure.error;
      await sleep(failure.after ?? Math.min(8, 0.5 * 2 ** (failures - 1)) * (0.75 + Math.random() / 2));
    }
  }
}

/** Retry-After in seconds; undefined without one, or if it is a date, which the server does not send. */
const secondsOf = (headers) => {
  const text = headers.get("retry-after") ?? "";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
};

/** The error of an answer that is no success. Anything but the server may have sent it, a proxy for example. */
function refusalOf(status, headers, text) {
  const request = headers.get("tallylight-request");
  if (status >= 300 && status < 400)
    return new TallylightError(status, `the server is at another address: ${headers.get("location")}`, request);
  try {
    const { detail } = JSON.parse(text);
    if (typeof detail === "string") return new TallylightError(status, detail, request);
  } catch {}
  return new TallylightError(status, `the answer is no JSON with a detail: ${text.slice(0, 200)}`, request);
}

/** A module of Node, which Deno has too. */
export async function runtime(name) {
  try {
    return await import(/* @vite-ignore */ `node:${name}`);
  } catch {
    throw new TypeError("files are read and written on Node and Deno only");
  }
}

/** What a failure of fetch says. */
const reasonOf = (failure) => failure?.cause?.message || failure?.message || String(failure);

async function whole(_response, blocks) {
  const parts = [];
  for await (const block of blocks) parts.push(block);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export const textOf = (bytes) => new TextDecoder().decode(bytes);

/** The connection to a server: sends requests, and says which failures may pass. */
export class Line {
  #key;
  requests = 0;

  constructor(url, key) {
    if (!/^https?:\/\/[^/]/.test(url))
      throw new TypeError(`the url must be such as https://tally.example.lan, not ${url}`);
    this.root = url.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
    this.#key = key;
  }

  /** The address of a path. Throws if that is not on this server: the key goes nowhere else. */
  absolute(path) {
    const address = /^https?:\/\//.test(path) ? path : this.root + path;
    if (!address.startsWith(`${this.root}/`)) throw new TypeError(`${address} is not below ${this.root}`);
    return address;
  }

  /** An address that the server names, at the address by which this client reaches the server. */
  #belowRoot(address) {
    const place = address.indexOf("/api/v1/");
    return place < 0 ? address : this.root + address.slice(place);
  }

  /** Sends a request once. Throws Passing if another try may help, otherwise TallylightError. */
  async once(method, path, { headers = {}, body, receive = whole, repeated = false } = {}) {
    const address = this.absolute(path);
    const controller = new AbortController();
    const limit = body === undefined ? timeout : bodyTimeout;
    let timer;
    const touch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new Error(`no byte for ${limit / 1000} s`)), limit);
    };
    this.requests++;
    touch();
    try {
      const response = await this.#fetch(address, method, headers, body, controller.signal);
      const blocks = blocksOf(response, touch);
      if (response.ok || response.status === 304) {
        warn(response.headers);
        return { status: response.status, headers: response.headers, body: await receive(response, blocks) };
      }
      const text = textOf(await whole(response, blocks));
      const error =
        response.type === "opaqueredirect" ? redirected : refusalOf(response.status, response.headers, text);
      const after = secondsOf(response.headers);
      // 409 with Retry-After: the request that was cut off is still at work.
      const isPassing = [429, 503].includes(error.status) || (repeated && error.status === 409 && after !== undefined);
      throw isPassing ? new Passing(error, after) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #fetch(address, method, headers, body, signal) {
    const sent = { authorization: `Bearer ${this.#key}`, ...headers };
    try {
      // The key is the only credential: no cookie of a page goes along, and no redirect takes it elsewhere.
      const init = { method, headers: sent, signal, redirect: "manual", credentials: "omit", cache: "no-store" };
      return await fetch(address, body === undefined ? init : { ...init, body });
    } catch (failure) {
      const error = new TallylightError(0, `${this.root} did not answer: ${reasonOf(failure)}`);
      throw /certificate|CERT_|self.signed|UnknownIssuer/i.test(`${failure?.cause?.code} ${reasonOf(failure)}`)
        ? error
        : new Passing(error);
    }
  }

  /** Sends a request, again after a failure that may pass. */
  send(method, path, options = {}) {
    return retrying((repeated) => this.once(method, path, { ...options, repeated }));
  }

  /** A document, or a page of a list, with the address of the next one. Undefined if it still has the ETag. */
  async page(path, etag) {
    const address = this.absolute(path);
    const headers = { accept: "application/json", ...(etag && { "if-none-match": etag }) };
    const { status, headers: answered, body } = await this.send("GET", address, { headers });
    if (status === 304) return undefined;
    const [, link] = /<([^>]*)>; *rel="next"/.exec(answered.get("link") ?? "") ?? [];
    const following = link === undefined ? null : this.#belowRoot(new URL(link, address).href);
    return { etag: answered.get("etag"), following, body, type: answered.get("content-type") ?? "" };
  }
}

const redirected = new TallylightError(0, "the server is at another address: it answered with a redirect");

/** The bytes of an answer in blocks. Throws Passing if the line was cut before the end. */
async function* blocksOf(response, touch) {
  if (response.body === null) return;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((failure) => {
      throw new Passing(new TallylightError(0, `the answer ended early: ${reasonOf(failure)}`));
    });
    if (done) return;
    touch();
    yield value;
  }
}

function warn(headers) {
  const ignored = headers.get("tallylight-ignored");
  if (!ignored) return;
  const names = ignored.split(", ").map(decodeURIComponent).join(", ");
  console.warn(`Tallylight: the server does not know these parameters and ignored them: ${names}`);
}

/** Writes a file as a whole or not at all: beside it, and then in its place. */
export async function replaceFile(file, content, part = `${file}.${randomName()}.part`) {
  const disk = await runtime("fs/promises");
  try {
    await disk.writeFile(part, content);
    await disk.rename(part, file);
  } catch (failure) {
    await disk.rm(part, { force: true });
    throw failure;
  }
}

/**
 * Answers with their ETags: the newest in memory, up to 64 MB, or all in a folder, which may be removed at any time.
 */
export class Cache {
  #folder;
  #owner;
  #kept = new Map();
  #size = 0;

  constructor(folder, owner) {
    this.#folder = folder;
    this.#owner = owner;
  }

  async #fileOf(address) {
    const { createHash } = await runtime("crypto");
    return `${this.#folder}/${createHash("sha256").update(`${this.#owner}\n${address}`).digest("hex")}`;
  }

  async get(address) {
    if (this.#folder === undefined) return this.#kept.get(address);
    const { readFile } = await runtime("fs/promises");
    const content = await readFile(await this.#fileOf(address)).catch(() => undefined);
    if (content === undefined) return undefined;
    const { createHash } = await runtime("crypto");
    try {
      const end = content.indexOf(10);
      const { sha256, ...head } = JSON.parse(textOf(content.subarray(0, end)));
      const body = new Uint8Array(content.subarray(end + 1));
      return createHash("sha256").update(body).digest("hex") === sha256 ? { type: "", ...head, body } : undefined;
    } catch {
      return undefined;
    }
  }

  async put(address, page) {
    if (this.#folder !== undefined) return this.#store(address, page);
    this.#size -= this.#kept.get(address)?.body.length ?? 0;
    this.#kept.delete(address);
    if (page.body.length > 16_000_000) return;
    this.#kept.set(address, page);
    this.#size += page.body.length;
    for (const [oldest, { body }] of this.#kept) {
      if (this.#size <= 64_000_000) return;
      this.#kept.delete(oldest);
      this.#size -= body.length;
    }
  }

  async #store(address, { body, ...head }) {
    const [{ mkdir }, { createHash }] = [await runtime("fs/promises"), await runtime("crypto")];
    const line = JSON.stringify({ ...head, sha256: createHash("sha256").update(body).digest("hex") });
    try {
      await mkdir(this.#folder, { recursive: true });
      await replaceFile(await this.#fileOf(address), new Uint8Array(await new Blob([line, "\n", body]).arrayBuffer()));
    } catch (failure) {
      console.warn(`Tallylight: an answer was not kept in ${this.#folder}: ${reasonOf(failure)}`);
    }
  }
}
