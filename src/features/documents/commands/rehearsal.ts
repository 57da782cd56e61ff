// An empty data directory for a dry run that has none.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Data, makeData } from "../../../core/data_directory.ts";
import { CliError } from "../../../core/errors.ts";
import { causeOf } from "../../../core/system_errors.ts";

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "tallylight-"));
  } catch (error) {
    throw new CliError(
      `a dry run without a data directory needs a temporary folder, and ${tmpdir()} cannot be written: ${causeOf(error)}`,
    );
  }
}

/** Opens an empty temporary data directory for a dry run. Closing it removes it. */
export async function rehearseData(): Promise<Data> {
  const folder = temporaryFolder();
  const data = await makeData(folder);
  return {
    ...data,
    close() {
      data.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
