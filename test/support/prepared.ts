// Makes once, before the lanes of a run begin, what each of them would make for itself: the program as the runtime
// compiles it, which is kept where every process of the run finds it, the data directory of the demo,
// and the description against which answers are held.
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { demoFolder } from "./app.ts";
import { description, isDescribed } from "./validated_fetch.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What begins to work when it is loaded: threads, and the process that decodes pictures. */
const works = /(_thread|\/decoder)\.ts$/;

for (const file of globSync("src/**/*.ts", { cwd: root }))
  if (!works.test(file)) await import(pathToFileURL(join(root, file)).href);
await demoFolder();
if (isDescribed()) await description();
