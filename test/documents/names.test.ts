import { suite } from "uvu";
import * as assert from "uvu/assert";
import { refsOf, sceneName } from "../../src/features/documents/sections/sections.ts";

const names = suite("names in a document");
const named = (...labels: string[]) => [...refsOf(labels.map((label, id) => ({ id, label, ref: null }))).values()];

names("are the labels if the labels differ", () => {
  assert.equal(named("Coat", "Hat"), [{ name: "Coat" }, { name: "Hat" }]);
});

names("are refs from the second use of a label on", () => {
  assert.equal(named("Coat", "Coat", "Coat"), [
    { name: "Coat" },
    { name: "Coat #2", ref: "Coat #2" },
    { name: "Coat #3", ref: "Coat #3" },
  ]);
});

names("skip the labels of other things, before or after", () => {
  const given = named("Coat", "Coat", "Coat #2", "Coat", "Coat #2");
  assert.equal(
    given.map(({ name }) => name),
    ["Coat", "Coat #3", "Coat #2", "Coat #4", "Coat #2 #2"],
  );
  assert.is(new Set(given.map(({ name }) => name)).size, given.length);
});

names("are the stored refs of those that have one", () => {
  const things = [
    { id: 1, label: "Coat", ref: null },
    { id: 2, label: "Coat", ref: "spare coat" },
    { id: 3, label: "spare coat", ref: null },
  ];
  assert.equal(
    [...refsOf(things).values()],
    [{ name: "Coat" }, { name: "spare coat", ref: "spare coat" }, { name: "spare coat #2", ref: "spare coat #2" }],
  );
});

names("of scenes contain the episode's code on an episodic production", () => {
  assert.is(sceneName("12A", undefined), "12A");
  assert.is(sceneName("12A", "E1"), "E1/12A");
});

names.run();
