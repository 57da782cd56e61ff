// Temporary directories for tests.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty directory under the system's temporary one. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "tallylight-test-"));
