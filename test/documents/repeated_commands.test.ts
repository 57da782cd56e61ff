// import, export and set, when a command comes again or names a production or a person by the former name.
// Thorough: only --all runs it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openTestServer, temporaryFolder } from "../support/app.ts";
import { quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

const server = await openTestServer();

testRepeatedCalls(server, "commands that come again", (calls) => {
  const { production_id, title, command, post, update, changes, s, keep, admin } = calls;

  /** Exports a production with its media. Returns the path of the document. */
  const exported = async (): Promise<string> => {
    const out = temporaryFolder();
    await command("export", "--production", String(production_id), "--out", out);
    return join(out, readdirSync(out).find((name) => name.endsWith(".json")) as string);
  };
  return {
    productions: [
      ["an export", async () => basename(await keep("file", exported())), /\.json$/],
      [
        "it as a new production",
        () => command("import", s.file),
        /production.title is taken: production \d+ is .* already; --production \d+ updates it/,
        quiet,
      ],
      [
        "into itself",
        async () => {
          const { people } = JSON.parse(readFileSync(s.file, "utf8"));
          s.people = join(dirname(s.file), "people.json");
          writeFileSync(s.people, JSON.stringify({ people }));
          return command("import", s.file, "--production", String(production_id), "--exact");
        },
        /nothing changes/,
        quiet,
      ],
      [
        "its people again, by its title",
        () => command("import", s.people, "--production", title),
        /nothing changes/,
        quiet,
      ],
      [
        "renamed and named by the former title",
        async () => {
          await update({ production: { title: `${title} II` } });
          return command("import", s.people, "--production", title);
        },
        /there is no production/,
      ],
      ["the former title", () => changes({ production: { title } }), 1],
      [
        "over the API with one Idempotency-Key, twice",
        async () => {
          const body = { people: [{ name: "Ada Twice", role: "Grip" }] };
          const both = [
            await post("/admin/import", body, admin, { "idempotency-key": "import-1" }),
            await post("/admin/import", body, admin, { "idempotency-key": "import-1" }),
          ];
          return both.map(({ counts }) => counts.added);
        },
        [1, 1],
      ],
      ["the same without it", () => changes({ people: [{ name: "Ada Twice", role: "Grip" }] }), 0, quiet],
      [
        "set",
        () => command("set", "people", "Ada Twice", "role=Gaffer", "--production", String(production_id)),
        /role: Grip -> Gaffer/,
      ],
      [
        "set again",
        () => command("set", "people", "Ada Twice", "role=Gaffer", "--production", String(production_id)),
        /nothing changes/,
        quiet,
      ],
      [
        "the history of set, which names fields without their values",
        () => command("history", "--production", String(production_id)),
        /set people Ada Twice role(?!=)/,
        quiet,
      ],
      [
        "set under a former name",
        async () => {
          await command("set", "people", "Ada Twice", "name=Ada Thrice", "--production", String(production_id));
          return command("set", "people", "Ada Twice", "role=Grip", "--production", String(production_id));
        },
        /there is no person "Ada Twice"/,
      ],
    ],
  };
});
