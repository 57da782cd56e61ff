// Is loaded before a program that is compared, on each of its threads: its readers of other programs' files are those of the former program,
// and a thread commits at the time of the request.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";

/** Below src/. What these files do is not compared, so that a change of a reader is no difference. */
const pinned = [
  /^features\/lists\/(?!feature)/,
  /^features\/schedules\/(?!feature)/,
  /^features\/scripts\/(?:fountain|fountain_lines|fdx|fdx_elements)\.ts$/,
];

const { COMPARED_ROOT: root = "", COMPARED_READERS: readers = "" } = process.env;
const sources = pathToFileURL(join(root, "src/")).href;

if (readers !== "" && readers !== root)
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const file = url.startsWith(sources) ? url.slice(sources.length) : undefined;
      if (file === undefined || !pinned.some((one) => one.test(file))) return loaded;
      return { ...loaded, source: readFileSync(join(readers, "src", file)) };
    },
  });

// A job takes the time between its request and its commit from this clock.
if (!isMainThread) Date.now = () => 0;
