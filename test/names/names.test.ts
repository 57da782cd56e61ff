// What commands take in place of an id: the names that documents use.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { readDocument } from "../../src/features/documents/read/whole.ts";
import { idOf, type NamedNoun } from "../../src/features/names/name_lookup.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { imported, now, refusal, smallDocument, writeDocument } from "../support/small_document.ts";

const { store, blobs, folder } = await imported(writeDocument(smallDocument()));
const other = smallDocument();
other.production.title = "Other";
other.deliveries = [{ title: "Storm reel", status: "ready", kind: "internal" }];
other.engagements = [{ vendor: "Pixel Co", title: "Storm" }];
other.approvals = [];
await importDocument(store, blobs, readDocument(writeDocument(other)), { now });

const names = suite("a name in place of an id");

const known: readonly [noun: NamedNoun, text: string, id: number][] = [
  ["node", "scene E1/1", 1],
  ["node", "E2/1", 2],
  ["node", "SCENE e2/1", 2],
  ["node", "Hero", 5],
  ["node", "character Hero", 5],
  ["node", "asset hero ", 5],
  ["node", "Coat #2", 4],
  ["asset", "costume Coat #2", 4],
  ["department", "vfx", 2],
  ["person", "ben", 2],
  ["delivery", "Reel #2", 2],
  ["engagement", "Weaving #2", 2],
  ["approval", "coat look", 1],
  ["node", "77", 77],
];
for (const [noun, text, id] of known)
  names(`${noun} "${text}" is ${id}`, () => assert.is(idOf(store, noun, text, 1), id));

const wrong: readonly [noun: NamedNoun, text: string, sentence: RegExp][] = [
  [
    "node",
    "Coat",
    /^"Coat" is the name of 2 things: Coat \(node 3\), Coat #2 \(node 4\); use the id or the whole name$/,
  ],
  ["node", "scene 1", /^"scene 1" is the name of 2 things: scene E1\/1 \(node 1\), scene E2\/1 \(node 2\);/],
  ["delivery", "reel", /^"reel" is the name of 2 things: Reel \(delivery 1\), Reel #2 \(delivery 2\);/],
  [
    "approval",
    "the coat",
    /^there is no approval "the coat"; similar names: Coat look \(approval 1\), First coat \(approval 4\)$/,
  ],
  ["node", "scene 9", /^there is no node "scene 9"; `tallylight list scenes --production 1` shows all of them$/],
  ["asset", "scene E1/1", /^there is no asset "scene E1\/1"; `tallylight list assets --production 1`/],
  ["department", "Costume Dept", /^there is no department "Costume Dept"; similar names: costume \(department 1\)$/],
  ["person", "", /^there is no person ""; similar names: Ada \(person 1\), Ben \(person 2\)$/],
  ["node", "0", /^0 is not an id: an id is a positive integer$/],
  ["node", "99999999999999999999", /^99999999999999999999 is not an id/],
];
for (const [noun, text, sentence] of wrong)
  names(`${noun} "${text}" is refused`, () =>
    assert.match(
      refusal(() => idOf(store, noun, text, 1)),
      sentence,
    ),
  );

names("is looked up in every production if none is given", () => {
  assert.is(idOf(store, "delivery", "Storm reel"), 3);
  assert.match(
    refusal(() => idOf(store, "delivery", "Storm reel", 1)),
    /^there is no delivery "Storm reel"/,
  );
  assert.match(
    refusal(() => idOf(store, "person", "Ada")),
    /^"Ada" is the name of 2 things: Ada \(person 1\), Ada \(person 3\)/,
  );
});

names.run();

const commands = suite("commands that take a name");
const data = ["--data", folder];

commands(
  "grants add takes the engagement, the node, the department and the delivery by name, in its production",
  async () => {
    const grant = (...argv: string[]) => answerOf("grants", "add", "--engagement", "Storm", ...argv, ...data);
    assert.is((await grant("--verb", "read", "--node", "scene E1/1")).target_name, "scene E1/1, INT. HUT - DAY");
    assert.is((await grant("--verb", "read", "--department", "costume")).target_name, "Costume");
    const { target_id, engagement_id } = await grant(
      "--verb",
      "submit",
      "--delivery",
      "Storm reel",
      "--production",
      "2",
    );
    assert.equal([target_id, engagement_id], [3, 3]);
    const { status, err } = await tallylight(
      "grants",
      "add",
      "--engagement",
      "Storm",
      "--verb",
      "submit",
      "--delivery",
      "Reel",
      ...data,
    );
    assert.equal([status, err], [1, 'there is no delivery "Reel"; similar names: Storm reel (delivery 3)\n']);
  },
);

commands("keys mint takes the engagement and the person by name", async () => {
  const minted = await answerOf(
    "keys",
    "mint",
    "--production",
    "2",
    "--label",
    "x",
    "--engagement",
    "storm",
    "--person",
    "Ada",
    "--scope",
    "read",
    ...data,
  );
  const [key] = (await answerOf("keys", "list", "--production", "2", ...data)).filter(
    ({ id }: { id: number }) => id === minted.id,
  );
  assert.equal([key.engagement_id, key.person, key.person_id], [3, "Ada", 3]);
});

commands("versions release and archive take an asset and the number of its version", async () => {
  const released = await answerOf(
    "versions",
    "release",
    "2",
    "--asset",
    "costume Coat",
    "--production",
    "2",
    ...data,
  ).catch((error) => error.message);
  assert.match(released, /^"costume Coat" is the name of 2 things: Coat \(asset 8\), Coat #2 \(asset 9\)/);
  const version = await answerOf("versions", "release", "2", "--asset", "3", ...data);
  assert.equal([version.label, version.version, version.released], ["Coat", 2, true]);
  assert.is((await answerOf("versions", "archive", String(version.id), ...data)).archived, true);
  const { err } = await tallylight("versions", "release", "7", "--asset", "Hero", "--production", "1", ...data);
  assert.is(err, "there is no version 7 of the asset 5\n");
});

commands("engagements end takes a title", async () => {
  assert.is((await answerOf("engagements", "end", "Storm", ...data)).active, false);
});

commands.run();
