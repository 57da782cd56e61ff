// Gives readers of lists the names of a stored production and of the documents of the same update that were read before. Each kind of name is
// read at its first use; then its list only grows.
import type { StoredProduction } from "../document/nouns/stored.ts";
import type { Raw } from "../document/sections/form.ts";
import { keyOf, type SectionName } from "../document/sections/sections.ts";
import { indexOf, namesIn } from "../formats/known.ts";
import type { ProductionNames } from "../formats/partial.ts";

type Parts = { readonly [S in SectionName]?: readonly Raw[] | undefined };

/** The department of each account: that of the latest report. */
const accountsIn = indexOf(
  () => ({ weeks: new Map<string, string>(), departments: Object.create(null) as Record<string, string> }),
  ({ weeks, departments }, { week_of, lines }: Raw) => {
    const week = String(week_of);
    // As the schema has them.
    for (const { account, department } of (lines ?? []) as { account: string; department: string }[]) {
      if (week < (weeks.get(account) ?? "")) continue;
      weeks.set(account, week);
      departments[account] = department;
    }
  },
);

/** The lists of names by their items. */
type Items = { [N in keyof Omit<ProductionNames, "accounts">]: ProductionNames[N][number] } & { accounts: Raw };

/** What a list is made of: the items of a section, each of which may append something. */
type Maker<T> = readonly [section: SectionName, take: (item: Raw, list: T[]) => void];

/** The keys of the things of a section, each once. */
const keysOf = (section: SectionName): Maker<string> => [
  section,
  (item, list) => {
    const key = keyOf(section, item);
    if (key !== undefined && !namesIn(list).has(key)) list.push(key);
  },
];
const makers: { readonly [N in keyof Items]: Maker<Items[N]> } = {
  scenes: keysOf("scenes"),
  episodes: keysOf("episodes"),
  // The production's own name of a department comes first.
  departments: [
    "departments",
    ({ slug, name }, list) => void list.push({ slug: String(slug), name: String(name ?? slug) }),
  ],
  people: keysOf("people"),
  vendors: keysOf("vendors"),
  assets: keysOf("assets"),
  things: [
    "assets",
    (item, list) => void (typeof item.label === "string" && list.push({ ...item, label: item.label })),
  ],
  scene_assets: [
    "scenes",
    (scene, list) => {
      const scene_name = keyOf("scenes", scene);
      if (scene_name !== undefined && Array.isArray(scene.assets)) list.push({ scene_name, assets: scene.assets });
    },
  ],
  deliveries: keysOf("deliveries"),
  shoot_days: [
    "schedule",
    ({ day_number, date, scenes }, list) => {
      const day = { day_number: Number(day_number), ...(typeof date === "string" && { date }) };
      list.push({ ...day, ...(scenes !== undefined && { scenes: (scenes ?? []) as string[] }) }); // as the schema has them
    },
  ],
  purchase_orders: ["purchase_orders", ({ number }, list) => void (typeof number === "string" && list.push(number))],
  unnumbered_orders: [
    "purchase_orders",
    ({ number, account, vendor, description, date }, list) =>
      void (number === undefined && list.push(JSON.stringify([account, vendor, description, date]))),
  ],
  cost_reports: [
    "cost_reports",
    ({ week_of, active }, list) => void list.push({ week_of: String(week_of), active: active === true }),
  ],
  accounts: ["cost_reports", (report, list) => void list.push(report)],
};

/** The names of a stored production. `add` adds those of a document that was read. */
export interface StoredNames extends ProductionNames {
  add(document: Parts): void;
}

export function storedNames(stored: StoredProduction): StoredNames {
  const added: Parts[] = [];
  const listOf = <T>([section, take]: Maker<T>): (() => T[]) => {
    let list: T[] | undefined;
    let taken = 0;
    return () => {
      if (list === undefined) {
        list = [];
        for (const { raw } of stored.items(section)) take(raw, list);
      }
      for (; taken < added.length; taken++) for (const item of added[taken]?.[section] ?? []) take(item, list);
      return list;
    };
  };
  const reports = listOf(makers.accounts);
  const getters = Object.entries(makers).map(([name, maker]) => [name, { get: listOf(maker as Maker<unknown>) }]);
  return Object.defineProperties(
    { add: (document: Parts) => void added.push(document) },
    { ...Object.fromEntries(getters), accounts: { get: () => accountsIn(reports()).departments } },
  ) as StoredNames; // each list has a getter
}
