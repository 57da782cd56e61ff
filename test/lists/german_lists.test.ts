// Lists as people in Germany and France write them: headings, totals, dates with points, people who are listed twice,
// and unknown columns.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import { guessKind, readAsEach } from "../../src/features/lists/kind_guess.ts";
import { knownKinds, listOfKind } from "../../src/features/lists/lists.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { documentOf, names, problemsOf, silverButton, warningsOf } from "../support/lists.ts";

const known = names({ scenes: ["1", "2"], people: [{ name: "Ada Lund", role: "Gaffer" }], assets: ["Lampe"] });
const read = (kind: ListKind, text: string) => documentOf(kind, text, { known });
const warned = (kind: ListKind, text: string) => warningsOf(kind, text, { known });

const headings = suite("headings in German and French");

headings("are those of a crew list, whose column of names has the last ones beside first ones", () => {
  const german = "Vorname;Name;Funktion;Abteilung;Telefon\nJörg;Müller;Oberbeleuchter;Licht;0151\n";
  const french = "Nom;Prénom;Fonction;Département\nRoy;Zoé;Chef électricien;Lumière\n";
  assert.equal(read("people", german).people, [{ name: "Jörg Müller", role: "Oberbeleuchter", department: "licht" }]);
  assert.equal(read("people", french).people, [{ name: "Zoé Roy", role: "Chef électricien", department: "lumiere" }]);
});

headings("are those of a schedule, of deliveries, of a cast and of orders", () => {
  const [day] = read("schedule", "Drehtag;Datum;Bild;Drehort\n1;Mo 05.01.2026;1;Hafen\n").schedule ?? [];
  assert.equal([day?.day_number, day?.date, day?.scenes, day?.location], [1, "2026-01-05", ["1"], "Hafen"]);
  const [jour] = read("schedule", "Jour de tournage;Date;Séquences;Lieu\n2;6 janvier 2026;2;Port\n").schedule ?? [];
  assert.equal([jour?.day_number, jour?.date, jour?.scenes], [2, "2026-01-06", ["2"]]);
  for (const heading of ["Notiz", "Bemerkung", "Anmerkungen", "Commentaires", "Remarque"]) {
    const noted = `Day,Date,Scenes,${heading}\n1,2026-01-05,1,Nass\n`;
    assert.is(read("schedule", noted).schedule?.[0]?.notes, "Nass", heading);
  }
  const [delivery] = read("deliveries", "Lieferung,Fällig,Szenen\nRiff,05.12.2026,1\n").deliveries ?? [];
  assert.equal([delivery?.title, delivery?.due, delivery?.scenes], ["Riff", "2026-12-05", ["1"]]);
  const [livraison] = read("deliveries", "Livraison,Échéance\nRécif,05.12.2026\n").deliveries ?? [];
  assert.equal([livraison?.title, livraison?.due], ["Récif", "2026-12-05"]);
  const [role] = read("cast", "Rollen-Nr;Rolle;Darsteller\n7;MARA;Eva Klein\n").assets ?? [];
  assert.equal([role?.cast_number, role?.label, role?.performer], ["7", "MARA", "Eva Klein"]);
  const order =
    "Bestellung;Datum;Lieferant;Beschreibung;Konto;Betrag;Status\nB1;05.12.2026;Nord;Seil;2700;1.200,50;open\n";
  assert.equal(read("purchase-orders", order).purchase_orders?.[0]?.amount, 1200.5);
  for (const heading of ["Währung", "Devise", "Monnaie"]) {
    const paid = order.replace(";Status", `;Status;${heading}`).replace(";open", ";open;chf");
    assert.is(read("purchase-orders", paid).purchase_orders?.[0]?.currency, "CHF", heading);
  }
});

headings("stand above hours alone, and above lengths with a decimal comma, as spreadsheets write them", () => {
  const german = "Drehtag;Datum;Bild;Arbeitsbeginn;Drehschluss;Seiten\n1;05.01.2026;1;7 Uhr;19.30 Uhr;1,875\n";
  const { schedule: [day] = [], scenes: [scene] = [] } = read("schedule", german);
  assert.equal([day?.general_call, day?.wrap, scene?.elements?.pages], ["07:00", "19:30", "1 7/8"]);
  const french = "Jour;Date;Séquences;Convocation;Fin;Longueur\n1;05.01.2026;1;8h;19h;0,5\n";
  const { schedule: [jour] = [], scenes: [plan] = [] } = read("schedule", french);
  assert.equal([jour?.general_call, jour?.wrap, plan?.elements?.pages], ["08:00", "19:00", "4/8"]);
  const calls = "Drehtag;Datum;Bild;Einzelcalls\n1;05.01.2026;1;8 Uhr Ada Lund\n";
  assert.equal(read("schedule", calls).schedule?.[0]?.calls, [{ who: "Ada Lund", time: "08:00" }]);
  const fraction = "Drehtag;Datum;Bild;Arbeitsbeginn\n1;05.01.2026;1;0.25\n";
  assert.equal(problemsOf("schedule", fraction, { known }), [
    'line 2, column Arbeitsbeginn: "0.25" is not a time of day',
  ]);
  const wrong = "Jour;Date;Séquences;Convocation;Longueur\n1;05.01.2026;1;25h;0,3\n";
  assert.equal(problemsOf("schedule", wrong, { known }), [
    'line 2, column Convocation: "25h" is not a time of day',
    'line 2, column Longueur: "0,3" is not a number of eighths',
  ]);
});

headings("without umlauts are the same", () => {
  assert.is(read("deliveries", "Lieferung,Faellig\nRiff,05.12.2026\n").deliveries?.[0]?.due, "2026-12-05");
});

headings.run();

const totals = suite("a total");
const total: Record<ListKind, string> = {
  schedule: "Day,Date,Scene\n1,2026-01-05,1\nTotal,,\n",
  people: "Name,Role\nAda Lund,Gaffer\nSumme: 1,\n",
  vendors: "Vendor\nNord\nTotal 1\n",
  deliveries: "Delivery,Due\nRiff,2026-12-05\nTOTAL,\n",
  assets: "Asset,Kind\nLampe,prop\nGesamt,\n",
  "purchase-orders":
    "PO,Date,Vendor,Description,Account,Amount,Status\nB1,2026-12-05,Nord,Seil,2700,10.00,open\n,,Summe,,,EUR 10.00,\n",
  "cost-report": "Account,Department,Budget,Week\n2700,camera,10.00,2026-01-05\nTotal,,10.00,\n",
  scenes: "Scene,Slugline\n1,INT. HUT - DAY\nTotal,\n",
  breakdown: "Scene,Category,Element\n1,Props,Lampe\nTotal,,\n",
  cast: "Character,Actor\nMARA,Eva Klein\nTotal 1,\n",
  departments: "Department\nLicht\nZwischensumme\n",
  approvals: "Approval,Person\nLook,Ada Lund\nGrand Total,\n",
};

for (const kind of knownKinds)
  totals(`is skipped in a list of the kind ${kind}, and said`, () => {
    const without = total[kind].replace(/[^\n]*\n$/, "");
    assert.equal(read(kind, total[kind]), read(kind, without));
    assert.match(
      warned(kind, total[kind]).join("\n"),
      /^line 3: ".*(?:otal|umme|esamt|OTAL).*" is a total and was skipped$/m,
    );
  });

totals("may be one of pages", () => {
  const text = "Day,Date,Scene,Pages\n1,2026-01-05,1,1\n";
  assert.equal(read("schedule", `${text}TOTAL PAGES,,,1\n`), read("schedule", text));
  assert.match(warned("schedule", `${text}TOTAL PAGES,,,1\n`).join(), '"TOTAL PAGES" is a total and was skipped');
});

totals("is none where it is a part of a name", () => {
  assert.equal(read("people", "Name,Role\nAda Lund,Gaffer\nTotal Recall,Stunts\n").people?.length, 2);
});

totals.run();

const twice = suite("a person who is listed twice");

twice("with the same facts is one, and said; with others it is a problem", () => {
  const rows = "Name,Role\nBen Okri,Grip\nAda Lund,Gaffer\n";
  assert.equal(read("people", `${rows}BEN  OKRI,Grip\n`).people?.length, 2);
  assert.equal(warned("people", `${rows}BEN  OKRI,Grip\n`), [
    'line 4: "BEN OKRI" is listed again with the same facts as on line 2, and was skipped',
  ]);
  assert.equal(problemsOf("people", `${rows}Ben Okri,Driver\n`, { known }), [
    'line 4: "Ben Okri" appears twice, first on line 2; if they are two people, add something to one of the names',
  ]);
});

twice.run();

const unknown = suite("an unknown column");

unknown("is said once, with the field that it may be, and that flag reads it", () => {
  const text = "Name,Kompetenz\nBen Okri,Grip\nCy Rhys,Runner\n";
  assert.equal(problemsOf("people", text, { known }), [
    'line 2: new people need a role, for which the file has no column: "Ben Okri" and 1 more; column Kompetenz is unknown; --map role=Kompetenz',
  ]);
  for (const map of [{ role: "Kompetenz" }, { Kompetenz: "role" }])
    assert.equal(documentOf("people", text, { known, map }).people?.[1], { name: "Cy Rhys", role: "Runner" });
  assert.equal(warned("people", "Name,Kompetenz\nAda Lund,Grip\n"), [
    "column Kompetenz is unknown; --map role=Kompetenz reads it, otherwise it is ignored",
  ]);
  assert.equal(warned("deliveries", "Delivery,Deu Date\nRiff,2026-12-05\n"), [
    'column Deu Date is unknown; --map "due=Deu Date" reads it, otherwise it is ignored',
  ]);
});

unknown("is no department where headings between the rows name the departments", () => {
  const text = "Name,Position,Call\nCAMERA,,\nBen Okri,Grip,07:00\n";
  assert.ok(
    warned("people", text).includes('the column "Call" was ignored: the header is not known; --map says what it means'),
  );
});

unknown.run();

const kinds = suite("a kind of assets");

kinds("is the same in every list, whatever another program calls it", () => {
  for (const category of ["Picture Vehicle(s)", "Picture Vehicles", "picture vehicle", "Vehicles", "Spielfahrzeuge"]) {
    assert.is(read("assets", `Asset,Kind\nVan,${category}\n`).assets?.[0]?.kind, "vehicle", category);
    assert.is(read("breakdown", `Scene,Category,Element\n1,${category},Van\n`).assets?.[0]?.kind, "vehicle", category);
    assert.is(read("breakdown", `Scene,${category}\n1,Van\n`).assets?.[0]?.kind, "vehicle", category);
  }
});

kinds("is what the heading of the names says, where no column says another", () => {
  assert.is(read("assets", "Prop,Scenes\nRope,1\n").assets?.[0]?.kind, "prop");
  assert.is(read("assets", "Item,Scenes\nRope,1\n").assets?.[0]?.kind, "asset");
});

kinds.run();

const effects = suite("inside or outside and the time of day");

effects("may be a letter, and may stand in one column", () => {
  const elementsOf = (text: string) => read("scenes", text).scenes?.[0]?.elements;
  for (const [text, int_ext, time_of_day] of [
    ["Bild;I/A;T/N\n1;A;N\n", "EXT", "N"],
    ["Bild;I/A;T/N\n1;I/A;T\n", "INT/EXT", "T"],
    ["Séquence;Décor;Effet\n1;RUE;EXT/NUIT\n", "EXT", "NUIT"],
    ["Sc,I/E\n1,INT/JOUR\n", "INT", "JOUR"],
    ["Sc,I/E,D/N\n1,INT/JOUR,NIGHT\n", "INT", "NIGHT"],
  ] as const) {
    const { int_ext: side, time_of_day: time } = elementsOf(text) ?? {};
    assert.equal([side, time], [int_ext, time_of_day], text);
  }
  for (const time of ["A.M.", "P.M.", "A/M"])
    assert.equal(elementsOf(`Sc,D/N\n1,${time}\n`), { time_of_day: time }, "no letter of a time is a side");
  const stored = names({ scenes: [{ number: "1", elements: { time_of_day: "INT/JOUR" } }] });
  const kept = documentOf("scenes", "Sc,D/N\n1,INT/JOUR\n", { known: stored }).scenes?.[0]?.elements;
  assert.equal(kept, { time_of_day: "INT/JOUR" }, "what is stored so stays");
});

effects.run();

const guesses = suite("the kind of a list without a name");

guesses("is that of its headings, whatever language they have", () => {
  const meant: readonly [ListKind, ...string[]][] = [
    ["people", "Name,Role", "Vorname;Name;Funktion;Abteilung", "Nom;Prénom;Fonction"],
    ["schedule", "Day,Date,Scene,Set,Cast,Pages", "Drehtag;Datum;Szenen"],
    ["deliveries", "Delivery,Due,Status", "Lieferung;Fällig;An;Status"],
    ["cast", "Character,Actor", "Rollen-Nr;Rolle;Schauspieler;Szenen", "Rollen-Nr.;Rolle;Darsteller;Szenen"],
    ["breakdown", "Scene,Category,Element\n1,Props,Lamp\n2,Props,Lamp", "Szene;Motiv;Rollen;Requisiten;Fahrzeuge"],
    ["scenes", "Scene,Slugline,Synopsis", "Szene;Motiv;Tageszeit;Inhalt;Seiten"],
    ["purchase-orders", "PO,Date,Vendor,Amount", "Bestellung;Datum;Lieferant;Beschreibung;Konto;Betrag;Status"],
    ["cost-report", "Account,Description,Department,Budget", "Konto;Bezeichnung;Abteilung;Budget;Ist"],
    ["approvals", "Approval,Approver", "Freigabe;Person;Fällig"],
    ["vendors", "Company,Contact,Phone", "Lieferant;Telefon"],
    ["assets", "Asset,Type,Department"],
    ["departments", "Department,Cluster", "Abteilung;Kürzel"],
  ];
  for (const [kind, ...headings] of meant)
    for (const text of headings) assert.is(guessKind(Buffer.from(`${text}\nx\n`)), kind, text);
});

guesses("is a list of assets if every value of its column of types is a kind of assets", () => {
  const guess = (text: string) => guessKind(Buffer.from(text));
  assert.is(guess("Type,Name,Description\nProp,Storm lamp,Brass\nCharacter,Ines,Keeper\n"), "assets");
  assert.is(guess("Category;Item;Notes\nProps;Storm lamp;Brass\n"), "assets");
});

guesses("is asked for where general headings, or those of several kinds, are all that a file has", () => {
  const asks = (text: string, kinds: RegExp) =>
    assert.throws(
      () => guessKind(Buffer.from(text)),
      (error: Error) => kinds.test(error.message),
      text,
    );
  asks("Type,Name,Description\nBrass,Storm lamp,x\n", /assets.* or /);
  asks("Name,Description\nStorm lamp,Brass\n", /assets or departments/);
  asks("Name,Dept\nStorm lamp,Art\n", /people, .*assets/);
  asks("Sequence,Shot,Task,Assignee\n010,20,Comp,Ada\n", /scenes/);
  asks("Vendor,Description,Amount\nNorth,Nets,3\n", /vendors or purchase-orders/);
});

guesses("is that of assets for kinds of this production, and for those of other programs", () => {
  const guess = (text: string, kinds: string[] = []) => guessKind(Buffer.from(text), new Set(kinds));
  assert.is(guess("Name,Cat,Desc\nNet,Rigging,x\nOar,riggings,y\n", ["rigging"]), "assets");
  assert.is(guess("Project,Type,Name,Description,Ready for,Modeling\nQuay,Environment,Hut,x,,wip\n"), "assets");
  assert.throws(() => guess("Name,Cat,Desc\nNet,Rigging,x\n"), /as must say what the file is/);
});

guesses("never takes a row of values for the headings of a kind", () => {
  const rows = "Type,Description,Contractor\nProp,Storm lamp of brass,North\nCharacter,Keeper,South\n";
  try {
    guessKind(Buffer.from(rows));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, FormatError);
    assert.equal((error as FormatError).problems[0]?.choices, knownKinds);
  }
});

guesses("is asked with the choices, each with the first rows as it would read them", () => {
  const text = "Name,Desc\nStorm lamp,Brass\n\nNet,Rope\nOar,Ash\nBell,Brass\n";
  try {
    guessKind(Buffer.from(text));
    assert.unreachable();
  } catch (error) {
    const { choices = [] } = (error as FormatError).problems[0] ?? {};
    assert.equal(choices, ["people", "vendors", "deliveries", "assets", "departments"]);
    assert.equal(readAsEach(Buffer.from(text), ["assets", "departments", "schedule"]), [
      { kind: "assets", table: [["Asset"], ["Storm lamp"], ["Net"], ["Oar"]] },
      {
        kind: "departments",
        table: [
          ["Department", "Mission"],
          ["Storm lamp", "Brass"],
          ["Net", "Rope"],
          ["Oar", "Ash"],
        ],
      },
    ]);
  }
});

guesses("is that of what the program exports", () => {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  for (const kind of knownKinds) {
    const table = listOfKind(kind).table?.(silverButton);
    const text = table?.map((row) => row.map(cell).join(",")).join("\n");
    if (text !== undefined) assert.is(guessKind(Buffer.from(text)), kind);
  }
});

guesses.run();

const values = suite("words of closed sets");

values("may be German and French", () => {
  const [delivery] = read("deliveries", "Lieferung;Art;Status\nRiff;extern;gesendet\n").deliveries ?? [];
  assert.equal([delivery?.kind, delivery?.status], ["external", "sent"]);
  assert.equal(read("people", "Name;Funktion;Leitung\nBen Okri;Grip;ja\n").people?.[0]?.is_hod, true);
  assert.equal(read("approvals", "Freigabe;Bild;Person;Status\nLook;1;Ada Lund;offen\n").approvals?.[0]?.scene, "1");
});

values.run();
