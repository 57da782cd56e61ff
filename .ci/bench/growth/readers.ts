// The cases of npm run growth that read files of other programs.
import type { ListKind } from "../../../src/features/documents/kinds.ts";
import { listOfKind } from "../../../src/features/lists/lists.ts";
import { FormatError } from "../../../src/features/paperwork/findings.ts";
import type { ProductionNames } from "../../../src/features/paperwork/partial.ts";
import { readMsd } from "../../../src/features/schedules/msd.ts";
import { readSex } from "../../../src/features/schedules/sex.ts";
import { readUss } from "../../../src/features/schedules/uss.ts";
import { readFdxScripts } from "../../../src/features/scripts/fdx.ts";
import { readFountain } from "../../../src/features/scripts/fountain.ts";
import { names, noNames, refusalOf, type SomeNames } from "../../../test/support/lists.ts";
import { encodeMsd, encodeSex } from "../../../test/support/scheduling.ts";
import { type Case, many, reader } from "./cases.ts";

/** The case of a list: the names that are known, the header, and its rows. A list with problems counts too. */
const list = (
  kind: ListKind,
  size: number,
  header: string,
  row: (at: number) => string,
  known: (size: number) => SomeNames = () => ({}),
  suffix = "",
): Case =>
  reader(`csv ${kind}${suffix}`, size, (count) => {
    const bytes = Buffer.from(`${header}\n${many(count, row).join("\n")}\n`);
    const options = { known: names(known(count)) };
    return () => {
      try {
        return listOfKind(kind).read(bytes, options);
      } catch (error) {
        if (error instanceof FormatError) return error.problems;
        throw error;
      }
    };
  });

const scenes = (size: number) => ({ scenes: many(size, String) });
const things = (size: number) => ({
  assets: many(size, (at) => ({ label: `Thing ${at}`, kind: "character", cast_number: String(at) })),
});
const art = { departments: [{ slug: "art", name: "Art" }] };

const lists = [
  list("people", 2000, "Name,Role", (at) => `Person ${at},Grip`),
  list(
    "people",
    2000,
    "Name,Role",
    (at) => `Person ${at},Grip`,
    (size) => ({ people: many(size, (at) => `Person ${at}`) }),
    " known",
  ),
  list("vendors", 3000, "Vendor", (at) => `Vendor ${at}`),
  list(
    "vendors",
    3000,
    "Vendor",
    (at) => `Vendor ${at}`,
    (size) => ({ vendors: many(size, (at) => `Vendor ${at}`) }),
    " known",
  ),
  list(
    "deliveries",
    1000,
    "Title,Scenes,Assets",
    (at) => `Reel ${at},${at},Thing ${at}`,
    (size) => ({
      ...scenes(size),
      assets: many(size, (at) => `Thing ${at}`),
    }),
  ),
  list(
    "deliveries",
    1000,
    "Title,Status",
    (at) => `Reel ${at},sent`,
    (size) => ({ deliveries: many(size, (at) => `Reel ${at}`) }),
    " known",
  ),
  list(
    "deliveries",
    1000,
    "Title,Assets",
    (at) => `Reel ${at},${"No such thing of this name ".repeat(2)}${at}`,
    (size) => ({ assets: many(size, (at) => `${"A thing of another long name ".repeat(2)}${at}`) }),
    " of unknown assets",
  ),
  list("assets", 2000, "Label,Kind", (at) => `Thing ${at},prop`),
  list(
    "assets",
    2000,
    "Label,Kind",
    (at) => `Thing ${at},prop`,
    (size) => ({ assets: many(size, (at) => `Thing ${at}`) }),
    " known",
  ),
  list("assets", 2000, "Label,Kind", () => "Thing,prop", undefined, " of one label"),
  list(
    "purchase-orders",
    1000,
    "Number,Account,Vendor,Description,Amount,Status,Date",
    (at) => `P${at},2100,Looms,Cloth ${at},12.5,open,2026-01-09`,
    () => ({ vendors: ["Looms"] }),
  ),
  list(
    "purchase-orders",
    1000,
    "Account,Vendor,Description,Amount,Status,Date",
    (at) => `2100,Looms,Cloth ${at},12.5,open,2026-01-09`,
    (size) => ({
      vendors: ["Looms"],
      purchase_orders: many(size, (at) => ({
        account: "2100",
        vendor: "Looms",
        description: `Cloth ${at}`,
        date: "2026-01-09",
      })),
    }),
    " without numbers",
  ),
  list(
    "cost-report",
    1000,
    "Week,Account,Department,Budget,Actual",
    (at) => `2026-01-05,${at},Art,100,50`,
    () => art,
  ),
  list(
    "cost-report",
    1000,
    "Week,Account,Budget",
    (at) => `2026-01-05,${at},100`,
    (size) => ({
      ...art,
      cost_reports: [
        { week_of: "2020-01-06", lines: many(size, (at) => ({ account: String(at), department: "art" })) },
      ],
    }),
    " known",
  ),
  list("schedule", 1500, "Day,Date,Scene", (at) => `1,2026-03-01,${at}`, scenes, " of one day"),
  list(
    "schedule",
    1000,
    "Day,Date,Scene",
    (at) => `${at},${new Date(at * 86_400_000).toISOString().slice(0, 10)},${at}`,
    scenes,
  ),
  list("schedule", 1000, "Day,Date,Scene", () => "1,2026-03-01,nowhere", scenes, " with problems"),
  list(
    "schedule",
    1000,
    "Day,Date,Scene,Calls,Cast,What",
    (at) => `1,2026-03-01,${at},07:00 Thing ${at},${at},\n1,2026-03-01,,,,LUNCH ${at}`,
    (size) => ({ ...scenes(size), ...things(size) }),
    " with calls and banners",
  ),
  list("scenes", 1500, "Scene,Slugline", (at) => `${at},INT. SET ${at}`, scenes),
  list("breakdown", 1500, "Scene,Category,Element", (at) => `${at},Props,Lamp ${at}`, scenes),
  list(
    "breakdown",
    1500,
    "Scene,Props",
    (at) => `${at},"Thing ${at}, Lamp"`,
    (size) => ({ ...scenes(size), ...things(size) }),
    " of known things",
  ),
  list("cast", 1500, "No,Character,Scenes", (at) => `${at},Role ${at},${at}`, scenes),
  list("cast", 1500, "No,Character,Actor", (at) => `${at},thing ${at},A`, things, " known"),
  list("departments", 1500, "Department", (at) => `Department ${at}`),
  list(
    "approvals",
    1500,
    "Approval,Person",
    (at) => `Look ${at},Ann`,
    () => ({ people: ["Ann"] }),
  ),
];

const fdx = (size: number, tags: (at: number) => string): Uint8Array => {
  const scene = (at: number) =>
    `<Paragraph Type="Scene Heading" Number="${at}"><Text TagNumber="${at}">INT. SET - DAY</Text></Paragraph>`;
  const definitions = many(size, (at) => `<TagDefinition Id="${at}" CatId="c" Label="L${at}"/>`).join("");
  const data = `<TagCategories><TagCategory Id="c" Name="Props"/></TagCategories><TagDefinitions>${definitions}</TagDefinitions><Tags>${many(size, tags).join("")}</Tags>`;
  const content = many(size, scene).join("");
  return Buffer.from(`<FinalDraft Version="5"><Content>${content}</Content><TagData>${data}</TagData></FinalDraft>`);
};

const sheets = (size: number, numberOf: (at: number) => string) =>
  many(size, (at) => ({ id: String(at), scenes: numberOf(at), attributes: { Set: `Set ${at}` }, elements: [] }));
const msd = (size: number, known: ProductionNames) => {
  const boards = { Board: { days: many(size / 10, (at) => [String(at)]), loose: many(size, String) } };
  const bytes = encodeMsd({ sheets: sheets(size, String), boards, active: "Board", calendars: {} });
  return () => readMsd(bytes, { known });
};
const sex = (size: number, known: ProductionNames) => {
  const elements = [[0, "Lamp"]] as const;
  const scenes = many(size, (at) => ({
    number: String(at),
    slugline: "INT. SET - DAY",
    eighths: 1,
    elements: [...elements],
  }));
  const bytes = encodeSex(["Props"], scenes);
  return () => readSex(bytes, { known });
};
const uss = (size: number, known: ProductionNames) => {
  const breakdowns = many(size, (at) => ({ id: at, type: "scene", scene: String(at), pages: 1, elements: [`e${at}`] }));
  const elements = many(size, (at) => ({ id: `e${at}`, name: `Thing ${at}` }));
  const categories = [{ id: "c", ucid: 100, name: "Cast", elements: elements.map(({ id }) => id) }];
  const bytes = Buffer.from(JSON.stringify({ universalScheduleStandard: { breakdowns, categories, elements } }));
  return () => readUss(bytes, { known });
};

export const readers: readonly Case[] = [
  reader("fountain", 500, (size) => {
    const bytes = Buffer.from(many(size, (at) => `INT. SET ${at} - DAY\n\nANN ${at}\nWords.\n`).join("\n"));
    return () => readFountain(bytes);
  }),
  reader("fountain of one scene", 3000, (size) => {
    const bytes = Buffer.from(`INT. SET - DAY\n\n${many(size, (at) => `ANN\nWords ${at}.\n`).join("\n")}`);
    return () => readFountain(bytes);
  }),
  reader("fdx", 400, (size) => {
    const bytes = fdx(size, (at) => `<Tag Number="${at}"><DefId>${at}</DefId></Tag>`);
    return () => readFdxScripts(bytes);
  }),
  reader("fdx with tags of one definition", 400, (size) => {
    const bytes = fdx(size, (at) => `<Tag Number="${at}"><DefId>1</DefId></Tag>`);
    return () => readFdxScripts(bytes);
  }),
  reader("msd", 400, (size) => msd(size, noNames)),
  reader("msd of known scenes", 400, (size) => msd(size, names(scenes(size)))),
  reader("sex", 500, (size) => sex(size, noNames)),
  reader("sex of known scenes", 600, (size) => sex(size, names(scenes(size)))),
  reader("uss", 600, (size) => uss(size, noNames)),
  reader("uss of known scenes", 600, (size) => uss(size, names(scenes(size)))),
  reader("csv schedule with tabs in its cells", 20_000, (size) => {
    const cell = `"1${"\t".repeat(size)}x"`;
    const bytes = Buffer.from(`Day,Date,Scene,Pages,Calls,What\n${Array(6).fill(cell).join()}\n`);
    return () => refusalOf(() => listOfKind("schedule").read(bytes, { known: noNames }));
  }),
  ...lists,
];
