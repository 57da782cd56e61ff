// Makes the document that applies approved script changes to the scenes of a production.
import { sceneName } from "../document/names.ts";
import type { Raw } from "../document/partial_schema.ts";
import type { StoredItem, StoredProduction } from "../document/stored.ts";
import { conflict } from "../errors.ts";
import { type BrokenDownAsset, type BrokenDownScene, breakDown } from "../formats/breakdown.ts";
import { breakdownOptions, scriptOf } from "./breakdowns.ts";
import type { Case, Row } from "./decided_script.ts";
import { changedSince, sceneChange, seenOf } from "./scene_changes.ts";
import type { StoredChange } from "./script_store.ts";

const nameOf = ({ raw }: StoredItem): string => sceneName(String(raw.number), raw.episode as string | undefined);

/** The scenes of the production in their order, as a document lists them. */
interface Listed {
  /** The node, or the reference of a scene that is added. */
  of: number | string;
  item: Raw;
}

/** The document of approved changes. */
export class Approval {
  readonly #stored: StoredProduction;
  readonly #nodes: ReadonlyMap<number, StoredItem>;
  readonly #list: Listed[];
  /** The references of the stored scenes. */
  readonly #names: ReadonlySet<string>;
  /** The references that renumbered scenes had. */
  readonly #freed = new Set<string>();
  #moves = false;
  #positions: ReadonlyMap<number | string, number> | undefined;
  readonly #added: BrokenDownAsset[] = [];

  constructor(stored: StoredProduction) {
    this.#stored = stored;
    const scenes = stored.items("scenes");
    this.#nodes = new Map(scenes.map((node) => [node.id, node]));
    this.#names = new Set(scenes.map(nameOf));
    this.#list = scenes.map(({ id, raw }) => {
      const { number, episode } = raw;
      return { of: id, item: { number, ...(episode !== undefined && { episode }) } };
    });
  }

  node(change: StoredChange): StoredItem | undefined {
    return change.node_id === null ? undefined : this.#nodes.get(change.node_id);
  }

  /** Looks at a change before any is applied. Throws 409 if its scene is not any more what it found. */
  check({ change, proposal }: Case): void {
    const node = this.node(change);
    if (node === undefined || proposal.seen === null || proposal.kind === "added") return;
    const fields = changedSince(proposal.fields, proposal.seen, seenOf(node));
    if ("number" in proposal.fields) this.#freed.add(nameOf(node));
    if (fields.length > 0)
      throw conflict(
        `scene ${nameOf(node)} has changed since script change ${change.id} was detected: ${fields.join(", ")}; nothing was changed`,
      );
  }

  /** Breaks the approved scenes of a part down, all at once. They share the assets that are added, also with earlier parts. */
  breakDown(cases: readonly Case[], episode: string | undefined): BrokenDownScene[] {
    const departments = Object.assign({}, ...cases.map(({ proposal }) => proposal.departments));
    const scenes = cases.map(({ proposal: { fields, kind, scene } }) => {
      const isWhole = kind === "added" || fields.omitted?.to === false;
      return {
        ...scene,
        ...(!isWhole && !("cast" in fields) && { cast: [] }),
        ...(!isWhole && !("tags" in fields) && { tags: {} }),
        ...(fields.omitted?.to === true && !isWhole && { cast: [], tags: {} }),
      };
    });
    const numbers = scenes.map(({ number }) => number);
    const { known = [], ...options } = breakdownOptions(this.#stored, departments, episode);
    const broken = breakDown(scriptOf(scenes), { ...options, known: [...known, ...this.#added], numbers });
    this.#added.push(...broken.assets);
    return broken.scenes;
  }

  /** Applies an approved change of a stored scene. */
  change({ change, proposal }: Case, scene: BrokenDownScene, after: Row | undefined): void {
    const node = this.node(change) as StoredItem; // a changed or omitted scene is stored
    const { fields, color } = proposal;
    const item = sceneChange(node, fields, scene, { color, draft: proposal.scene });
    const at = this.#index(node.id);
    this.#list[at] = { of: node.id, item };
    if ("order" in fields) this.#place(this.#list.splice(at, 1)[0] as Listed, after, node.raw.episode);
  }

  /** Omits the scene of a change that has no proposal. */
  omit(change: StoredChange): void {
    const at = this.#index(change.node_id as number); // the caller checks that there is one
    const one = this.#list[at];
    if (one !== undefined) this.#list[at] = { ...one, item: { ...one.item, status: "omitted" } };
  }

  /** Adds a scene after another. Throws 409 if its number is taken. Returns its reference. */
  add({ change, proposal }: Case, scene: BrokenDownScene, after: Row | undefined): string {
    const { color, scene: draft } = proposal;
    const name = sceneName(scene.number, scene.episode);
    if (this.#names.has(name) && !this.#freed.has(name))
      throw conflict(`there is a scene ${name} already, which script change ${change.id} adds; nothing was changed`);
    const estimated = draft.estimated ? { pages_estimated: true } : {};
    const item: Raw = { ...scene, revision_color: color ?? "white", elements: { ...scene.elements, ...estimated } };
    this.#place({ of: name, item }, after, scene.episode);
    return name;
  }

  /** The index of a scene in the list; -1 if it is not there. */
  #index(of: number | string): number {
    this.#positions ??= new Map(this.#list.map((one, at) => [one.of, at]));
    return this.#positions.get(of) ?? -1;
  }

  #place(one: Listed, after: Row | undefined, episode: unknown): void {
    this.#moves = true;
    this.#positions = undefined;
    const of = after?.node_id ?? after?.added;
    const before = of === undefined ? -1 : this.#index(of);
    const first = this.#list.findIndex(({ item }) => item.episode === episode);
    this.#positions = undefined;
    const at = before !== -1 ? before + 1 : first === -1 ? this.#list.length : first;
    this.#list.splice(at, 0, one);
  }

  /** The assets that the approved scenes add, as a document lists them. */
  get assets(): Raw[] {
    return this.#added.map((asset) => ({ ...asset }));
  }

  /** The scenes as a document lists them: all if their order changes, else those that change. */
  get scenes(): Raw[] {
    const own = this.#list.map(({ item }) => item);
    return this.#moves
      ? own
      : own.filter((item) => Object.keys(item).some((field) => field !== "number" && field !== "episode"));
  }
}
