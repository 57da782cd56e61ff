// Who speaks under a cue of several names, of a group, or with an extension.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { draftOf } from "../../src/features/scripts/compare/drafts.ts";
import { speakerOf } from "../../src/features/scripts/script.ts";
import { fountain } from "./scripts.ts";

const speech = (cue: string): string[] => [cue, "Text.", ""];
/** The cast of the only scene of a script with these cues, and what is said about them. */
function castOf(cues: readonly string[], castList: readonly string[] = []) {
  const { scenes, warnings } = draftOf(fountain("INT. A - DAY", "", ...cues.flatMap(speech)), undefined, castList);
  return { cast: scenes[0]?.cast, warnings };
}

const speakers = suite("a cue");

speakers("of several names is each of them if each has a cue of its own, in the order of first cues", () => {
  for (const joint of [
    "INES & OLAV",
    "INES AND OLAV",
    "INES/OLAV",
    "INES + OLAV",
    "INES, OLAV & MARTA",
    "INES UND OLAV",
    "INES (V.O.) & OLAV",
    "INES VE OLAV",
    "INES I OLAV",
    "INES WITH OLAV",
    "INES; OLAV",
    "INES、OLAV",
    "INES和OLAV",
  ])
    assert.equal(castOf(["OLAV", "INES", "MARTA", joint]), { cast: ["OLAV", "INES", "MARTA"], warnings: [] }, joint);
});

speakers("of several names may have names in which a joining word stands", () => {
  const known = ["INES", "SMITH & SONS", "ROMEO Y PAULA"];
  for (const [joint, cast] of [
    ["INES & SMITH & SONS", ["INES", "SMITH & SONS", "ROMEO Y PAULA"]],
    ["ROMEO Y PAULA Y INES", ["INES", "SMITH & SONS", "ROMEO Y PAULA"]],
    ["INES, SMITH & SONS & BO", ["INES", "SMITH & SONS", "ROMEO Y PAULA", "INES, SMITH & SONS & BO"]],
  ] as const)
    assert.equal(castOf([...known, joint]).cast, cast, joint);
});

speakers("of several names is each of them if the cast list has them", () => {
  assert.equal(castOf(["INES ET OLAV"], ["Ines", "Olav"]).cast, ["Ines", "Olav"]);
});

speakers("in another form of a name is the same person", () => {
  for (const [one, other] of [
    ["ANNA-MARIA", "ANNA\u2011MARIA"],
    ["O'BRIEN", "O’BRIEN"],
    ["ＡＮＮＡ", "ANNA"],
    ["İREM", "IREM"],
    ["GROßMUTTER", "GROSSMUTTER"],
  ] as const)
    assert.equal(castOf([one, other, `${other} & ${one}`]), { cast: [one], warnings: [] }, other);
});

speakers("has what is likely an extension behind the name of somebody with a cue of their own", () => {
  for (const cue of [
    "JOE OFF",
    "JOE F.C.",
    "JOE WEITER",
    "JOE - SUITE",
    "JOE, SEGUE",
    "JOE - HORS CHAMP",
    "JOE - ON PHONE",
    "JOE, INTO PHONE",
    "JOE (OFF) - PRELAP",
  ])
    assert.equal(castOf(["JOE", cue]).cast, ["JOE"], cue);
  for (const cue of ["KICK OFF", "ARSENAL F.C.", "JOE - THE BARBER"])
    assert.equal(castOf(["JOE", cue]).cast, ["JOE", cue], cue);
  assert.equal(castOf(["@太郎", "@太郎（声）", "@太郎【声】"]).cast, ["太郎"]);
});

speakers("is marked by @ in a script without capitals, and a line that may be one is named", () => {
  const { scenes, warnings } = fountain(
    "内景 厨房 - 夜",
    "",
    "小明",
    "你好。",
    "",
    "小红",
    "跑。",
    "",
    "小明走进来。",
    "他坐下。",
  );
  assert.equal(scenes[0]?.characters, []);
  assert.equal(
    warnings.map(({ line, sentence }) => `${line}: ${sentence}`),
    [
      '3: "小明" and 1 more line may name who speaks and are read as action; a name on a line of its own with @ in front is a cue',
    ],
  );
});

speakers("may stand in one line with the speech, which is named", () => {
  const { warnings } = fountain(
    "○ 公園（夜）",
    "",
    "太郎「待って」",
    "花子「いいえ」",
    "",
    "人物：小明、小红",
    "",
    "太郎が走る。",
  );
  assert.match(
    warnings.map(({ sentence }) => sentence).join(),
    /^"太郎「待って」" and 2 more lines may name who speaks/,
  );
});

speakers("of which one name is unknown is one member of the cast, and is named", () => {
  const { cast, warnings } = castOf(["INES", "INES AND THE BAND"]);
  assert.equal(cast, ["INES", "INES AND THE BAND"]);
  assert.match(warnings[0] ?? "", '"INES AND THE BAND"');
});

speakers("of a group is no member of the cast unless the cast list has it, and is named", () => {
  const { cast, warnings } = castOf(["INES", "ALL", "BOTH"]);
  assert.equal(cast, ["INES"]);
  assert.match(warnings[0] ?? "", '"ALL" and "BOTH"');
  assert.equal(castOf(["CROWD"], ["Crowd"]).cast, ["CROWD"]);
  for (const cue of [
    "VOICES",
    "VOICES (O.S.)",
    "STIMMEN",
    "TOUT LE MONDE",
    "ГОЛОСА",
    "ΟΛΟΙ",
    "@众人",
    "@الجميع",
    "@全員",
  ]) {
    const { cast, warnings } = castOf(["INES", cue]);
    assert.equal(cast, ["INES"], cue);
    assert.match(warnings[0] ?? "", "a group is no member of the cast", cue);
  }
});

speakers("has extensions with and without full stops, in brackets and behind a dash", () => {
  for (const cue of [
    "JOE VO",
    "JOE OS",
    "JOE O.C.",
    "JOE [V.O.]",
    "JOE - V.O.",
    "JOE (CONT'D)",
    "JOE (V.O.) [ON TV]",
    "JOE – VO",
    "JOE VO CONT'D",
    "JOE (V.O.) CONT'D",
  ])
    assert.is(speakerOf(cue), "JOE", cue);
  for (const cue of ["MR. VO5", "COS", "JOE-O"]) assert.is(speakerOf(cue), cue, cue);
});

speakers.run();
