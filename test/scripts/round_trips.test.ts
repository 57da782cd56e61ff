// What `export --as` writes of random productions, read again: it plans nothing, whatever their texts are.
// Thorough: only --all runs it.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { personNameProblem } from "../../src/features/names/person_names.ts";
import { openImports } from "../support/import.ts";
import { exportKinds } from "../support/list_kinds.ts";
import { foldedText, texts } from "../support/list_texts.ts";
import { sampling } from "../support/sampling.ts";
import type { Json } from "../support/update.ts";

const maybe = (name: string, value: fc.Arbitrary<unknown>) =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [name]: one }));
const some = (names: readonly string[]) => fc.subarray([...names]);
const unique = (most: number, least: number, count: number) =>
  fc.uniqueArray(texts(most), { selector: foldedText, minLength: least, maxLength: count });
const date = fc.integer({ min: 1, max: 28 }).map((day) => `2026-03-${String(day).padStart(2, "0")}`);
const odd = [
  "7",
  "1-3",
  "2026",
  "a; b",
  "Props",
  "LUNCH",
  "12: MOVE",
  "Total war",
  "1.9",
  "C: 3",
  "Location: Pier",
  "Call: 8a",
  "End of Day 2",
];
const words = fc.oneof(texts(40), fc.constantFrom(...odd));

const kinds = ["character", "prop", "costume", "weapon", "effect", "asset", "odd_kind", "set"];
const asset = (label: string, slugs: readonly string[]) =>
  fc
    .record({
      kind: fc.constantFrom(...kinds),
      status: fc.constantFrom("planned", "done"),
      department: fc.option(fc.constantFrom(...slugs), { nil: undefined }),
      cast_number: fc.option(fc.oneof(texts(10), fc.constantFrom("1", "2", "3A")), { nil: undefined }),
      performer: fc.option(texts(50), { nil: undefined }),
    })
    .map(({ cast_number, performer, ...own }) => ({
      label,
      ...own,
      ...(own.kind === "character" && { cast_number, performer }),
    }));

const scene = (number: string, assets: readonly string[]) =>
  fc
    .tuple(
      fc.record({ slugline: texts(100), status: fc.constantFrom("planned", "active", "omitted") }),
      ...[maybe("synopsis", texts(200)), maybe("revision_color", texts(20))],
      fc.tuple(
        ...[maybe("pages", fc.oneof(fc.constantFrom("1 7/8", "0", "2"), words)), maybe("script_day", words)],
        ...[maybe("cast", fc.array(words, { maxLength: 3 })), maybe("stunts", fc.array(words, { maxLength: 3 }))],
        ...[maybe("props", fc.array(words, { maxLength: 2 })), maybe("set", words), maybe("weapon", fc.array(words))],
        maybe("camera", fc.oneof(words, fc.constant({ lens: 35 }))),
      ),
      some(assets),
    )
    .map(([own, synopsis, color, elements, used]) => ({
      number,
      ...own,
      ...synopsis,
      ...color,
      elements: Object.assign({}, ...elements),
      assets: used,
    }));

const day = (day_number: number, scenes: readonly string[], who: readonly string[]) =>
  fc
    .tuple(
      ...[
        date,
        some(scenes),
        maybe("general_call", fc.constantFrom("07:00", "23:59")),
        maybe("location", words),
        maybe("notes", texts(100)),
      ],
      ...[maybe("wrap", fc.constantFrom("19:30", "00:15")), maybe("status", texts(20))],
      fc.array(
        fc
          .tuple(
            fc.constantFrom(...who, "Nobody we know", "COSTUME"),
            fc.constantFrom("07:30", "O/C", "HOLD"),
            maybe("note", words),
          )
          .map(([who, time, note]) => ({ who, time, ...note })),
        { maxLength: 4 },
      ),
      fc.array(
        fc.tuple(fc.option(fc.constantFrom(...scenes), { nil: undefined }), words).map(([before, text]) => ({
          ...(before !== undefined && { before }),
          text,
        })),
        { maxLength: 3 },
      ),
    )
    .map(([date, own, ...more]) => {
      const [calls, banners] = more.slice(-2);
      return { day_number, date, scenes: own, calls, banners, ...Object.assign({}, ...more.slice(0, -2)) };
    });

const step = (people: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...people), fc.boolean(), maybe("note", texts(50)))
    .map(([person, isDecided, note]) =>
      isDecided
        ? { person, status: "approved", decided_at: "2026-01-05T08:00:00.000Z", decided_by: person, ...note }
        : { person },
    );
const approval = (title: string, people: readonly string[], assets: readonly string[], scenes: readonly string[]) =>
  fc
    .record({
      mode: fc.constantFrom("chain", "decision"),
      about: fc.constantFrom<Json>({}, { asset: assets[0] }, { scene: scenes[0] }),
      due: maybe("due", fc.oneof(texts(20), date)),
      steps: fc.array(step(people), { minLength: 1, maxLength: 3 }),
    })
    .map(({ mode, about, due, steps }) => {
      const sorted = [...steps.filter(({ status }: Json) => status), ...steps.filter(({ status }: Json) => !status)];
      const status = sorted.every(({ status }: Json) => status) ? "approved" : "pending";
      return { title, mode, status, ...about, ...due, steps: sorted };
    });

const figures = fc.dictionary(
  fc.constantFrom("actual", "estimate_to_complete", "week", "Odd Key", "description", "account"),
  fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    words,
    fc.constant({ deep: 1 }),
  ),
  { noNullPrototype: true },
);
const report = (week_of: string, active: boolean, slugs: readonly string[]) =>
  fc
    .uniqueArray(
      fc
        .tuple(texts(20), fc.constantFrom(...slugs), maybe("budget", fc.integer()), figures)
        .map(([account, department, budget, own]) => ({
          account,
          department,
          ...budget,
          figures: own,
        })),
      { selector: ({ account }) => account, maxLength: 3 },
    )
    .map((lines) => ({ week_of, active, lines }));

/** Names of people, which must not be read as another's. */
const peopleNames = fc.uniqueArray(
  texts(60).filter((name) => personNameProblem(name) === undefined),
  { selector: foldedText, minLength: 2, maxLength: 3 },
);

/** A whole production: names first, then what refers to them. */
const production = fc
  .tuple(unique(60, 3, 8), unique(50, 2, 6), peopleNames, unique(40, 1, 3))
  .chain(([labels, numbers, people, titles]) => {
    const slugs = ["camera", "costume"];
    const who = [...labels, ...people, ...slugs];
    return fc
      .record({
        assets: fc.tuple(...labels.map((label) => asset(label, slugs))),
        scenes: fc.tuple(...numbers.map((number) => scene(number, labels))),
        schedule: fc.tuple(...[1, 2, 5].map((number) => day(number, numbers, who))),
        approvals: fc.tuple(...titles.map((title) => approval(title, people, labels, numbers))),
        cost_reports: fc.tuple(report("2026-03-02", true, slugs), report("2026-03-09", false, slugs)),
        departments: fc.tuple(
          ...slugs.map((slug) =>
            fc
              .tuple(texts(40), maybe("mission", texts(50)), fc.array(texts(30), { maxLength: 3 }), fc.boolean())
              .map(([name, mission, phases, unveiled]) => ({
                slug,
                name,
                ...mission,
                phases,
                key_roles: phases,
                unveiled,
              })),
          ),
        ),
      })
      .map((sections) => ({
        document: "tallylight production",
        document_version: 1,
        production: { title: "Random" },
        people: people.map((name) => ({ name, role: "Grip" })),
        ...sections,
      }));
  });

const test = suite("a list that is written and read again");

test("plans nothing, for any production and every kind", async () => {
  let written = 0;
  await fc.assert(
    fc.asyncProperty(production, async (document) => {
      const own = await openImports(JSON.parse(JSON.stringify(document)));
      try {
        for (const kind of exportKinds) {
          const text = listOfProduction(own.store, own.production_id, kind);
          if (text.split("\n").length < 3) continue;
          written++;
          const { changes } = await own.import({ name: "list.csv", text }, { as: kind, dry_run: true });
          assert.equal(changes, [], `${kind}\n${text}`);
        }
      } finally {
        own.store.close();
      }
    }),
    sampling(12, 1),
  );
  assert.ok(written > 50);
});

test.run();
