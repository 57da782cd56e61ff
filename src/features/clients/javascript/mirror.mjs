import { mirrored, replaceFile, runtime, textOf } from "./client.mjs";

const namePattern = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const [stateName, journalName] = [".tallylight.json", ".tallylight-journal"];

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const bytesOf = (text) => new TextEncoder().encode(text).length;

/** A path without its ending, and the ending. */
function splitEnding(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const at = name.lastIndexOf(".");
  const ending = at > 0 && !/^\.*$/.test(name.slice(0, at)) ? name.slice(at) : "";
  return [path.slice(0, path.length - ending.length), ending];
}

/** A part of a path as every system takes it: without its signs, its reserved names, a dot or a space at the end. */
function filePart(part, most = 200) {
  const signs = /[\x00-\x1f\x7f<>:"\\|?*]/g;
  const plain = part.normalize("NFC").replace(signs, "_");
  const name = reserved.test(plain) ? `_${plain}` : plain;
  let [stem, ending] = splitEnding(name);
  if (bytesOf(ending) > 20) [stem, ending] = [name, ""]; // no ending of a file
  while (bytesOf(stem + ending) > most && stem !== "") stem = [...stem].slice(0, -1).join("");
  return (stem + ending).replace(/[. ]$/, "_");
}

/**
 * The path of each medium of a submission or a version, with its hash. No two of them are one where case does not
 * count.
 */
function fileNames(media) {
  const [files, folders, found] = [new Set(), new Set(), new Map()];
  for (const medium of [...media].sort((one, other) => one.id - other.id)) {
    const owner = medium.version_id ?? medium.work_item_id ?? medium.submission_id ?? null;
    if (owner === null) continue;
    let parts = medium.label.split("/").filter((part) => !["", ".", ".."].includes(part));
    parts = parts.length === 0 ? ["_"] : parts.map((part) => filePart(part));
    const root = `files/${Number(owner)}`;
    let above = parts.slice(1).map((_, at) => `${root}/${parts.slice(0, at + 1).join("/")}`.toLowerCase());
    if (above.some((folder) => files.has(folder))) [parts, above] = [[parts.join("_")], []]; // a file has its name
    let path = `${root}/${parts.join("/")}`;
    const [stem, ending] = splitEnding(path);
    for (let count = 2; files.has(path.toLowerCase()) || folders.has(path.toLowerCase()); count++)
      path = `${stem} (${count})${ending}`;
    files.add(path.toLowerCase());
    for (const folder of above) folders.add(folder);
    found.set(path, medium.sha256);
  }
  return found;
}

/** Whether it is the path of a file by its name, all of whose parts every system takes. */
function isNamed(name) {
  const [first, owner, ...parts] = name.split("/");
  const isBelow = first === "files" && /^[0-9]+$/.test(owner) && parts.length > 0;
  return isBelow && parts.every((part) => part !== "" && filePart(part, 255) === part);
}

/** A folder with everything that a key reads. It writes and removes no file that it did not write. */
export class Mirror {
  #calls;
  #line;
  #folder;
  #disk;
  #path;
  #part;
  /**
   * Of each file that the mirror wrote, what was asked for it, with the ETags of the answers, and its size; null while
   * it is written.
   */
  #known = {};
  /** The production or the engagement whose mirror it is. */
  #owner;
  #present = new Set();
  #counts = { written: 0, unchanged: 0, removed: 0 };

  static async open(calls, folder) {
    const mirror = new Mirror();
    mirror.#calls = calls;
    mirror.#line = calls.line;
    mirror.#disk = await runtime("fs/promises");
    mirror.#path = await runtime("path");
    mirror.#folder = await mirror.#realPathOf(mirror.#path.resolve(folder));
    await mirror.#refuseData();
    await mirror.#disk.mkdir(mirror.#folder, { recursive: true });
    mirror.#part = mirror.#at(`.tallylight-${(await runtime("process")).pid}.part`);
    await mirror.#restore();
    return mirror;
  }

  #at = (name) => this.#path.join(this.#folder, name);

  /** Throws in the data directory of a server: the files of the mirror would be among its own. */
  async #refuseData() {
    for (let folder = this.#folder, above; folder !== above; [above, folder] = [folder, this.#path.dirname(folder)])
      if (await this.#exists(this.#path.join(folder, "tallylight.db")))
        throw new TypeError(
          `${this.#folder} is in the data directory of a Tallylight server, ${folder}: nothing was written; ` +
            "choose another folder",
        );
  }

  /**
   * Reads what the last run stored. One that was killed has left its journal: the files it began, and those it ended.
   */
  async #restore() {
    const stored = JSON.parse((await this.#read(stateName)) ?? "{}");
    [this.#owner, this.#known] = [stored.of, stored.files ?? {}];
    const journal = await this.#read(journalName);
    for (const line of journal?.split("\n") ?? []) {
      try {
        const [name, state] = JSON.parse(line);
        this.#known[name] = state;
      } catch {} // the kill cut this line off, so the file was not begun
    }
    for (const name of await this.#disk.readdir(this.#folder))
      if (/^\.tallylight-\d+\.part$/.test(name)) await this.#disk.rm(this.#at(name));
    if (journal !== undefined) await this.#store(this.#known);
  }

  #read = (name) =>
    this.#disk.readFile(this.#at(name), "utf8").catch((failure) => {
      if (failure.code !== "ENOENT") throw failure;
    });

  async #store(known) {
    await replaceFile(this.#at(stateName), JSON.stringify({ of: this.#owner, files: known }), this.#part);
    await this.#disk.rm(this.#at(journalName), { force: true });
  }

  /** The path of a file. Throws if it is outside of the folder. */
  async #placeOf(name) {
    if (!namePattern.test(name) && !isNamed(name)) throw new TypeError(`${name} is no name of a file in a mirror`);
    const place = this.#at(name);
    const above = this.#path.dirname(place);
    const real = await this.#realPathOf(above);
    if (real !== above) throw new TypeError(`${name} is outside of ${this.#folder}, because a folder there is a link`);
    return place;
  }

  /** The real path of a folder, which may not exist yet. */
  async #realPathOf(folder) {
    const real = await this.#disk.realpath(folder).catch(() => undefined);
    if (real !== undefined) return real;
    return this.#path.join(await this.#realPathOf(this.#path.dirname(folder)), this.#path.basename(folder));
  }

  #exists = (place) =>
    this.#disk.lstat(place).then(
      () => true,
      () => false,
    );

  /** Where a file is written. Throws if there is one that the mirror did not write. */
  async #begin(name) {
    const place = await this.#placeOf(name);
    if (!Object.hasOwn(this.#known, name) && (await this.#exists(place)))
      throw new TypeError(`${place} is not a file of this mirror; move it away, or choose another folder`);
    await this.#note(name, null);
    await this.#disk.mkdir(this.#path.dirname(place), { recursive: true });
    return place;
  }

  async #note(name, state) {
    await this.#disk.appendFile(this.#at(journalName), `${JSON.stringify([name, state])}\n`);
    this.#known[name] = state;
  }

  /** What is known of a file, if it is there with its size. */
  async #stateOf(name) {
    const state = Object.hasOwn(this.#known, name) ? this.#known[name] : null;
    if (state === null) return undefined;
    const size = await this.#disk.stat(await this.#placeOf(name)).then(
      (found) => found.size,
      () => undefined,
    );
    return size === state.size ? state : undefined;
  }

  #keep(name) {
    this.#present.add(name);
    this.#counts.unchanged++;
  }

  async #written(name, state) {
    await this.#note(name, state);
    this.#present.add(name);
    this.#counts.written++;
  }

  /** The first page of a list, or a document; undefined if no page has changed. */
  async #first(path, pages) {
    for (const [at, [known, etag]] of pages.entries()) {
      const page = await this.#line.page(known, etag);
      if (page !== undefined) return at === 0 ? page : this.#line.page(path);
    }
    return pages.length > 0 ? undefined : this.#line.page(path);
  }

  /** Writes the answer of a path, a list with all its pages, unless it is unchanged. */
  async #document(name, path) {
    const state = await this.#stateOf(name);
    let page = await this.#first(path, state?.pages[0][0] === path ? state.pages : []);
    if (page === undefined) return this.#keep(name);
    const pages = [[path, page.etag]];
    const bodies = [page.body];
    while (page.following !== null) {
      const following = page.following.slice(this.#line.root.length);
      page = await this.#line.page(following);
      pages.push([following, page.etag]);
      bodies.push(page.body);
    }
    const rows = bodies.map((body) => textOf(body).trim().slice(1, -1));
    const joined = `[${rows.filter((part) => part !== "").join(",")}]`;
    const whole = bodies.length === 1 ? bodies[0] : new TextEncoder().encode(joined);
    await replaceFile(await this.#begin(name), whole, this.#part);
    await this.#written(name, { pages, size: whole.length });
  }

  /** Fetches the bytes of a medium, under their hash, unless they are there. */
  async #medium({ id, sha256 }) {
    const name = `media/${sha256}`;
    if (this.#present.has(name)) return;
    if ((await this.#stateOf(name)) !== undefined) return this.#keep(name);
    const place = await this.#begin(name);
    try {
      await this.#calls.download(`/api/v1/media/${Number(id)}/content`, place, this.#part, sha256);
    } catch (error) {
      if (error.status !== 404) throw error;
      return; // it went since the list was read
    }
    await this.#written(name, { size: (await this.#disk.stat(place)).size });
  }

  /** Links a file by its name to the medium of a hash, or copies it where there are no links. */
  async #link(name, sha256) {
    const state = await this.#stateOf(name);
    if (state?.sha256 === sha256) return this.#keep(name);
    const medium = await this.#placeOf(`media/${sha256}`);
    const place = await this.#begin(name);
    await this.#disk.rm(place, { force: true });
    await this.#disk.link(medium, place).catch(async () => {
      await this.#disk.copyFile(medium, this.#part);
      await this.#disk.rename(this.#part, place);
    });
    await this.#written(name, { size: (await this.#disk.stat(place)).size, sha256 });
  }

  #load = async (name) => JSON.parse(await this.#disk.readFile(await this.#placeOf(name), "utf8"));

  /** Each list that the scopes of a production's key open, but for one that is too long. Returns the list of media. */
  async #lists(scopes) {
    for (const [name, path] of mirrored.filter(([, , needed]) => scopes.includes(needed)))
      await this.#document(`${name}.json`, path).catch((error) => {
        if (error.status !== 422) throw error;
        console.warn(`${name}.json is left out: ${error.detail}`);
      });
    return this.#present.has("media.json") ? this.#load("media.json") : [];
  }

  /** What the manifest of a vendor lists; a document whose ETag is the one of its file is not asked for. */
  async #documents() {
    await this.#document("manifest.json", "/api/v1/me/manifest");
    const { documents, media } = await this.#load("manifest.json");
    for (const listed of documents) {
      const [name, path] = [`${listed.path.replace(/^\/+|\/+$/g, "")}.json`, `/api/v1${listed.path}`];
      const state = await this.#stateOf(name);
      if (state?.pages.length === 1 && state.pages[0][0] === path && state.pages[0][1] === listed.etag)
        this.#keep(name);
      else
        await this.#document(name, path).catch((error) => {
          if (error.status !== 404) throw error; // otherwise it is no longer granted
        });
    }
    const owners = await this.#submissions();
    return media.map((medium) => ({ ...medium, work_item_id: owners.get(medium.id) }));
  }

  /** The submission of each medium that a vendor's lists of submissions have. */
  async #submissions() {
    const owners = new Map();
    for (const name of this.#present)
      if (/^turnovers\/\d+\/submissions\.json$/.test(name))
        for (const { id, media } of await this.#load(name)) for (const medium of media) owners.set(medium.id, id);
    return owners;
  }

  async #removeGone(named) {
    for (const name of Object.keys(this.#known)) {
      if (this.#present.has(name) || named.has(name)) continue;
      const place = await this.#placeOf(name);
      if (await this.#exists(place)) {
        await this.#disk.rm(place);
        this.#counts.removed++;
      }
      if (name.startsWith("files/")) await this.#removeEmpty(this.#path.dirname(place));
    }
  }

  /** Removes a folder in which nothing is left, and those above it that it was alone in. */
  async #removeEmpty(folder) {
    if (folder === this.#folder) return;
    const isGone = await this.#disk.rmdir(folder).then(
      () => true,
      () => false,
    );
    if (isGone) await this.#removeEmpty(this.#path.dirname(folder));
  }

  /** Makes the folder that of what the key is bound to. Throws if it is of another: its files would be removed. */
  async #take({ production, engagement }) {
    const owner = {
      production: production.id,
      engagement: engagement?.id ?? null,
      title: (engagement ?? production).title,
    };
    const former = this.#owner;
    if (former && (former.production !== owner.production || former.engagement !== owner.engagement))
      throw new TypeError(
        `${this.#folder} is a mirror of ${former.title}, and this key reads ${owner.title}: nothing in it was ` +
          "changed; choose another folder, or empty this one",
      );
    if (former?.title === owner.title) return;
    this.#owner = owner;
    await this.#store(this.#known);
  }

  async run(names) {
    const before = this.#line.requests;
    const me = JSON.parse(textOf((await this.#line.page("/api/v1/me")).body));
    await this.#take(me);
    const media = me.engagement === null ? await this.#lists(me.key.scopes) : await this.#documents();
    for (const medium of media) await this.#medium(medium);
    const named = names ? fileNames(media) : new Map();
    for (const [name, sha256] of named) if (!this.#present.has(`media/${sha256}`)) named.delete(name);
    await this.#removeGone(named);
    for (const [name, sha256] of named) await this.#link(name, sha256);
    const present = [...this.#present].sort();
    await this.#store(Object.fromEntries(present.map((name) => [name, this.#known[name]])));
    return { ...this.#counts, requests: this.#line.requests - before };
  }
}
