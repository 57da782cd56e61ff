// Makes the document that applies approved script changes to the scenes of a production.

import { conflict, unprocessable } from "../../core/errors.ts";
import { listed, sameName } from "../../core/spelling.ts";
import type { StoredItem, StoredProduction } from "../documents/nouns/stored.ts";
import { castOfScene, type NameChange, renamedCast } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { keyOf, sceneName } from "../documents/sections/sections.ts";
import { textsIn } from "../names/sluglines.ts";
import { append } from "../sequences/sequences.ts";
import { isOmitted, itemName, type ListedScene, nameOf, settleNumbers } from "./approved_numbers.ts";
import { type BrokenDownAsset, type BrokenDownScene, breakDown } from "./breakdown.ts";
import { breakdownOptions } from "./breakdown_options.ts";
import { changedSince, type FieldChanges } from "./compare/fields.ts";
import { isRename, renameOf } from "./compare/renames.ts";
import type { WithApproval } from "./decisions.ts";
import { dependenciesOf } from "./known_scenes.ts";
import { linkedCast, renamedAssets, sceneChange, withChangedNames } from "./scene_changes.ts";
import { type DayChange, scheduleAfter } from "./scheduled_scenes.ts";
import type { Case, DecidedRow, SceneCase } from "./script_decision.ts";
import type { StoredChange } from "./script_store.ts";

/** The document of approved changes. */
export class ScriptApproval {
  readonly #stored: StoredProduction;
  /** The stored scenes, then the added ones. */
  readonly #list = new Map<number | string, ListedScene>();
  /** The same in the order of the script, once a scene is added or moved. */
  #order: ListedScene[] | undefined;
  readonly #added: BrokenDownAsset[] = [];
  /** The characters by their references. */
  readonly #characters: ReadonlyMap<string, { id: number; name: string }>;
  /** What the decision leaves to people. */
  readonly warnings: string[] = [];
  /** The new names of characters, with the scenes that keep the former one. */
  readonly renames: (NameChange & { kept: ReadonlySet<unknown> })[] = [];

  /** Whether what follows is done, too. Otherwise it is asked. */
  readonly #follows: boolean;
  /** The names of characters whose links that a person made go, and of those whose links stay. */
  readonly #unlinked: ReadonlySet<string>;
  readonly #kept: ReadonlySet<string>;
  /** Those names as they were given, and the names of whose links there is a question. */
  readonly #answers: readonly string[];
  readonly #asked = new Set<string>();

  constructor(stored: StoredProduction, { follow, unlink, keep }: WithApproval) {
    this.#stored = stored;
    this.#follows = follow;
    this.#unlinked = new Set(unlink.map(sameName));
    this.#kept = new Set(keep.map(sameName));
    this.#answers = [...unlink, ...keep];
    this.#characters = new Map(
      stored.items("assets").flatMap(({ id, raw }) => {
        const name = sameName(String(raw.label).replace(/ \(character(?: \d+)?\)$/, ""));
        const reference = keyOf("assets", raw);
        return raw.kind === "character" && reference !== undefined ? [[reference, { id, name }]] : [];
      }),
    );
    for (const node of stored.items("scenes")) {
      const { number, episode } = node.raw;
      const item = { number, ...(episode !== undefined && { episode }) };
      this.#list.set(node.id, { of: node.id, item, stored: node });
    }
  }

  /** Looks at a change before any is applied. Throws 409 if its scene is not any more what it found. */
  check({ change }: Case): void {
    const node = this.#list.get(change.node_id ?? 0)?.stored;
    if (node === undefined) return;
    const fields = changedSince(change.fields, dependenciesOf(node));
    if (fields.length > 0)
      throw conflict(
        `scene ${nameOf(node)} has changed since script change ${change.id} was detected: ${fields.join(", ")}; nothing was changed`,
      );
  }

  /**
   * Breaks the approved scenes of a script down, all at once. They share the assets that are added, also with those of other episodes. A
   * character whose rename is one of the `waiting` changes has its former name.
   */
  breakDown(
    cases: readonly SceneCase[],
    episode: string | undefined,
    waiting: readonly StoredChange[],
  ): BrokenDownScene[] {
    const departments = Object.fromEntries(cases.flatMap(({ change }) => Object.entries(change.departments)));
    const former = waiting.flatMap(({ fields }) => (isRename(fields) ? renameOf(fields) : []));
    const names = former.map(({ from, to }) => ({ from: to, to: from }));
    const characters = new Set([...this.#characters.values()].map(({ name }) => name));
    const scenes = cases.map(({ change: { fields, kind, node_id }, row: { scene } }) => {
      const brought = withChangedNames(fields, scene, kind === "added");
      const cast = renamedCast(brought.cast, names) ?? brought.cast;
      return { ...brought, ...linkedCast(cast, this.#list.get(node_id ?? 0)?.stored, characters) };
    });
    const { known = [], ...options } = breakdownOptions(this.#stored, departments, episode);
    const nameNow = this.#nameNow();
    const renamed = known.map(({ label, ref, ...asset }) => ({
      ...asset,
      label: nameNow(label),
      ref: ref === undefined ? ref : nameNow(ref),
    }));
    const broken = breakDown({ scenes }, { ...options, known: [...renamed, ...this.#added] });
    append(this.#added, broken.assets);
    return broken.scenes;
  }

  /** Gives a character another name, in every scene of the production, or in all but those where the draft keeps the former one. */
  rename(rename: NameChange, kept: readonly number[]): void {
    this.renames.push({ ...rename, kept: new Set(kept) });
  }

  /** Gives the new names of references to assets. */
  #nameNow(renames: readonly NameChange[] = this.renames): (reference: string) => string {
    const names = new Map(renamedAssets(this.#stored, renames).map(({ was, label }) => [was, String(label)]));
    return (reference) => names.get(reference) ?? reference;
  }

  get #renamed(): Raw[] {
    return renamedAssets(this.#stored, this.renames);
  }

  /** Applies an approved change of a stored scene. */
  change({ change, row }: SceneCase, scene: BrokenDownScene, after: DecidedRow | undefined): void {
    const one = this.#list.get(change.node_id as number) as ListedScene; // a changed or omitted scene is stored
    const { fields, revision_color } = change;
    const stored = one.stored as StoredItem; // a changed or omitted scene is stored
    const leaving = this.#leaving(stored, fields, scene, row);
    // The change of a draft without a colour has that of the scene, which stays.
    const color = revision_color === row.scene.revision_color ? revision_color : null;
    one.item = sceneChange(stored, fields, scene, { color, draft: row.scene, leaving });
    if ("number" in fields) one.numbered = change;
    if ("order" in fields) this.#place(one, after);
  }

  /**
   * The characters linked to a scene whom an approved change takes out of it: those of the `former` cast, whose import made the links.
   * Warns of one who was only in the cast of the scene, where a person put them, unless somebody keeps them there.
   */
  #leaving(stored: StoredItem, fields: FieldChanges, scene: BrokenDownScene, row: DecidedRow): ReadonlySet<string> {
    if (!("cast" in fields)) return new Set();
    const drafted = new Set((row.approved ?? row.scene).cast.map(sameName));
    const known = new Set(textsIn(fields.cast?.from).map(sameName));
    const staying = new Set(scene.assets);
    const linked = textsIn(stored.raw.assets).filter(
      (reference) => !staying.has(reference) && this.#characters.has(reference),
    );
    for (const one of linked) this.#asked.add(this.#characters.get(one)?.name ?? "");
    const isIn = (names: ReadonlySet<string>, reference: string) =>
      names.has(this.#characters.get(reference)?.name ?? "");
    this.#keep(
      row,
      linked.filter((one) => isIn(this.#kept, one)),
    );
    const isKept = (one: string) => row.kept.includes(this.#characters.get(one)?.id ?? 0);
    const isAnswered = (one: string) =>
      isIn(known, one) && (isIn(this.#unlinked, one) || (this.#follows && !isKept(one)));
    const leaving = linked.filter((one) => isIn(drafted, one) || isAnswered(one));
    const asked = linked.filter((one) => isIn(known, one) && !leaving.includes(one) && !isKept(one));
    if (asked.length > 0)
      this.warnings.push(
        `${listed(asked)} ${asked.length === 1 ? "is" : "are"} no longer in the cast of scene ${nameOf(stored)}, but a person made the link, so it stays; \`scenes\` of the asset without ${nameOf(stored)} takes it away, or \`unlink\` or \`follow\` with the decision`,
      );
    return new Set(leaving);
  }

  /** Keeps the links of a scene to characters. */
  #keep(row: DecidedRow, references: readonly string[]): void {
    const ids = references.flatMap((one) => this.#characters.get(one)?.id ?? []);
    if (ids.length > 0) row.kept = [...new Set([...row.kept, ...ids])];
  }

  /**
   * Keeps the links of the scene of a change that was approved before. Throws 422 for a character who is not linked to it, 409 if they are
   * kept already.
   */
  answer({ id, node_id }: StoredChange, row: DecidedRow | undefined): void {
    const stored = this.#list.get(node_id ?? 0)?.stored;
    const nameOfReference = (one: string): string => this.#characters.get(one)?.name ?? "";
    const kept = textsIn(stored?.raw.assets).filter((one) => this.#kept.has(nameOfReference(one)));
    for (const one of kept) this.#asked.add(nameOfReference(one));
    const linked = new Set(row === undefined ? [] : kept.map(nameOfReference));
    const missing = this.#answers.filter((name) => this.#kept.has(sameName(name)) && !linked.has(sameName(name)));
    if (stored === undefined || row === undefined || missing.length > 0)
      throw unprocessable(
        `keep must name characters who are linked to the scene of script change ${id}, and not ${listed(missing)}; nothing was changed`,
      );
    if (kept.every((one) => row.kept.includes(this.#characters.get(one)?.id ?? 0)))
      throw conflict(`scene ${nameOf(stored)} keeps ${listed(kept)} already; nothing was changed`);
    this.#keep(row, kept);
  }

  /** The names of whose links there is no question. */
  get #unasked(): string[] {
    return this.#answers.filter((name) => !this.#asked.has(sameName(name)));
  }

  /** Omits the scene of a change that has no proposal. */
  omit(change: StoredChange): void {
    const one = this.#list.get(change.node_id as number); // the caller has checked that the change has a node
    if (one !== undefined) one.item = { ...one.item, status: "omitted" };
  }

  /** Adds a scene after another. Returns its reference. */
  add({ change }: Case, scene: BrokenDownScene, after: DecidedRow | undefined): string {
    const name = sceneName(scene.number, scene.episode);
    const item: Raw = { ...scene, revision_color: change.revision_color };
    const one: ListedScene = { of: name, item, stored: undefined, numbered: change };
    this.#list.set(name, one);
    this.#place(one, after);
    return name;
  }

  /** Puts a scene after another one, or first in its episode. */
  #place(one: ListedScene, after: DecidedRow | undefined): void {
    this.#order ??= [...this.#list.values()];
    const own = this.#order.indexOf(one);
    if (own >= 0) this.#order.splice(own, 1);
    const previous = this.#list.get(after?.added ?? after?.node_id ?? "");
    const at =
      previous === undefined
        ? this.#order.findIndex(({ item }) => item.episode === one.item.episode)
        : this.#order.indexOf(previous) + 1;
    this.#order.splice(at < 0 ? this.#order.length : at, 0, one);
  }

  settleNumbers(waiting: readonly StoredChange[]): Map<number, string> {
    return settleNumbers([...this.#list.values()], waiting);
  }

  /** What the approved changes come to. */
  document(): { scenes: Raw[]; assets: Raw[]; schedule: Raw[]; warnings: string[] } {
    const names = new Map(
      [...this.#list.values()].flatMap(({ stored, item }) => (stored ? [[nameOf(stored), itemName(item)]] : [])),
    );
    const { schedule, questions } = scheduleAfter(this.#stored, this.#changesOfDays(), {
      follows: this.#follows,
      nameNow: (was) => names.get(was) ?? was,
    });
    const warnings = [...this.warnings, ...questions];
    if (this.#unasked.length > 0)
      warnings.push(`no change asks about a link of ${listed(this.#unasked)}: unlink and keep did nothing there`);
    return { scenes: this.#scenes, assets: this.#assets, schedule, warnings };
  }

  /** The scenes that leave the schedule or may come on it. */
  #changesOfDays(): DayChange[] {
    const byName = new Map([...this.#list.values()].map((one) => [itemName(one.item), one]));
    return [...this.#list.values()].flatMap((one): DayChange[] => {
      const name = itemName(one.item);
      if (one.stored !== undefined) {
        const omits = isOmitted(one) && one.stored.raw.status !== "omitted";
        return omits ? [{ kind: "leaves", name, was: nameOf(one.stored) }] : [];
      }
      const whole = name.replace(/[A-Z]+$/i, ""); // 2 of 2A
      const part = whole === name ? undefined : byName.get(whole)?.stored;
      return part === undefined || isOmitted(one) ? [] : [{ kind: "part", name, was: nameOf(part) }];
    });
  }

  /** The assets that the approved scenes add, as a document lists them. */
  get #assets(): Raw[] {
    const kept = this.renames.flatMap((rename) =>
      rename.kept.size > 0 && renamedAssets(this.#stored, [rename]).length > 0
        ? [{ label: rename.from, kind: "character" }]
        : [],
    );
    return [...this.#renamed, ...kept, ...this.#added];
  }

  /** Gives the cast of a scene its new names, and its list of assets. */
  #followRenames(one: ListedScene): void {
    const elements = (one.item.elements ?? {}) as Raw; // the elements of a scene are an object
    const renames = this.renames.filter(({ kept }) => !kept.has(one.of));
    const cast = renamedCast(castOfScene("cast" in elements ? one.item : (one.stored?.raw ?? {})), renames);
    if (renames.length < this.renames.length)
      one.item = { ...one.item, assets: one.item.assets ?? textsIn(one.stored?.raw.assets) };
    if (cast !== undefined) one.item = { ...one.item, elements: { ...elements, cast } };
    const { assets } = one.item;
    if (Array.isArray(assets)) one.item = { ...one.item, assets: [...new Set(assets.map(this.#nameNow(renames)))] };
  }

  /** The scenes as a document lists them: all if their order changes, else those that change. */
  get #scenes(): Raw[] {
    const all = [...this.#list.values()];
    if (this.renames.length > 0) for (const one of all) this.#followRenames(one);
    return (
      this.#order?.map(({ item }) => item) ??
      all
        .map(({ item }) => item)
        .filter((item) => Object.keys(item).some((field) => field !== "number" && field !== "episode"))
    );
  }
}
