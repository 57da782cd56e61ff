// Gives readers of lists the names of a stored production and of the documents of the same update that were read before. Each kind of name is
// read at its first use; then its list only grows.
import type { StoredProduction } from "../document/nouns/stored.ts";
import type { Raw } from "../document/sections/form.ts";
import { keyOf, type SectionName } from "../document/sections/sections.ts";
import { indexOf, namesIn } from "../formats/known.ts";
import type { KnownDay, ProductionNames } from "../formats/partial.ts";

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

/** A list of names, and how many of the added documents are in it. */
interface Growing {
  list: unknown[];
  taken: number;
}

export class StoredNames implements ProductionNames {
  readonly #stored: StoredProduction;
  readonly #added: Parts[] = [];
  readonly #made = new Map<keyof ProductionNames, Growing>();

  constructor(stored: StoredProduction) {
    this.#stored = stored;
  }

  /** Adds the names of a document that was read. */
  add(document: Parts): void {
    this.#added.push(document);
  }

  /** A list of names with those of every added document. `take` appends those of an item to the list. */
  #list<T>(name: keyof ProductionNames, section: SectionName, take: (item: Raw, list: T[]) => void): T[] {
    let made = this.#made.get(name);
    if (made === undefined) {
      made = { list: [], taken: 0 };
      for (const { raw } of this.#stored.items(section)) take(raw, made.list as T[]);
      this.#made.set(name, made);
    }
    for (; made.taken < this.#added.length; made.taken++)
      for (const item of this.#added[made.taken]?.[section] ?? []) take(item, made.list as T[]);
    return made.list as T[]; // a kind of names has items of one type
  }

  /** The keys of the things of a section, each once. */
  #keys(section: SectionName & keyof ProductionNames): string[] {
    return this.#list<string>(section, section, (item, list) => {
      const key = keyOf(section, item);
      if (key !== undefined && !namesIn(list).has(key)) list.push(key);
    });
  }

  get scenes(): readonly string[] {
    return this.#keys("scenes");
  }

  get episodes(): readonly string[] {
    return this.#keys("episodes");
  }

  get departments(): ProductionNames["departments"] {
    // The production's own name of a department comes first.
    return this.#list<ProductionNames["departments"][number]>("departments", "departments", ({ slug, name }, list) => {
      list.push({ slug: String(slug), name: String(name ?? slug) });
    });
  }

  get people(): readonly string[] {
    return this.#keys("people");
  }

  get vendors(): readonly string[] {
    return this.#keys("vendors");
  }

  get assets(): readonly string[] {
    return this.#keys("assets");
  }

  get things(): ProductionNames["things"] {
    return this.#list<ProductionNames["things"][number]>("things", "assets", (item, list) => {
      if (typeof item.label === "string") list.push({ ...item, label: item.label });
    });
  }

  get scene_assets(): ProductionNames["scene_assets"] {
    type Assets = ProductionNames["scene_assets"][number];
    return this.#list<Assets>("scene_assets", "scenes", (scene, list) => {
      const scene_name = keyOf("scenes", scene);
      if (scene_name !== undefined && Array.isArray(scene.assets)) list.push({ scene_name, assets: scene.assets });
    });
  }

  get deliveries(): readonly string[] {
    return this.#keys("deliveries");
  }

  get shoot_days(): ProductionNames["shoot_days"] {
    return this.#list<KnownDay>("shoot_days", "schedule", ({ day_number, date, scenes }, list) => {
      const day = { day_number: Number(day_number), ...(typeof date === "string" && { date }) };
      list.push({ ...day, ...(scenes !== undefined && { scenes: (scenes ?? []) as string[] }) }); // as the schema has them
    });
  }

  get purchase_orders(): readonly string[] {
    return this.#list<string>("purchase_orders", "purchase_orders", ({ number }, list) => {
      if (typeof number === "string") list.push(number);
    });
  }

  get unnumbered_orders(): readonly string[] {
    return this.#list<string>("unnumbered_orders", "purchase_orders", (order, list) => {
      const { number, account, vendor, description, date } = order;
      if (number === undefined) list.push(JSON.stringify([account, vendor, description, date]));
    });
  }

  get cost_reports(): ProductionNames["cost_reports"] {
    type Report = ProductionNames["cost_reports"][number];
    return this.#list<Report>("cost_reports", "cost_reports", ({ week_of, active }, list) => {
      list.push({ week_of: String(week_of), active: active === true });
    });
  }

  get accounts(): Readonly<Record<string, string>> {
    return accountsIn(this.#list<Raw>("accounts", "cost_reports", (report, list) => void list.push(report)))
      .departments;
  }
}
