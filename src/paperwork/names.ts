// Gives readers of lists the names of a stored production. Each kind of name is read at its first use.
import type { SectionName } from "../document/changes.ts";
import type { Raw } from "../document/item_schemas.ts";
import { keyOf } from "../document/sections.ts";
import type { StoredProduction } from "../document/stored.ts";
import type { ProductionNames } from "../formats/partial.ts";

type Parts = { readonly [S in SectionName]?: readonly Raw[] | undefined };

interface ReportLine {
  account: string;
  department: string;
}

/** The names of the production and of `added`: documents of the same update that were read before. */
export class StoredNames implements ProductionNames {
  readonly #stored: StoredProduction;
  readonly #added: readonly Parts[];
  readonly #made = new Map<keyof ProductionNames, unknown>();

  constructor(stored: StoredProduction, added: readonly Parts[]) {
    this.#stored = stored;
    this.#added = added;
  }

  /** A kind of names, made when a reader first asks for it. */
  #once<N extends keyof ProductionNames>(name: N, make: () => ProductionNames[N]): ProductionNames[N] {
    if (!this.#made.has(name)) this.#made.set(name, make());
    return this.#made.get(name) as ProductionNames[N]; // it was made as that
  }

  #items(section: SectionName): Raw[] {
    return [
      ...this.#stored.items(section).map(({ raw }) => raw),
      ...this.#added.flatMap((parts) => parts[section] ?? []),
    ];
  }

  /** The keys of the things of a section, each once. */
  #keys(section: SectionName): string[] {
    return [...new Set(this.#items(section).flatMap((item) => keyOf(section, item) ?? []))];
  }

  get scenes(): readonly string[] {
    return this.#once("scenes", () => this.#keys("scenes"));
  }

  get episodes(): readonly string[] {
    return this.#once("episodes", () => this.#keys("episodes"));
  }

  get departments(): ProductionNames["departments"] {
    return this.#once("departments", () => {
      const named = this.#items("departments").map(({ slug, name }) => [String(slug), String(name ?? slug)] as const);
      // The production's own name of a department wins.
      return [...new Map(named.toReversed())].map(([slug, name]) => ({ slug, name })).toReversed();
    });
  }

  get people(): readonly string[] {
    return this.#once("people", () => this.#keys("people"));
  }

  get vendors(): readonly string[] {
    return this.#once("vendors", () => this.#keys("vendors"));
  }

  get assets(): readonly string[] {
    return this.#once("assets", () => this.#keys("assets"));
  }

  get things(): ProductionNames["things"] {
    // As the schema has them; what an earlier file says of a stored asset comes after it.
    return this.#once("things", () => {
      const merged = new Map<string, Raw>();
      for (const item of this.#items("assets")) {
        const key = keyOf("assets", item);
        if (key !== undefined) merged.set(key, { ...merged.get(key), ...item });
      }
      return [...merged.values()].map((item) => ({ label: "", kind: "asset", ...item }));
    });
  }

  get scene_assets(): ProductionNames["scene_assets"] {
    return this.#once("scene_assets", () => {
      const scenes = this.#items("scenes").filter(({ assets }) => Array.isArray(assets));
      return new Map(scenes.map((scene) => [keyOf("scenes", scene) as string, scene.assets as string[]]));
    });
  }

  get deliveries(): readonly string[] {
    return this.#once("deliveries", () => this.#keys("deliveries"));
  }

  get shoot_days(): ProductionNames["shoot_days"] {
    return this.#once("shoot_days", () =>
      this.#items("schedule").flatMap(({ day_number, date, scenes = [] }) =>
        typeof date === "string"
          ? [{ day_number: Number(day_number), date, scenes: scenes as string[] }] // as the schema has them
          : [],
      ),
    );
  }

  get purchase_orders(): readonly string[] {
    return this.#once("purchase_orders", () =>
      this.#items("purchase_orders").flatMap(({ number }) => (typeof number === "string" ? [number] : [])),
    );
  }

  get unnumbered_orders(): readonly string[] {
    return this.#once("unnumbered_orders", () =>
      this.#items("purchase_orders").flatMap(({ number, account, vendor, description, date }) =>
        number === undefined ? [JSON.stringify([account, vendor, description, date])] : [],
      ),
    );
  }

  get cost_reports(): ProductionNames["cost_reports"] {
    return this.#once("cost_reports", () =>
      this.#reports().map(({ week_of, active }) => ({ week_of: String(week_of), active: active === true })),
    );
  }

  /** The department of each account: that of the latest report. */
  get accounts(): Readonly<Record<string, string>> {
    return this.#once("accounts", () => {
      const lines = this.#reports().flatMap(({ lines }) => (lines ?? []) as ReportLine[]); // as the schema has them
      return Object.fromEntries(lines.map(({ account, department }) => [account, department]));
    });
  }

  #reports(): Raw[] {
    return this.#items("cost_reports").toSorted((one, other) => (String(one.week_of) < String(other.week_of) ? -1 : 1));
  }
}
