// tallylight upgrade check: says what the start of this version would do to a data directory.
import { checkUpgrade, upgradeSentences } from "../store/upgrade.ts";
import type { Command } from "./arguments.ts";
import { requireData } from "./data.ts";

const check: Command = {
  words: "upgrade check",
  summary:
    "says which migrations are pending, how long they take, and whether the disk has space for the copy before them; a server may be running",
  run(args) {
    requireData(args.data);
    const result = checkUpgrade(args.data);
    return { document: result, lines: upgradeSentences(result), failed: !result.fits };
  },
};

export const commands: readonly Command[] = [check];
