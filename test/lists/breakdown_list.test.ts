// Breakdowns and cast lists as scheduling programs and people write them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { documentOf, names, problemsOf, warningsOf } from "../support/lists.ts";

const things = [
  { label: "Mara", kind: "character", cast_number: "1" },
  { label: "Tom Finch", kind: "character", cast_number: "2" },
  { label: "Lantern, brass", kind: "prop" },
  { label: "Oars", kind: "prop" },
];
const known = names({
  scenes: ["1", { number: "2", assets: ["Oars"] }, "3", "3A", "4"],
  departments: [{ slug: "props", name: "Property" }],
  assets: things,
});
const read = (text: string) => documentOf("breakdown", text, { known });
const linked = (text: string) => read(text).scenes?.map(({ number, assets, elements }) => [number, assets, elements]);

const breakdown = suite("a breakdown");

breakdown("has an element in each row: known kinds are linked, other categories are lists", () => {
  const text = `Scene,Category,Element,Quantity
1,Props,"Lantern, brass",1
1,Props,Compass,1
2,Cast Members,1. MARA,
2,Prop,Oars,2
2-3A,Stunts,Fall from the wall,
4,Vehicles,Skiff,
`;
  assert.equal(read(text), {
    assets: [
      { label: "Compass", kind: "prop", status: "planned", department: "props" },
      { label: "Skiff", kind: "vehicle", status: "planned" },
    ],
    scenes: [
      { number: "1", assets: ["Lantern, brass", "Compass"] },
      { number: "2", assets: ["Oars", "Mara"], elements: { stunts: ["Fall from the wall"] } },
      { number: "3", elements: { stunts: ["Fall from the wall"] } },
      { number: "3A", elements: { stunts: ["Fall from the wall"] } },
      { number: "4", assets: ["Skiff"] },
    ],
  });
  assert.equal(warningsOf("breakdown", text, { known }), [
    'the column "Quantity" was ignored: a breakdown has no place for it',
  ]);
});

breakdown("has categories above their elements, and lists of scenes", () => {
  const text = `Element,Scenes\nPROPS (2),\nOars,"1, 3-4"\nCompass,2\nSTUNTS,\nFall,3A\nNobody needs it,\n`;
  assert.equal(linked(text), [
    ["1", ["Oars"], undefined],
    ["3", ["Oars"], undefined],
    ["3A", ["Oars"], { stunts: ["Fall"] }],
    ["4", ["Oars"], undefined],
    ["2", ["Oars", "Compass"], undefined],
  ]);
});

breakdown("has scenes in long cells, parts behind a comma, and numbers with separators in them", () => {
  const scenes = Array.from({ length: 2000 }, (_, at) => String(at + 1));
  const own = names({ scenes: [...scenes, "=;", "=", "a, b"], departments: [], assets: [] });
  const numbers = (cell: string) =>
    documentOf("breakdown", `Scene,Category,Element\n"${cell}",Stunts,Fall\n`, { known: own }).scenes?.map(
      ({ number }) => number,
    );
  for (const separator of [", ", ";", "\n"])
    assert.equal(numbers(scenes.slice(0, 1500).join(separator)), scenes.slice(0, 1500));
  assert.equal(numbers("3, 14, pt 2; 15,  part 1\n16 \n pt"), ["3", "14", "15", "16"]);
  assert.equal(numbers("=;"), ["=;"]);
  assert.equal(numbers("a, b"), ["a, b"]);
  assert.equal(numbers("="), ["="]);
});

breakdown("has merged cells: the scene and the category stand in their first row alone", () => {
  const text = "Scene,Category,Element\n1,Props,Oars\n,,Compass\n,Stunts,Fall\n2,Stunts,Dive\n";
  assert.equal(linked(text), [
    ["1", ["Oars", "Compass"], { stunts: ["Fall"] }],
    ["2", undefined, { stunts: ["Dive"] }],
  ]);
});

breakdown("has a scene in each row, with lists between semicolons, lines or commas that are in no known name", () => {
  const text = `Sheet,Scene,I/E,Set,D/N,Pages,Cast,Props,Background Actors,Special Effects
1,1,INT,HUT,DAY,1 2/8,"1, 2","Lantern, brass, Compass","Fishermen (12); Children, wet",Fog
2,2,EXT,QUAY,DAY,2/8,"Tom Finch
9",Oars,,
`;
  assert.equal(linked(text), [
    [
      ...["1", ["Mara", "Tom Finch", "Lantern, brass", "Compass", "Fog"]],
      { pages: "1 2/8", background_actors: ["Fishermen (12)", "Children, wet"] },
    ],
    ["2", ["Oars", "Tom Finch"], { pages: "2/8" }],
  ]);
  const warnings = warningsOf("breakdown", text, { known }).join("\n");
  assert.match(warnings, /the columns "Sheet", "I\/E", "Set" and "D\/N" were ignored/);
  assert.match(warnings, /no character has the cast number 9; import a cast list first/);
});

breakdown("gives a number beside a name to a character that has none, and moves no number", () => {
  const text = `Scene,Category,Element
1,Cast Members,7. NURSE
1,Cast Members,3. MARA
2,Cast Members,8) Boy
2,Cast Members,7 - PORTER
3,Cast Members,4 SAILORS
`;
  assert.equal(read(text).assets, [
    { label: "NURSE", kind: "character", status: "planned", cast_number: "7" },
    { label: "Boy", kind: "character", status: "planned", cast_number: "8" },
    { label: "PORTER", kind: "character", status: "planned" },
    { label: "SAILORS", kind: "character", status: "planned" },
  ]);
  assert.equal(warningsOf("breakdown", text, { known }), [
    'the cast numbers 3 of "Mara", 7 of "PORTER" were ignored: the character or the number is taken; a cast list changes it',
  ]);
});

breakdown("names scenes that are not in the script, and elements without a category", () => {
  assert.equal(problemsOf("breakdown", "Scene,Category,Element\n7,Props,Oars\n1,,Compass\n", { known }), [
    "line 2: scene 7 is not in the script; nearest is 4",
  ]);
  assert.equal(problemsOf("breakdown", "Scene,Element\n1,Compass\n", { known }), ['line 2: "Compass" has no category']);
});

breakdown.run();

const cast = suite("a cast list");
const castOf = (text: string) => documentOf("cast", text, { known }).assets;

cast("gives characters their numbers, performers and scenes, whatever the case of their names", () => {
  assert.equal(castOf('No.,Character,Actor,Scenes,Agent\n1,MARA,Cora Lind,"1, 3-4",Somebody\n7,Nurse,TBC,\n'), [
    { label: "Mara", cast_number: "1", performer: "Cora Lind", scenes: ["1", "3", "3A", "4"] },
    { label: "Nurse", kind: "character", status: "planned", cast_number: "7", performer: "TBC" },
  ]);
});

cast("keeps what a row leaves empty, and names a character that stands twice", () => {
  assert.equal(castOf("Cast #,Role,Played by\n,Mara,\n"), [{ label: "Mara" }]);
  assert.equal(problemsOf("cast", "ID,Character\n1,Mara\n2,mara\n", { known }), [
    'line 3: "Mara" appears twice, first on line 2; a column Ref tells two characters of one name apart',
  ]);
});

cast.run();

const others = suite("other lists");

others("of assets have scenes, ranges and episodes, and name those that do not exist", () => {
  const assets = (text: string, options = {}) => documentOf("assets", text, { known, ...options }).assets;
  assert.equal(assets('Asset,Scenes\nOars,"1, 3-4"\n'), [{ label: "Oars", scenes: ["1", "3", "3A", "4"] }]);
  assert.equal(problemsOf("assets", "Asset,Scenes\nOars,9\n", { known }), [
    "line 2: scene 9 is not in the script; nearest is 4",
  ]);
  const series = names({ scenes: ["101/5", "102/5"], episodes: ["101", "102"] });
  assert.equal(assets("Asset,Scenes\nHut,101/5\n", { known: series })?.[0]?.scenes, ["101/5"]);
});

others("of departments are known by name, and keep it", () => {
  assert.equal(documentOf("departments", "Department,Mission\nproperty dept,Things.\nGrip,\n", { known }).departments, [
    { slug: "props", mission: "Things." },
    { slug: "grip", name: "Grip" },
  ]);
});

others("of approvals have a row for each step, or a list of people", () => {
  const people = names({ people: ["Ada Lund", "Ben"], assets: ["Oars"] });
  const text = `Approval,Asset,Person,Status,Decided
Oars,oars,ada lund,approved,2026-01-05
Oars,,Ben,,
Boat,,"Ben; Ada Lund",,
`;
  assert.equal(documentOf("approvals", text, { known: people }).approvals, [
    {
      title: "Oars",
      asset: "Oars",
      steps: [
        { person: "Ada Lund", status: "approved", decided_at: "2026-01-05T00:00:00.000Z" },
        { person: "Ben", status: "pending" },
      ],
    },
    {
      title: "Boat",
      steps: [
        { person: "Ben", status: "pending" },
        { person: "Ada Lund", status: "pending" },
      ],
    },
  ]);
});

others("of elements have several names in a cell where semicolons or lines are between them", () => {
  const text = 'Scene,Category,Element\n1,Stunts,Fall; Dive\n1,Stunts,"Jump\nRoll"\n1,Stunts,"Fight, long"\n';
  assert.equal(documentOf("breakdown", text, { known }).scenes?.[0]?.elements, {
    stunts: ["Fall", "Dive", "Jump", "Roll", "Fight, long"],
  });
  const props = documentOf("breakdown", "Scene,Category,Element\n1,Props,Rope; Lamp\n", { known }).assets;
  assert.equal(
    props?.map(({ label }) => label),
    ["Rope", "Lamp"],
  );
});

others("of scenes link the characters of their cast numbers", () => {
  const text = 'Scene,Cast ID\n1,"1-2"\n2,9\n';
  assert.equal(documentOf("scenes", text, { known }).scenes, [
    { number: "1", assets: ["Mara", "Tom Finch"] },
    { number: "2" },
  ]);
  assert.equal(warningsOf("scenes", text, { known }), ["no character has the cast number 9; import a cast list first"]);
});

others("of scenes add what the script does not have, with its elements", () => {
  assert.equal(
    documentOf("scenes", "Scene,Slugline,Status,Pages,Cast\n1,INT. HUT - DAY,done,2/8,MARA\n5,EXT. SEA,,,\n", { known })
      .scenes,
    [
      { number: "1", slugline: "INT. HUT - DAY", status: "done", elements: { pages: "2/8", cast: ["MARA"] } },
      { number: "5", slugline: "EXT. SEA" },
    ],
  );
});

others.run();
