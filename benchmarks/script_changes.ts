// FORMER=/path/to/checkout node benchmarks/script_changes.ts: what a next draft costs beside another checkout, such as
// that of a release: the draft, the same again, the approval of all, its undo, and the approval of renames of
// characters. SCENES=2000.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { compare, measure } from "./compared_commands.ts";

const scenes = Number(process.env.SCENES ?? 2000);

/** A script whose scenes have text of 60 words and two of the characters. */
function draft(nameOf: (at: number) => string, textOf: (at: number) => string): string {
  const list = Array.from({ length: scenes }, (_, at) => {
    const words = Array.from({ length: 60 }, (_, word) => `w${(at * 31 + word * 7) % 997}`).join(" ");
    const [one, other] = [nameOf(at), nameOf(at + 1)];
    return `INT. ROOM ${at} - DAY #${at + 1}#\n\n${words} ${textOf(at)}.\n\n${one}\nI say ${at}.\n\n${other}\nAnd I.\n`;
  });
  return ["Title: Large", "", ...list].join("\n");
}

const characters = Math.ceil(scenes / 5);
const plain = (at: number) => `PERSON ${at % characters}`;
const renamed = (at: number) => `OTHER ${at % characters}`;
const folder = temporaryFolder();
const put = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const first = put(
  "first.fountain",
  draft(plain, () => "one"),
);
const next = put(
  "next.fountain",
  draft(plain, (at) => (at % 2 === 0 ? "two" : "one")),
);
const names = put(
  "names.fountain",
  draft(renamed, () => "one"),
);

compare(`${scenes} scenes`, (name, note) => {
  const [base, data] = [join(folder, "base"), join(folder, "data")];
  const of = (where: string, ...argv: string[]) => [...argv, "--data", where];
  const update = (file: string) => of(data, "import", file, "--production", "1");
  const all = of(data, "script-changes", "approve", "--all", "--production", "1");
  note("first draft", measure(name, of(base, "import", first)));
  cpSync(base, data, { recursive: true });
  note("next draft", measure(name, update(next)));
  note("the same again", measure(name, update(next)));
  const { change_set = "" } = note("approve all", measure(name, all));
  note("undo", measure(name, of(data, "undo", change_set)));
  rmSync(data, { recursive: true });
  cpSync(base, data, { recursive: true });
  note(`draft of ${characters} renames`, measure(name, update(names)));
  note("approve renames", measure(name, all));
  for (const one of [base, data]) rmSync(one, { recursive: true });
});
rmSync(folder, { recursive: true });
