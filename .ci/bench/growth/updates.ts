// The cases of npm run growth that update a stored production from documents: a list of rows is added, given again,
// given with every row changed, and removed.
import { readFileSync, rmSync } from "node:fs";
import { CliError } from "../../../src/core/errors.ts";
import { parseJson } from "../../../src/core/json.ts";
import { documentLimits } from "../../../src/features/documents/json_limits.ts";
import type { ListKind } from "../../../src/features/documents/kinds.ts";
import { documentOfPaperwork, partialDocument } from "../../../src/features/documents/read/read.ts";
import { openImports } from "../../../test/support/import.ts";
import { writeDocument } from "../../../test/support/small_document.ts";
import { type Json, openProduction } from "../../../test/support/update.ts";
import { type Case, many, reader, type Step } from "./cases.ts";

const at0 = "2026-01-05T08:00:00.000Z";
const created = { created_at: at0 };
/** A time of its own for each row. */
const timeOf = (at: number): string => new Date(Date.parse(at0) + at * 1000).toISOString();
const dateOf = (at: number): string => new Date(at * 86_400_000).toISOString().slice(0, 10);

const base = {
  departments: [{ slug: "art", name: "Art" }],
  people: [{ name: "Ada", role: "Designer" }],
  scenes: [{ number: "0", slugline: "INT. HUT - DAY" }],
  assets: [{ label: "Coat", kind: "prop" }],
  vendors: ["Looms"],
  engagements: [{ vendor: "Looms", title: "Weaving" }],
  deliveries: [{ title: "Reel", kind: "internal" }],
};
const file = writeDocument({
  document: "tallylight production",
  document_version: 1,
  production: { title: "Growth" },
  ...base,
});

interface Rows {
  size: number;
  /** What must be there before. */
  before?(size: number): Json;
  /** The document with the rows; `mark` is in each of them. */
  document(size: number, mark: string): Json;
}

const scenes = (size: number) => ({
  scenes: many(size, (at) => ({ number: String(at), slugline: `INT. SET ${at} - DAY` })),
});
const things = (size: number) => ({ assets: many(size, (at) => ({ label: `Thing ${at}`, kind: "prop" })) });
const step = (at: number, mark: string) => ({
  person: "Ada",
  status: mark === "a" ? "pending" : "approved",
  ...(mark !== "a" && { decided_at: timeOf(at) }),
});
const approvalOf = (more: object) => ({ approvals: [{ title: "Look", mode: "chain", ...more }] });
const storage = (more: object) => ({ storage: [{ filespace: "stage", active: true, ...created, ...more }] });

const lists: Record<string, Rows> = {
  departments: {
    size: 150,
    document: (size, mark) => ({ departments: many(size, (at) => ({ slug: `d${at}`, name: `D ${at} ${mark}` })) }),
  },
  people: {
    size: 300,
    document: (size, mark) => ({ people: many(size, (at) => ({ name: `Person ${at}`, role: mark })) }),
  },
  ingredients: {
    size: 300,
    document: (size, mark) => ({ ingredients: many(size, (at) => ({ label: `Wool ${at}`, kind: `swatch-${mark}` })) }),
  },
  scenes: {
    size: 200,
    document: (size, mark) => ({
      scenes: many(size, (at) => ({ number: String(at), slugline: `INT. SET ${at} - DAY`, synopsis: mark })),
    }),
  },
  "scenes with assets": {
    size: 200,
    before: things,
    document: (size, mark) => ({
      scenes: many(size, (at) => ({
        number: String(at),
        slugline: "INT. SET - DAY",
        assets: [`Thing ${at}`, mark === "a" ? "Coat" : "Thing 1"].filter(
          (one, place, all) => all.indexOf(one) === place,
        ),
      })),
    }),
  },
  assets: {
    size: 200,
    document: (size, mark) => ({
      assets: many(size, (at) => ({ label: `Thing ${at}`, kind: "prop", status: mark === "a" ? "planned" : "done" })),
    }),
  },
  "assets of one label": {
    size: 200,
    document: (size, mark) => ({
      assets: many(size, (at) => ({
        label: "Thing",
        ref: `Thing ${at}`,
        kind: "prop",
        status: mark === "a" ? "planned" : "done",
      })),
    }),
  },
  versions: {
    size: 300,
    document: (size, mark) => ({
      assets: [
        {
          label: "Coat",
          kind: "prop",
          versions: many(size, (at) => ({ version: at, status: mark, note: `Pass ${at}`, created_at: timeOf(at) })),
        },
      ],
    }),
  },
  schedule: {
    size: 200,
    document: (size, mark) => ({
      schedule: many(size, (at) => ({ day_number: at, date: dateOf(at), general_call: mark })),
    }),
  },
  strips: {
    size: 400,
    before: scenes,
    document: (size, mark) => {
      const numbers = many(size, String);
      return {
        schedule: [{ day_number: 1, date: "2026-02-02", scenes: mark === "a" ? numbers : numbers.toReversed() }],
      };
    },
  },
  vendors: { size: 400, document: (size, mark) => ({ vendors: many(size, (at) => `Vendor ${at} ${mark}`) }) },
  engagements: {
    size: 200,
    document: (size, mark) => ({
      engagements: many(size, (at) => ({
        vendor: "Looms",
        title: `Work ${at}`,
        ...(mark !== "a" && { ended_at: at0 }),
      })),
    }),
  },
  grants: {
    size: 300,
    before: things,
    document: (size, mark) => ({
      engagements: [
        {
          vendor: "Looms",
          title: "Weaving",
          grants: many(size, (at) => ({
            verb: "read",
            asset: `Thing ${at}`,
            ...(mark !== "a" && { expires_at: "2027-06-01T00:00:00.000Z" }),
          })),
        },
      ],
    }),
  },
  deliveries: {
    size: 200,
    before: scenes,
    document: (size, mark) => ({
      deliveries: many(size, (at) => ({ title: `Reel ${at}`, due: mark, scenes: [String(at)] })),
    }),
  },
  submissions: {
    size: 300,
    document: (size, mark) => ({
      deliveries: [
        {
          title: "Reel",
          submissions: many(size, (at) => ({
            engagement: "Weaving",
            title: `Take ${at}`,
            status: mark,
            created_at: timeOf(at),
          })),
        },
      ],
    }),
  },
  approvals: {
    size: 200,
    document: (size, mark) => ({
      approvals: many(size, (at) => ({ title: `Look ${at}`, due: mark, steps: [{ person: "Ada" }] })),
    }),
  },
  steps: { size: 300, document: (size, mark) => approvalOf({ steps: many(size, (at) => step(at, mark)) }) },
  "decided steps": {
    size: 300,
    document: (size, mark) =>
      approvalOf({
        steps: many(size, (at) => ({ ...step(at, "b"), note: `${mark === "a" ? "" : "other "}note ${at}` })),
      }),
  },
  rounds: {
    size: 100,
    document: (size, mark) =>
      approvalOf({
        steps: many(size, (at) => step(at, mark)),
        rounds: many(10, () => many(size, (at) => step(at, "b"))),
      }),
  },
  department_notes: {
    size: 300,
    before: scenes,
    document: (size, mark) => ({
      department_notes: many(size, (at) => ({
        department: "art",
        scene: String(at),
        summary: `Note ${at} ${mark}`,
        created_at: timeOf(at),
      })),
    }),
  },
  notes: {
    size: 300,
    document: (size, mark) => ({
      notes: many(size, (at) => ({ asset: "Coat", text: `Note ${at} ${mark}`, author: "Ada", created_at: timeOf(at) })),
    }),
  },
  "notes of one text": {
    size: 1000,
    document: (size, mark) => ({
      notes: many(size, () => ({ asset: "Coat", text: `Note ${mark}`, author: "Ada", ...created })),
    }),
  },
  purchase_orders: {
    size: 300,
    document: (size, mark) => ({
      purchase_orders: many(size, (at) => ({
        number: `P${at}`,
        account: "2100",
        vendor: "Looms",
        description: mark,
        amount: at,
        date: dateOf(at),
      })),
    }),
  },
  "purchase_orders of one key": {
    size: 1000,
    document: (size, mark) => ({
      purchase_orders: many(size, (at) => ({
        account: "2100",
        vendor: "Looms",
        description: "Cloth",
        date: "2026-01-09",
        amount: at,
        status: mark === "a" ? "open" : "closed",
      })),
    }),
  },
  cost_reports: {
    size: 150,
    document: (size, mark) => ({
      cost_reports: many(size, (at) => ({
        week_of: dateOf(at),
        lines: [{ account: mark, department: "art", budget: at }],
      })),
    }),
  },
  lines: {
    size: 300,
    document: (size, mark) => ({
      cost_reports: [
        {
          week_of: "2026-01-05",
          lines: many(size, (at) => ({ account: String(at), department: "art", budget: mark === "a" ? at : at + 1 })),
        },
      ],
    }),
  },
  script_changes: {
    size: 200,
    document: (size, mark) => ({
      script_changes: many(size, (at) => ({
        scene_number: String(at),
        kind: "added",
        summary: `New ${mark}`,
        detected_at: timeOf(at),
      })),
    }),
  },
  jobs: {
    size: 300,
    document: (size, mark) => ({
      jobs: many(size, (at) => ({
        kind: "image",
        status: "done",
        summary: `Job ${at} ${mark}`,
        created_at: timeOf(at),
      })),
    }),
  },
  activity: {
    size: 300,
    document: (size, mark) => ({
      activity: many(size, (at) => ({
        verb: "done",
        summary: `Did ${at} ${mark}`,
        actor: "Ada",
        created_at: timeOf(at),
      })),
    }),
  },
  files: {
    size: 400,
    document: (size, mark) =>
      storage({
        files: many(size, (at) => ({
          path: `a/${at}.mov`,
          state: mark === "a" ? "present" : "gone",
          size: at,
          detected_at: timeOf(at),
        })),
      }),
  },
  moves: {
    size: 300,
    document: (size, mark) =>
      storage({
        moves: many(size, (at) => ({
          src: `a/${at}`,
          dst: `b/${at}`,
          status: "failed",
          note: mark,
          created_at: timeOf(at),
          settled_at: at0,
        })),
      }),
  },
};

/** What is left of a list when its rows are removed: the things that the production began with. */
const removed = (document: Json): Json =>
  Object.fromEntries(Object.keys(document).map((section) => [section, base[section as keyof typeof base] ?? []]));

/** A refused update counts too. */
async function planOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) return error.problems;
    throw error;
  }
}

const update = (name: string, { size, before, document }: Rows): Case => ({
  name: `update of ${name}`,
  size,
  async open(count) {
    const production = await openProduction(file);
    if (before !== undefined) await production.update(before(count));
    const [first, other] = [document(count, "a"), document(count, "b")];
    const step = (name: string, given: Json, options: { dry_run: boolean; exact?: boolean }): Step => ({
      name,
      repeats: options.dry_run,
      run: () => planOf(() => production.update(given, options)),
    });
    const none = removed(first);
    const steps = [
      step("added", first, { dry_run: false }),
      step("again", first, { dry_run: true }),
      step("changed, planned", other, { dry_run: true }),
      step("removed, planned", none, { dry_run: true, exact: true }),
      step("changed", other, { dry_run: false }),
      step("removed", none, { dry_run: false, exact: true }),
    ];
    const close = () => {
      production.store.close();
      rmSync(production.folder, { recursive: true, force: true });
    };
    return { steps, close };
  },
});

const parsed = (text: string): object => parseJson(text, documentLimits()) as object;
const manyFiles: Case = {
  name: "update from many files",
  size: 20,
  async open(count) {
    const production = await openProduction(file);
    const given = many(count, (at) => ({ people: [{ name: `Person ${at}`, role: "Grip" }] }));
    const run = () => production.update(given, { dry_run: true });
    return { steps: [{ name: "planned", repeats: true, run }], close: () => production.store.close() };
  },
};

/** One file gives a scene the number of another one, and the next file renames all others. */
const exchanged: Case = {
  name: "update of names that two files exchange",
  size: 500,
  async open(count) {
    const production = await openProduction(file);
    await production.update(scenes(count));
    const others = many(count - 2, (at) => ({ number: `R${at + 2}`, was: String(at + 2) }));
    const given = [{ scenes: [{ number: "2", was: "1" }] }, { scenes: others }];
    const run = () => planOf(() => production.update(given, { dry_run: true }));
    return { steps: [{ name: "planned", repeats: true, run }], close: () => production.store.close() };
  },
};

/** The lists of one import: each adds names by which the next are read. */
const csvFiles = (as: ListKind, headers: string, row: (at: string) => string): Case => ({
  name: `csv lists of ${as} in many files`,
  size: 40,
  async open(count) {
    const production = await openImports(JSON.parse(readFileSync(file, "utf8")));
    const textOf = (at: number) => [headers, ...many(10, (line) => row(`${at}-${line}`))].join("\n");
    const files = many(count, (at) => ({ name: `${at}.csv`, text: textOf(at) }));
    const run = () => planOf(() => production.import(files, { as, dry_run: true }));
    return { steps: [{ name: "planned", repeats: true, run }], close: () => production.store.close() };
  },
});

export const updates: readonly Case[] = [
  reader("json with problems", 5000, (size) => {
    const text = JSON.stringify({ scenes: many(size, () => ({ no: 1 })) });
    return () => documentOfPaperwork(parsed(text), "given.json");
  }),
  ...Object.entries(lists).map(([name, { size, document }]) =>
    reader(`json ${name}`, size * 4, (count) => {
      const text = JSON.stringify(document(count, "a"));
      return () => partialDocument(parsed(text), "given.json", undefined);
    }),
  ),
  ...Object.entries(lists).map(([name, rows]) => update(name, rows)),
  manyFiles,
  exchanged,
  csvFiles("people", "Name,Role,Department", (at) => `Person ${at},Grip,Crew ${at}`),
  csvFiles("assets", "Asset,Kind", (at) => `Thing ${at},prop`),
  csvFiles("deliveries", "Title,Scenes", (at) => `Reel ${at},0`),
  // Each file has days of its own, and takes the scenes from those of the file before.
  csvFiles("schedule", "Day,Date,Scenes", (at) => {
    const [which, line] = at.split("-").map(Number) as [number, number];
    const day = which * 10 + line - 10;
    return `${day},${new Date(Date.UTC(2020, 0, day)).toISOString().slice(0, 10)},${line}`;
  }),
  csvFiles("purchase-orders", "PO,Vendor,Description,Account,Amount,Date,Status", (at) =>
    [`P${at}`, `Vendor ${at}`, "Cloth", "2100", "10", "2026-01-09", "open"].join(","),
  ),
  csvFiles("cost-report", "Week,Account,Department,Budget", (at) => `2026-01-05,${at},art,10`),
];
