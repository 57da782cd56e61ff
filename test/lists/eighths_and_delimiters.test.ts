// The lengths and the separators of written lists, which spreadsheets in German and French open as they are meant.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { controlsOf, type FieldControl } from "../../src/features/documents/pages/edit/controls.ts";
import { fieldValue } from "../../src/features/documents/pages/edit/values.ts";
import type { FormRefusal } from "../../src/features/pages/refusals.ts";
import { openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { openImports } from "../support/import.ts";
import { openAsAdmin } from "../support/pages.ts";

const text = ["1", "2", "3"].map((number) => `INT. HALL - DAY #${number}#\n\nANNA\nHello.`).join("\n\n");
const script = { name: "white.fountain", text: `Title: A\n\n${text}\n` };
const schedule = (lengths: readonly string[], mark = ","): string =>
  [["Day", "Date", "Scene", "Pages"], ...lengths.map((length, at) => ["1", "2026-05-04", `${at + 1}`, `"${length}"`])]
    .map((row) => row.join(mark))
    .join("\n");
const lengthsOf = async (production: Awaited<ReturnType<typeof openImports>>) =>
  (await production.export()).scenes.map(({ elements }: { elements: { pages: string } }) => elements.pages);
const open = async (...lengths: string[]) => {
  const production = await openImports(script);
  await production.import({ name: "days.csv", text: schedule(lengths) }, { as: "schedule" });
  return production;
};
const written = async (production: Awaited<ReturnType<typeof openImports>>, ...more: string[]) => {
  const { production_id, store } = production;
  const asked = ["--production", String(production_id), "--data", dirname(store.file), ...more];
  return tallylight("export", ...asked);
};

const eighths = suite("an eighth of a page in a list");

eighths("is read in the form of a scene as in a list, and what is none is refused", () => {
  const elements = controlsOf("scenes").find(({ name }) => name === "elements") as FieldControl;
  const saved = (pages: string, former: object) => fieldValue(elements, { "elements.pages": pages }, former);
  for (const pages of ["1 4/8", "1.5", "1 1/2", "1,5"])
    assert.equal(saved(pages, { set: "HALL" }), { set: "HALL", pages: "1 4/8" });
  assert.equal(saved("", { pages: "2", set: "HALL" }), { set: "HALL" });
  assert.equal(saved("as told", { pages: "as told" }), { pages: "as told" }, "what stays is not asked");
  for (const pages of ["abc", "9/8", "0.3"])
    assert.throws(
      () => saved(pages, {}),
      (error: FormRefusal) => error.fields[0] === "elements.pages" && error.message.includes(pages),
    );
});

eighths("is written with its 0, because spreadsheets make a date of 2/8, and stored without", async () => {
  const production = await open("2/8", "1 4/8", "2");
  assert.equal(await lengthsOf(production), ["2/8", "1 4/8", "2"]);
  const { out } = await written(production, "--as", "schedule");
  assert.match(out, /,0 2\/8,/);
  assert.match(out, /,1 4\/8,/);
  const again = await production.import({ name: "days.csv", text: out }, { as: "schedule" });
  assert.equal(again.changes, []);
});

eighths("is read as spreadsheets make it: a fraction, or a decimal that is eighths", async () => {
  for (const lengths of [
    ["0 2/8", "1 1/2", "3/4"],
    ["1/4", "1.5", "0.75"],
    ["0,25", "1 2/4", "0 3/4"],
  ])
    assert.equal(await lengthsOf(await open(...lengths)), ["2/8", "1 4/8", "6/8"], lengths.join());
  for (const length of ["0.3", "1/3", "5/4", "2/1", "1 9/8"]) {
    const refused = await open(length, "1", "1").catch((error) => error);
    assert.match(`${refused.lines ?? refused}`, /is not a number of eighths/, length);
  }
});

eighths.run();

const delimiters = suite("a list with another delimiter");

delimiters("is written by --delimiter, and an import reads it", async () => {
  const production = await open("2/8", "1", "2");
  for (const [given, mark] of [
    [";", ";"],
    ["tab", "\t"],
    ["|", "|"],
  ] as const) {
    const { out, status } = await written(production, "--as", "schedule", "--delimiter", given);
    assert.is(status, 0);
    assert.ok(out.split("\r\n")[0]?.includes(`Day${mark}Date${mark}`), out);
    assert.equal((await production.import({ name: "days.csv", text: out }, { as: "schedule" })).changes, [], given);
    const { out: days } = await written(production, "--as", "day-out-of-days", "--delimiter", given);
    assert.match(days, new RegExp(`^\ufeffNo\\.[${mark}]Character`));
  }
});

delimiters("is misuse with another character, without a list, and with a script", async () => {
  const production = await open("1", "1", "1");
  for (const more of [
    ["--as", "schedule", "--delimiter", "x"],
    ["--delimiter", ";"],
    ["--as", "fountain", "--delimiter", ";"],
  ]) {
    const { status, err } = await written(production, ...more);
    assert.is(status, 2, more.join(" "));
    assert.match(err, /--delimiter/);
  }
});

delimiters("is offered by the pages of the cast and the board", async () => {
  const production = await open("1", "1", "1");
  const server = await openTestServer({ data: dirname(production.store.file) });
  const admin = await openAsAdmin(server, production.production_id);
  assert.match(await admin.text("/cast"), /href="\/cast\.csv\?delimiter=%3B"/);
  assert.match(await admin.text("/cast.csv?delimiter=%3B"), /^No\.;Character;/m);
  assert.match(await admin.text("/cast.csv"), /^No\.,Character,/m);
  assert.match(await admin.text("/schedule"), /href="\/schedule\.csv\?delimiter=%3B"/);
  assert.match(await admin.text("/schedule.csv"), /^Day,Unit,Date,Call,Location,Scene,.*\r?\n1,,\d{4}-\d\d-\d\d,/m);
  await server.stop();
});

delimiters.run();
