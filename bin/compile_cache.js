// Lets Node keep compiled code in a folder that nobody but this user can write to: who can write to it decides what
// runs.
import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

/**
 * The first user id of people. The home directory of a system user is often a data directory, so no folder is made in
 * it.
 */
const people = process.platform === "darwin" ? 500 : 1000;

/** Returns the folder of systemd's CacheDirectory, or the user's own. Returns undefined if there is none. */
function folderOf(uid) {
  const [service = ""] = (process.env.CACHE_DIRECTORY ?? "").split(":");
  if (isAbsolute(service)) return service;
  const { XDG_CACHE_HOME: named = "" } = process.env;
  if (isAbsolute(named)) return join(named, "tallylight");
  const caches = join(homedir(), ".cache");
  return uid === 0 || uid >= people || existsSync(caches) ? join(caches, "tallylight") : undefined;
}

/**
 * Whether only this user and root can change what stands at a path. In a sticky folder nobody can rename the entries of
 * others.
 */
function isOwn(path, uid) {
  const { uid: owner, mode } = statSync(path);
  if (owner !== uid && owner !== 0) return false;
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) return false;
  return dirname(path) === path || isOwn(dirname(path), uid);
}

const existing = (path) => (existsSync(path) ? path : existing(dirname(path)));

/** Turns the cache on. Does nothing if Node or the machine has no place for it: the program then only starts slower. */
export function enableCompileCache() {
  const uid = process.getuid?.();
  if (uid === undefined || module.enableCompileCache === undefined) return;
  try {
    const folder = folderOf(uid);
    if (folder === undefined || !isOwn(realpathSync(existing(folder)), uid)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const place = realpathSync(folder);
    const { uid: owner, mode } = statSync(place);
    if (owner !== uid || (mode & 0o022) !== 0 || !isOwn(place, uid)) return;
    const { directory } = module.enableCompileCache(place);
    // Worker threads read the variable.
    if (directory === undefined) return;
    process.env.NODE_COMPILE_CACHE ??= place;
    // Node writes the cache when the process exits. A server that is killed, or loses its power, would never have one.
    setTimeout(() => module.flushCompileCache?.(), 2_000).unref();
  } catch {
    // a folder that this user may not read or write
  }
}
