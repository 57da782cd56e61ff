// A change that is made and undone again, and the undo of an undo.
// Thorough: only --all runs it.
import { openTestServer } from "../support/app.ts";
import { type Json, quiet, testRepeatedCalls } from "../support/repeated_calls.ts";

const server = await openTestServer();

testRepeatedCalls(server, "undo that comes again", (calls) => {
  const { command, get, post, update, changes, picked, s, scene, sceneKey } = calls;
  const lastSet = async () => (await get("/admin/history?limit=1"))[0];
  const undo = (id: number) => command("undo", String(id));
  return {
    history: [
      [
        "a change",
        async () => {
          await update({ scenes: [{ ...sceneKey(), synopsis: "A new synopsis." }] });
          s.set = await lastSet();
          return s.set.counts;
        },
        { added: 0, changed: 1, removed: 0 },
      ],
      [
        "the same again",
        async () => [
          await changes({ scenes: [{ ...sceneKey(), synopsis: "A new synopsis." }] }),
          (await lastSet()).id === s.set.id,
        ],
        [0, true],
        quiet,
      ],
      [
        "undone",
        () => picked(post(`/admin/history/${s.set.id}/undo`), "counts"),
        [{ added: 0, changed: 1, removed: 0, unchanged: 0 }],
      ],
      ["undone again", () => undo(s.set.id), /^change set \d+ is undone already/, quiet],
      [
        "the undo undone",
        async () => {
          s.undo = await lastSet();
          await undo(s.undo.id);
          return (await get(`/scenes/${scene}`)).synopsis;
        },
        "A new synopsis.",
      ],
      [
        "undone once more",
        async () => {
          await undo(s.set.id);
          return (await get(`/scenes/${scene}`)).synopsis === "A new synopsis.";
        },
        false,
      ],
      [
        "of an addition",
        async () => {
          await update({ assets: [{ label: "Undone thing", kind: "prop" }] });
          s.set = await lastSet();
          await undo(s.set.id);
          return (await get("/search?q=undone")).length;
        },
        0,
      ],
      [
        "and taken back",
        async () => {
          await undo((await lastSet()).id);
          return (await get("/search?q=undone")).map(({ label }: Json) => label);
        },
        ["Undone thing"],
      ],
    ],
  };
});
