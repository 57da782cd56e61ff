// Thorough: only --all runs it.
import { execFileSync } from "node:child_process"; // Deno cannot create links itself with narrow permissions
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import type { SectionName } from "../../src/features/documents/sections/sections.ts";
import { assertProperty, sampling } from "../support/sampling.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

/** The message and the lines with which reading a file is refused; empty if the file is read. */
function refused(file: string): string[] {
  try {
    readDocument(file);
  } catch (error) {
    assert.instance(error, CliError);
    const { message, lines } = error as CliError;
    return [message, ...lines];
  }
  return [];
}

/** The problems of the small document after `change`. Also checks that the file was not modified. */
function problems(change: (document: any) => void): string[] {
  const document = smallDocument();
  change(document);
  const file = writeDocument(document);
  const before = readFileSync(file);
  const [message, ...lines] = refused(file);
  assert.ok(readFileSync(file).equals(before));
  assert.ok(message?.startsWith(file) ?? true);
  return lines;
}

/** The things of a section of a document as they were read. */
function thingsOf(name: SectionName, document: object): any[] {
  const { update } = readDocument(writeDocument(document)).made;
  return [...update.items(name).values()].map(({ next }) => update.names.namedThing(name, next ?? {}));
}

const files = suite("a document's file");

files("is refused with one sentence if it does not exist or is a folder", () => {
  assert.equal(refused("/nowhere/x.json"), ["there is no file /nowhere/x.json"]);
  const folder = scratch();
  assert.equal(refused(folder), [`${folder} is not a file`]);
});

files("is refused if it is not UTF-8", () => {
  const file = writeDocument("");
  writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
  assert.equal(refused(file), [`${file} is not UTF-8 text`]);
});

files("is refused with line and column if it is not JSON", () => {
  const cases: [text: string, line: number, column: number][] = [
    ["", 1, 1],
    ["{", 1, 2],
    ['{\n  "a": 1,\n  "b" 2\n}', 3, 7],
    ['{"a": [1, 2,]}', 1, 13],
    ['{"a": tru}', 1, 7],
    ['{"a": "b\nc"}', 1, 7],
    ['{"a": 1} x', 1, 10],
    ['{"a": 01}', 1, 8],
    ["[1 2]", 1, 4],
    ["{,}", 1, 2],
    ['{"a" : [ { "b": }', 1, 17],
  ];
  for (const [text, line, column] of cases) {
    const file = writeDocument(text);
    assert.equal(refused(file), [`${file} is not valid JSON: the error is at line ${line}, column ${column}`], text);
  }
});

files("may start with a byte order mark", () => {
  const file = writeDocument(`\ufeff${JSON.stringify(smallDocument())}`);
  assert.is(readDocument(file).title, "Small");
});

files("is refused with the missing fields if it contains something else", () => {
  for (const text of ["7", "[]", "null", '"x"'])
    assert.equal(refused(writeDocument(text)).slice(1), ["the document must be an object"], text);
  assert.equal(refused(writeDocument("{}")).slice(1), [
    "document is required",
    "document_version is required",
    "production is required",
  ]);
});

files("is refused with one problem if its format version is unknown", () => {
  const document = { ...smallDocument(), document_version: 2, later: [], people: [{ nickname: "A" }] };
  assert.equal(refused(writeDocument(document)).slice(1), ["document_version must be 1, the only version there is"]);
});

files.run();

const numbers = suite("numbers");

numbers("keep every digit in mtime_ns", () => {
  const [, install] = thingsOf("storage", smallDocument());
  assert.is(install.files[0].mtime_ns, "1767571200123456789");
  assert.is(install.files[1].mtime_ns, "-5");
});

numbers("are refused in mtime_ns if they need more than 64 bits", () => {
  const text = JSON.stringify(smallDocument()).replace("1767571200123456789", "9223372036854775808");
  assert.equal(refused(writeDocument(text)).slice(1), [
    "storage[1] (filespace stage).files[0] (file a/b.mov).mtime_ns must fit in 64 bits",
  ]);
});

numbers("are refused with their place, not rounded, if digits would be lost elsewhere", () => {
  const text = JSON.stringify(smallDocument())
    .replace('"racks":3', '"racks":12345678901234567890,"mtime_ns":1767571200123456789,"huge":1e400')
    .replace('"ratio":0.1', '"ratio":0.1,"exact":1.5e3,"long":0.12345678901234567890');
  assert.equal(refused(writeDocument(text)).slice(1), [
    "departments[0] (department costume).registry.racks has more digits than a number keeps: 12345678901234567890",
    "departments[0] (department costume).registry.mtime_ns has more digits than a number keeps: 1767571200123456789",
    "departments[0] (department costume).registry.huge is larger than the largest number, about 1.8e308: 1e400",
    "scenes[0] (scene E1/1).elements.long has more digits than a number keeps: 0.12345678901234567890",
  ]);
});

numbers("are not changed inside texts", () => {
  const document = smallDocument();
  document.scenes[0].synopsis = 'as written: "mtime_ns": 1767571200123456789, and 12345678901234567890';
  assert.is(thingsOf("scenes", document)[0].synopsis, document.scenes[0].synopsis);
});

numbers.run();

const keys = suite("keys");

keys("are refused everywhere if they are JavaScript's own property names", () => {
  const text = JSON.stringify(smallDocument())
    .replace('"racks":3', '"__proto__":{"polluted":true},"racks":3')
    .replace('"ratio":0.1', '"ratio":{"\\u005f_proto__":1}')
    .replace('"codec":"EXR"', '"constructor":"EXR"')
    .replace('"actual":12.25', '"toString":1');
  const [, ...lines] = refused(writeDocument(text));
  assert.equal(
    lines,
    [
      "departments[0] (department costume).registry.__proto__",
      "scenes[0] (scene E1/1).elements.ratio.__proto__",
      "deliveries[0] (delivery Reel).spec[0].constructor",
      "cost_reports[1] (week of 2026-01-12).lines[0] (account 2100).figures.toString",
    ].map((place) => `${place} must have another name: JavaScript reserves this name`),
  );
  assert.not.ok("polluted" in {});
});

keys("are refused if the format does not know them", () => {
  assert.equal(
    problems((d) => {
      d.extra = 1;
      d.scenes[0].colour = "red";
    }),
    ["scenes[0] (scene E1/1).colour is not a known field", "extra is not a known field"],
  );
});

keys("are refused if values are nested too deeply", () => {
  const text = JSON.stringify(smallDocument()).replace('"racks":3', `"racks":${"[".repeat(5000)}${"]".repeat(5000)}`);
  assert.match(refused(writeDocument(text))[1] ?? "", /must not be nested deeper than 100 levels/);
});

keys("of any form are refused if they are long together", () => {
  assert.equal(
    problems((d) => {
      d.scenes[0].elements = { notes: "x".repeat(262_132), z: 1 };
      d.deliveries[0].spec = Array.from({ length: 40_000 }, (_, n) => ({ n }));
    }),
    ["scenes[0] (scene E1/1).elements", "deliveries[0] (delivery Reel).spec"].map(
      (place) => `${place} must have at most 262,144 characters as JSON`,
    ),
  );
  assert.equal(
    problems((d) => {
      d.scenes[0].elements = { notes: "x".repeat(262_132) };
    }),
    [],
  );
});

keys("are refused if a text contains half a surrogate pair", () => {
  const text = JSON.stringify(smallDocument()).replace('"racks":3', '"racks":"\\ud83d"');
  assert.equal(refused(writeDocument(text)).slice(1), [
    "departments[0] (department costume).registry.racks must be well-formed Unicode",
  ]);
});

keys.run();

const references = suite("references and consistency");

const notAPath =
  "must be relative to the filespace and normalised: parts joined by /, none of them empty, . or .., without control characters and backslashes";

/** For each case: how the document is changed, and every problem that must be reported. */
const cases: [name: string, change: (document: any) => void, problems: string[]][] = [
  [
    "an unknown status",
    (d) => {
      d.scenes[1].status = "cut";
    },
    ["scenes[1] (scene E2/1).status must be one of planned, active, blocked, done, omitted"],
  ],
  [
    "a missing field",
    (d) => {
      delete d.people[0].role;
    },
    ["people[0] (person Ada).role is required"],
  ],
  [
    "an invalid date",
    (d) => {
      d.schedule[0].date = "2026-02-30";
    },
    ["schedule[0] (day 2).date must be a date such as 2026-03-01"],
  ],
  [
    "a date that a program writes where nobody gave one",
    (d) => {
      d.schedule[0].date = "0001-01-01";
    },
    ["schedule[0] (day 2).date must be a date from 1900 on"],
  ],
  [
    "an unknown department",
    (d) => {
      d.people[0].department = "art";
    },
    ['people[0] (person Ada).department names no department: "art"'],
  ],
  [
    "an unknown scene",
    (d) => {
      d.schedule[0].scenes[0] = "1";
    },
    ['schedule[0] (day 2).scenes[0] names no scene: "1"'],
  ],
  [
    "an unknown asset",
    (d) => {
      d.scenes[0].assets[1] = "Boots";
    },
    ['scenes[0] (scene E1/1).assets[1] names no asset: "Boots"'],
  ],
  [
    "an unknown ingredient",
    (d) => {
      d.assets[0].versions[0].ingredients[1].ingredient = "Silk";
    },
    ['assets[0] (asset Coat).versions[0] (version 1).ingredients[1].ingredient names no ingredient: "Silk"'],
  ],
  [
    "an unknown person",
    (d) => {
      d.approvals[0].steps[1].person = "bern";
    },
    ['approvals[0] (approval Coat look).steps[1] (step of bern).person names no person: "bern"'],
  ],
  [
    "an unknown vendor",
    (d) => {
      d.purchase_orders[1].vendor = "Nobody";
    },
    ['purchase_orders[1] (order Everything).vendor names no vendor: "Nobody"'],
  ],
  [
    "an unknown engagement",
    (d) => {
      d.deliveries[0].submissions[0].engagement = "Sewing";
    },
    ['deliveries[0] (delivery Reel).submissions[0] (submission Take one).engagement names no engagement: "Sewing"'],
  ],
  [
    "an unknown delivery",
    (d) => {
      d.approvals[2].delivery = "Box";
    },
    ['approvals[2] (approval Ship).delivery names no delivery: "Box"'],
  ],
  [
    "an unknown current episode",
    (d) => {
      d.production.current_episode = "E9";
    },
    ['production.current_episode names no episode: "E9"'],
  ],
  [
    "an unknown version of a note",
    (d) => {
      d.notes[0].version = 3;
    },
    ['notes[0] (note on Coat).version names no version of "Coat": 3'],
  ],
  [
    "two departments with one slug",
    (d) => {
      d.departments[1].slug = "costume";
      d.deliveries[0].to_department = "costume";
      d.department_notes[1].department = "costume";
      d.cost_reports[1].lines[1].department = "costume";
    },
    ['departments[1] (department costume) is the same thing as departments[0]: "costume"'],
  ],
  [
    "two people whose names differ only in case",
    (d) => {
      d.people.push({ name: " ADA", role: "Twin" });
    },
    ['people[2] (person Ada) is the same thing as people[0]: "Ada"'],
  ],
  [
    "two vendors whose names differ only in case",
    (d) => {
      d.vendors.push("pixel co");
    },
    ['vendors[2] is the same thing as vendors[1]: "Pixel Co"'],
  ],
  [
    "two assets with one label without a ref",
    (d) => {
      d.assets.push({ ...d.assets[2] });
    },
    ['assets[3] (asset Hero) is the same thing as assets[2]: "Hero"; `ref` tells two things of one name apart'],
  ],
  [
    "two scenes with one number in an episode",
    (d) => {
      d.scenes.push({ ...d.scenes[1] });
    },
    ['scenes[2] (scene E2/1) is the same thing as scenes[1]: "E2/1"'],
  ],
  [
    "an asset linked twice",
    (d) => {
      d.scenes[0].assets = ["Coat", "Coat"];
    },
    ['scenes[0] (scene E1/1).assets[1] is the same as assets[0]: "Coat"'],
  ],
  [
    "a scene twice on a day",
    (d) => {
      d.schedule[0].scenes = ["E1/1", "E1/1"];
    },
    ['schedule[0] (day 2).scenes[1] is the same as scenes[0]: "E1/1"'],
  ],
  [
    "two days with one number",
    (d) => {
      d.schedule[1].day_number = 2;
    },
    ['schedule[1] (day 2) is the same thing as schedule[0]: "2"'],
  ],
  [
    "a scene without its episode",
    (d) => {
      delete d.scenes[1].episode;
      d.schedule[0].scenes[0] = "1";
      d.deliveries[0].scenes[1] = "1";
      d.department_notes[1].scene = "1";
      d.jobs[1].scene = "1";
    },
    ["scenes[1] (scene 1).episode is required on an episodic production"],
  ],
  [
    "an episodic production without a season number",
    (d) => {
      delete d.production.season_number;
    },
    ["production.season_number is required on an episodic production"],
  ],
  [
    "an internal delivery with an external recipient",
    (d) => {
      d.deliveries[1].external_to = "X";
    },
    ["deliveries[1] (delivery Reel #2).external_to is allowed only on an external delivery"],
  ],
  [
    "an external delivery without a recipient",
    (d) => {
      delete d.deliveries[0].external_to;
    },
    ["deliveries[0] (delivery Reel).external_to is required on an external delivery"],
  ],
  [
    "a decided step without a timestamp",
    (d) => {
      delete d.approvals[1].steps[0].decided_at;
    },
    ["approvals[1] (approval Lock).steps[0] (step of Ben).decided_at is required on a decided step"],
  ],
  [
    "a pending step with a timestamp",
    (d) => {
      d.approvals[2].steps[0].decided_at = "2026-01-01T00:00:00Z";
    },
    ["approvals[2] (approval Ship).steps[0] (step of Ben).decided_at is allowed only on a decided step"],
  ],
  [
    "steps decided out of order",
    (d) => {
      d.approvals[0].steps.reverse();
    },
    [
      "approvals[0] (approval Coat look).steps[1] (step of Ada).status must be pending: steps are decided in order, and steps[0] (step of Ben) is not decided",
    ],
  ],
  [
    "a step decided after a step that asked for changes",
    (d) => {
      d.approvals[0].status = "changes_requested";
      d.approvals[0].steps[0].status = "changes_requested";
      Object.assign(d.approvals[0].steps[1], { status: "approved", decided_at: "2026-01-02T00:00:00Z" });
    },
    [
      "approvals[0] (approval Coat look).steps[1] (step of Ben).status must be pending: steps[0] (step of Ada) is changes_requested, which ends the approval",
    ],
  ],
  [
    "a pending approval whose step was rejected",
    (d) => {
      d.approvals[1].status = "pending";
    },
    ["approvals[1] (approval Lock).status must be rejected, as steps[0] (step of Ben) is"],
  ],
  [
    "a pending approval with a step that asked for changes before a pending step",
    (d) => {
      d.approvals[0].steps[0].status = "changes_requested";
    },
    ["approvals[0] (approval Coat look).status must be changes_requested, as steps[0] (step of Ada) is"],
  ],
  [
    "an approved approval with a pending step",
    (d) => {
      d.approvals[2].status = "approved";
    },
    ["approvals[2] (approval Ship).status must be pending, as steps[0] (step of Ben) is"],
  ],
  [
    "a pending approval with no pending step",
    (d) => {
      Object.assign(d.approvals[0].steps[1], { status: "approved", decided_at: "2026-01-02T00:00:00Z" });
    },
    ["approvals[0] (approval Coat look).status must be approved, as every step is"],
  ],
  [
    "an approval for two targets",
    (d) => {
      d.approvals[0].scene = "E1/1";
    },
    ["approvals[0] (approval Coat look) must have at most one of scene, asset and delivery"],
  ],
  [
    "two active installs",
    (d) => {
      d.storage[0].active = true;
    },
    ["storage[1] (filespace stage).active must be false: storage[0] (filespace old) is the active install"],
  ],
  [
    "two active cost reports",
    (d) => {
      d.cost_reports[0].active = true;
    },
    [
      "cost_reports[1] (week of 2026-01-12).active must be false: cost_reports[0] (week of 2026-01-05) is the active cost report",
    ],
  ],
  [
    "an account listed twice in a report",
    (d) => {
      d.cost_reports[1].lines[1].account = "2100";
    },
    [
      "cost_reports[1] (week of 2026-01-12).lines[1] (account 2100).account is the same as that of lines[0] (account 2100)",
    ],
  ],
  [
    "a path listed twice in a filespace",
    (d) => {
      d.storage[1].files[1].path = "a/b.mov";
    },
    ["storage[1] (filespace stage).files[1] (file a/b.mov).path is the same as that of files[0] (file a/b.mov)"],
  ],
  [
    "a settled move without a timestamp",
    (d) => {
      delete d.storage[1].moves[1].settled_at;
    },
    ["storage[1] (filespace stage).moves[1] (move of a/d.mov).settled_at is required on a settled move"],
  ],
  [
    "a move out of the filespace",
    (d) => {
      d.storage[1].moves[0].src = "../../etc/shadow";
      d.storage[1].moves[0].dst = "a\\b";
    },
    [
      `storage[1] (filespace stage).moves[0] (move of ../../etc/shadow).src ${notAPath}`,
      `storage[1] (filespace stage).moves[0] (move of ../../etc/shadow).dst ${notAPath}`,
    ],
  ],
  [
    "a move of a file to its own path",
    (d) => {
      d.storage[1].moves[0].dst = "/a/b.mov";
    },
    ["storage[1] (filespace stage).moves[0] (move of a/b.mov).dst must be another path than src"],
  ],
  [
    "a library file outside the filespace",
    (d) => {
      d.storage[1].files[0].path = "//a/b.mov";
    },
    [`storage[1] (filespace stage).files[0] (file //a/b.mov).path ${notAPath}`],
  ],
  [
    "a path listed twice in a filespace, once with a leading /",
    (d) => {
      d.storage[1].files[1].path = "/a/b.mov";
    },
    ["storage[1] (filespace stage).files[1] (file a/b.mov).path is the same as that of files[0] (file a/b.mov)"],
  ],
  [
    "versions that skip a number",
    (d) => {
      d.assets[0].versions[1].version = 3;
    },
    ["assets[0] (asset Coat).versions[1] (version 3).version must be 2: versions are in order and numbered from 1"],
  ],
  [
    "a grant with two targets",
    (d) => {
      d.engagements[0].grants[0].department = "vfx";
    },
    ["engagements[0] (engagement Weaving).grants[0] must have exactly one of scene, asset, department, delivery"],
  ],
  [
    "a grant without a target",
    (d) => {
      delete d.engagements[0].grants[3].delivery;
    },
    ["engagements[0] (engagement Weaving).grants[3] must have exactly one of scene, asset, department, delivery"],
  ],
  [
    "a grant whose verb does not fit its target",
    (d) => {
      d.engagements[0].grants[1].verb = "submit";
    },
    ["engagements[0] (engagement Weaving).grants[1].verb submit needs a delivery, not an asset"],
  ],
  [
    "a money grant on a scene",
    (d) => {
      d.engagements[0].grants[0].verb = "read:own_po";
    },
    ["engagements[0] (engagement Weaving).grants[0].verb read:own_po needs a department, not a scene"],
  ],
  [
    "costumes of an asset that is not a character",
    (d) => {
      d.assets[0].costumes = ["Coat #2"];
    },
    ["assets[0] (asset Coat).costumes is allowed only on an asset of kind character"],
  ],
  [
    "a costume that is not an asset of kind costume",
    (d) => {
      d.assets[2].costumes = ["Coat", "Hero"];
    },
    ['assets[2] (asset Hero).costumes[1] must name an asset of kind costume, and "Hero" is not one'],
  ],
  [
    "an asset of kind scene",
    (d) => {
      d.assets[1].kind = "scene";
    },
    ["assets[1] (asset Coat #2).kind must not be scene: list scenes in the section scenes"],
  ],
  [
    "media without bytes",
    (d) => {
      delete d.ingredients[0].media.base64;
    },
    ["ingredients[0] (ingredient Wool).media must have its bytes either as file or as base64"],
  ],
  [
    "media with invalid base64",
    (d) => {
      d.ingredients[0].media.base64 = "a-b=";
    },
    ["ingredients[0] (ingredient Wool).media.base64 must be well-formed base64"],
  ],
  [
    "a pending script change with a decision time",
    (d) => {
      d.script_changes[1].decided_at = "2026-01-01T00:00:00Z";
    },
    ["script_changes[1] (change of scene 9).decided_at is allowed only on a decided change"],
  ],
];

for (const [name, change, expected] of cases)
  references(`are refused with their place: ${name}`, () => {
    assert.equal(problems(change), expected);
  });

references("have no leading / in the paths that are read, whatever the document has", () => {
  const document = smallDocument();
  document.storage[1].files[0].path = "/a/b.mov";
  Object.assign(document.storage[1].moves[0], { src: "/a/b.mov", dst: "/x/b.mov" });
  const [, install] = thingsOf("storage", document);
  assert.is(install?.files[0]?.path, "a/b.mov");
  assert.equal([install?.moves[0]?.src, install?.moves[0]?.dst], ["a/b.mov", "x/b.mov"]);
});

references("allow pending steps after a step that asked for changes", () => {
  const lines = problems((d) => {
    d.approvals[0].status = "changes_requested";
    d.approvals[0].steps[0].status = "changes_requested";
  });
  assert.equal(lines, []);
});

references("are refused on a single production if they name episodes", () => {
  const lines = problems((d) => {
    d.production.format = "single";
  });
  assert.equal(
    lines,
    [
      "production.season_number",
      "production.current_episode",
      "episodes",
      "scenes[0] (scene E1/1).episode",
      "scenes[1] (scene E2/1).episode",
      "script_changes[0] (change of scene 1).episode",
    ].map((place) => `${place} is allowed only on an episodic production`),
  );
});

references.run();

const independent = suite("independent problems");

independent("are all reported at once, also next to and within an invalid item", () => {
  const lines = problems((d) => {
    d.production.accent = "puce";
    d.scenes[0].status = "lost";
    d.scenes[0].assets = ["Gone", 7];
    d.people[0].department = "art";
    d.storage[0].active = true;
    d.deliveries[0].kind = "lent";
    Object.assign(d.deliveries[0].submissions[0], { status: 1, engagement: "Sewing" });
    Object.assign(d.engagements[0].grants[0], { verb: "look", scene: "E9/9" });
    delete d.production.season_number;
  });
  assert.equal(lines, [
    "production.accent must be one of amber, coral, crimson, forest, indigo, ocean, plum, sand, slate, teal",
    "production.season_number is required on an episodic production",
    'people[0] (person Ada).department names no department: "art"',
    "scenes[0] (scene E1/1).status must be one of planned, active, blocked, done, omitted",
    "scenes[0] (scene E1/1).assets[1] must be text",
    'scenes[0] (scene E1/1).assets[0] names no asset: "Gone"',
    "engagements[0] (engagement Weaving).grants[0].verb must be one of read, submit, read:own_po",
    'engagements[0] (engagement Weaving).grants[0].scene names no scene: "E9/9"',
    "deliveries[0] (delivery Reel).kind must be one of internal, external",
    "deliveries[0] (delivery Reel).submissions[0] (submission Take one).status must be text",
    'deliveries[0] (delivery Reel).submissions[0] (submission Take one).engagement names no engagement: "Sewing"',
    "storage[1] (filespace stage).active must be false: storage[0] (filespace old) is the active install",
  ]);
});

independent("are reported once for each value, however many checks it fails", () => {
  const document = smallDocument();
  document.schedule[0].date = "soon";
  document.departments[0].slug = "Costume Department, which is far longer than any slug is allowed to be";
  document.schedule[1].day_number = 0.5;
  document.people[1].role = "half \ud83d";
  document.activity[0].created_at = "2026-02-30";
  document.scenes[0].assets = ["Gone", "Gone"];
  const text = JSON.stringify(document).replace('"amount":1234.5', '"amount":1e400');
  assert.equal(
    refused(writeDocument(text))
      .slice(1)
      .map((line) => line.replace(/ \([^)]*\)/g, "").split(" ")[0]),
    [
      "departments[0].slug",
      "people[1].role",
      "scenes[0].assets[0]",
      "scenes[0].assets[1]",
      "schedule[0].date",
      "schedule[1].day_number",
      "purchase_orders[0].amount",
      "activity[0].created_at",
    ],
  );
});

independent("include every unknown field, at any depth", () => {
  const lines = problems((d) => {
    Object.assign(d, { extra: 1, more: {} });
    Object.assign(d.production, { a: 1, b: 2 });
    Object.assign(d.assets[0], { colour: "red", ref: undefined });
    Object.assign(d.assets[0].versions[0].media, { width: 1, height: 2 });
    d.assets[0].versions[1].ingredients = [{ ingredient: "Wool", weight: 3 }];
    d.departments[0].registry.anything = { goes: true };
  });
  assert.equal(
    lines,
    [
      "production.a",
      "production.b",
      "assets[0] (asset Coat).versions[0] (version 1).media.width",
      "assets[0] (asset Coat).versions[0] (version 1).media.height",
      "assets[0] (asset Coat).versions[1] (version 2).ingredients[0].weight",
      "assets[0] (asset Coat).colour",
      "extra",
      "more",
    ].map((place) => `${place} is not a known field`),
  );
});

independent("are one for each item that is not an object", () => {
  const lines = problems((d) => {
    d.scenes.push([], null, "12A");
    d.departments[0].registry = [1, 2];
    d.approvals[0].steps = {};
    delete d.approvals[1].steps;
  });
  assert.equal(lines, [
    "departments[0] (department costume).registry must be an object",
    "scenes[2] must be an object",
    "scenes[3] must be an object",
    "scenes[4] (scene 12A) must be an object",
    "approvals[0] (approval Coat look).steps must be a list",
    "approvals[1] (approval Lock).steps is required",
  ]);
});

independent("quote names on one short line", () => {
  const lines = problems((d) => {
    d.approvals[1].title = `Lock\n\tthe \u2028 cut ${"again, ".repeat(20)}`;
    d.approvals[1].mode = "vote";
  });
  assert.equal(lines, [
    "approvals[1] (approval Lock the cut again, again, again, again, again, again, again…).mode must be one of chain, decision",
  ]);
});

independent.run();

const consequences = suite("problems that only follow from another problem");

/** For each case: how a thing's name is changed, and the one problem. References to the thing are not changed. */
const unnamed: [name: string, change: (document: any) => void, problem: string | RegExp][] = [
  [
    "a department with an invalid slug",
    (d) => (d.departments[1].slug = "V F X"),
    /^departments\[1\] \(department V F X\)\.slug must be a slug/,
  ],
  ["a person without a name", (d) => (d.people[0].name = 7), "people[0] (person 7).name must be text"],
  ["a person that is not an object", (d) => (d.people[0] = "Ada"), "people[0] (person Ada) must be an object"],
  ["vendors that are not a list", (d) => (d.vendors = "Looms Ltd"), "vendors must be a list"],
  ["an asset with an empty label", (d) => (d.assets[2].label = " "), "assets[2].label must not be empty"],
  [
    "an asset without the ref that it needs",
    (d) => delete d.assets[1].ref,
    'assets[1] (asset Coat) is the same thing as assets[0]: "Coat"; `ref` tells two things of one name apart',
  ],
  [
    "an asset with the ref of another asset",
    (d) => (d.assets[1].ref = "Hero"),
    'assets[2] (asset Hero) is the same thing as assets[1]: "Hero"; `ref` tells two things of one name apart',
  ],
  [
    "a delivery whose ref is not text",
    (d) => (d.deliveries[0].ref = 1),
    /^deliveries\[0\] \(delivery 1\)\.ref must be text$/,
  ],
  [
    "a scene with the number of another",
    (d) => (d.scenes[0].episode = "E2"),
    'scenes[1] (scene E2/1) is the same thing as scenes[0]: "E2/1"',
  ],
  [
    "a scene without its episode",
    (d) => delete d.scenes[0].episode,
    "scenes[0] (scene 1).episode is required on an episodic production",
  ],
  [
    "a scene of an unknown episode",
    (d) => (d.scenes[0].episode = "E7"),
    'scenes[0] (scene E7/1).episode names no episode: "E7"',
  ],
  ["an episode without a code", (d) => delete d.episodes[0].code, "episodes[0].code is required"],
  [
    "a costume with an invalid kind",
    (d) => (d.assets[1].kind = "Costume!"),
    /^assets\[1\] \(asset Coat #2\)\.kind must be a slug/,
  ],
];
for (const [name, change, problem] of unnamed)
  consequences(`are not reported for references to ${name}`, () => {
    const lines = problems((d) => void change(d));
    assert.is(lines.length, 1, lines.join("\n"));
    if (typeof problem === "string") assert.is(lines[0], problem);
    else assert.match(lines[0] ?? "", problem);
  });

consequences("are not reported for versions after a skipped number, nor for notes on them", () => {
  const lines = problems((d) => {
    const [first, second] = d.assets[0].versions;
    d.assets[0].versions = [first, { ...second, version: 3 }, { ...second, version: 4 }];
    d.notes[0].version = 4;
  });
  assert.equal(lines, [
    "assets[0] (asset Coat).versions[1] (version 3).version must be 2: versions are in order and numbered from 1",
  ]);
});

consequences("are not reported for fields that depend on an invalid value", () => {
  const lines = problems((d) => {
    d.production.format = "serial";
    d.deliveries[1].kind = "lent";
    d.deliveries[1].external_to = "X";
    d.approvals[1].steps[0].status = "maybe";
    d.script_changes[1].status = "open";
    d.script_changes[1].decided_at = "2026-01-01T00:00:00Z";
    d.storage[1].moves[1].status = "moved";
    delete d.storage[1].moves[1].settled_at;
    d.ingredients[0].media.base64 = 5;
  });
  assert.equal(
    lines.map((line) => line.replace(/ \([^)]*\)/g, "").split(" ")[0]),
    [
      "production.format",
      "ingredients[0].media.base64",
      "deliveries[1].kind",
      "approvals[1].steps[0].status",
      "script_changes[1].status",
      "storage[1].moves[1].status",
    ],
  );
});

consequences("are not reported for the status of an approval with an invalid step", () => {
  const lines = problems((d) => {
    d.approvals[0].steps[1] = "Ben";
    d.assets[0].costumes = ["Gone"];
  });
  assert.equal(lines, [
    'assets[0] (asset Coat).costumes[0] names no asset: "Gone"',
    "assets[0] (asset Coat).costumes is allowed only on an asset of kind character",
    "approvals[0] (approval Coat look).steps[1] (step of Ben) must be an object",
  ]);
});

consequences("do not hide an unrelated wrong reference next to them", () => {
  const lines = problems((d) => {
    d.people[0].name = 7;
    d.people[1].department = "art";
  });
  assert.equal(lines, [
    "people[0] (person 7).name must be text",
    'people[1] (person Ben).department names no department: "art"',
  ]);
});

consequences.run();

const wrongTypes = suite("a value of the wrong type");

type Steps = (string | number)[];
/** Every place in a document, except those inside its free-form objects, which allow any value. */
function placesIn(value: unknown, steps: Steps = []): Steps[] {
  if (/^(?:registry|elements|figures)$/.test(String(steps.at(-1))) || steps.at(-2) === "spec") return [steps];
  const inner = typeof value === "object" && value !== null && !("rawJSON" in value) ? Object.entries(value) : [];
  const below = inner.flatMap(([key, item]) => placesIn(item, [...steps, Array.isArray(value) ? Number(key) : key]));
  return steps.length === 0 ? below : [steps, ...below];
}
const everywhere = placesIn(smallDocument());
const withoutNames = (line: string): string => line.replace(/ \([^)]*\)/g, "");
const place = (steps: Steps): string =>
  steps
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);

/** Replaces the value at a place with one that no field allows. */
function spoil(document: any, steps: Steps): void {
  let keyInfo = document;
  for (const step of steps.slice(0, -1)) keyInfo = keyInfo[step];
  const last = steps.at(-1) as string;
  keyInfo[last] = typeof keyInfo[last] === "object" && !("rawJSON" in keyInfo[last]) ? false : [[]];
}
const spoilt = (...where: Steps[]): string[] =>
  problems((document) => {
    for (const steps of where) spoil(document, steps);
  }).map(withoutNames);

wrongTypes("is one problem, at its place", () => {
  assert.ok(everywhere.length > 300, `${everywhere.length}`);
  for (const steps of everywhere) {
    const lines = spoilt(steps);
    assert.is(lines.length, 1, `${place(steps)}: ${lines.join("\n")}`);
    assert.is(lines[0]?.split(" ")[0], place(steps));
  }
});

wrongTypes("does not hide another one: both are reported, and nothing else", () => {
  const two = fc.uniqueArray(fc.constantFrom(...everywhere), { minLength: 2, maxLength: 4, selector: place });
  const isApart = (all: Steps[]) =>
    all.every((one) => all.every((other) => one === other || !place(other).startsWith(place(one))));
  assertProperty(
    fc.property(two.filter(isApart), (where) => {
      assert.equal(spoilt(...where).sort(), where.flatMap((steps) => spoilt(steps)).sort());
    }),
    sampling(50, 1),
  );
});

wrongTypes.run();

const mediaFiles = suite("media files next to a document");

const withFile = (file: string, change?: (folder: string, document: any) => void): string[] => {
  const document = smallDocument();
  delete document.ingredients[0].media.base64;
  document.ingredients[0].media.file = file;
  const path = writeDocument(document, mkdirOf(scratch()));
  change?.(dirname(path), document);
  return refused(path).slice(1);
};
const mkdirOf = (folder: string): string => {
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "secret"), "outside");
  return join(folder, "inner");
};

mediaFiles("may be in the document's folder or below it", () => {
  assert.equal(
    withFile("media/wool.jpg", (folder) => {
      mkdirSync(join(folder, "media"));
      writeFileSync(join(folder, "media/wool.jpg"), "wool");
    }),
    [],
  );
});

mediaFiles("are refused if they are missing or folders", () => {
  assert.equal(withFile("wool.jpg"), [
    "ingredients[0] (ingredient Wool).media.file names a file that is not next to the document: wool.jpg",
  ]);
  assert.equal(
    withFile("wool.jpg", (folder) => mkdirSync(join(folder, "wool.jpg"))),
    ["ingredients[0] (ingredient Wool).media.file is not a file: wool.jpg"],
  );
});

mediaFiles("are refused if they are outside the document's folder", () => {
  const out = ["ingredients[0] (ingredient Wool).media.file must not lead out of the document's folder"];
  for (const file of ["../secret", "../nothing", "a/../../secret", ".."]) assert.equal(withFile(file), out, file);
  assert.equal(
    withFile("link", (folder) => execFileSync("ln", ["-s", "../secret", join(folder, "link")])),
    out,
  );
  assert.equal(withFile("/etc/passwd"), [
    "ingredients[0] (ingredient Wool).media.file must be a path relative to the document",
  ]);
});

mediaFiles.run();
