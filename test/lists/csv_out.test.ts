// Thorough: only --all runs it.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { csvText, guardCell, unguardCell } from "../../src/features/csv/csv.ts";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import { problemText } from "../../src/features/documents/refusals.ts";
import type { ProductionDocument } from "../../src/features/documents/sections/schema.ts";
import { writeList } from "../../src/features/lists/exporters.ts";
import type { PaperDocument } from "../../src/features/paperwork/partial.ts";
import { exportKinds } from "../support/list_kinds.ts";
import { foldedText, texts } from "../support/list_texts.ts";
import { cipher, knownNames, readList, silverButton } from "../support/lists.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

const read = (kind: ListKind, document: ProductionDocument): PaperDocument => {
  const { document: partial, warnings } = readList(kind, writeList(kind, document), { known: knownNames(document) });
  const slugline = 'the column "Slugline" was ignored: the script says it; --map takes it from the file';
  // A text in the column of what is due is kept, and named.
  for (const warning of warnings.filter((one) => !problemText(one).includes("is no date with its year")))
    assert.equal([kind, problemText(warning)], ["schedule", slugline]);
  return partial;
};

/** A delivery whose time is in UTC: lists have the times of the production, or of this machine, with their offset. */
const inUtc = <D extends { sent_at?: string | undefined }>({ sent_at, ...delivery }: D) =>
  sent_at === undefined ? delivery : { ...delivery, sent_at: new Date(sent_at).toISOString() };

/** Checks that a written list is read back unchanged, with nothing added. */
function assertRoundTrip(kind: ListKind, document: ProductionDocument): void {
  const partial = read(kind, document);
  if (kind === "people") assert.equal(partial, { people: document.people });
  if (kind === "schedule") {
    assert.equal(
      partial.schedule?.map((day) => ({ calls: [], banners: [], parts: [], lines: [], ...day })),
      document.schedule,
    );
    for (const { number, episode, elements } of partial.scenes ?? []) {
      const scene = document.scenes.find((each) => each.number === number && each.episode === episode);
      assert.equal({ ...scene?.elements, ...elements }, scene?.elements);
    }
  }
  if (kind === "deliveries")
    assert.equal(
      partial.deliveries?.map((delivery) => inUtc({ spec: [], scenes: [], assets: [], ...delivery })),
      document.deliveries.map(({ media, submissions, ...delivery }) => inUtc(delivery)),
    );
  if (kind === "purchase-orders") assert.equal(partial.purchase_orders, document.purchase_orders);
}

const demos = suite("the lists of a demo production");

for (const kind of exportKinds)
  demos(`are read back unchanged: ${kind}`, () => {
    for (const document of [silverButton, cipher]) assertRoundTrip(kind, document);
  });

demos("keep a call that an older version stored as another text", () => {
  const calls = ["dawn", "19h", "0.25", "7.30 Uhr", '"07:00"', "07:00"];
  const schedule = silverButton.schedule.slice(0, calls.length);
  for (const [at, general_call] of calls.entries())
    assertRoundTrip("schedule", {
      ...silverButton,
      schedule: schedule.map((day, of) => (of === at % schedule.length ? { ...day, general_call } : day)),
    });
});

demos("are read back as empty lists if they are empty", () => {
  const empty = { ...silverButton, people: [], schedule: [], deliveries: [], purchase_orders: [] };
  for (const kind of exportKinds) assertRoundTrip(kind, empty);
});

demos.run();

const date = fc
  .date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10));
const maybe = <T>(name: string, arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined }).map((value) => (value === undefined ? {} : { [name]: value }));
const department = fc.constantFrom(...silverButton.departments.map(({ slug }) => slug));
const uniqueTexts = (most: number, least = 0) =>
  fc.uniqueArray(texts(most), { selector: foldedText, minLength: least, maxLength: 8 });

const generated = suite("lists with any texts");

generated("of people are read back unchanged", () => {
  const person = (name: string) =>
    fc
      .tuple(texts(300), maybe("department", department), fc.boolean(), fc.boolean(), fc.boolean())
      .map(([role, own, is_hod, is_admin, active]) => ({ name, role, ...own, is_hod, is_admin, active }));
  const people = uniqueTexts(300).chain((names) => fc.tuple(...names.map(person)));
  assertProperty(
    fc.property(people, (list) => assertRoundTrip("people", { ...silverButton, people: list })),
    sampling(100, 1),
  );
});

generated("of purchase orders are read back unchanged", () => {
  const amount = fc
    .oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer().map((cents) => cents / 1000),
    )
    .map((value) => value + 0);
  const order = (description: string) =>
    fc
      .tuple(
        texts(100),
        fc.constantFrom(...silverButton.vendors),
        amount,
        fc.constantFrom("open", "partial", "closed"),
        date,
        maybe("department", department),
      )
      .map(
        ([account, vendor, amount, status, date, own]) =>
          ({
            account,
            vendor,
            description,
            amount,
            status,
            date,
            ...own,
          }) as ProductionDocument["purchase_orders"][number],
      );
  const orders = uniqueTexts(10_000).chain((names) => fc.tuple(...names.map(order)));
  assertProperty(
    fc.property(orders, (list) => assertRoundTrip("purchase-orders", { ...silverButton, purchase_orders: list })),
    sampling(100, 1),
  );
});

generated("of shoot days are read back unchanged, whatever the scene numbers are", () => {
  const numbers = fc.uniqueArray(texts(50), { minLength: 1, maxLength: 6 });
  const days = (scenes: string[]) =>
    fc.uniqueArray(
      fc
        .tuple(
          fc.integer({ min: 1, max: 500 }),
          date,
          maybe("general_call", fc.constantFrom("07:00", "23:59")),
          texts(100),
          fc.subarray(scenes),
        )
        .map(([day_number, date, call, status, own]) => ({
          day_number,
          date,
          ...call,
          status,
          scenes: own,
          calls: [],
          banners: [],
          parts: [],
          lines: [],
        })),
      { selector: ({ day_number }) => day_number, maxLength: 5 },
    );
  const elements = fc.record(
    {
      pages: fc.oneof(fc.constantFrom("1 7/8", "0", "2", "8/8"), texts(20)),
      cast: fc.array(texts(30), { maxLength: 4 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const cases = numbers.chain((own) => fc.tuple(fc.constant(own), fc.tuple(...own.map(() => elements)), days(own)));
  const [sample] = silverButton.scenes;
  assertProperty(
    fc.property(cases, ([own, needs, schedule]) => {
      const scenes = own.map((number, at) => ({
        ...sample,
        number,
        elements: needs[at],
      })) as ProductionDocument["scenes"];
      assertRoundTrip("schedule", {
        ...silverButton,
        scenes,
        schedule: schedule.toSorted((one, other) => one.day_number - other.day_number),
      });
    }),
    sampling(100, 1),
  );
});

generated("of deliveries are read back unchanged", () => {
  const [sample] = silverButton.deliveries;
  const assets = uniqueTexts(300, 1);
  const delivery = (title: string, labels: string[]) =>
    fc
      .tuple(
        fc.subarray(
          silverButton.scenes.map(({ number }) => number),
          { maxLength: 4 },
        ),
        fc.subarray(labels),
        fc.array(
          fc.dictionary(fc.constantFrom("item", "a b", "=x"), fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }),
          { maxLength: 3 },
        ),
        maybe("due", texts(100)),
        maybe("external_to", texts(300)),
        maybe("to_department", department),
        maybe("ref", fc.constant(`${title} ref`.slice(0, 500))),
      )
      .map(
        ([scenes, own, spec, ...some]) =>
          ({
            ...sample,
            title,
            scenes,
            assets: own,
            spec,
            ...Object.assign({}, ...some),
          }) as ProductionDocument["deliveries"][number],
      );
  const cases = assets.chain((labels) =>
    fc.tuple(
      fc.constant(labels),
      uniqueTexts(290).chain((titles) => fc.tuple(...titles.map((title) => delivery(title, labels)))),
    ),
  );
  const [asset] = silverButton.assets;
  assertProperty(
    fc.property(cases, ([labels, deliveries]) => {
      const named = labels.map((label) => ({ ...asset, label })) as ProductionDocument["assets"];
      assertRoundTrip("deliveries", {
        ...silverButton,
        assets: named,
        deliveries: JSON.parse(JSON.stringify(deliveries)),
      });
    }),
    sampling(100, 1),
  );
});

generated.run();

const cells = suite("a cell");

cells("begins with an apostrophe if a spreadsheet would take it for a formula", () => {
  assert.equal(["=1+1", "+44", "-x", "@a", "'=1"].map(guardCell), ["'=1+1", "+44", "'-x", "'@a", "''=1"]);
  assert.is(guardCell("-5.5"), "-5.5");
  for (const sign of "＝＋－＠")
    for (const text of [`${sign}1`, `${sign}SUM(A1)`, `'${sign}x`, ` ${sign}x`]) {
      assert.is(guardCell(text), `'${text}`);
      assert.is(unguardCell(guardCell(text)), text);
    }
  assertProperty(
    fc.property(texts(100), (value) => assert.not.match(guardCell(value), /^[=@\t\r]|^[-+](?![\d.]+$)/)),
    sampling(100, 1),
  );
});

cells("is the same after guarding and unguarding", () => {
  assertProperty(
    fc.property(texts(100), (value) => assert.is(unguardCell(guardCell(value)), value)),
    sampling(100, 1),
  );
});

cells("from another program loses surrounding spaces and keeps an apostrophe that guards nothing", () => {
  assert.equal([" a ", "'tis", "'=1"].map(unguardCell), ["a", "'tis", "=1"]);
  assert.equal(['="1"', '=" 4A "', '="1'].map(unguardCell), ["1", "4A", '="1']);
});

cells("is quoted if it needs quotes", () => {
  assert.is(csvText([["a,b", 'c"d', "e\nf", "g", "1;2"]]), '"a,b","c""d","e\nf",g,"1;2"\r\n');
});

cells.run();
