// Imports a script into a stored production: a first draft becomes scenes, a later one becomes script changes.

import { listed, plural } from "../../core/spelling.ts";
import type { Store } from "../../core/store/store.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { Planned } from "../documents/plan/plan.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { textsIn } from "../names/sluglines.ts";
import { append } from "../sequences/sequences.ts";
import { breakdownOptions } from "./breakdown_options.ts";
import type { FieldChanges } from "./compare/fields.ts";
import { type DraftHead, planFirstDraft, recordDraft } from "./first_draft.ts";
import { type LaterDraft, planLaterDraft, type RaisedChange } from "./later_draft.ts";
import type { Script } from "./script.ts";
import {
  describeChange,
  type ScriptKey,
  type StoredChange,
  scriptKeyOf,
  scriptRows,
  setChangeFields,
  supersede,
  writeRows,
} from "./script_store.ts";

const shown = (value: unknown): string => (value === null || value === "" ? "nothing" : String(value));
const names = (value: unknown): string => (Array.isArray(value) && value.length > 0 ? value.join(", ") : "nobody");

const maxCast = 300;
const cut = (text: string): string => (text.length > maxCast ? `${text.slice(0, maxCast).toWellFormed()}…` : text);

/** The phrases of a summary, by the field of a change. Other fields have none. */
const phrases: Readonly<Record<string, (field: FieldChanges[string], fields: FieldChanges) => string>> = {
  number: ({ from, to }) => `number ${shown(from)} -> ${shown(to)}`,
  slugline: ({ from, to }) => `slugline ${shown(from)} -> ${shown(to)}`,
  text: () => "text changed",
  cast: ({ from, to }) => `cast ${cut(names(from))} -> ${cut(names(to))}`,
  character: ({ from, to }, { scenes, except }) => {
    const [count, others] = [textsIn(scenes?.to).length, textsIn(except?.to)];
    if (others.length === 0) return `character ${shown(from)} -> ${shown(to)} in ${count} scenes`;
    return `character ${shown(from)} -> ${shown(to)} in ${count} of ${count + others.length} scenes, not in ${cut(listed(others))}`;
  },
  order: ({ to }) => (to === null ? "moved to the beginning" : `moved after ${shown(to)}`),
  omitted: ({ to }) => (to === true ? "omitted" : "in the script again"),
  pages: ({ from, to }) => `pages ${shown(from)} -> ${shown(to)}`,
};

/** "52A added after 52: INT. MILL - NIGHT"; "31: text changed, pages 1 2/8 -> 1 4/8". */
export function summaryOf({ kind, number, fields, hint, scene }: Omit<RaisedChange, "node" | "color">): string {
  const perhaps = hint === undefined ? "" : ` (${hint})`;
  const follows = fields.order?.to ?? null;
  if (kind === "added")
    return `${number} added ${follows === null ? "first" : `after ${follows}`}: ${scene.slugline}${perhaps}`;
  const clauses = Object.entries(fields).flatMap(([name, field]) => phrases[name]?.(field, fields) ?? []);
  return `${number}: ${clauses.join(", ")}${perhaps}`;
}

/** What a script does to a stored production. */
export interface ScriptPlan {
  document: Record<string, Raw[]>;
  /** Whether the document lists scenes in the order of the script: those of a first draft. */
  orders_scenes: boolean;
  warnings: string[];
  /** Undefined if nothing is written. */
  write?: (planned: Planned, writer: Writer) => void;
}

export interface ScriptOptions {
  head: DraftHead;
  episode: string | undefined;
  pages: boolean;
  /** Is called with each change that is superseded, in the transaction. */
  superseded(change: StoredChange): void;
}

/** A time at which no change of the production was detected yet, so that each change has its own key. */
function detectionTime(stored: StoredProduction, now: string): string {
  const times = stored.items("script_changes").map(({ raw }) => String(raw.detected_at));
  const last = times.sort().at(-1) ?? "";
  return last < now ? now : new Date(Date.parse(last) + 1).toISOString();
}

/** The changes of a draft as a document has them. */
const changesOf = (raised: readonly RaisedChange[], detected_at: string, episode: string | undefined): Raw[] =>
  raised.map((one) => {
    const { kind, number, color, node } = one;
    const scene = node === undefined ? {} : { scene: sceneName(String(node.raw.number), episode) };
    const about = { ...(episode !== undefined && { episode }), ...scene, scene_number: number };
    const revision_color = color ?? String(node?.raw.revision_color ?? "white");
    return { ...about, kind, status: "pending", summary: summaryOf(one), revision_color, detected_at };
  });

/** The ids of the changes that an update added, in the order of its document. */
function addedIds({ plan, slots }: Planned, file: string): number[] {
  const first = plan.changes.length - slots.length;
  const added = slots.flatMap(({ section, slot }, at) => {
    const place = slot.given.at(-1);
    if (section !== "script_changes" || slot.stored !== undefined || place?.source.file !== file) return [];
    return [{ at: place.at, id: plan.changes[first + at]?.id as number }]; // an applied change has its id
  });
  return added.sort((one, other) => one.at - other.at).map(({ id }) => id);
}

interface Writing extends ScriptOptions {
  key: ScriptKey;
  script: Script;
}

function writeLater(
  writer: Writer,
  { raised, described, rows, superseded, dismissed }: LaterDraft,
  { key, script, head, superseded: tell }: Writing,
  ids: readonly number[],
): void {
  const { production_id } = key;
  const { store, now } = writer;
  const draft_id = recordDraft(writer, key, script, head, dismissed);
  writeRows(store, key, rows, draft_id);
  for (const change of superseded) {
    supersede(store, { production_id, change_id: change.id, draft_id, now });
    tell(change);
  }
  for (const { id, change } of described)
    setChangeFields(store, { production_id, id, fields: JSON.stringify(change.fields), summary: summaryOf(change) });
  for (const [at, { fields }] of raised.entries()) {
    const id = ids[at] as number; // each raised change is in the document
    describeChange(store, { production_id, id, fields: JSON.stringify(fields), draft_id });
  }
}

/** The least scenes that a file lacks for the question. */
const manyOmitted = 5;
/** Asks whether a file that lacks most scenes of the script has revised pages alone. */
function questionOfPages({ raised, standing }: LaterDraft, { pages }: ScriptOptions): string[] {
  const omitted = raised.filter(({ kind }) => kind === "omitted").length;
  if (pages || omitted < manyOmitted || omitted * 2 <= standing) return [];
  return [
    `the file lacks ${omitted} of the ${standing} scenes of the script, which omits them: if it has only revised pages, import it with --pages`,
  ];
}

function planLater(
  store: Store,
  stored: StoredProduction,
  script: Script,
  options: ScriptOptions & { key: ScriptKey },
) {
  const { head, episode } = options;
  const later = planLaterDraft(store, stored, script, options);
  const { raised, scenes, assets, superseded } = later;
  const script_changes = changesOf(raised, detectionTime(stored, head.now), episode);
  const document = Object.fromEntries(
    Object.entries({ scenes, assets, script_changes }).filter(([, list]) => list.length > 0),
  );
  const gone = superseded.length;
  const warnings = gone === 0 ? [] : [`${gone} pending script change${gone === 1 ? " is" : "s are"} superseded`];
  if (later.texts > 0) warnings.push(`the text of ${plural(later.texts, "scene")} is stored for the next comparison`);
  append(warnings, questionOfPages(later, options));
  const plan: ScriptPlan = { document, orders_scenes: false, warnings };
  if (later.changes)
    plan.write = (planned, writer) => writeLater(writer, later, { ...options, script }, addedIds(planned, head.file));
  return plan;
}

/** Plans what a script does. In a transaction, with `stored` of the same. */
export function planScript(store: Store, stored: StoredProduction, script: Script, options: ScriptOptions): ScriptPlan {
  const { head, episode } = options;
  const key = scriptKeyOf(store, stored.production_id, episode);
  const isFirst =
    scriptRows(store, key).length === 0 && stored.items("scenes").every(({ raw }) => raw.episode !== episode);
  if (!isFirst) return planLater(store, stored, script, { ...options, key });
  const { document, ...first } = planFirstDraft(script, head, breakdownOptions(stored, head.departments, episode));
  return { ...first, document: { ...document }, orders_scenes: true };
}
