// The breakdown of a script into scenes and assets.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { numberScenes } from "../../src/features/names/sluglines.ts";
import { categoryKey } from "../../src/features/paperwork/categories.ts";
import { breakdownOf, fdx, fountain, heading, paragraph } from "../scripts/scripts.ts";

const numbering = suite("the numbers of scenes");

numbering("of an unnumbered script are 1, 2, 3", () => {
  assert.equal(numberScenes([null, null, null]), ["1", "2", "3"]);
});

numbering("that are missing are the previous number with the next free letter", () => {
  assert.equal(numberScenes(["1", null, null, "2", "2A", null, "2C", null]), [
    "1",
    "1A",
    "1B",
    "2",
    "2A",
    "2B",
    "2C",
    "2D",
  ]);
  assert.equal(numberScenes(["5", null, "5A"]), ["5", "5B", "5A"]);
});

numbering("that are missing before the first number are that number with a letter in front", () => {
  assert.equal(numberScenes([null, null, "1", null]), ["A1", "B1", "1", "1A"]);
  assert.equal(numberScenes([null, "A1", "1"]), ["AA1", "A1", "1"]);
});

numbering("skip the letters I and O, and continue after Z with AA", () => {
  const given = numberScenes(["1", ...Array.from({ length: 26 }, () => null)]);
  assert.equal(
    [given[8], given[9], given[13], given[14], given[25], given[26]],
    ["1H", "1J", "1N", "1P", "1AA", "1AB"],
  );
});

numbering("are unique, ignoring the case of letters", () => {
  assert.equal(numberScenes(["1", null, "1a"]), ["1", "1B", "1a"]);
});

numbering("in other forms get a letter too", () => {
  assert.equal(numberScenes(["A3-1", null, "I-1-A", null]), ["A3-1", "A3-1A", "I-1-A", "I-1-AA"]);
});

numbering.run();

const scenes = suite("the scenes of a breakdown");

scenes("contain what the heading, the cues and the length say", () => {
  const [scene] = breakdownOf(
    fountain("INT. KITCHEN - NIGHT (N2) #4#", "", "= She waits.", "", "ANNA (V.O.)", "Yes."),
  ).scenes;
  assert.equal(scene, {
    number: "4",
    slugline: "INT. KITCHEN - NIGHT (N2)",
    synopsis: "She waits.",
    status: "planned",
    revision_color: "white",
    elements: {
      int_ext: "INT",
      set: "KITCHEN",
      time_of_day: "NIGHT",
      cast: ["ANNA"],
      pages: "1/8",
      pages_estimated: true,
      script_day: "N2",
    },
    assets: ["ANNA"],
  });
});

scenes("have the file's length, else an estimate that is marked as such", () => {
  const properties = '<SceneProperties Length="1 2/8"/>';
  const script = fdx(
    `<Paragraph Number="1" Type="Scene Heading">${properties}<Text>INT. A</Text></Paragraph>${heading("INT. B", "2")}${heading("INT. C", "3")}`,
  );
  const { scenes } = breakdownOf(script);
  assert.equal(
    scenes.map(({ elements }) => [elements.pages, elements.pages_estimated]),
    [
      ["1 2/8", undefined],
      ["1/8", true],
      ["1/8", true],
    ],
  );
});

scenes("that are omitted have the status omitted; a card without a former heading has no elements", () => {
  const { scenes } = breakdownOf(fountain(".OMITTED #1#", "", ".OMITTED #2# [[EXT. YARD - DAY]]"));
  assert.equal(
    scenes.map(({ status, elements }) => [status, elements.set]),
    [
      ["omitted", undefined],
      ["omitted", "YARD"],
    ],
  );
  assert.equal(scenes[0]?.elements, {});
});

scenes("have the episode's code and the draft's colour if they are given", () => {
  const [scene] = breakdownOf(fountain("INT. A"), { episode: "102", color: "pink" }).scenes;
  assert.equal([scene?.episode, scene?.revision_color], ["102", "pink"]);
});

scenes("are the same if the same draft is broken down twice", () => {
  const script = fountain("INT. A", "", "ANNA", "Yes.", "", "INT. B", "", "BEN", "No.");
  assert.equal(breakdownOf(script), breakdownOf(script));
});

scenes.run();

const tagData = (...tags: [category: string, label: string][]): string => {
  const categories = [...new Set(tags.map(([category]) => category))];
  return `<TagData><TagCategories>${categories.map((name) => `<TagCategory Id="${name}" Name="${name}"/>`).join("")}</TagCategories>
  <TagDefinitions>${tags.map(([category, label], at) => `<TagDefinition CatId="${category}" Id="d${at}" Label="${label}"/>`).join("")}</TagDefinitions>
  <Tags>${tags.map((_, at) => `<Tag Number="${at}"><DefId>d${at}</DefId></Tag>`).join("")}</Tags></TagData>`;
};
const tagged = (...numbers: number[]): string =>
  `<Paragraph Type="Action">${numbers.map((number) => `<Text TagNumber="${number}">x</Text>`).join("")}</Paragraph>`;

const assets = suite("the assets of a breakdown");

assets("are characters and tagged things, linked to their scenes", () => {
  const script = fdx(
    heading("INT. A") +
      tagged(0, 1, 2) +
      paragraph("Character", "ANNA") +
      paragraph("Dialogue", "Yes.") +
      heading("INT. B") +
      tagged(0),
    tagData(["Props", "Lantern"], ["Makeup/Hair", "Scar"], ["Stunts", "High fall"]),
  );
  const { scenes, assets } = breakdownOf(script);
  assert.equal(assets, [
    { label: "ANNA", kind: "character", status: "planned" },
    { label: "Lantern", kind: "prop", status: "planned", department: "props" },
    { label: "Scar", kind: "makeup", status: "planned", department: "hair-makeup" },
  ]);
  assert.equal(
    scenes.map((scene) => scene.assets),
    [["ANNA", "Lantern", "Scar"], ["Lantern"]],
  );
  assert.equal(
    [scenes[0]?.elements.props, scenes[0]?.elements.makeup_hair, scenes[0]?.elements.stunts],
    [["Lantern"], ["Scar"], ["High fall"]],
  );
});

assets("have no unknown department, and follow the rules that are given", () => {
  const script = fdx(heading("INT. A") + tagged(0, 1), tagData(["Props", "Lantern"], ["Stunts", "High fall"]));
  assert.is(breakdownOf(script, { departments: ["art"] }).assets[0]?.department, undefined);
  const { assets } = breakdownOf(script, { rules: { stunts: { kind: "stunt", department: "stunts" } } });
  assert.equal(assets, [{ label: "High fall", kind: "stunt", status: "planned", department: "stunts" }]);
});

assets("have one label for all spellings in different cases, and another label if the kind differs", () => {
  const script = fdx(
    heading("INT. A") + tagged(0, 1, 2) + paragraph("Character", "FOX"),
    tagData(["Props", "lantern"], ["Props", "Lantern"], ["Vehicles", "Fox"]),
  );
  assert.equal(
    breakdownOf(script).assets.map(({ label, kind }) => [label, kind]),
    [
      ["FOX", "character"],
      ["lantern", "prop"],
      ["Fox (vehicle)", "vehicle"],
    ],
  );
});

assets("that a production has keep its spelling and are not added", () => {
  const script = fdx(heading("INT. A") + tagged(0) + paragraph("Character", "ANNA"), tagData(["Props", "LANTERN"]));
  const known = [
    { label: "Anna", kind: "character" },
    { label: "Lantern", kind: "prop" },
  ];
  const { scenes, assets } = breakdownOf(script, { known });
  assert.equal([scenes[0]?.assets, assets], [["Anna", "Lantern"], []]);
});

assets("that are tagged as cast are characters, merged with speakers of the same name", () => {
  const script = fdx(
    heading("INT. A") + tagged(0, 1) + paragraph("Character", "MARA (V.O.)"),
    tagData(["Cast Members", "Mara (V.O.)"], ["Cast Members", "A silent man"]),
  );
  const { scenes, assets } = breakdownOf(script);
  assert.equal(
    assets.map(({ label }) => label),
    ["MARA", "A silent man"],
  );
  assert.equal(scenes[0]?.elements.cast, ["MARA"]);
});

assets("are keyed by category: lower case, without accents, never the name of a field", () => {
  const given = [
    ...["Special Effects", "Makeup/Hair", "Adereços", "Реквизит"],
    ...["Cast", "Set", "Constructor", "Prototype", "???"],
  ];
  assert.equal(given.map(categoryKey), [
    "special_effects",
    "makeup_hair",
    "aderecos",
    "реквизит",
    "cast_tags",
    "set_tags",
    "constructor_tags",
    "prototype_tags",
    "tags",
  ]);
});

assets.run();
