// Makes the document that applies approved script changes to the scenes of a production.
import { conflict, unprocessable } from "../../core/errors.ts";
import { listed, sameName } from "../../core/wording.ts";
import { castOfScene, inCaseOf, type NameChange, renamedCast } from "../documents/cast_names.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { StoredItem, StoredProduction } from "../documents/stored.ts";
import { compareNumbers, textsIn } from "../names/sluglines.ts";
import { AssetList } from "../paperwork/asset_list.ts";
import { append, listAt } from "../sequences/sequences.ts";
import { itemName, type ListedScene, nameOf, settleNumbers } from "./approved_numbers.ts";
import { type BrokenDownAsset, type BrokenDownScene, breakDown, breakdownOptions } from "./breakdown.ts";
import { changedSince, differingFields, fieldsForStored, silentFields } from "./compare/fields.ts";
import { charactersOf, type LinkedCharacter, linkedOf, linksByHand, nameForms } from "./linked_characters.ts";
import type { WithApproval } from "./operations.ts";
import { characterFinder, dependenciesOf } from "./questions.ts";
import { AssetNames, linkedCast, sceneChange, withChangedNames } from "./scene_changes.ts";
import { scheduleAfter } from "./scheduled_scenes.ts";
import type { Case, DecidedRow, DraftPlace, SceneCase, ScriptDecision } from "./script_decision.ts";
import type { StoredChange } from "./script_store.ts";

/** A rename of a character that is approved. */
interface ApprovedRename extends NameChange {
  /** The scenes that keep the former name. */
  kept: ReadonlySet<unknown>;
  /** The episode whose scenes get a character of their own. */
  apart?: string;
  /** The character with its new name, or the one of their own, as a document has it. */
  asset: { label: string; was: unknown } | undefined;
}

const referencesOf = (characters: readonly LinkedCharacter[]): string[] => characters.map(({ reference }) => reference);

/** The document of approved changes. */
export class ScriptApproval {
  readonly #stored: StoredProduction;
  /** The stored scenes, then the added ones. */
  readonly #list = new Map<number | string, ListedScene>();
  /** The same in the order of the script, once a scene is added or moved. */
  #order: ListedScene[] | undefined;
  readonly #added: BrokenDownAsset[] = [];
  readonly #characters: ReadonlyMap<string, LinkedCharacter>;
  /** What the decision leaves to people. */
  readonly #warnings: string[] = [];
  /** The new names of characters. */
  readonly renames: ApprovedRename[] = [];
  /** The same by the form of the former name, and those of assets by their references. */
  readonly #byName = new Map<string, ApprovedRename[]>();
  readonly #byReference = new Map<unknown, ApprovedRename[]>();
  readonly #apart: ApprovedRename[] = [];
  readonly #assetNames: AssetNames;
  /** The scenes that keep a former name. */
  readonly #keepers = new Set<unknown>();
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
    this.#characters = charactersOf(stored);
    this.#assetNames = new AssetNames(stored);
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
   * Breaks the approved scenes of a script down, all at once. They share the assets that are added, also with those of
   * other episodes. A character whose rename waits, or was dismissed, has its former name.
   */
  breakDown({ cases, unnamed, aliases }: ScriptDecision): Map<Case, BrokenDownScene> {
    const ofScenes = cases.flatMap((one): SceneCase[] => (one.row === undefined ? [] : [{ ...one, row: one.row }]));
    const departments = Object.fromEntries(ofScenes.flatMap(({ change }) => Object.entries(change.departments)));
    const characters = new Set([...this.#characters.values()].map(({ name }) => name));
    const hasCharacter = characterFinder(this.#stored);
    const former = unnamed.flatMap(({ from, to }) => (hasCharacter(from) ? { from: to, to: from } : []));
    const names = [...former, ...aliases];
    const scenes = ofScenes.map(({ change: { fields, kind, node_id }, row: { scene, approved } }) => {
      const isNew = kind === "added" || kind === "moved" || approved?.text === null;
      const brought = withChangedNames(fields, scene, isNew);
      const cast = renamedCast(brought.cast, names) ?? brought.cast;
      return { ...brought, ...linkedCast(cast, this.#list.get(node_id ?? 0)?.stored, characters) };
    });
    const episode = cases[0]?.change.episode ?? undefined;
    const { known = [], ...options } = breakdownOptions(this.#stored, departments, episode);
    const renamed = known.map(({ label, ref, ...asset }) => ({
      ...asset,
      label: this.#nameNow(label),
      ref: ref === undefined ? ref : this.#nameNow(ref),
    }));
    const broken = breakDown({ scenes }, { ...options, known: [...renamed, ...this.#added] });
    append(this.#added, broken.assets);
    const drafted = cases.filter(({ row }) => row !== undefined);
    return new Map(drafted.map((one, at) => [one, broken.scenes[at] as BrokenDownScene])); // one for each
  }

  /**
   * Gives a character another name, in every scene of the production, or in all but those where the draft keeps the
   * former one.
   */
  rename(rename: NameChange, kept: readonly number[]): void {
    this.#add({ ...rename, kept: new Set(kept), asset: this.#assetNames.renamed(rename) });
    for (const scene of kept) this.#keepers.add(scene);
  }

  #add(rename: ApprovedRename): void {
    this.renames.push(rename);
    listAt(this.#byName, sameName(rename.from)).push(rename);
    if (rename.asset !== undefined) listAt(this.#byReference, rename.asset.was).push(rename);
  }

  /**
   * Makes a character of its own of the one whom the scenes of an episode call by another name, but for those where the
   * draft keeps the former one. A character who has the name already is that one.
   */
  renameApart(rename: NameChange, kept: readonly number[], episode: string): void {
    const former = this.#assetNames.characterOf(rename.from);
    if (former === undefined) return;
    const { known = [] } = breakdownOptions(this.#stored, {}, episode);
    const list = new AssetList({ known: [...known, ...this.#added] });
    const { label, department } = former;
    const named = typeof department === "string" ? { department } : {};
    const reference = list.label(inCaseOf(String(label), rename.to), { kind: "character", ...named });
    append(this.#added, list.added);
    const asset = { label: reference, was: former.ref ?? former.label };
    const apart = { ...rename, kept: new Set(kept), apart: episode, asset };
    this.#apart.push(apart);
    this.#add(apart);
  }

  /** Whether a scene has the new name of a rename. */
  #isIn = ({ kept, apart }: ApprovedRename, scene: number | string | undefined): boolean =>
    !kept.has(scene) && (apart === undefined || apart === this.#list.get(scene ?? "")?.item.episode);

  /** The reference to an asset with its new name in a scene; without a scene, that of all. */
  #nameNow = (reference: string, scene?: number | string): string => {
    const own = (this.#byReference.get(reference) ?? []).filter((one) => this.#isIn(one, scene));
    return (own.findLast(({ apart }) => apart !== undefined) ?? own.at(-1))?.asset?.label ?? reference;
  };

  /** Applies an approved change of a scene, which the draft has after another one. */
  apply({ change, row }: SceneCase, scene: BrokenDownScene, place: DraftPlace, script: ScriptDecision): void {
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
    const leaving = "cast" in fields ? this.#leaving(stored, change, scene, { row, script }) : new Set<string>();
    const [before, after] = [script.today(row.approved ?? row.scene), script.today(row.scene)];
    if (fields.omitted?.to !== true) row.by_hand = linksByHand(row, before, after, this.#linkedTo(stored));
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

  /** Applies an approved move of a scene from the episode of `former`, where its number stays as an omitted scene. */
  move(
    { change, row }: SceneCase,
    scene: BrokenDownScene,
    { place, script, former }: { place: DraftPlace; script: ScriptDecision; former: DecidedRow | undefined },
  ): void {
    const one = this.#list.get(change.node_id ?? "") as ListedScene; // it is stored
    const stored = one.stored as StoredItem; // it is stored
    const { revision_color, number, episode, slugline } = stored.raw;
    const last = former?.approved ?? former?.scene ?? row.scene;
    const before = { ...last, text: last.last ?? last.text, omitted: stored.raw.status === "omitted" };
    const differing = fieldsForStored({ ...differingFields(before, row.scene) }, dependenciesOf(stored));
    const fields = { ...differing, ...silentFields(before, row.scene, dependenciesOf(stored)) };
    const asked = { ...row, approved: before };
    const leaving =
      "cast" in fields
        ? this.#leaving(stored, { ...change, fields }, scene, { row: asked, script })
        : new Set<string>();
    [row.node_id, row.kept] = [stored.id, asked.kept];
    row.by_hand = linksByHand(former ?? row, script.today(before), script.today(row.scene), this.#linkedTo(stored));
    const about = { number: scene.number, was: nameOf(stored), episode: scene.episode };
    const color = change.revision_color === row.scene.revision_color ? change.revision_color : null;
    const { number: _, ...changes } = fields;
    one.item = {
      ...sceneChange(stored, changes, scene, { color, draft: row.scene, former: before, leaving }),
      ...about,
    };
    one.numbered = change;
    const card: Raw = {
      number,
      ...(episode !== undefined && { episode }),
      slugline,
      revision_color,
      status: "omitted",
    };
    const name = itemName(card);
    const left: ListedScene = { of: name, item: card, stored: undefined, text: null };
    this.#list.set(name, left);
    this.#order ??= [...this.#list.values()].filter((other) => other !== left);
    this.#order.splice(this.#order.indexOf(one), 0, left);
    this.#place(one, place);
  }

  /** Applies an approved change that a document brought, without a text. */
  applyBrought({ id, kind, node_id }: StoredChange): void {
    const one = this.#list.get(node_id ?? 0);
    if (kind !== "omitted" || node_id === null)
      this.#warnings.push(`a document brought script change ${id}, without a text: approving it changes no scene`);
    else if (one !== undefined) one.item = { ...one.item, status: "omitted" };
  }

  /** Gives a scene the colour of the draft that changes it. */
  color(scene: number, revision_color: string): void {
    const one = this.#list.get(scene);
    if (one !== undefined) one.item = { ...one.item, revision_color };
  }

  #linkedTo = (stored: StoredItem | undefined): LinkedCharacter[] => linkedOf(this.#characters, stored);

  /**
   * The characters linked to a scene whom an approved change takes out of it: those of the `former` cast, whose import
   * made the links. Warns of one whom a person put there, alone or before the script did, unless somebody keeps them
   * there.
   */
  #leaving(
    stored: StoredItem,
    { fields }: StoredChange,
    scene: BrokenDownScene,
    { row, script }: { row: DecidedRow; script: ScriptDecision },
  ): ReadonlySet<string> {
    const drafted = nameForms(script.today(row.approved ?? row.scene).cast);
    // Of a scene that comes back, whom people put in its cast stays there.
    const known = fields.omitted?.to === false ? drafted : nameForms(textsIn(fields.cast?.from));
    const [unlinked, kept, staying] = [nameForms(this.#unlinked), nameForms(this.#kept), new Set(scene.assets)];
    const linked = this.#linkedTo(stored).filter(({ reference }) => !staying.has(this.#nameNow(reference, stored.id)));
    for (const { name } of linked) this.#asked.add(name);
    keepLinks(
      row,
      linked.filter(({ name }) => kept.has(name)),
    );
    const isKept = ({ id }: LinkedCharacter) => row.kept.includes(id);
    const isAnswered = (one: LinkedCharacter) => unlinked.has(one.name) || (this.#follows && !isKept(one));
    const isOfScript = ({ id, name }: LinkedCharacter) => drafted.has(name) && !row.by_hand.includes(id);
    const leaving = linked.filter((one) => isOfScript(one) || (known.has(one.name) && isAnswered(one)));
    const asked = linked.filter((one) => known.has(one.name) && !leaving.includes(one) && !isKept(one));
    if (asked.length > 0)
      this.#warnings.push(
        `${listed(referencesOf(asked))} ${asked.length === 1 ? "is" : "are"} no longer in the cast of scene ${nameOf(stored)}, but a person made the link, so it stays; \`scenes\` of the asset without ${nameOf(stored)} takes it away, or undo the decision and repeat it with \`unlink\` or \`follow\``,
      );
    return new Set(referencesOf(leaving));
  }

  /**
   * Keeps the links of the scene of a change that was approved before. Throws 422 for a character who is not linked to
   * it, 409 if they are kept already.
   */
  answer({ id, node_id }: StoredChange, row: DecidedRow | undefined): void {
    const stored = this.#list.get(node_id ?? 0)?.stored;
    const names = nameForms(this.#kept);
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

  /**
   * Puts a scene after another one, or first in its episode; and after the omitted scenes that the draft has there,
   * too. A new scene also stands after those there of which the draft has no card, if its number says so.
   */
  #place(one: ListedScene, { after, between, lacking }: DraftPlace): void {
    this.#order ??= [...this.#list.values()];
    const own = this.#order.indexOf(one);
    if (own >= 0) this.#order.splice(own, 1);
    const previous = this.#list.get(after?.added ?? after?.node_id ?? "");
    const cards = new Set(between.map(({ node_id }) => node_id));
    let at =
      previous === undefined
        ? this.#order.findIndex(({ item }) => item.episode === one.item.episode)
        : this.#order.indexOf(previous) + 1;
    const isBefore = ({ item, stored }: ListedScene) =>
      one.stored === undefined &&
      lacking.has(stored?.id ?? null) &&
      (item.status ?? stored?.raw.status) === "omitted" &&
      compareNumbers(String(item.number), String(one.item.number)) < 0;
    for (let next = this.#order[at]; next !== undefined; next = this.#order[++at])
      if (!cards.has(next.stored?.id ?? null) && !isBefore(next)) break;
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
    const all = this.renames.filter(({ apart, asset }) => apart === undefined && asset !== undefined);
    const kept = all.filter((rename) => rename.kept.size > 0);
    return [
      ...all.flatMap(({ asset = [] }) => asset),
      ...kept.map(({ from }) => ({ label: from, kind: "character" })),
      ...this.#added,
    ];
  }

  /** Gives the cast of a scene its new names, and its list of assets. */
  #followRenames(one: ListedScene): void {
    const elements = (one.item.elements ?? {}) as Raw; // the elements of a scene are an object
    const former = castOfScene("cast" in elements ? one.item : (one.stored?.raw ?? {}));
    const isIn = (rename: ApprovedRename) => this.#isIn(rename, one.of);
    const cast = renamedCast(
      former,
      former.flatMap((name) => this.#byName.get(sameName(name))?.find(isIn) ?? []),
    );
    if (this.#keepers.has(one.of) || this.#apart.some(isIn))
      one.item = { ...one.item, assets: one.item.assets ?? textsIn(one.stored?.raw.assets) };
    if (cast !== undefined) one.item = { ...one.item, elements: { ...elements, cast } };
    const { assets } = one.item;
    if (Array.isArray(assets))
      one.item = { ...one.item, assets: [...new Set(assets.map((asset) => this.#nameNow(asset, one.of)))] };
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
function keepLinks(row: DecidedRow, characters: readonly LinkedCharacter[]): void {
  if (characters.length > 0) row.kept = [...new Set([...row.kept, ...characters.map(({ id }) => id)])];
}
