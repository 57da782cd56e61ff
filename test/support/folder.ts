// Temporary directories for tests.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty directory under the system's temporary one. */
export const temporaryFolder = (place = tmpdir()): string => mkdtempSync(join(place, "tallylight-test-"));

/** One on the disk: a run of the tests has its others in memory. */
export const folderOnDisk = (): string => temporaryFolder(process.env.TEST_DISK);
