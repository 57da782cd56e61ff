// Random series of four episodes and two units, with drafts, schedules and cast lists of single episodes in random
// order, against a model that counts by itself; and no text that the product writes has a scene number alone that
// several episodes have.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PaperworkFlags } from "../../src/features/documents/import_flags.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { randomOf, seed } from "../support/random.ts";

type Row = Record<string, any>;

const codes = ["101", "102", "103", "104"] as const;
const units = ["", "2nd Unit"] as const;
const names = ["NORA", "PIET", "ADA", "BEN"] as const;
const words = "rope coil hook dinghy mast sail wind harbour crate gull tide net oar lamp fog pier buoy anchor".split(
  " ",
);
/** How many series are tried, each with so many steps. */
const [series, steps] = [200 * Number(process.env.CASES ?? 1), 12];

interface Scene {
  text: string;
  cast: string[];
  omitted: boolean;
  /** Whom a cast list put there, or the script. */
  links: Set<string>;
}
interface Model {
  /** The scenes of each episode by number, in the order of the script. */
  episodes: Map<string, Map<string, Scene>>;
  /** The scenes of each day, by unit and number: "2nd Unit 1". */
  days: Map<string, Set<string>>;
}

const dayOf = (unit: string, day: number): string => (unit === "" ? String(day) : `${unit} ${day}`);
const draftOf = (code: string, scenes: ReadonlyMap<string, Scene>): PaperFile => ({
  name: `${code}.fountain`,
  text: [
    "Title: Low Tide",
    `Episode: ${code}`,
    "",
    ...[...scenes].flatMap(([number, { text, cast, omitted }]) =>
      omitted
        ? [`OMITTED #${number}#`, ""]
        : [
            `INT. PLACE P${code}${number.at(-1)} - DAY #${number}#`,
            "",
            text,
            "",
            ...cast.flatMap((name) => [name, "Well.", ""]),
          ],
    ),
  ].join("\n"),
});

/** The scenes, days and links that are stored, as the model has them. */
async function stored(made: Awaited<ReturnType<typeof openImports>>): Promise<object> {
  const { scenes, schedule = [] } = (await made.export()) as Row;
  return {
    scenes: Object.fromEntries(
      scenes.map(({ episode, number, status, assets = [], elements = {} }: Row) => [
        `${episode}/${number}`,
        status === "omitted" ? "omitted" : [(elements.cast ?? []).toSorted(), assets.toSorted()],
      ]),
    ),
    days: Object.fromEntries(
      schedule.map(({ day_number, unit = "", scenes: of = [] }: Row) => [dayOf(unit, day_number), of.toSorted()]),
    ),
  };
}
const expected = ({ episodes, days }: Model): object => ({
  scenes: Object.fromEntries(
    [...episodes].flatMap(([code, scenes]) =>
      [...scenes].map(([number, { cast, links, omitted }]) => [
        `${code}/${number}`,
        omitted ? "omitted" : [[...cast].sort(), [...links].sort()],
      ]),
    ),
  ),
  days: Object.fromEntries([...days].map(([day, scenes]) => [day, [...scenes].sort()])),
});

/** The numbers of scenes that stand in a text without their episode: "101/7001, 7002" has none. */
function bareNumbers(text: string): string[] {
  const listed = /(?:\d{3} ?\/ ?700\d\w*)(?:(?:, | and |, and |-| to )(?:\d{3}\/)?700\d\w*)*/g;
  return text.replace(listed, "").match(/700\d\w*/g) ?? [];
}

/** Every text that was written so far. */
const writtenIn = (rows: (sql: string) => Row[]): string[] => [
  ...rows("SELECT summary AS text FROM activity").map(({ text }) => text),
  ...rows("SELECT summary AS text FROM change_sets").map(({ text }) => text),
  ...rows("SELECT summary AS text FROM script_changes").map(({ text }) => text),
  ...rows("SELECT value AS text FROM change_sets, json_tree(changes) WHERE json_tree.key = 'key'").map(
    ({ text }) => text,
  ),
  ...rows("SELECT value AS text FROM events, json_tree(data) WHERE json_tree.key IN ('key', 'summary')").map(
    ({ text }) => text,
  ),
];

const test = suite("a random series");

test("is what a model counts, and its texts name the episodes of scenes", async () => {
  let [taken, refused] = [0, 0];
  for (let at = 0; at < series; at++) {
    const random = randomOf(seed * 1_000_003 + at);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // the list is not empty
    let sentences = 0;
    /** Each text has words of its own, so that none is like that of a scene of another episode by chance. */
    const sentence = () => {
      sentences++;
      return `${Array.from({ length: 14 }, () => pick(words) + sentences).join(" ")}.`;
    };
    const castOf = () => names.filter(() => random() < 0.5);
    const sceneOf = (): Scene => {
      const cast = castOf();
      return { text: sentence(), cast, omitted: false, links: new Set(cast) };
    };
    const model: Model = {
      episodes: new Map(
        codes.map((code) => [code, new Map(["7001", "7002", "7003"].map((number) => [number, sceneOf()]))]),
      ),
      days: new Map(),
    };
    const texts: string[] = [];
    const scenesOf = (code: string) => model.episodes.get(code) as Map<string, Scene>; // every code has some
    const made = await openImports(draftOf("101", scenesOf("101")));
    const given = async (file: PaperFile | PaperFile[], flags: Partial<PaperworkFlags> = {}) => {
      const { warnings } = await made.import(file, flags);
      texts.push(...warnings);
    };
    await given(
      codes.slice(1).map((code) => draftOf(code, scenesOf(code))),
      { new_episode: true },
    );

    const draft = async (code: string) => {
      const next = new Map([...scenesOf(code)].map(([number, scene]): [string, Scene] => [number, { ...scene }]));
      const kind = pick(["text", "add", "omit"]);
      const standing = [...next].filter(([, { omitted }]) => !omitted);
      const [number, scene] = pick(standing) ?? [];
      if (kind === "add" || number === undefined || scene === undefined) {
        const added = `700${4 + Math.floor(random() * 6)}`;
        if (next.has(added)) return;
        next.set(added, sceneOf());
      } else if (kind === "omit" && standing.length > 1) scene.omitted = true;
      else scene.text = sentence();
      const sorted = new Map([...next].sort(([one], [other]) => one.localeCompare(other)));
      await given(draftOf(code, sorted));
      const asked = made.changes();
      for (const { kind: of } of asked) assert.not.equal(of, "moved", `no text goes to another episode (series ${at})`);
      if (random() < 0.8) {
        const { plan } = await made.approve();
        texts.push(...(plan?.warnings ?? []));
        model.episodes.set(code, sorted);
        taken++;
      } else {
        await made.dismiss();
        // What was dismissed is not asked again: the same draft changes nothing.
        assert.equal((await made.import(draftOf(code, sorted))).changes, []);
        await given(draftOf(code, scenesOf(code)));
        assert.equal(made.changes(), []);
      }
    };
    const schedule = async (code: string) => {
      const unit = pick(units);
      const free = [...scenesOf(code)].flatMap(([number, { omitted }]) => (omitted ? [] : [number]));
      const chosen = new Map<number, string[]>();
      for (const number of free)
        if (random() < 0.7) {
          const day = 1 + Math.floor(random() * 3);
          chosen.set(day, [...(chosen.get(day) ?? []), number]);
        }
      if (chosen.size === 0) return;
      const rows = [...chosen]
        .sort(([one], [other]) => one - other)
        .map(([day, of]) => `${day},${unit},2026-12-0${day},"${of.join(", ")}"`);
      await given({ name: "s.csv", text: `Day,Unit,Date,Sc\n${rows.join("\n")}\n` }, { as: "schedule", episode: code });
      for (const other of units)
        for (let day = 1; day <= 3; day++) {
          const key = dayOf(other, day);
          const before = model.days.get(key);
          const listed = other === unit ? chosen.get(day) : undefined;
          if (before === undefined && listed === undefined) continue;
          // Another unit, and other episodes, keep what they have.
          const kept = [...(before ?? [])].filter((name) => other !== unit || !name.startsWith(`${code}/`));
          model.days.set(key, new Set([...kept, ...(listed ?? []).map((number) => `${code}/${number}`)]));
        }
    };
    const cast = async (code: string) => {
      const rows = names.map((name, number) => {
        const of = [...scenesOf(code)].flatMap(([scene, { omitted }]) => (!omitted && random() < 0.5 ? [scene] : []));
        return { name, number, of };
      });
      await given(
        {
          name: "c.csv",
          text: `No,Character,Scenes\n${rows.map(({ name, number, of }) => `${number + 1},${name},"${of.join(", ")}"`).join("\n")}\n`,
        },
        { as: "cast", episode: code },
      );
      for (const { name, of } of rows)
        for (const [number, scene] of scenesOf(code))
          if (of.includes(number)) scene.links.add(name);
          else if (of.length > 0 && !scene.omitted) scene.links.delete(name);
    };
    const refuse = async (code: string) => {
      const [number] = pick([...scenesOf(code)]);
      const other = pick(codes.filter((one) => one !== code));
      const list = (text: string) => ({ name: "s.csv", text });
      const wrong = pick([
        `Day,Sc\n1,${number}\n`,
        `Day,Ep,Sc\n1,${code},${other}/${number}\n`,
        `Day,Ep,Sc\n1,109,${number}\n`,
      ]);
      texts.push(
        ...(await made.problems(list(wrong), { as: "schedule" })).map((text) =>
          text.replace(/scene 700\d is in episodes? /, "").replace(/"[^"]*"/g, ""),
        ),
      );
      refused++;
    };
    let before = await stored(made);
    for (let step = 0; step < steps; step++) {
      const act = pick([draft, draft, schedule, schedule, cast, refuse]);
      await act(pick(codes));
      const after = await stored(made);
      if (act === refuse) assert.equal(after, before);
      assert.equal(after, expected(model), `series ${at}, step ${step}, SEED=${seed}`);
      before = after;
    }
    for (const text of [...texts, ...writtenIn(made.rows)]) {
      assert.equal(bareNumbers(text), [], `series ${at}: ${text}`);
      assert.not.match(text, /\b([a-z]+) \1\b/i, `series ${at} repeats a word`);
    }
    made.store.close();
  }
  assert.ok(taken > series && refused > series / 2, "drafts were approved, and lists refused");
});

test.run();
