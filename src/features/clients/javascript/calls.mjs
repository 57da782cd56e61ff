import { Cache, Line, large, operations, randomName, retrying, runtime, TallylightError, textOf } from "./client.mjs";

const isObject = (value) => typeof value === "object" && value !== null && !(value instanceof Date);

/** The fields as pairs of texts, a list as several; a list of objects is one, its JSON. */
const pairsOf = (fields) =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().some(isObject) ? [[name, jsonOf(value)]] : [value].flat().map((one) => [name, queryText(one)]),
  );
const queryText = (value) => (value instanceof Date ? value.toISOString() : String(value));

const isGiven = (value) => value !== undefined && value !== null;

function withQuery(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => isGiven(value));
  const query = new URLSearchParams(pairsOf(Object.fromEntries(given))).toString();
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

const belowApi = (path) => (/^(\/api\/v1\/|https?:)/.test(path) ? path : `/api/v1/${path.replace(/^\/+/, "")}`);

/** JSON in which a bigint has all its digits. */
const jsonOf = (document) =>
  JSON.stringify(document, (_, value) => (typeof value === "bigint" ? `\u0000${value}` : value)).replace(
    /"\\u0000(-?\d+)"/g,
    "$1",
  );

const base64Of = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** A file, which is a path or a Blob: its name, its size, and what reads a part of it. */
async function openFile(value) {
  if (value instanceof Blob)
    return { name: value.name ?? "file", size: value.size, part: async (from, to) => value.slice(from, to) };
  const [disk, { basename }] = [await runtime("fs/promises"), await runtime("path")];
  const { size } = await disk.stat(value);
  const part = async (from, to) => {
    const file = await disk.open(value);
    try {
      const buffer = new Uint8Array(Math.min(to, size) - from);
      let read = 0;
      while (read < buffer.length) {
        const { bytesRead } = await file.read(buffer, read, buffer.length - read, from + read);
        if (bytesRead === 0) throw new Error(`${value} became shorter while it was read`);
        read += bytesRead;
      }
      return buffer;
    } finally {
      await file.close();
    }
  };
  return { name: basename(String(value)), size, part };
}

const tus = { "tus-resumable": "1.0.0" };

/** What every method does with its arguments. */
export class Calls {
  #cache;
  /** @internal */
  line;

  constructor(url, key, { cache } = {}) {
    this.line = new Line(url, key);
    Object.defineProperty(this, "line", { enumerable: false });
    this.#cache = new Cache(cache, `${this.line.root}\n${key}`);
  }

  async get(path, parameters = {}) {
    return JSON.parse(textOf((await this.#page(withQuery(belowApi(path), parameters))).body));
  }

  async *rows(operation, input = {}) {
    const [method] = operations[operation] ?? [];
    if (method !== "GET") throw new TypeError(`${operation} is no list`);
    for (let following = addressOf(operation, input); following !== null; ) {
      const page = await this.#page(following);
      const answer = JSON.parse(textOf(page.body));
      following = page.following;
      if (Array.isArray(answer)) yield* answer;
      else yield answer;
    }
  }

  /** One answer, asked for with the ETag of the one that was kept. */
  async #page(path) {
    const address = this.line.absolute(path);
    const kept = await this.#cache.get(address);
    const page = await this.line.page(address, kept?.etag);
    if (page === undefined) return kept;
    if (page.etag !== null) await this.#cache.put(address, page);
    return page;
  }

  /** @internal */
  async call(name, input = {}) {
    const { into, idempotency_key = randomName(), ...given } = input;
    const [method, , places, forms] = operations[name];
    const address = addressOf(name, given);
    if (forms.includes("bytes")) return this.#content(address, into);
    if (method === "GET") return this.#listed(address);
    const { body, headers } = await this.#bodyOf(places, forms, given);
    const sent = { accept: "application/json", "idempotency-key": idempotency_key, ...headers };
    return JSON.parse(textOf((await this.line.send("POST", address, { headers: sent, body })).body));
  }

  async #listed(address) {
    let page = await this.#page(address);
    const answer = JSON.parse(textOf(page.body));
    while (page.following !== null) {
      page = await this.#page(page.following);
      for (const row of JSON.parse(textOf(page.body))) answer.push(row);
    }
    return answer;
  }

  async #bodyOf(places, forms, given) {
    const json = (document) => ({ body: jsonOf(document), headers: { "content-type": "application/json" } });
    const at = (place) =>
      Object.entries(given).filter(([name, value]) => value !== undefined && places[name] === place);
    const [whole] = at("whole");
    if (typeof whole?.[1] === "string") return { body: whole[1], headers: { "content-type": "text/csv" } };
    if (whole !== undefined) return json(whole[1]);
    const files = [];
    for (const [name, value] of [...at("file"), ...at("files")])
      for (const one of [value].flat()) files.push({ name, file: await openFile(one) });
    const fields = Object.fromEntries(at("body"));
    if ("upload_ids" in places && files.some(({ file }) => file.size > large)) {
      fields.upload_ids = [...(fields.upload_ids ?? [])];
      for (const { file } of files) fields.upload_ids.push(await this.#upload(file));
      return json(fields);
    }
    const isForm = files.length > 0 || (!forms.includes("json") && forms.includes("form") && !("upload_ids" in fields));
    if (isForm) return { body: await formOf(fields, files) };
    return forms.length > 0 ? json(fields) : {};
  }

  /** Sends a file in parts, on from where it was after a cut. Returns the id of the upload. */
  async #upload({ name, size, part }) {
    const created = { ...tus, "upload-length": String(size), "upload-metadata": `filename ${base64Of(name)}` };
    const { headers } = await this.line.send("POST", "/api/v1/uploads", { headers: created });
    const id = headers.get("location").split("/").at(-1);
    const address = `/api/v1/uploads/${id}`;
    let offset = 0;
    const attempt = async (repeated) => {
      if (repeated)
        offset = Number((await this.line.once("HEAD", address, { headers: tus })).headers.get("upload-offset"));
      while (offset < size) {
        const type = "application/offset+octet-stream";
        const body = new Blob([await part(offset, Math.min(offset + large, size))], { type });
        const sent = { ...tus, "content-type": type, "upload-offset": String(offset) };
        const answer = await this.line.once("PATCH", address, { headers: sent, body, repeated: true });
        offset = Number(answer.headers.get("upload-offset"));
      }
    };
    await retrying(attempt, () => offset);
    return id;
  }

  /** The bytes of a medium; or writes them to a file, which is there only when it is whole. */
  async #content(address, into) {
    if (into === undefined) {
      const { body, type } = await this.#page(address);
      return new Blob([body], { type });
    }
    const { pid } = await runtime("process");
    await this.download(address, into, `${into}.${pid}.part`);
    return into;
  }

  /**
   * Writes bytes to a file, and goes on after a cut where it was. Throws TallylightError if they do not have the
   * SHA-256.
   * @internal
   */
  async download(address, into, part, sha256) {
    const [disk, { createHash }] = [await runtime("fs/promises"), await runtime("crypto")];
    let [digest, size, tag] = [createHash("sha256"), 0, null];
    const file = await disk.open(part, "w");
    const receive = async (response, blocks) => {
      if (response.status !== 206) {
        await file.truncate(0);
        [digest, size] = [createHash("sha256"), 0];
      }
      tag = response.headers.get("etag");
      for await (const block of blocks) {
        for (let at = 0; at < block.length; )
          at += (await file.write(block, at, block.length - at, size + at)).bytesWritten;
        digest.update(block);
        size += block.length;
      }
    };
    try {
      const attempt = () => {
        const headers = tag !== null && size > 0 ? { range: `bytes=${size}-`, "if-range": tag } : {};
        return this.line.once("GET", address, { headers, receive });
      };
      await retrying(attempt, () => size).finally(() => file.close());
      if (sha256 !== undefined && digest.digest("hex") !== sha256)
        throw new TallylightError(0, `the bytes of ${address} do not have the SHA-256 ${sha256}`);
      await disk.rename(part, into);
    } catch (failure) {
      await disk.rm(part, { force: true });
      throw failure;
    }
  }

  async *events(since = "now") {
    let [cursor, wait] = [since, 0];
    for (;;) {
      const page = await this.line.page(withQuery("/api/v1/events", { after: cursor, wait })).catch((error) => {
        if (wait === 0 || !(error instanceof TallylightError) || ![0, 429, 503].includes(error.status)) throw error;
      });
      if (page === undefined) continue; // the server does not answer: they wait for it
      const { events, next } = JSON.parse(textOf(page.body));
      [cursor, wait] = [next, 45];
      const [epoch] = next.split("-");
      for (const event of events) yield { ...event, cursor: `${epoch}-${event.id}` };
    }
  }
}

/** The path of an operation with its fields, and the query. Throws if the operation has no argument of a name. */
function addressOf(name, given) {
  const [, path, places] = operations[name];
  const unknown = Object.keys(given).find((field) => !Object.hasOwn(places, field));
  if (unknown !== undefined) throw new TypeError(`${name} has no argument ${unknown}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, field) => {
    if (!isGiven(given[field])) throw new TypeError(`${name} needs the argument ${field}`);
    const text = encodeURIComponent(String(given[field]));
    return path.startsWith("/media/") ? text.replaceAll("%2F", "/") : text; // a media_path contains its slashes
  });
  return withQuery(filled, Object.fromEntries(Object.entries(given).filter(([field]) => places[field] === "query")));
}

async function formOf(fields, files) {
  const form = new FormData();
  for (const [name, text] of pairsOf(fields)) form.append(name, text);
  for (const { name, file } of files) form.append(name, new Blob([await file.part(0, file.size)]), file.name);
  return form;
}
