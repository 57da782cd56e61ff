// Makes the document that applies approved script changes to the scenes of a production.
import { conflict, unprocessable } from "../../core/errors.ts";
import { listed, sameName } from "../../core/wording.ts";
import type { StoredItem, StoredProduction } from "../documents/nouns/stored.ts";
import { castOfScene, type NameChange, renamedCast } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { keyOf, sceneName } from "../documents/sections/sections.ts";
import { textsIn } from "../names/sluglines.ts";
import { append } from "../sequences/sequences.ts";
import { type ListedScene, nameOf, settleNumbers } from "./approved_numbers.ts";
import { type BrokenDownAsset, type BrokenDownScene, breakDown, breakdownOptions } from "./breakdown.ts";
import { changedSince } from "./compare/fields.ts";
import type { WithApproval } from "./operations.ts";
import { characterFinder, dependenciesOf } from "./questions.ts";
import { linkedCast, renamedAssets, sceneChange, withChangedNames } from "./scene_changes.ts";
import { scheduleAfter } from "./scheduled_scenes.ts";
import type { Case, DecidedRow, DraftPlace, SceneCase, ScriptDecision } from "./script_decision.ts";
import type { StoredChange } from "./script_store.ts";

/** A character of the production. */
interface Character {
  id: number;
  reference: string;
  /** In the form in which names are compared. */
  name: string;
}

function charactersOf(stored: StoredProduction): Character[] {
  return stored.items("assets").flatMap(({ id, raw }) => {
    const name = sameName(String(raw.label).replace(/ \(character(?: \d+)?\)$/, ""));
    const reference = keyOf("assets", raw);
    return raw.kind === "character" && reference !== undefined ? [{ id, reference, name }] : [];
  });
}

const namesOf = (names: Iterable<string>): Set<string> => new Set([...names].map(sameName));
const referencesOf = (characters: readonly Character[]): string[] => characters.map(({ reference }) => reference);

/** The document of approved changes. */
export class ScriptApproval {
  readonly #stored: StoredProduction;
  /** The stored scenes, then the added ones. */
  readonly #list = new Map<number | string, ListedScene>();
  /** The same in the order of the script, once a scene is added or moved. */
  #order: ListedScene[] | undefined;
  readonly #added: BrokenDownAsset[] = [];
  readonly #characters: ReadonlyMap<string, Character>;
  /** What the decision leaves to people. */
  readonly #warnings: string[] = [];
  /** The new names of characters, with the scenes that keep the former one. */
  readonly renames: (NameChange & { kept: ReadonlySet<unknown> })[] = [];
  /** Whether what follows is done, too. Otherwise it is asked. */
  readonly #follows: boolean;
  /** The names of characters whose links that a person made go, and of those whose links stay; as they were given. */
  readonly #unlinked: readonly string[];
  readonly #kept: readonly string[];
  readonly #formerTexts = new Map<number, string | null>();
  /** The names of whose links there is a question. */
  readonly #asked = new Set<string>();

  constructor(stored: StoredProduction, { follow = false, unlink = [], keep = [] }: WithApproval) {
    this.#stored = stored;
    [this.#follows, this.#unlinked, this.#kept] = [follow, unlink, keep];
    this.#characters = new Map(charactersOf(stored).map((one) => [one.reference, one]));
    for (const node of stored.items("scenes")) {
      const { number, episode } = node.raw;
      const item = { number, ...(episode !== undefined && { episode }) };
      this.#list.set(node.id, { of: node.id, item, stored: node });
    }
  }

  /** Looks at a change before any is applied. Throws 409 if its scene is not any more what it found. */
  check({ id, node_id, fields }: StoredChange): void {
    const node = this.#list.get(node_id ?? 0)?.stored;
    if (node === undefined) return;
    const changed = changedSince(fields, dependenciesOf(node));
    if (changed.length > 0)
      throw conflict(
        `scene ${nameOf(node)} has changed since script change ${id} was detected: ${changed.join(", ")}; nothing was changed`,
      );
  }

  /**
   * Breaks the approved scenes of a script down, all at once. They share the assets that are added, also with those of other episodes. A
   * character whose rename waits, or was dismissed, has its former name.
   */
  breakDown({ cases, unnamed }: ScriptDecision): Map<Case, BrokenDownScene> {
    const ofScenes = cases.flatMap((one): SceneCase[] => (one.row === undefined ? [] : [{ ...one, row: one.row }]));
    const departments = Object.fromEntries(ofScenes.flatMap(({ change }) => Object.entries(change.departments)));
    const characters = new Set([...this.#characters.values()].map(({ name }) => name));
    const hasCharacter = characterFinder(this.#stored);
    const names = unnamed.flatMap(({ from, to }) => (hasCharacter(from) ? { from: to, to: from } : []));
    const scenes = ofScenes.map(({ change: { fields, kind, node_id }, row: { scene } }) => {
      const brought = withChangedNames(fields, scene, kind === "added");
      const cast = renamedCast(brought.cast, names) ?? brought.cast;
      return { ...brought, ...linkedCast(cast, this.#list.get(node_id ?? 0)?.stored, characters) };
    });
    const episode = cases[0]?.change.episode ?? undefined;
    const { known = [], ...options } = breakdownOptions(this.#stored, departments, episode);
    const nameNow = this.#nameNow();
    const renamed = known.map(({ label, ref, ...asset }) => ({
      ...asset,
      label: nameNow(label),
      ref: ref === undefined ? ref : nameNow(ref),
    }));
    const broken = breakDown({ scenes }, { ...options, known: [...renamed, ...this.#added] });
    append(this.#added, broken.assets);
    const drafted = cases.filter(({ row }) => row !== undefined);
    return new Map(drafted.map((one, at) => [one, broken.scenes[at] as BrokenDownScene])); // one for each
  }

  /** Gives a character another name, in every scene of the production, or in all but those where the draft keeps the former one. */
  rename(rename: NameChange, kept: readonly number[]): void {
    this.renames.push({ ...rename, kept: new Set(kept) });
  }

  /** The renames that a scene has, and not the former name. */
  #renamesIn(scene: unknown): readonly NameChange[] {
    return this.renames.filter(({ kept }) => !kept.has(scene));
  }

  /** Gives the new names of references to assets. */
  #nameNow(renames: readonly NameChange[] = this.renames): (reference: string) => string {
    const names = new Map(renamedAssets(this.#stored, renames).map(({ was, label }) => [was, String(label)]));
    return (reference) => names.get(reference) ?? reference;
  }

  /** Applies an approved change of a scene, which the draft has after another one. */
  apply({ change, row }: SceneCase, scene: BrokenDownScene, place: DraftPlace): void {
    const { kind, fields, revision_color, node_id } = change;
    if (kind === "added") {
      row.added = sceneName(scene.number, scene.episode);
      const item: Raw = { ...scene, revision_color };
      const { text } = row.scene;
      const one: ListedScene = { of: row.added, item, stored: undefined, text, numbered: change };
      this.#list.set(row.added, one);
      this.#place(one, place);
      return;
    }
    const one = this.#list.get(node_id as number) as ListedScene; // a changed or omitted scene is stored
    const stored = one.stored as StoredItem; // a changed or omitted scene is stored
    const leaving = "cast" in fields ? this.#leaving(stored, change, scene, row) : new Set<string>();
    // The change of a draft without a colour has that of the scene, which stays.
    const color = revision_color === row.scene.revision_color ? revision_color : null;
    one.item = sceneChange(stored, fields, scene, {
      color,
      draft: row.scene,
      former: row.approved ?? row.scene,
      leaving,
    });
    if ("number" in fields) one.numbered = change;
    if ("order" in fields) this.#place(one, place);
  }

  /** Applies an approved change that a document brought, without a text. */
  applyBrought({ id, kind, node_id }: StoredChange): void {
    const one = this.#list.get(node_id ?? 0);
    if (kind !== "omitted" || node_id === null)
      this.#warnings.push(`a document brought script change ${id}, without a text: approving it changes no scene`);
    else if (one !== undefined) one.item = { ...one.item, status: "omitted" };
  }

  #linkedTo(stored: StoredItem | undefined): Character[] {
    return textsIn(stored?.raw.assets).flatMap((reference) => this.#characters.get(reference) ?? []);
  }

  /**
   * The characters linked to a scene whom an approved change takes out of it: those of the `former` cast, whose import made the links.
   * Warns of one who was only in the cast of the scene, where a person put them, unless somebody keeps them there.
   */
  #leaving(stored: StoredItem, { fields }: StoredChange, scene: BrokenDownScene, row: DecidedRow): ReadonlySet<string> {
    const drafted = namesOf((row.approved ?? row.scene).cast);
    const known = namesOf(textsIn(fields.cast?.from));
    const [unlinked, kept, staying] = [namesOf(this.#unlinked), namesOf(this.#kept), new Set(scene.assets)];
    const nameNow = this.#nameNow(this.#renamesIn(stored?.id));
    const linked = this.#linkedTo(stored).filter(({ reference }) => !staying.has(nameNow(reference)));
    for (const { name } of linked) this.#asked.add(name);
    keepLinks(
      row,
      linked.filter(({ name }) => kept.has(name)),
    );
    const isKept = ({ id }: Character) => row.kept.includes(id);
    const isAnswered = (one: Character) => unlinked.has(one.name) || (this.#follows && !isKept(one));
    const leaving = linked.filter((one) => drafted.has(one.name) || (known.has(one.name) && isAnswered(one)));
    const asked = linked.filter((one) => known.has(one.name) && !leaving.includes(one) && !isKept(one));
    if (asked.length > 0)
      this.#warnings.push(
        `${listed(referencesOf(asked))} ${asked.length === 1 ? "is" : "are"} no longer in the cast of scene ${nameOf(stored)}, but a person made the link, so it stays; \`scenes\` of the asset without ${nameOf(stored)} takes it away, or undo the decision and repeat it with \`unlink\` or \`follow\``,
      );
    return new Set(referencesOf(leaving));
  }

  /**
   * Keeps the links of the scene of a change that was approved before. Throws 422 for a character who is not linked to it, 409 if they are
   * kept already.
   */
  answer({ id, node_id }: StoredChange, row: DecidedRow | undefined): void {
    const stored = this.#list.get(node_id ?? 0)?.stored;
    const names = namesOf(this.#kept);
    const kept = this.#linkedTo(stored).filter(({ name }) => names.has(name));
    for (const { name } of kept) this.#asked.add(name);
    const linked = new Set(row === undefined ? [] : kept.map(({ name }) => name));
    const missing = [...this.#unlinked, ...this.#kept].filter(
      (name) => names.has(sameName(name)) && !linked.has(sameName(name)),
    );
    if (stored === undefined || row === undefined || missing.length > 0)
      throw unprocessable(
        `keep must name characters who are linked to the scene of script change ${id}, and not ${listed(missing)}; nothing was changed`,
      );
    if (kept.every((one) => row.kept.includes(one.id)))
      throw conflict(`scene ${nameOf(stored)} keeps ${listed(referencesOf(kept))} already; nothing was changed`);
    keepLinks(row, kept);
  }

  /** Puts a scene after another one, or first in its episode; and after the omitted scenes that the draft has there, too. */
  #place(one: ListedScene, { after, between }: DraftPlace): void {
    this.#order ??= [...this.#list.values()];
    const own = this.#order.indexOf(one);
    if (own >= 0) this.#order.splice(own, 1);
    const previous = this.#list.get(after?.added ?? after?.node_id ?? "");
    const cards = new Set(between.map(({ node_id }) => node_id));
    let at =
      previous === undefined
        ? this.#order.findIndex(({ item }) => item.episode === one.item.episode)
        : this.#order.indexOf(previous) + 1;
    while (cards.has(this.#order[at]?.stored?.id ?? null)) at++;
    this.#order.splice(at < 0 ? this.#order.length : at, 0, one);
  }

  settleNumbers(waiting: readonly StoredChange[]): Map<number, string> {
    return settleNumbers([...this.#list.values()], waiting);
  }

  /** Learns the texts of the scenes of a script before the decision. */
  learn({ formerTexts }: ScriptDecision): void {
    for (const [node, text] of formerTexts) this.#formerTexts.set(node, text);
  }

  /** What the approved changes come to, and what they leave to people. */
  document(): { scenes: Raw[]; assets: Raw[]; schedule: Raw[]; warnings: string[] } {
    const { schedule, questions } = scheduleAfter(this.#stored, [...this.#list.values()], {
      follows: this.#follows,
      formerTexts: this.#formerTexts,
    });
    const warnings = [...this.#warnings, ...questions];
    const unasked = [...this.#unlinked, ...this.#kept].filter((name) => !this.#asked.has(sameName(name)));
    if (unasked.length > 0)
      warnings.push(`no change asks about a link of ${listed(unasked)}: unlink and keep did nothing there`);
    return { scenes: this.#scenes, assets: this.#assets, schedule, warnings };
  }

  /** The assets that the approved scenes add, as a document lists them. */
  get #assets(): Raw[] {
    const renamed = renamedAssets(this.#stored, this.renames);
    const kept = this.renames.flatMap((rename) =>
      rename.kept.size > 0 && renamedAssets(this.#stored, [rename]).length > 0
        ? [{ label: rename.from, kind: "character" }]
        : [],
    );
    return [...renamed, ...kept, ...this.#added];
  }

  /** Gives the cast of a scene its new names, and its list of assets. */
  #followRenames(one: ListedScene): void {
    const elements = (one.item.elements ?? {}) as Raw; // the elements of a scene are an object
    const renames = this.#renamesIn(one.of);
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
    const isChanged = (item: Raw) => Object.keys(item).some((field) => field !== "number" && field !== "episode");
    return this.#order?.map(({ item }) => item) ?? all.map(({ item }) => item).filter(isChanged);
  }
}

/** Keeps the links of a scene to characters. */
function keepLinks(row: DecidedRow, characters: readonly Character[]): void {
  if (characters.length > 0) row.kept = [...new Set([...row.kept, ...characters.map(({ id }) => id)])];
}
