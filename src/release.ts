// The release of this program.
import { readFileSync } from "node:fs";

/** As in package.json. */
export const release: string = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
