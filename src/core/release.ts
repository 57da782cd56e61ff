// The release of the program, as package.json names it, and how a person calls the program.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "./spelling.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isCheckout = import.meta.url.endsWith(".ts");

/** The program as it is typed in this folder. Outside the checkout, npx would ask the public registry. */
export function typedProgram(): string {
  if (!isCheckout) return "tallylight";
  return join(process.cwd(), "/") === root ? "npx tallylight" : shellWord(join(root, "bin/tallylight.js"));
}

/** A command line with the data directory, unless that is the usual one. */
export const typedCommand = (words: string, data: string): string =>
  [typedProgram(), words, ...(join(data) === "data" ? [] : ["--data", shellWord(data)])].join(" ");

export const release: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
