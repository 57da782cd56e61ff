// Collects the assets that a script or a list names, and gives each new one a label of its own.
import { sameName, withoutAccents } from "../../core/wording.ts";
import { meantOf } from "../names/meant.ts";
import type { AssetRule } from "./categories.ts";
import { cutText } from "./clean_text.ts";
import type { FindingPlace, Findings } from "./findings.ts";
import type { KnownThing } from "./partial.ts";

export interface AssetListOptions {
  /**
   * The slugs of the departments that exist; assets of any other department have none. If absent, all departments
   * exist.
   */
  departments?: readonly string[];
  /** The assets that exist: one of the same kind and label, in whatever case, is used and not added. */
  known?: readonly KnownThing[];
  /**
   * Where names are references to what exists: a name that nothing has is that of the only asset of its kind that
   * differs in accents alone, which is said; if several do, it is a problem.
   */
  findings?: Findings;
  /** Gets a sentence about a name that is cut, for its label has at most 200 characters. */
  say?: (sentence: string) => void;
}

const maxLabel = 300;
/** Of a name that gets a label, which may say its kind behind it. */
export const maxNewName = maxLabel - 100;

const keyOf = (kind: string, label: string): string => `${kind}\0${sameName(label)}`;
const unaccentedKey = (kind: string, label: string): string => `${kind}\0${withoutAccents(label)}`;

/**
 * The name in a label that carries its kind, as AssetList makes it: "Lantern" of "Lantern (dressing)"; undefined if
 * there is none.
 */
function nameIn(label: string, kind: string): string | undefined {
  const [, name, written] = /^(.+) \(([^()]*)\)$/.exec(label) ?? [];
  return written === kind || written?.replace(/ \d+$/, "") === kind ? name : undefined;
}

/** The assets of a breakdown: one for each label of a kind, under labels that are unique in the document. */
export class AssetList {
  readonly added: { label: string; kind: string; status: "planned"; department?: string }[] = [];
  readonly #departments: ReadonlySet<string> | undefined;
  readonly #findings: Findings | undefined;
  readonly #say: (sentence: string) => void;
  /** Labels by kind and form of the label: those that exist, and those added. */
  readonly #labels = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** How many labels with a kind were made of a name, so that a thousand equal names do not begin at 1 each time. */
  readonly #counts = new Map<string, number>();

  /** The references by kind and label without accents, if they are looked for. */
  readonly #unaccented = new Map<string, Set<string>>();

  constructor({ known = [], departments, findings, say = () => {} }: AssetListOptions) {
    this.#say = say;
    this.#findings = findings;
    this.#departments = departments === undefined ? undefined : new Set(departments);
    for (const { label, kind = "", ref = label } of known) {
      if (!this.#labels.has(keyOf(kind, label))) this.#labels.set(keyOf(kind, label), ref);
      this.#addUnaccented(kind, label, ref);
      this.#taken.add(sameName(label)).add(sameName(ref));
    }
    for (const { label, kind = "", ref = label } of known) {
      const name = nameIn(label, kind);
      if (name !== undefined && !this.#labels.has(keyOf(kind, name))) this.#labels.set(keyOf(kind, name), ref);
    }
  }

  /** The label of the asset of `kind` with this name; the asset is added if it does not exist. */
  label(name: string, { kind, department }: AssetRule, place: FindingPlace = {}): string {
    const found = this.#labels.get(keyOf(kind, name)) ?? this.#meant(kind, name, place);
    if (found !== undefined) return found;
    const label = this.#unique(cutText(name, maxNewName, this.#say), kind);
    this.#labels.set(keyOf(kind, name), label);
    this.#addUnaccented(kind, name, label);
    this.#taken.add(sameName(label));
    const exists = department !== undefined && this.#departments?.has(department) !== false;
    this.added.push({ label, kind, status: "planned", ...(exists ? { department } : {}) });
    return label;
  }

  #addUnaccented(kind: string, label: string, reference: string): void {
    if (this.#findings === undefined) return;
    const key = unaccentedKey(kind, label);
    this.#unaccented.set(key, (this.#unaccented.get(key) ?? new Set()).add(reference));
  }

  /** The only asset of the kind whose label differs in accents alone. */
  #meant(kind: string, name: string, place: FindingPlace): string | undefined {
    const meant = meantOf(name, this.#unaccented.get(unaccentedKey(kind, name)) ?? []);
    if (meant === undefined) return undefined;
    this.#labels.set(keyOf(kind, name), meant.found ?? name); // said once
    if (meant.found === undefined) this.#findings?.problem(meant.sentence, place);
    else this.#findings?.warn(meant.sentence, place);
    return meant.found ?? name;
  }

  /** If another kind of asset has the label, the kind is added to the label: "Lantern (dressing)". */
  #unique(name: string, kind: string): string {
    let label = name;
    const key = keyOf(kind, name);
    let count = this.#counts.get(key) ?? 0;
    for (; this.#taken.has(sameName(label)); count++)
      label = count === 0 ? `${name} (${kind})` : `${name} (${kind} ${count + 1})`;
    if (count > 0) this.#counts.set(key, count);
    return label;
  }
}
