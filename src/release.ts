// The release of the program, as package.json names it.
import { readFileSync } from "node:fs";

export const release: string = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
