import { suite } from "uvu";
import * as assert from "uvu/assert";
import { headerKey } from "../../src/features/lists/csv.ts";
import { knownKinds, listOfKind } from "../../src/features/lists/lists.ts";
import { exportKinds } from "../support/list_kinds.ts";
import { documentOf, names, problemsOf, warningsOf } from "../support/lists.ts";

const kinds = suite("kinds of lists");

kinds("have no two columns with the same header", () => {
  for (const kind of knownKinds) {
    const headers = Object.entries(listOfKind(kind).columns).flatMap(([field, { aliases }]) => [
      ...new Set([field, ...aliases].map(headerKey)),
    ]);
    assert.equal([...new Set(headers)].length, headers.length, kind);
    assert.not(headers.includes(""), kind);
  }
});

kinds("describe every column", () => {
  for (const kind of knownKinds)
    for (const { cell } of Object.values(listOfKind(kind).columns)) assert.ok(cell.holds.length > 3, kind);
});

kinds("are exported if they have a table, as feature.ts says", () => {
  assert.equal(
    exportKinds,
    knownKinds.filter((kind) => listOfKind(kind).table !== undefined),
  );
});

kinds.run();

const crew = suite("a crew list");
const peopleOf = (text: string, options = {}) => documentOf("people", text, options).people;

crew("has names in one column or in two", () => {
  assert.equal(peopleOf("First Name,Surname,Job Title\nAnn,Lee,Gaffer\nMadonna,,Singer\n"), [
    { name: "Ann Lee", role: "Gaffer" },
    { name: "Madonna", role: "Singer" },
  ]);
});

crew("has departments by name or slug, in a column or as headings", () => {
  const text =
    "Name,Position,Dept\nCAMERA DEPARTMENT,,\nAnn Lee,1st AC,\nBo Ek,Weaver,costume\nHair & Make-up,,\nCy Orr,Wigs,\n";
  assert.equal(peopleOf(text), [
    { name: "Ann Lee", role: "1st AC", department: "camera" },
    { name: "Bo Ek", role: "Weaver", department: "costume" },
    { name: "Cy Orr", role: "Wigs", department: "hair-makeup" },
  ]);
});

crew("adds the departments that it names, with a warning for one that is spelled almost like another", () => {
  const text =
    "Name,Position,Dept\nGRIP & RIGGING,,\nAnn Lee,Key Grip,\nBo Ek,Runner,Visual Efects\nCy Orr,Loader,camera\nA NOTE TO ALL,,\n";
  const { departments, people } = documentOf("people", text);
  assert.equal(departments, [
    { slug: "grip-rigging", name: "GRIP & RIGGING" },
    { slug: "visual-efects", name: "Visual Efects" },
  ]);
  assert.equal(
    people?.map(({ department }) => department),
    ["grip-rigging", "visual-efects", "camera"],
  );
  assert.equal(warningsOf("people", text), [
    'the production gets "GRIP & RIGGING" and "Visual Efects" as new departments',
    'department "Visual Efects" is new; the production has "Visual Effects"',
  ]);
});

crew("doubles no department that it writes in another case or number", () => {
  const text =
    "Name,Position,Dept\nAnn Lee,Key Grip,Grip & Rigging\nBo Ek,Runner,VISUAL EFFECT\nCy Orr,Loader,Cameras\nDee Fox,Grip,grips & riggings\n";
  const { departments, people } = documentOf("people", text);
  assert.equal(
    departments?.map(({ slug }) => slug),
    ["grip-rigging", "grips-riggings"],
    "a whole phrase is another name",
  );
  assert.equal(
    people?.map(({ department }) => department),
    ["grip-rigging", "vfx", "camera", "grips-riggings"],
  );
});

crew("doubles no department whose words it has in another order", () => {
  const text =
    "Name,Position,Dept\nAnn Lee,Wigs,Make-up & Hair\nBo Ek,Runner,Grip and Rigging\nCy Orr,Loader,Rigging/Grip\nDi Fay,Grip,Grips\n";
  assert.equal(
    peopleOf(text)?.map(({ department }) => department),
    ["hair-makeup", "grip-and-rigging", "grip-and-rigging", "grips"],
  );
  assert.equal(warningsOf("people", text), ['the production gets "Grip and Rigging" and "Grips" as new departments']);
});

crew("has its first heading above the headers, where a title may stand too", () => {
  const list = (above: string) => `${above},\nName,Role\nAnn Lee,1st AC\nCOSTUME,\nBo Ek,Weaver\n`;
  const departmentsIn = (text: string) => peopleOf(text)?.map(({ department }) => department);
  assert.equal(departmentsIn(list("Camera Department")), ["camera", "costume"]);
  assert.equal(warningsOf("people", list("Camera Department")), []);
  assert.equal(departmentsIn(list("UNIT LIST")), [undefined, "costume"]);
  assert.equal(warningsOf("people", list("UNIT LIST")), [
    'line 1: "UNIT LIST" stands above the headers and is no department of the production; the people before "COSTUME" have none',
  ]);
  const title = ['the row above the headings was not read: "UNIT LIST"'];
  assert.equal(warningsOf("people", "UNIT LIST,\nName,Role\nAnn Lee,1st AC\n"), title);
  assert.equal(warningsOf("people", "UNIT LIST,\nName,Role\nCOSTUME,\nBo Ek,Weaver\n"), title);
});

crew("drops contact details, with a warning", () => {
  const text = "Name,Role,Mobile,E-mail,Home Address\nAnn Lee,Grip,+44 7700 900000,ann@example.org,1 High Street\n";
  assert.equal(peopleOf(text), [{ name: "Ann Lee", role: "Grip" }]);
  assert.equal(warningsOf("people", text), [
    'the columns "Mobile", "E-mail" and "Home Address" were ignored: contact details are not stored',
  ]);
});

crew("accepts the usual marks for heads of department", () => {
  const marks = ["Y", "Yes", "x", "1", "HOD", "TRUE", "✓"];
  const people = peopleOf(`Name,Role,HOD\n${marks.map((mark, at) => `P${at},Grip,${mark}\n`).join("")}`);
  assert.ok(people?.every(({ is_hod }) => is_hod === true));
  assert.equal(peopleOf("Name,Role,HOD\nAnn Lee,Grip,No\n"), [{ name: "Ann Lee", role: "Grip", is_hod: false }]);
  assert.equal(problemsOf("people", "Name,Role,HOD\nAnn Lee,Grip,maybe\n"), [
    'line 2, column HOD: "maybe" is neither yes nor no',
  ]);
});

crew("skips open positions, with a warning", () => {
  const text = "Name,Role\nTBC,Grip\n,Best Boy\nAnn Lee,Gaffer\n";
  assert.equal(peopleOf(text), [{ name: "Ann Lee", role: "Gaffer" }]);
  assert.equal(warningsOf("people", text), [
    'line 2: nobody is named as "Grip"; the row was ignored',
    'line 3: nobody is named as "Best Boy"; the row was ignored',
  ]);
});

crew("has each name once, ignoring case, in the production's spelling", () => {
  assert.equal(problemsOf("people", "Name,Role\nAnn Lee,Grip\nANN LEE,Driver\n"), [
    'line 3: "ANN LEE" appears twice, first on line 2; if they are two people, add something to one of the names',
  ]);
  assert.equal(peopleOf("Name,Role\nisla farquhar,Executive Producer\n"), [
    { name: "Isla Farquhar", role: "Executive Producer" },
  ]);
});

crew("needs a role for a name that the production does not have", () => {
  const text = "Name,Role,HOD\nIsla Farquhar,,Yes\nAnn Lee,,No\n";
  assert.equal(problemsOf("people", text), [
    'line 3: "Ann Lee" has no role, and the production does not know the name',
  ]);
});

crew.run();

const vendors = suite("a list of vendors");

vendors("has each name once, in the production's spelling", () => {
  assert.equal(documentOf("vendors", "Supplier,Email\nLOCHABER GRIP HIRE,a@b.c\nTorosay Chandlers,\n").vendors, [
    "Lochaber Grip Hire",
    "Torosay Chandlers",
  ]);
  assert.match(problemsOf("vendors", "Vendor\nA Ltd\na ltd\n")[0] as string, /appears twice, first on line 2/);
});

vendors.run();

const assets = suite("a list of assets");

assets("adds defaults to a new asset, and nothing to a known one", () => {
  const text = "Asset,Type,Status,Dept\nBrass sextant,Hand Prop,In progress,props\nLamp,,,\nSilver button,,done,\n";
  assert.equal(documentOf("assets", text).assets, [
    { kind: "prop", status: "active", label: "Brass sextant", department: "props" },
    { kind: "asset", status: "planned", label: "Lamp" },
    { label: "Silver button", status: "done" },
  ]);
});

assets("refuses scenes, unknown statuses, and two assets with one label without a ref", () => {
  const text = "Label,Kind,Status,Ref\nA,Scene,,\nB,prop,lost,\nC,prop,,\nC,prop,,\nC,prop,,C #2\n";
  assert.equal(problemsOf("assets", text), [
    "line 2, column Kind: the kind must not be scene",
    'line 3, column Status: "lost" is not one of planned, active, blocked, done',
    'line 5: "C" appears twice, first on line 4; to list two assets with the same label, add a column Ref',
  ]);
});

assets.run();

const deliveries = suite("a list of deliveries");

deliveries("has scenes, assets and a specification in cells", () => {
  const text = `Delivery,To,From,Due,Scenes,Assets,Spec,Sent
Reef pickups,Corrie & Skerry VFX,vfx,2027-01-15,"31, 32","Brig Covenant of Dysart, picture ship; Covenant skiff","EXR, 16 bit
12 handles",20 Nov 2026
`;
  assert.equal(documentOf("deliveries", text).deliveries, [
    {
      title: "Reef pickups",
      status: "draft",
      kind: "external",
      external_to: "Corrie & Skerry VFX",
      from_department: "vfx",
      due: "2027-01-15",
      spec: [{ item: "EXR, 16 bit" }, { item: "12 handles" }],
      sent_at: "2026-11-20T00:00:00.000Z",
      scenes: ["31", "32"],
      assets: ["Brig Covenant of Dysart, picture ship", "Covenant skiff"],
    },
  ]);
});

deliveries("has one rule for dates, and a department as the recipient of an internal delivery", () => {
  const of = (text: string, options = {}) => documentOf("deliveries", text, options).deliveries;
  assert.equal(of("Title,To,Due\nReef,Marine,12/02/2026\n", { dates: "dmy" }), [
    { title: "Reef", status: "draft", kind: "internal", due: "2026-02-12", to_department: "marine" },
  ]);
  assert.equal(of("Title,Kind,To,Due\nReef,external,Marine,before the wrap\n")?.[0]?.external_to, "Marine");
  assert.equal(of("Title,Kind,To\nReef,internal,Marine\n")?.[0]?.to_department, "marine");
  assert.equal(problemsOf("deliveries", "Title,Kind,To\nReef,internal,Marine\nKelp,internal,Nobody\n"), [
    'line 3, column To: an internal delivery goes to one department, and "Nobody" is no department of the production',
  ]);
  assert.equal(problemsOf("deliveries", "Title,Due\nReef,12/02/2026\n"), [
    "line 2: 12/02/2026 could be two dates; add --dates dmy or mdy",
  ]);
});

deliveries("names the nearest scene or asset for an unknown one", () => {
  assert.equal(problemsOf("deliveries", "Title,Status,Scenes,Assets\nX,draft,31B,Covenant skif\n"), [
    "line 2: scene 31B is not in the script; nearest are 31 and 32",
    'line 2, column Assets: the production has no asset "Covenant skif"; nearest is "Covenant skiff"',
  ]);
});

deliveries("says from which unknown asset on none is compared, because the list has too many", () => {
  const known = names({ assets: Array.from({ length: 9_000 }, (_, at) => `Thing ${at}`) });
  const rows = Array.from({ length: 6 }, (_, at) => `Reel ${at},Thong ${9_000 + at}`);
  const found = problemsOf("deliveries", `Title,Assets\n${rows.join("\n")}\n`, { known });
  assert.is(found[0], 'line 2, column Assets: the production has no asset "Thong 9000"; nearest is "Thing 900"');
  assert.match(
    found.at(-1) ?? "",
    /no asset "Thong 9005"; the nearest was not looked for, because the list has too many/,
  );
});

deliveries("refuses a specification that begins like JSON and is invalid", () => {
  assert.equal(problemsOf("deliveries", 'Title,Spec\nX,"[1, 2]"\nY,"{""a"": }"\n'), [
    'line 2, column Spec: "[1, 2]" is not a list of objects',
    'line 3, column Spec: "{"a": }" is not JSON',
  ]);
});

deliveries.run();

const orders = suite("a list of purchase orders");
const headers = "PO #,Date,Supplier,Description,Acct,Dept,Amount,Status\n";

orders("are read with their numbers, statuses and vendors", () => {
  const text = `${headers}1001,8 May 2026,Lochaber grip hire,Rope,2700,Marine and Boats,"$1,234.50",Partially received\n1002,9 May 2026,New Chandlers,Tar,2700,,(5.50),Paid\n`;
  assert.equal(documentOf("purchase-orders", text), {
    vendors: ["Lochaber Grip Hire", "New Chandlers"],
    purchase_orders: [
      {
        number: "1001",
        date: "2026-05-08",
        vendor: "Lochaber Grip Hire",
        description: "Rope",
        account: "2700",
        department: "marine",
        amount: 1234.5,
        status: "partial",
        currency: "USD",
      },
      {
        number: "1002",
        date: "2026-05-09",
        vendor: "New Chandlers",
        description: "Tar",
        account: "2700",
        amount: -5.5,
        status: "closed",
      },
    ],
  });
});

orders("need all fields, unless the production has the number", () => {
  const known = names({ purchase_orders: [{ number: "1001" }] });
  assert.equal(documentOf("purchase-orders", "PO,Status\n1001,closed\n", { known }), {
    purchase_orders: [{ number: "1001", status: "closed" }],
  });
  assert.equal(problemsOf("purchase-orders", "PO,Status\n1001,closed\n1003,open\n", { known }), [
    "line 3: a new purchase order needs Account, Vendor, Description, Amount and Date, for which the file has no column",
  ]);
});

orders("have the currency of the sign or code beside the amount, unless a column says another one", () => {
  const known = names({
    purchase_orders: [
      { number: "1", currency: "CAD" },
      { number: "2", currency: "CAD" },
    ],
  });
  const currencies = (text: string) =>
    documentOf("purchase-orders", text, { known }).purchase_orders?.map(({ currency }) => currency);
  assert.equal(currencies("PO,Amount\n1,$5.00\n2,€5.00\n"), [undefined, "EUR"]);
  assert.equal(currencies("PO,Amount\n2,5.00 £\n"), ["GBP"]);
  assert.equal(currencies("PO,Amount,Currency\n1,€5.00,SEK\n2,CHF 5.00,\n"), ["SEK", "CHF"]);
});

orders("report a missing column once, and an empty cell with its line", () => {
  const rows = "8 May 2026,A Ltd,Rope,2700,5\n9 May 2026,,Tar,2700,6\n";
  assert.equal(problemsOf("purchase-orders", `Date,Vendor,Description,Account,Amount\n${rows}`), [
    "line 2: a new purchase order needs Status, for which the file has no column",
    "line 3: a new purchase order needs Vendor, which the row leaves empty",
  ]);
});

orders("are listed once, by number or by all other fields together", () => {
  const row = "8 May 2026,A Ltd,Rope,2700,,5,open\n";
  assert.match(
    problemsOf("purchase-orders", `${headers}7,${row}7,${row}`)[0] as string,
    /^line 3: "7" appears twice, first on line 2/,
  );
  assert.match(
    problemsOf("purchase-orders", `${headers},${row},${row}`)[0] as string,
    /a number tells two orders apart$/,
  );
  const stored = { account: "2700", vendor: "A Ltd", description: "Rope", date: "2026-05-08" };
  const known = names({ purchase_orders: [stored, stored] });
  assert.is(
    documentOf("purchase-orders", `${headers},${row},${row}`, { known }).purchase_orders?.length,
    2,
    "as many as are stored",
  );
});

orders("skip the sum below them, and warn about a vendor with a similar name", () => {
  const text = `${headers}7,8 May 2026,Lochaber Grip Hires,Rope,2700,,5,open\nTotal,,,,,,5,\n`;
  assert.is(documentOf("purchase-orders", text).purchase_orders?.length, 1);
  assert.equal(warningsOf("purchase-orders", text), [
    'line 2: vendor "Lochaber Grip Hires" is new; the production has "Lochaber Grip Hire"',
    'line 3: "Total" is a total and was skipped',
  ]);
});

orders("skip a total in the place of a name, in every list, and say so", () => {
  const lists = [
    ["assets", "Asset,Kind\nLamp,prop\nTotal,\n"],
    ["cast", "No,Character\n1,Mara\n,Summe: 1\n"],
    ["people", "Name,Role\nAda,Grip\nTOTAL 1,\n"],
    ["departments", "Department\nArt\nGesamtsumme\n"],
    ["deliveries", "Title,Status\nReel 1,draft\nSubtotal (1),\n"],
  ] as const;
  for (const [kind, text] of lists)
    assert.equal(
      warningsOf(kind, text).filter((warning) => /^line 3: ".*" is a total and was skipped$/.test(warning)).length,
      1,
      kind,
    );
  assert.equal(warningsOf("assets", "Asset,Kind\nTotal Recall poster,prop\nTotaled car,prop\n"), []);
});

orders("report every cell that cannot be read", () => {
  const text = `${headers}7,31 Feb 2026,A Ltd,Rope,2700,***,#REF!,lost\n`;
  assert.equal(problemsOf("purchase-orders", text), [
    'line 2, column Date: "31 Feb 2026" is not a date',
    'line 2, column Dept: "***" cannot be a new department: its name has no Latin letters or digits for its slug, or is too long; a list of departments with a column Slug adds it',
    'line 2, column Amount: "#REF!" is not an amount',
    'line 2, column Status: "lost" is not one of open, partial, closed',
  ]);
});

orders.run();

const costs = suite("a cost report");
const known = names({
  departments: [{ slug: "art", name: "Art Department" }],
  cost_reports: [{ week_of: "2026-11-16", active: true, lines: [{ account: "2100", department: "art" }] }],
});
const report = (text: string, options = {}) =>
  documentOf("cost-report", text, { known, week: "2026-11-23", ...options }).cost_reports;

costs("stores other columns as figures, as numbers if they are numbers", () => {
  const text = 'Account,Description,Budget,Actual to Date,Variance,Remark\n2100,Art,"1,000",250.5,(3.00),late\n';
  assert.equal(report(text)?.[1], {
    week_of: "2026-11-23",
    active: true,
    lines: [
      {
        account: "2100",
        department: "art",
        budget: 1000,
        figures: { description: "Art", actual_to_date: 250.5, variance: -3, remark: "late" },
      },
    ],
  });
});

costs("is active if its week is the latest, and the former one becomes inactive", () => {
  const text = "Account,Budget\n2100,5\n";
  assert.equal(
    report(text)?.map(({ week_of, active }) => [week_of, active]),
    [
      ["2026-11-16", false],
      ["2026-11-23", true],
    ],
  );
  assert.equal(
    report(text, { week: "2026-11-09" })?.map(({ week_of, active }) => [week_of, active]),
    [["2026-11-09", false]],
  );
});

costs("has its week in a column or in --week; without it there is a problem", () => {
  assert.is(report("Week Of,Account,Budget\n23 Nov 2026,2100,5\n", { week: undefined })?.at(-1)?.week_of, "2026-11-23");
  assert.equal(problemsOf("cost-report", "Account,Budget\n2100,5\n", { known }), [
    "line 2: the week is missing; add --week YYYY-MM-DD",
  ]);
});

costs("takes departments from earlier reports, and reports an account without one", () => {
  assert.equal(problemsOf("cost-report", "Account,Budget\n2100,5\n2200,6\n", { known, week: "2026-11-23" }), [
    "line 3: account 2200 has no department, and no earlier report has the account",
  ]);
});

costs("skips headings and sums, and has each account once", () => {
  const text = "Account,Description,Budget\n2000,ABOVE THE LINE,\n2100,Art,5\n,Total Art,5\nTOTAL,,5\n";
  assert.is(report(text)?.at(-1)?.lines?.length, 1);
  assert.match(
    problemsOf("cost-report", "Account,Budget\n2100,5\n2100,6\n", { known, week: "2026-11-23" })[0] as string,
    /appears twice/,
  );
});

costs("takes the first of two columns with one header, with a warning", () => {
  const text = "Account,Budget,Actual,Actual\n2100,5,1,2\n";
  assert.equal(report(text)?.at(-1)?.lines?.[0]?.figures, { actual: 1 });
  assert.match(
    warningsOf("cost-report", text, { known, week: "2026-11-23" })[0] as string,
    /two columns "Actual"; the second was ignored/,
  );
});

costs("refuses ambiguous figures and stores texts", () => {
  const text = "Account,Budget,Actual,Note\n2100,5,1.234,1 of 3\n";
  assert.equal(problemsOf("cost-report", text, { known, week: "2026-11-23" }), [
    'line 2, column Actual: "1.234" could be 1.234 or 1234; write it with two decimals',
  ]);
});

costs("never uses a property name of JavaScript for a figure", () => {
  const text = "Account,Budget,__proto__,constructor,Actual\n2100,5,1,2,3\n";
  assert.equal(report(text)?.at(-1)?.lines?.[0]?.figures, { proto: 1, actual: 3 });
  assert.match(
    warningsOf("cost-report", text, { known, week: "2026-11-23" })[0] as string,
    /"constructor" was ignored/,
  );
});

costs.run();

const due = suite("a date on which something is due");

due("is read as a schedule reads one; other text is kept and named by its place", () => {
  const text = [
    "Delivery,Status,Due",
    "Plates A,ready,46356",
    "Plates B,ready,30.11.",
    "Plates C,ready,30 ноября 2026",
    "Plates D,ready,1er décembre",
    "Plates E,ready,1 December 2026",
    "Plates F,ready,2026-12-01",
    "Plates G,ready,2026-13-01",
  ].join("\n");
  assert.equal(
    documentOf("deliveries", text, { known }).deliveries?.map(({ due }) => due),
    ["46356", "30.11.", "30 ноября 2026", "1er décembre", "2026-12-01", "2026-12-01", "2026-13-01"],
  );
  assert.equal(
    warningsOf("deliveries", text, { known }).filter((one) => one.includes("no date")),
    [...["46356", "30.11.", "30 ноября 2026", "1er décembre"].entries(), [6, "2026-13-01"] as const].map(
      ([at, one]) =>
        `line ${at + 2}, column Due: "${one}" is no date with its year, so it is kept as text and is never late`,
    ),
  );
  const approvals = "Approval,Person,Due\nLook,Ada Lund,soon\n";
  assert.match(warningsOf("approvals", approvals, { known }).join(), /line 2, column Due: "soon" is no date/);
});

due.run();
