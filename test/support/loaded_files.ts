// Preloaded into a process on Node: writes the address of each file that the process loads as a program to the file
// LOADED_FILES.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) appendFileSync(process.env.LOADED_FILES as string, `${url}\n`);
    return next(url, context);
  },
});
