// Loads modules late, node:http among them, so that a server starts sooner and needs less memory at rest.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
/**
 * node:http. On Node its import statement also loads fetch, because WebSocket is one of its names: 6 MiB, and a tenth
 * of the start.
 */
export const loadHttp = (): typeof import("node:http") => require("node:http");
export const loadHttps = (): typeof import("node:https") => require("node:https");
/** On Deno a program that imports them is 1 MiB larger, and few of its requests use them. */
export const loadZlib = (): typeof import("node:zlib") => require("node:zlib");
export const loadThreads = (): typeof import("node:worker_threads") => require("node:worker_threads");
export const loadDns = (): typeof import("node:dns/promises") => require("node:dns/promises");

/**
 * The result of `load`, which is called once; again after a failure, so that one that passes does not last until the
 * restart.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
