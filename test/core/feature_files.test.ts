// What a feature.ts names as text exists: each file exports what the program asks it for. The compiler does not see these names, and a timer that fails is
// only tried again.
import "../../src/features.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FeatureFile } from "../../src/core/feature.ts";
import { features, loadFile } from "../../src/core/features.ts";

/** What the files of each kind export. */
const exported: Readonly<Record<string, string>> = {
  attempts: "beginAttempt",
  backUpBefore: "backUpBefore",
  beginning: "beginLink",
  changeSets: "recordChangeSet",
  checks: "checkData",
  commands: "commands",
  conditions: "openConditions",
  copy: "openCopy",
  exporters: "listOfProduction",
  figures: "openFigures",
  importers: "importers",
  lookup: "idOf",
  paperwork: "documentsOf",
  pictures: "pictureOf",
  routes: "openTransport",
  scriptExporters: "scriptOfProduction",
  scriptFollowing: "followUpdate",
  scriptUndo: "undoScript",
  spelling: "closestWord",
  starts: "start",
  timers: "runTimer",
  uploads: "findUpload",
};
/** Theirs have names of their own, which test/operations.test.ts and test/pages/named.test.ts look at. */
const others = ["operations", "pages", "places", "files"];

/** The files that a value names, however deep. */
function filesIn(value: unknown): FeatureFile[] {
  if (typeof value === "string") return value.startsWith("./") ? [`./${value.slice(2)}`] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(filesIn) : [];
}

const test = suite("the files that a feature.ts names");

for (const feature of features())
  for (const [kind, value] of Object.entries(feature).filter(([kind]) => !others.includes(kind)))
    for (const file of filesIn(value))
      test(`${feature.name}: ${file} exports what ${kind} asks for`, async () => {
        const name = exported[kind];
        assert.ok(name !== undefined, `say above what the files of ${kind} export`);
        const module = await loadFile<object>(feature, file);
        assert.ok(Object.hasOwn(module, name), `${file} has no ${name}`);
      });

test.run();
