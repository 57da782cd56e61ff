// Prints the packages for this platform that the lock file of a folder has and that are not installed there, and fails
// if there are any: `node .ci/left_out.js`, in the folder. It runs on Node 20 and needs no package.
import { existsSync, readFileSync } from "node:fs";

const { glibcVersionRuntime } = process.report.getReport().header;
const libc = glibcVersionRuntime === undefined ? "musl" : "glibc";
const fits = (allowed, own) => allowed === undefined || allowed.includes(own);
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const leftOut = Object.entries(packages)
  .filter(([, one]) => one.os !== undefined && one.cpu !== undefined)
  .filter(([, one]) => fits(one.os, process.platform) && fits(one.cpu, process.arch) && fits(one.libc, libc))
  .map(([path]) => path)
  .filter((path) => !existsSync(path));
for (const path of leftOut) console.error(`npm left out ${path}`);
if (leftOut.length > 0) process.exitCode = 1;
