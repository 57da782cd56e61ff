// The importers of schedules of other programs, by extension.
import type { ListImporter } from "../paperwork/importers.ts";
import { readMsd } from "./msd.ts";
import { readSex } from "./sex.ts";
import { readUss } from "./uss.ts";

const importerWith = (read: ListImporter["read"]): ListImporter => ({ kind: "list", read });

export const importers: Readonly<Record<string, ListImporter>> = {
  ".uss": importerWith(readUss),
  ".sex": importerWith(readSex),
  ".msd": importerWith(readMsd),
};
