// The names that a stored production has, for the readers of lists; each kind of name is read when a reader asks for it.
import type { SectionName } from "../document/changes.ts";
import type { Raw } from "../document/partial_schema.ts";
import { keyOf } from "../document/sections.ts";
import type { StoredProduction } from "../document/stored.ts";
import type { KnownNames } from "../formats/partial.ts";

type Parts = { readonly [S in SectionName]?: readonly Raw[] | undefined };

interface ReportLine {
  account: string;
  department: string;
}

/** The names of the production and of `added`: documents of the same update that were read before. */
export class StoredNames implements KnownNames {
  readonly #stored: StoredProduction;
  readonly #added: readonly Parts[];

  constructor(stored: StoredProduction, added: readonly Parts[]) {
    this.#stored = stored;
    this.#added = added;
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
    return this.#keys("scenes");
  }

  get episodes(): readonly string[] {
    return this.#keys("episodes");
  }

  get departments(): KnownNames["departments"] {
    const named = this.#items("departments").map(({ slug, name }) => [String(slug), String(name ?? slug)] as const);
    return [...new Map(named.toReversed())].map(([slug, name]) => ({ slug, name })).toReversed();
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

  get deliveries(): readonly string[] {
    return this.#keys("deliveries");
  }

  get shoot_days(): KnownNames["shoot_days"] {
    const dated = this.#items("schedule").filter(({ date }) => typeof date === "string");
    return dated.map(({ day_number, date }) => ({ day_number: Number(day_number), date: String(date) }));
  }

  get purchase_orders(): readonly string[] {
    return this.#items("purchase_orders").flatMap(({ number }) => (typeof number === "string" ? [number] : []));
  }

  get cost_reports(): KnownNames["cost_reports"] {
    return this.#reports().map(({ week_of, active }) => ({ week_of: String(week_of), active: active === true }));
  }

  /** The department of each account: that of the latest report. */
  get accounts(): Readonly<Record<string, string>> {
    const lines = this.#reports().flatMap(({ lines }) => (lines ?? []) as ReportLine[]); // as the schema has them
    return Object.fromEntries(lines.map(({ account, department }) => [account, department]));
  }

  #reports(): Raw[] {
    return this.#items("cost_reports").toSorted((one, other) => (String(one.week_of) < String(other.week_of) ? -1 : 1));
  }
}
