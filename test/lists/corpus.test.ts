// Lists as other programs write them, read by the program and by a second reader, and compared field by field.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import { guessKind } from "../../src/features/lists/kind_guess.ts";
import type { DateOrder, PaperDocument } from "../../src/features/paperwork/partial.ts";
import { assertCounted, showCounts } from "../support/counted.ts";
import { assertCountedDamaged } from "../support/damaged_files.ts";
import { names, readList } from "../support/lists.ts";
import {
  dateIn,
  germanAmount,
  groupedBy,
  monthDate,
  parts,
  rangeIn,
  recordsOf,
  textOf,
  timeIn,
} from "../support/second_list_reader.ts";

type Row = Record<string, string>;
interface Sample {
  file: string;
  kind: ListKind;
  delimiter?: string;
  dates?: DateOrder;
  /** Rows and columns that are seen, taken and named. */
  rows: readonly [seen: number, taken: number, named: number];
  columns: readonly [seen: number, taken: number, named: number];
  /** What the second reader makes of the rows, and what of the program's document is compared with that. */
  second(rows: readonly Row[]): unknown;
  first(document: PaperDocument): unknown;
}

const known = names({
  scenes: ["1", "2", "3", "3A"],
  assets: [
    { label: "Ines", kind: "character", cast_number: "1" },
    { label: "Oma", kind: "character", cast_number: "2" },
  ],
  people: ["Ada Lund", "Seán O’Brien"],
  departments: [
    { slug: "licht", name: "Licht" },
    { slug: "art", name: "Art" },
    { slug: "accessoires", name: "Accessoires" },
  ],
});
const cast: Record<string, string> = { 1: "Ines", 2: "Oma" };

const kinds: Record<string, string> = {
  ...{
    Character: "character",
    Characters: "character",
    Prop: "prop",
    Props: "prop",
    prop: "prop",
    wardrobe: "costume",
  },
  ...{
    "Cast Members": "character",
    Vehicles: "vehicle",
    Requisite: "prop",
    Spielfahrzeug: "vehicle",
    Kostüm: "costume",
  },
  ...{ vehicle: "vehicle", Vehicle: "vehicle", Environment: "location", FX: "effect" },
};
const slugs: Record<string, string> = {
  ...{ Art: "art", Wardrobe: "wardrobe", Marine: "marine", Lighting: "lighting", Grip: "grip", Camera: "camera" },
  ...{ Kostüm: "kostum", Lumière: "lumiere", Machinerie: "machinerie", Décoration: "decoration" },
  ...{ Licht: "licht", Accessoires: "accessoires" },
  ...{ Kamera: "kamera", Licht: "licht", Ausstattung: "ausstattung" },
};
const assets = ({ assets = [] }: PaperDocument) => assets.map(({ label, kind }) => [label, kind]);
const people = ({ people = [] }: PaperDocument) => people.map(({ name, role, department }) => [name, role, department]);
const daysOf = ({ schedule = [], scenes = [] }: PaperDocument) => [
  schedule.map(({ day_number, date, general_call, location, scenes }) => [
    day_number,
    date,
    general_call,
    location,
    scenes,
  ]),
  scenes.map(({ number, elements, assets }) => [number, elements?.pages, elements?.cast ?? assets]),
];

/** A schedule with one row for each strip, whose columns are called so; `cast` are numbers of the cast list. */
const schedule = (
  file: string,
  order: "dmy" | "mdy",
  columns: Sample["columns"],
  [day, date, call, location, scene, pages, numbers]: readonly (string | undefined)[],
  delimiter = ";",
): Sample => ({
  file,
  kind: "schedule",
  delimiter,
  dates: order,
  rows: [3, 3, 0],
  columns,
  second: (rows) => [
    groupedBy(rows, (row) => row[day ?? ""] ?? "").map(([number, strips]) => [
      ...[Number(number), monthDate(strips[0]?.[date ?? ""] ?? "") ?? dateIn(strips[0]?.[date ?? ""] ?? "", order)],
      ...[call && timeIn(strips[0]?.[call] ?? ""), location && strips[0]?.[location]],
      strips.map((row) => row[scene ?? ""]),
    ]),
    rows.map((row) => [row[scene ?? ""], row[pages ?? ""], parts(row[numbers ?? ""] ?? "").map((id) => cast[id])]),
  ],
  first: daysOf,
});

/** A cast list with these columns. */
const castList = (
  file: string,
  columns: Sample["columns"],
  [number = "", character = "", performer = "", scenes = ""]: readonly string[],
  delimiter = ";",
): Sample => ({
  file,
  kind: "cast",
  delimiter,
  rows: [3, 3, 0],
  columns,
  second: (rows) =>
    rows.map((row) => [row[number], row[character], row[performer] || undefined, rangeIn(row[scenes] ?? "")]),
  first: ({ assets = [] }) =>
    assets.map(({ cast_number, label, performer, scenes }) => [cast_number, label, performer, scenes]),
});

const heading: Row = { INNEN: "INT", AUSSEN: "EXT", "INNEN/AUSSEN": "INT/EXT", "I/E": "INT/EXT" };
/** A list of scenes with these columns. */
const sceneList = (
  file: string,
  [scene = "", int = "", set = "", time = "", pages = "", day = "", synopsis = ""]: readonly string[],
  delimiter = ";",
): Sample => ({
  file,
  kind: "scenes",
  delimiter,
  rows: [3, 3, 0],
  columns: [7, 7, 0],
  second: (rows) =>
    rows.map((row) => [
      ...[row[scene], heading[row[int] ?? ""] ?? row[int], row[set], row[time], row[pages], row[day]],
      row[synopsis] || undefined,
    ]),
  first: ({ scenes = [] }) =>
    scenes.map(({ number, synopsis, elements: { int_ext, set, time_of_day, pages, script_day } = {} }) => [
      ...[number, int_ext, set, time_of_day, pages, script_day, synopsis],
    ]),
});

/** A crew list with these columns; `names` are joined. */
const crew = (
  file: string,
  columns: Sample["columns"],
  [role = "", department = "", ...names]: readonly string[],
  delimiter = ";",
): Sample => ({
  file,
  kind: "people",
  delimiter,
  rows: [3, 3, 0],
  columns,
  second: (rows) =>
    rows.map((row) => [names.map((name) => row[name]).join(" "), row[role], slugs[row[department] ?? ""]]),
  first: people,
});

const deliveryWords: Row = {
  ...{ extern: "external", externe: "external", external: "external" },
  ...{ intern: "internal", interne: "internal", internal: "internal" },
  ...{ offen: "draft", brouillon: "draft", draft: "draft", "in Vorbereitung": "draft", "in preparation": "draft" },
  ...{ gesendet: "sent", envoyé: "sent", delivered: "sent", sent: "sent", "ready to send": "ready" },
  ...{ abgenommen: "accepted", accepted: "accepted" },
};
/** A list of deliveries with these columns; without a column of kinds they are external. */
const deliveryList = (
  file: string,
  columns: Sample["columns"],
  [title = "", kind = "", due = "", to = "", scenes = "", status = ""]: readonly string[],
  delimiter = ";",
): Sample => ({
  file,
  kind: "deliveries",
  delimiter,
  ...(delimiter === ";" && { dates: "dmy" as const }),
  rows: [2, 2, 0],
  columns,
  second: (rows) =>
    rows.map((row) => [
      ...[row[title], kind === "" ? "external" : deliveryWords[row[kind] ?? ""]],
      monthDate(row[due] ?? "") ?? (/^\d{4}-/.test(row[due] ?? "") ? row[due] : dateIn(row[due] ?? "", "dmy")),
      ...[parts(row[scenes] ?? ""), slugs[row[to] ?? ""] ?? row[to], deliveryWords[row[status] ?? ""]],
    ]),
  first: ({ deliveries = [] }) =>
    deliveries.map(({ title, kind, due, scenes, to_department, external_to, status }) => [
      ...[title, kind, due, scenes, to_department ?? external_to, status],
    ]),
});

const samples: readonly Sample[] = [
  {
    file: "kitsu_assets.csv",
    kind: "assets",
    rows: [4, 4, 0],
    columns: [8, 2, 6],
    second: (rows) => rows.map((row) => [row.Name, kinds[row.Type ?? ""]]),
    first: assets,
  },
  {
    file: "shotgrid_assets.csv",
    kind: "assets",
    rows: [4, 4, 0],
    columns: [8, 3, 5],
    second(rows) {
      const statuses: Row = { ip: "active", wtg: "planned", fin: "done", hld: "blocked" };
      return rows.map((row) => [row["Asset Name"], kinds[row.Type ?? ""], statuses[row.Status ?? ""]]);
    },
    first: ({ assets = [] }) => assets.map(({ label, kind, status }) => [label, kind, status]),
  },
  {
    file: "google_sheets_assets.csv",
    kind: "assets",
    rows: [3, 3, 0],
    columns: [5, 3, 2],
    second: (rows) => rows.map((row) => [row.Name, kinds[row.Cat ?? ""], slugs[row.Dept ?? ""]]),
    first: ({ assets = [] }) => assets.map(({ label, kind, department }) => [label, kind, department]),
  },
  {
    file: "movie_magic_sheets.csv",
    kind: "breakdown",
    rows: [3, 3, 0],
    columns: [13, 7, 6],
    second(rows) {
      const columns = ["Props", "Vehicles", "Special Effects"];
      return rows.flatMap((row) =>
        parts(row["Scene(s)"] ?? "").map((scene, _, all) => [
          scene,
          all.length === 1 ? row["Page Count"] : undefined,
          [...parts(row["Cast IDs"] ?? "").map((id) => cast[id]), ...columns.flatMap((one) => parts(row[one] ?? ""))],
        ]),
      );
    },
    first: ({ scenes = [] }) => scenes.map(({ number, elements, assets }) => [number, elements?.pages, assets]),
  },
  {
    file: "gorilla_strips.csv",
    kind: "schedule",
    dates: "mdy",
    rows: [3, 3, 0],
    columns: [10, 7, 3],
    second: (rows) => [
      groupedBy(rows, (row) => row["Shoot Day"] ?? "").map(([day, strips]) => [
        ...[Number(day), dateIn(strips[0]?.["Shoot Date"] ?? "", "mdy"), timeIn(strips[0]?.["Call Time"] ?? "")],
        ...[strips[0]?.Location, strips.map((row) => row["Scene No"])],
      ]),
      rows.map((row) => [row["Scene No"], row["Page Count"], parts(row["Cast Numbers"] ?? "").map((id) => cast[id])]),
    ],
    first: daysOf,
  },
  {
    file: "excel_french_schedule.csv",
    kind: "schedule",
    delimiter: ";",
    dates: "dmy",
    rows: [3, 3, 0],
    columns: [9, 6, 3],
    second: (rows) => [
      groupedBy(rows, (row) => row.Jour ?? "").map(([day, strips]) => [
        ...[Number(day), dateIn(strips[0]?.Date ?? "", "dmy"), timeIn(strips[0]?.Convocation ?? "")],
        ...[undefined, strips.map((row) => row.Séquence)],
      ]),
      rows.map((row) => [row.Séquence, row["Nb de pages"], parts(row.Rôles ?? "")]),
    ],
    first: daysOf,
  },
  {
    file: "excel_german_orders.csv",
    kind: "purchase-orders",
    delimiter: ";",
    rows: [3, 2, 1],
    columns: [8, 8, 0],
    second(rows) {
      const statuses: Row = { offen: "open", bezahlt: "closed" };
      return rows
        .filter((row) => row.Bestellnummer !== "Summe")
        .map((row) => [
          ...[row.Bestellnummer, dateIn(row.Datum ?? "", "dmy"), row.Lieferant, row.Beschreibung, row.Konto],
          ...[slugs[row.Abteilung ?? ""], germanAmount(row.Betrag ?? ""), statuses[row.Status ?? ""]],
        ]);
    },
    first: ({ purchase_orders = [] }) =>
      purchase_orders.map(({ number, date, vendor, description, account, department, amount, status }) => [
        ...[number, date, vendor, description, account, department, amount, status],
      ]),
  },
  {
    file: "yamdu_schedule.csv",
    kind: "schedule",
    delimiter: ";",
    dates: "dmy",
    rows: [3, 3, 0],
    columns: [6, 5, 1],
    second: (rows) => [
      groupedBy(rows, (row) => row.Drehtag ?? "").map(([day, strips]) => [
        ...[Number(day), dateIn(strips[0]?.Datum ?? "", "dmy"), timeIn(strips[0]?.Drehbeginn ?? "")],
        ...[undefined, strips.map((row) => row.Szene)],
      ]),
      rows.map((row) => [row.Szene, row.Seiten, undefined]),
    ],
    first: daysOf,
  },
  {
    file: "studiobinder_breakdown.csv",
    kind: "breakdown",
    rows: [4, 4, 0],
    columns: [5, 3, 2],
    second: (rows) =>
      groupedBy(rows, (row) => row.Scene ?? "").map(([scene, own]) => [
        scene,
        own.filter((row) => row.Category !== "Stunts").map((row) => row.Element),
        own.filter((row) => row.Category === "Stunts").map((row) => row.Element),
      ]),
    first: ({ scenes = [] }) => scenes.map(({ number, assets, elements }) => [number, assets, elements?.stunts ?? []]),
  },
  {
    file: "movie_magic_costs.csv",
    kind: "cost-report",
    rows: [4, 3, 1],
    columns: [7, 7, 0],
    second(rows) {
      const amount = (text = "") => Number(text.replaceAll(",", "").replace(/^\((.*)\)$/, "-$1"));
      const figures = ["Budget", "Actuals to Date", "Estimate to Complete", "Variance"];
      return rows
        .filter((row) => row["Acct No"] !== "Total")
        .map((row) => [row["Acct No"], slugs[row.Dept ?? ""], ...figures.map((name) => amount(row[name]))]);
    },
    first: ({ cost_reports = [] }) =>
      cost_reports.flatMap(({ lines = [] }) =>
        lines.map(({ account, department, budget, figures = {} }) => [
          ...[account, department, budget, figures.actuals_to_date],
          ...[figures.estimate_to_complete, figures.variance],
        ]),
      ),
  },
  {
    file: "google_sheets_approvals.csv",
    kind: "approvals",
    rows: [2, 2, 0],
    columns: [6, 6, 0],
    second: (rows) =>
      rows.flatMap((row) =>
        (row.Approver ?? "")
          .split("; ")
          .map((person) => [
            row.Title,
            row.Scene,
            row.Due,
            person,
            row.Status?.toLowerCase(),
            row.Comment || undefined,
          ]),
      ),
    first: ({ approvals = [] }) =>
      approvals.flatMap(({ title, scene, due, steps = [] }) =>
        steps.map(({ person, status, note }) => [title, scene, due, person, status, note]),
      ),
  },
  {
    file: "excel_french_departments.csv",
    kind: "departments",
    delimiter: ";",
    rows: [2, 2, 0],
    columns: [3, 3, 0],
    second: (rows) => rows.map((row) => [row.Département, row.Groupe, [row.Rôles]]),
    first: ({ departments = [] }) => departments.map(({ name, cluster, key_roles }) => [name, cluster, key_roles]),
  },
  {
    file: "excel_german_vendors.csv",
    kind: "vendors",
    delimiter: ";",
    rows: [2, 2, 0],
    columns: [3, 1, 2],
    second: (rows) => rows.map((row) => row.Lieferant),
    first: ({ vendors = [] }) => vendors,
  },
  schedule(
    "studiobinder_schedule.csv",
    "mdy",
    [11, 6, 5],
    ["Shoot Day", "Shoot Date", undefined, "Location", "Scene #", "Pages", "Cast ID"],
    ",",
  ),
  schedule(
    "excel_german_schedule.csv",
    "dmy",
    [10, 7, 3],
    ["Drehtag", "Drehdatum", "Arbeitsbeginn", "Drehort", "Bild", "Seiten", "Rollen"],
  ),
  {
    file: "movie_magic_one_liner.csv",
    kind: "schedule",
    rows: [5, 5, 0],
    columns: [8, 3, 5],
    second(rows) {
      const days: unknown[] = [];
      let strips: Row[] = [];
      for (const row of rows) {
        const [, number, date = ""] = /^End of Day # (\d+) -- \w+, (.*) -- /.exec(row.Sheet ?? "") ?? [];
        if (number === undefined) strips.push(row);
        else {
          days.push([Number(number), monthDate(date), undefined, undefined, strips.map((one) => one["Scene(s)"])]);
          strips = [];
        }
      }
      const scenes = rows.filter((row) => row["Scene(s)"] !== "");
      return [
        days,
        scenes.map((row) => [row["Scene(s)"], row.Pages, parts(row["Cast ID"] ?? "").map((id) => cast[id])]),
      ];
    },
    first: daysOf,
  },
  castList("studiobinder_cast.csv", [5, 4, 1], ["Cast ID", "Character", "Actor", "Scenes"], ","),
  castList("gorilla_cast.csv", [7, 4, 3], ["Cast ID", "Character Name", "Actor Name", "Scenes"], ","),
  castList("yamdu_cast.csv", [5, 4, 1], ["Rollennummer", "Rolle", "Darsteller", "Szenen"]),
  castList("excel_german_cast.csv", [5, 4, 1], ["Rollen-Nr", "Rollenname", "Schauspieler/in", "Bilder"]),
  castList("excel_french_cast.csv", [5, 4, 1], ["N° de rôle", "Personnage", "Comédienne", "Séquences"]),
  {
    file: "movie_magic_cast.csv",
    kind: "assets",
    rows: [3, 3, 0],
    columns: [6, 3, 3],
    second: (rows) =>
      rows.map((row) => [row["Board ID"], cast[row["Board ID"] ?? ""] ?? row.Element, kinds[row.Category ?? ""]]),
    first: ({ assets = [] }) => assets.map(({ cast_number, label, kind }) => [cast_number, label, kind]),
  },
  sceneList("celtx_scenes.csv", ["Scene", "Int/Ext", "Set", "Day/Night", "Page Count", "Script Day", "Synopsis"], ","),
  sceneList("yamdu_scenes.csv", ["Szene", "Innen/Außen", "Motiv", "Tageszeit", "Seiten", "Spieltag", "Inhalt"]),
  sceneList("excel_french_scenes.csv", [
    ...["Séquence", "Effet I/E", "Décor", "Jour/Nuit", "Nb de pages", "Jour de récit", "Résumé"],
  ]),
  {
    file: "gorilla_breakdown.csv",
    kind: "breakdown",
    rows: [4, 4, 0],
    columns: [5, 3, 2],
    second: (rows) =>
      groupedBy(rows, (row) => row["Scene No"] ?? "").map(([scene, own]) => [
        scene,
        own.filter((row) => row.Category !== "Stunts").map((row) => row["Element Name"]),
        own.filter((row) => row.Category === "Stunts").map((row) => row["Element Name"]),
      ]),
    first: ({ scenes = [] }) => scenes.map(({ number, assets, elements }) => [number, assets, elements?.stunts ?? []]),
  },
  {
    file: "kitsu_props.csv",
    kind: "assets",
    rows: [3, 3, 0],
    columns: [7, 3, 4],
    second: (rows) => rows.map((row) => [row.Name, kinds[row.Type ?? ""]]),
    first: assets,
  },
  {
    file: "shotgrid_props.csv",
    kind: "assets",
    rows: [3, 3, 0],
    columns: [8, 3, 5],
    second(rows) {
      const statuses: Row = { ip: "active", wtg: "planned", apr: "done" };
      return rows.map((row) => [row["Asset Name"], kinds[row["Asset Type"] ?? ""], statuses[row.Status ?? ""]]);
    },
    first: ({ assets = [] }) => assets.map(({ label, kind, status }) => [label, kind, status]),
  },
  {
    file: "excel_german_assets.csv",
    kind: "assets",
    delimiter: ";",
    rows: [3, 3, 0],
    columns: [5, 4, 1],
    second: (rows) =>
      rows.map((row) => [
        ...[row.Gegenstand, kinds[row.Kategorie ?? ""], slugs[row.Abteilung ?? ""], rangeIn(row.Bilder ?? "")],
      ]),
    first: ({ assets = [] }) => assets.map(({ label, kind, department, scenes }) => [label, kind, department, scenes]),
  },
  crew("studiobinder_contacts.csv", [8, 4, 4], ["Job Title", "Department", "First Name", "Last Name"], ","),
  crew("yamdu_crew.csv", [6, 4, 2], ["Position", "Abteilung", "Vorname", "Nachname"]),
  crew("gorilla_crew.csv", [5, 3, 2], ["Position", "Department", "Full Name"], ","),
  crew("google_sheets_crew.csv", [5, 3, 2], ["Role", "Dept", "Name"], ","),
  crew("excel_german_crew.csv", [7, 3, 4], ["Funktion", "Abteilung", "Name"]),
  crew("excel_french_crew.csv", [6, 4, 2], ["Poste", "Département", "Prénom", "Nom"]),
  deliveryList("excel_german_deliveries.csv", [6, 6, 0], ["Titel", "Art", "Fällig", "Empfänger", "Szenen", "Status"]),
  deliveryList(
    "yamdu_deliveries.csv",
    [6, 6, 0],
    [...["Lieferung", "Typ", "Liefertermin", "Empfänger", "Szenen", "Status"]],
  ),
  deliveryList(
    "excel_french_deliveries.csv",
    [6, 6, 0],
    [...["Livrable", "Nature", "Date limite", "Destinataire", "Séquences", "Statut"]],
  ),
  deliveryList("google_sheets_deliveries.csv", [7, 7, 0], ["Delivery", "Type", "Due", "To", "Scenes", "Status"], ","),
  deliveryList("shotgrid_deliveries.csv", [7, 5, 2], ["Title", "", "Due Date", "Recipient", "Scenes", "Status"], ","),
  deliveryList(
    "studiobinder_deliverables.csv",
    [6, 6, 0],
    ["Deliverable", "", "Deadline", "Client", "Scene Numbers", "State"],
    ",",
  ),
];

const corpus = suite("lists of other programs");
for (const { file, kind, delimiter = ",", dates, rows, columns, second, first } of samples) {
  corpus(`${file} is read as a second reader reads it`, () => {
    const bytes = readFileSync(new URL(`corpus/${file}`, import.meta.url));
    assert.is(guessKind(bytes), kind);
    const reading = readList(kind, bytes, { known, week: "2026-11-30", ...(dates !== undefined && { dates }) });
    const inside = JSON.stringify(second(recordsOf(textOf(bytes), delimiter)));
    assert.is(JSON.stringify(first(reading.document)), inside);
    assertCounted(reading, file);
    showCounts(reading, file);
    const { row, column } = reading.counts;
    assert.equal([row?.seen, row?.taken, row?.named], rows);
    assert.equal([column?.seen, column?.taken, column?.named], columns);
  });

  corpus(`${file} is counted although it is damaged`, () => {
    const bytes = readFileSync(new URL(`corpus/${file}`, import.meta.url));
    assertCountedDamaged(
      (given) => readList(kind, given, { known, week: "2026-11-30", ...(dates !== undefined && { dates }) }),
      bytes,
      file,
    );
  });
}
corpus.run();
