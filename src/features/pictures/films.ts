// Makes posters and previews of stored films with ffmpeg, once for each hash, and keeps them beside the smaller
// pictures: pictures/ab/<sha256 of the film>-<width>.poster and -preview.mp4. One process at a time makes previews,
// another one posters.
import { createHash, hash, randomBytes } from "node:crypto";
import {
  createReadStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Bytes } from "../../core/answers.ts";
import type { App, Context } from "../../core/context.ts";
import { busy } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import type { KeyId } from "../../core/ids.ts";
import { FairQueue } from "../../core/limits.ts";
import { day, hour, minute, second } from "../../core/times.ts";
import {
  type FilmFacts,
  type FilmFile,
  filmFactsOf,
  isFilmType,
  isInstalled,
  makePoster,
  makePreview,
} from "./ffmpeg.ts";

/** Where pictures are kept. */
export const pictureFolder = ({ blobs }: Pick<App, "blobs">): string =>
  join(dirname(dirname(blobs.staging)), "pictures");

/** How long a request waits for a poster, and how long making one may take. */
const [posterWait, posterTime] = [10 * second, 30 * second];
/** How many films of a key wait for each of both. */
const waitingOfKey = 20;
/**
 * A preview takes at most so many times the length of its film, and no more than the rest. A longer film has a poster
 * alone.
 */
const [lengths, leastTime, mostTime] = [4, minute, 2 * hour];
/**
 * After these times a poster or what a film is, and a preview, that took too long or whose program the system ended,
 * are tried again: the machine may be less busy then.
 */
const [posterDelay, previewDelay] = [10 * minute, day];
/** Below this part of free disk no preview is made. */
const leastFree = 0.05;
/** Stands in the file of what cannot be made, or need not be. */
const none = "none";

/**
 * Work that waits: those of one owner in order, the owners in turn, one at a time. Work of one name is done once for
 * all who ask meanwhile.
 */
class Lane {
  readonly #waiting = new FairQueue<KeyId | null, () => Promise<void>>();
  readonly #known = new Map<string, Promise<unknown>>();
  #isBusy = false;

  /** Throws 503 if too much work of the owner waits. */
  do<T>(owner: KeyId | null, name: string, work: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name) as Promise<T> | undefined; // a name stands for one kind of work
    if (known !== undefined) return known;
    if (this.#waiting.of(owner).length >= waitingOfKey) throw busy("too many films of this key wait");
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#known.set(name, promise);
    this.#waiting.add(owner, () =>
      work()
        .then(resolve, reject)
        .finally(() => this.#known.delete(name)),
    );
    void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let work = this.#waiting.take(); work !== undefined; work = this.#waiting.take()) await work();
    this.#isBusy = false;
  }
}

const makerOf = stateOf((app) => {
  const ending = new AbortController();
  app.onClose(() => ending.abort());
  return {
    folder: pictureFolder(app),
    posters: new Lane(),
    previews: new Lane(),
    /** What films are, by their hashes; undefined for what cannot be read. */
    facts: new Map<string, FilmFacts | undefined>(),
    /** The hashes of previews, by those of their films. */
    tags: new Map<string, string>(),
    /** Until when what took too long is not tried again, by the file that it would be in. */
    late: new Map<string, number>(),
    signal: ending.signal,
  };
});
type Maker = ReturnType<typeof makerOf>;

const filmOf = ({ blobs }: App, { sha256, content_type }: Bytes): FilmFile => ({
  file: blobs.fileOf(sha256),
  content_type,
});

const maxKnown = 10_000;

/** What a film is. "late" if it is not known yet. */
async function knownFacts(app: App, maker: Maker, medium: Bytes): Promise<FilmFacts | "late" | undefined> {
  const { facts, signal } = maker;
  if (facts.has(medium.sha256)) return facts.get(medium.sha256);
  const found = await filmFactsOf(filmOf(app, medium), signal);
  if (found === "late") return found;
  if (facts.size >= maxKnown) facts.clear();
  facts.set(medium.sha256, found);
  return found;
}

const isLow = (folder: string): boolean => {
  const { bavail, blocks } = statfsSync(dirname(folder));
  return bavail < blocks * leastFree;
};

/**
 * Makes a file beside its final name, and keeps it, or keeps that it cannot be made. What took too long, and a full
 * disk, keep nothing.
 */
async function kept(
  app: App,
  maker: Maker,
  medium: Bytes,
  file: string,
  delay: number,
  make: (film: FilmFile, facts: FilmFacts, into: string) => Promise<"done" | "late" | "failed">,
): Promise<void> {
  const into = join(maker.folder, `new-${randomBytes(8).toString("hex")}`);
  try {
    const facts = await knownFacts(app, maker, medium);
    if (maker.signal.aborted || isLow(maker.folder)) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const ended = typeof facts === "object" ? await make(filmOf(app, medium), facts, into) : (facts ?? "failed");
    if (maker.signal.aborted) return;
    if (ended === "late") {
      if (maker.late.size >= maxKnown) maker.late.clear();
      maker.late.set(file, app.clock() + (facts === "late" ? posterDelay : delay));
      return;
    }
    if (ended === "done" && statSync(into).size > 0) renameSync(into, file);
    else if (!isLow(maker.folder)) writeFileSync(file, none);
  } catch {
    // the disk is full or read-only: it is tried again with the next request
  } finally {
    rmSync(into, { force: true });
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
const isNone = (file: string): boolean => sizeOf(file) === none.length;
const isLate = (app: App, { late }: Maker, file: string): boolean => (late.get(file) ?? 0) > app.clock();

/** The poster of a film, no wider than a width; undefined if there is none. Throws 503 if it is not made in time. */
export async function posterOf(
  app: App,
  key_id: KeyId | null,
  medium: Bytes,
  width: number,
): Promise<Bytes | undefined> {
  if (!isInstalled()) return undefined;
  const maker = makerOf(app);
  const { sha256, label } = medium;
  const file = join(maker.folder, sha256.slice(0, 2), `${sha256}-${width}.poster`);
  if (sizeOf(file) === 0 && !isLate(app, maker, file)) {
    const made = maker.posters.do(key_id, file, () =>
      kept(app, maker, medium, file, posterDelay, (film, facts, into) =>
        makePoster(film, facts, { into, width, timeout: posterTime }, maker.signal),
      ),
    );
    const waited = new AbortController();
    await Promise.race([made, sleep(posterWait, undefined, { ref: false, signal: waited.signal }).catch(() => {})]);
    waited.abort();
    if (sizeOf(file) === 0 && !isLate(app, maker, file) && !isLow(maker.folder))
      throw busy("the picture of this film is not made yet");
  }
  if (sizeOf(file) === 0 || isNone(file)) return undefined;
  const body = readFileSync(file);
  return new Bytes({ label, sha256: hash("sha256", body), size: body.length, content_type: "image/jpeg" }, { body });
}

async function tagOf(maker: Maker, sha256: string, file: string): Promise<string> {
  const known = maker.tags.get(sha256);
  if (known !== undefined) return known;
  const tag = createHash("sha256");
  for await (const part of createReadStream(file)) tag.update(part);
  const found = tag.digest("hex");
  if (maker.tags.size >= maxKnown) maker.tags.clear();
  maker.tags.set(sha256, found);
  return found;
}

/** How long the preview of a film may take; undefined if the film is too long for one. */
const timeFor = ({ length }: FilmFacts): number | undefined => {
  if (length === undefined) return mostTime;
  return length * second > mostTime ? undefined : Math.min(mostTime, Math.max(leastTime, lengths * length * second));
};

/** The preview of a film; undefined if there is none. Throws 503 until it is made. */
export async function previewOf({ app, caller }: Context, medium: Bytes): Promise<Bytes | undefined> {
  if (!isFilmType(medium.content_type) || !isInstalled()) return undefined;
  const maker = makerOf(app);
  const { sha256, label } = medium;
  const file = join(maker.folder, sha256.slice(0, 2), `${sha256}-preview.mp4`);
  if (isNone(file) || isLate(app, maker, file)) return undefined;
  if (sizeOf(file) > 0) {
    const tagged = await tagOf(maker, sha256, file);
    const named = `${label.replace(/\.[^.]{1,8}$/, "")}.mp4`;
    return new Bytes({ label: named, sha256: tagged, size: sizeOf(file), content_type: "video/mp4" }, { file });
  }
  const facts = await maker.posters.do(caller.key_id, `${sha256} facts`, () => knownFacts(app, maker, medium));
  if (facts === undefined || (facts !== "late" && (facts.plays || timeFor(facts) === undefined))) return undefined;
  if (isLow(maker.folder)) return undefined;
  maker.previews
    .do(caller.key_id, file, () =>
      kept(app, maker, medium, file, previewDelay, (film, known, into) =>
        makePreview(film, known, { into, timeout: timeFor(known) ?? 0 }, maker.signal),
      ),
    )
    .catch(() => {});
  throw busy("the preview of this film is not made yet");
}
