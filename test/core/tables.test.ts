import { suite } from "uvu";
import * as assert from "uvu/assert";
import { aligned, tabled } from "../../src/core/tables.ts";

const tables = suite("tables of the commands");

tables("stand straight with Chinese, Japanese and Korean names, composed or not, and with emoji", () => {
  const names = [
    "Ada",
    "\u738b\u5c0f\u660e",
    "\uae40\ubbfc\uc218",
    "\uae40\ubbfc\uc218".normalize("NFD"),
    "\u30ab\u3099\uff41",
    "\u{1f3ac}",
    "\u2764\ufe0f",
    "Zoe\u0301",
  ];
  const columns = [3, 6, 6, 6, 4, 2, 2, 3]; // of a terminal, by hand
  const lines = aligned(names.map((name) => [name, "|"]));
  assert.equal(
    lines.map((line, at) => line.slice(0, -1).length - (names[at] ?? "").length + (columns[at] ?? 0)),
    names.map(() => 6 + 2),
  );
});

tables("have a header, a sign for what is absent, and no spaces at the ends of lines", () => {
  const rows = [
    { id: 1, name: "\u738b", episode: null },
    { id: 12, name: "Ada", episode: ["101", "102"] },
  ];
  assert.equal(tabled(rows, ["id", "name", "episode"]), ["id  name  episode", "1   \u738b    -", "12  Ada   101 102"]);
});

tables.run();
