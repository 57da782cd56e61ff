// Opens a data directory as an application: database, media and public addresses.
import { join } from "node:path";
import { touchKey } from "./access/callers.ts";
import { BodyBudget } from "./body_limits.ts";
import { type Config, type Environment, readConfig } from "./config.ts";
import type { Addresses, App, CopyOptions, ServedCopy } from "./context.ts";
import { CliError, isDamage } from "./errors.ts";
import type { FeatureOptions } from "./features.ts";
import type { KeyId } from "./ids.ts";
import { RateLimiter } from "./limits.ts";
import { openBlobs } from "./store/blobs.ts";
import { databaseName, openErrorMessage, openReadable, openReplicaStore, replicaName } from "./store/database.ts";
import { keepMark, missingChanges, refuseLostDatabase } from "./store/database_mark.ts";
import { isReplica, oneAddress, refuseReplica } from "./store/directory_records.ts";
import type { WriteProblem } from "./store/disk_space.ts";
import { absentMedia, foundFolderName } from "./store/files.ts";
import { openHealth } from "./store/health.ts";
import { type Lock, lockForServing } from "./store/lock.ts";
import type { Store } from "./store/store.ts";
import { minute } from "./times.ts";
import { plural } from "./wording.ts";

export interface AppOptions extends FeatureOptions {
  /** The data directory. */
  data: string;
  /** Opens the copy of another directory, which is served read-only; by default the directory is a primary. */
  openCopy?: ((options: CopyOptions) => ServedCopy) | undefined;
  /** The public addresses; each is this server's own address by default. */
  addresses?: Partial<Addresses>;
  /** Whether a primary is served although the media that its database names are absent. */
  withoutMedia?: boolean | undefined;
  /** The current time in milliseconds. */
  clock?: () => number;
  /**
   * The environment variables that settings are read from, in addition to DIR/config.json; the process's own by
   * default.
   */
  environment?: Environment;
  /** The settings, if they were read before. */
  config?: Config;
  /** Receives what the administrator must know, one sentence each; standard error by default. */
  notice?: (sentence: string) => void;
}

/** An open application. The caller must close it. */
export interface OpenApp extends App {
  /**
   * Sets every address that is not configured to `url`. Called once the server listens, and when its address changes.
   */
  announce(url: string): void;
  /** Records that a key was used: after the response, and at most once a minute for each key. */
  touch(key_id: KeyId): void;
  /** Ends what the features run. Resolves once all of it has ended. */
  end(): Promise<void>;
  close(): void;
}

const openRates = (limit: number | undefined): App["rates"] =>
  limit === undefined ? undefined : new RateLimiter(limit, minute, `this key may make ${limit} requests a minute`);

/** Opens a data directory. Throws CliError if it cannot be used or if another server uses it. */
export function openApp(options: AppOptions): OpenApp {
  const lock = lockForServing(options.data, { reading: options.openCopy === undefined });
  try {
    return openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw isDamage(error) ? new CliError(openErrorMessage(error, join(options.data, databaseName))) : error;
  }
}

/** Opens the database of a primary, or that of a replica. Throws CliError if the directory is the other. */
function openDatabase({ data, openCopy }: AppOptions, config: Config, clock: () => number) {
  const file = join(data, databaseName);
  if (openCopy === undefined) {
    refuseReplica(data, "serving it without --replica");
    refuseLostDatabase(file);
    // Any request that writes gets this error, which is a 507 or a 503.
    const readOnly = ({ code, sentence }: WriteProblem) => Object.assign(new Error(sentence), { code });
    return { store: openReadable(file, { serving: true }, readOnly), copy: undefined };
  }
  if (!isReplica(data)) throw new CliError(`${data} is not a replica: there is no ${replicaName} in it`);
  const copy = openCopy({ data, clock, config });
  try {
    return { store: openReplicaStore(file, copy.readOnly), copy };
  } catch (error) {
    copy.close();
    throw error;
  }
}

/**
 * Tells the admin what the database lacks, and keeps the mark in the media folder (store/database_mark.ts) up to date.
 * Returns what ends it.
 */
function openMark(store: Store, data: string, notice: (sentence: string) => void): () => void {
  const missing = missingChanges(store.database, data);
  if (missing !== undefined) notice(`${data}: ${missing}; restore a backup if they are needed`);
  return keepMark(store, data);
}

/** Throws CliError if the media that the database names are absent, unless that was said. */
function checkMedia({ data, withoutMedia }: AppOptions, { database }: Store, notice: (sentence: string) => void): void {
  const absence = absentMedia(database, join(data, "media"));
  if (absence === undefined) return;
  if (withoutMedia !== true) throw new CliError(`${absence}, or serve without them by --without-media`);
  notice(`warning: ${absence}`);
}

/** Returns `touch` of an open application, which records the last use of keys. */
function openTouch(store: Store, clock: () => number): OpenApp["touch"] {
  const touched = new Map<KeyId, number>();
  return (key_id) => {
    const now = clock();
    if (Math.abs(now - (touched.get(key_id) ?? Number.NEGATIVE_INFINITY)) < minute) return;
    touched.set(key_id, now);
    setImmediate(() => {
      if (!store.database.open) return;
      const values = { key_id, now: new Date(now).toISOString(), a_minute_ago: new Date(now - minute).toISOString() };
      // last_used_at is informational, so this write waits neither for another writer nor for fsync.
      store
        .write(() => touchKey(store, values), { timeout: 0, durable: false, reports: true })
        .catch(() => touched.delete(key_id));
    });
  };
}

/** The clock of an application, and what it tells its administrator. */
function surroundingsOf(options: AppOptions) {
  const clock = options.clock ?? Date.now;
  const notice = options.notice ?? ((sentence: string) => void process.stderr.write(`${sentence}\n`));
  const tellMoved = (moved: number): void => {
    if (moved > 0)
      notice(
        `${plural(moved, "file")} of media that the database does not name: moved to ${join(options.data, foundFolderName)}`,
      );
  };
  return { clock, notice, tellMoved };
}

/** Keeps the listeners of onEnd and onClose, and calls them. */
function openEnds() {
  const ends: (() => Promise<void> | void)[] = [];
  const closes: (() => void)[] = [];
  const onEnd: App["onEnd"] = (listener) => void ends.push(listener);
  const onClose: App["onClose"] = (listener) => void closes.push(listener);
  const end = async () => void (await Promise.all(ends.splice(0).map((end) => end())));
  const close = () => {
    for (const close of closes) close();
  };
  return { onEnd, onClose, end, close };
}

function openLocked(options: AppOptions, lock: Lock): OpenApp {
  const { clock, notice, tellMoved } = surroundingsOf(options);
  const config = options.config ?? readConfig(options.data, options.environment ?? process.env);
  const { store, copy }: { store: Store; copy: ServedCopy | undefined } = openDatabase(options, config, clock);
  if (copy === undefined) checkMedia(options, store, notice);
  const { upload_limit: ceiling, disk_reserve: reserve, uploads_at_once: uploads } = config;
  const limits = { ceiling, reserve, uploads, withoutMedia: options.withoutMedia };
  const blobs = openBlobs(join(options.data, "media"), store, { ...limits, role: "server" });
  const canWrite = store.unwritable === undefined;
  if (!canWrite && copy === undefined)
    notice(`${options.data} can only be read, because ${store.unwritable}; this server refuses every write`);
  const endMark = canWrite ? openMark(store, options.data, notice) : () => {};
  try {
    if (canWrite) tellMoved(blobs.sweep().moved);
  } catch (error) {
    if (isDamage(error)) throw error; // with a full disk the server can still serve reads; the next start sweeps
  }
  store.neverBlock();
  const addresses: Addresses = { base_url: "", mcp_url: "", media_url: "", auth_url: "", ...options.addresses };
  const { close, ...ends } = openEnds();
  return {
    store,
    health: openHealth(store),
    blobs,
    bodies: new BodyBudget(),
    addresses,
    clock,
    config,
    copy,
    options,
    notice,
    tellMoved,
    ...ends,
    rates: openRates(config.rate_limit),
    failures: new RateLimiter(config.failed_keys, minute),
    announce: (url) => void Object.assign(addresses, oneAddress(url), options.addresses),
    touch: canWrite ? openTouch(store, clock) : () => {},
    close() {
      close();
      endMark();
      copy?.close();
      store.close();
      lock.release();
    },
  };
}
