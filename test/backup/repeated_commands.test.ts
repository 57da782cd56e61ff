// A backup into a file that exists, a restore into a folder that is not empty, and what was restored compared with an
// export.
// Thorough: only --all runs it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openTestServer, temporaryFolder } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

const server = await openTestServer();

testRepeatedCalls(server, "backups that are made again", (calls) => {
  const { command, production_id } = calls;
  const backup = join(temporaryFolder(), "a.backup");
  const copy = join(temporaryFolder(), "copy");
  /** Exports a production with its media. Returns the path of the document. */
  const exported = async (): Promise<string> => {
    const out = temporaryFolder();
    await command("export", "--production", String(production_id), "--out", out);
    return join(out, readdirSync(out).find((name) => name.endsWith(".json")) as string);
  };
  return {
    backups: [
      ["a backup", () => command("backup", backup), /the database and \d+ media/],
      ["the same file again", () => command("backup", backup), /already exists; name another file/, quiet],
      ["restored", async () => (await tallylight("restore", backup, "--data", copy)).out, /^restored the backup/],
      [
        "restored again into the same folder",
        async () => (await tallylight("restore", backup, "--data", copy)).err,
        /is not empty .*; nothing was changed/,
      ],
      [
        "what was restored is the same",
        async () =>
          (
            await tallylight(
              "import",
              await exported(),
              "--production",
              String(production_id),
              "--exact",
              "--data",
              copy,
            )
          ).out,
        /nothing changes/,
      ],
    ],
  };
});
