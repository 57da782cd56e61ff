// Compares a later draft with the stored script: differences that need a decision become pending script changes, the others become a document,
// and the draft becomes the newest one.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../core/store/store.ts";
import { plural } from "../../core/wording.ts";
import type { Written } from "../documents/apply/written.ts";
import type { Raw } from "../documents/sections/form.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { type BrokenDownScene, breakDown, breakdownOptions, castListOf } from "./breakdown.ts";
import { summaryOf } from "./change_summaries.ts";
import type { SettledScene } from "./compare/comparison.ts";
import { laterDraft } from "./compare/drafts.ts";
import {
  askedFields,
  changedSince,
  type FieldChanges,
  isAsDecided,
  isEmpty,
  isSameScene,
  silentOf,
} from "./compare/fields.ts";
import type { NextScene } from "./compare/next_draft.ts";
import { mergePages } from "./compare/pages.ts";
import { isRename, isSameRename } from "./compare/renames.ts";
import { type DraftHead, recordDraft, type ScriptPlan } from "./first_draft.ts";
import {
  type Asked,
  changeOfQuestion,
  compareWith,
  dependenciesOf,
  type FoundScene,
  lastTextOf,
  type StoredScript,
} from "./questions.ts";
import { sceneChange, withChangedNames } from "./scene_changes.ts";
import { draftColor, type Script } from "./script.ts";
import {
  changesOf,
  describeChange,
  lastDetection,
  type NextRow,
  rowWrites,
  type StoredChange,
  setChangeFields,
  supersede,
  tellOfChange,
  writeRows,
} from "./script_store.ts";

/** A question in the colour of its change; null if no draft says one. */
type Raised = Asked & { color: string | null };

/** The changes of stored scenes that need no decision, as a document has them. */
function silentDocument(
  { stored, episode }: StoredScript,
  { departments }: DraftHead,
  next: readonly NextScene<FoundScene>[],
  settled: readonly SettledScene[],
): { scenes: Raw[]; assets: Raw[] } {
  const changes = next.flatMap(({ known, scene }, at) => {
    const [node, fields] = [known?.node, settled[at]?.silent ?? {}];
    return node === undefined || isEmpty(fields) ? [] : [{ node, fields, scene }];
  });
  const brought = changes.map(({ scene, fields }) => withChangedNames(fields, scene));
  const { scenes, assets } = breakDown({ scenes: brought }, breakdownOptions(stored, departments, episode));
  const parts = changes.map(({ node, fields, scene: draft }, at) =>
    // There is one for each.
    sceneChange(node, fields, scenes[at] as BrokenDownScene, { color: null, draft, former: draft, leaving: new Set() }),
  );
  return { scenes: parts, assets };
}

/**
 * Whether the pending change of a scene or a character asks what a draft raises: the same fields of the scene, which is as the change found it, in
 * the colour of the import if it says one.
 */
function isSameQuestion(pending: StoredChange, { kind, fields, of: { known, scene } }: Asked, given?: string): boolean {
  if (given !== undefined && pending.revision_color !== given) return false;
  if (isRename(fields)) return isDeepStrictEqual(pending.fields.except?.to, fields.except?.to);
  const askedOf = (of: FieldChanges) => [askedFields(of), of.order?.to];
  return (
    known !== undefined &&
    pending.kind === kind &&
    isDeepStrictEqual(askedOf(pending.fields), askedOf(fields)) &&
    isAsDecided(known.scene, scene) &&
    (known.node === undefined || changedSince(pending.fields, dependenciesOf(known.node)).length === 0)
  );
}

/** A row of the script as it will be. What is as before stays the same text, so that it is not written again. */
function nextRow(
  { given, scene: same, place, known, stored }: NextScene<FoundScene>,
  { approved, dismissed }: SettledScene,
  isRaised: boolean,
): NextRow {
  const scene = isRaised ? given : same;
  const { row, node } = known ?? {};
  const last = row?.approved ?? row?.scene;
  const kept = last !== undefined && isSameScene(last, approved) ? last : approved;
  return {
    id: row?.id,
    node_id: node?.id ?? null,
    place,
    scene,
    approved: stored === undefined || isSameScene(approved, scene) ? null : kept,
    dismissed,
    kept: row?.kept ?? [],
  };
}

/** A time after every change and draft of the production, so that each change has its own key. */
function detectionTime(store: Store, production_id: number, now: string): string {
  const last = lastDetection(store, { production_id, now }) ?? null;
  return last === null ? now : new Date(Date.parse(last) + 1).toISOString();
}

/** The changes of a draft as a document has them. */
const changesIn = (raised: readonly Raised[], detected_at: string, episode: string | undefined): Raw[] =>
  raised.map((one) => {
    const { kind, number, color, of } = one;
    const node = of.known?.node;
    const scene = node === undefined ? {} : { scene: sceneName(String(node.raw.number), episode) };
    const about = { ...(episode !== undefined && { episode }), ...scene, scene_number: number };
    const revision_color = color ?? String(node?.raw.revision_color ?? "white");
    return { ...about, kind, status: "pending", summary: summaryOf(one), revision_color, detected_at };
  });

/** The least scenes that a file lacks for the question. */
const manyOmitted = 5;

/** What a draft does, in sentences; asks whether a file that lacks most scenes of the script has revised pages alone. */
function warningsOf(
  { superseded, texts, omitted, standing }: Record<"superseded" | "texts" | "omitted" | "standing", number>,
  isPages: boolean,
): string[] {
  const lacksMost = !isPages && omitted >= manyOmitted && omitted * 2 > standing;
  return [
    ...(superseded > 0
      ? [`${plural(superseded, "pending script change")} ${superseded === 1 ? "is" : "are"} superseded`]
      : []),
    ...(texts > 0 ? [`the text of ${plural(texts, "scene")} is stored for the next comparison`] : []),
    ...(lacksMost
      ? [
          `the file lacks ${omitted} of the ${standing} scenes of the script, which omits them: if it has only revised pages, import it with --pages`,
        ]
      : []),
  ];
}

/** Which changes wait with a draft: those that it raises, pending ones that it asks too, and those that it does not, or that documents brought of its scenes. */
function waitingWith(
  questions: readonly Raised[],
  { pending, brought }: Record<"pending" | "brought", readonly StoredChange[]>,
  colorOf: (one: Asked) => string | undefined,
) {
  const changeOf = changeOfQuestion(pending);
  const asking = new Map(
    questions.flatMap((one) => {
      const same = changeOf(one);
      return same !== undefined && isSameQuestion(same, one, colorOf(one)) ? [[one, same] as const] : [];
    }),
  );
  const raised = questions.filter((one) => !asking.has(one));
  const stays = new Set(asking.values());
  const changed = new Set(raised.flatMap(({ of: { known } }) => known?.node?.id ?? []));
  const numbers = new Set(raised.map(({ number }) => number));
  const replaced = brought.filter(({ node_id, scene_number }) =>
    node_id === null ? numbers.has(scene_number) : changed.has(node_id),
  );
  return { raised, asking, superseded: [...pending.filter((one) => !stays.has(one)), ...replaced] };
}

/** Plans a later draft: compares it with the script that is kept, or with the production's scenes if none is. */
export function planLaterDraft(
  store: Store,
  stored: StoredScript,
  script: Script,
  { head, isPages, actor }: { head: DraftHead; isPages: boolean; actor: string },
): ScriptPlan {
  const { key, episode } = stored;
  const pending = changesOf(store, key);
  const castList = castListOf(breakdownOptions(stored.stored, head.departments, episode));
  let ofSpeakers: string[] = [];
  const compared = compareWith(store, stored, pending, (found) => {
    const { warnings, ...given } = laterDraft(script, { scenes: found.map(lastTextOf) }, head.color, castList);
    ofSpeakers = warnings;
    return { color: head.color ?? null, ...(isPages ? mergePages(found, given) : { ...given, pages: undefined }) };
  });
  const { rows: before, found, next, settled, pages } = compared;
  const questions = compared.questions.map((one): Raised => {
    const page = pages === undefined ? one.of.place : pages.get(one.of.place ?? -1);
    const own = isRename(one.fields) ? undefined : script.scenes[page ?? -1]?.revision?.color;
    return { ...one, color: head.color ?? own ?? draftColor(script) };
  });
  const { raised, asking, superseded } = waitingWith(
    questions,
    { pending, brought: changesOf(store, key, "brought") },
    ({ of }) => (!isPages || of.isOfPages === true ? head.color : undefined),
  );
  const described = [...asking].filter(
    ([one, { fields }]) => !isDeepStrictEqual(silentOf(one.fields), silentOf(fields)),
  );
  const ofScenes = (of: readonly Asked[]) => new Set(of.flatMap(({ fields, of }) => (isRename(fields) ? [] : [of])));
  const [asked, raisedOf] = [ofScenes(questions), ofScenes(raised)];
  const rows = rowWrites(
    before,
    next.map((one, at) => nextRow(one, settled[at] as SettledScene, raisedOf.has(one))), // there is one for each
  );
  const document = {
    ...silentDocument(stored, head, next, settled),
    script_changes: changesIn(raised, detectionTime(store, key.production_id, head.now), episode),
  };
  const counts = {
    superseded: superseded.length,
    texts: next.filter((one) => one.place !== null && one.former?.text === null && !asked.has(one)).length,
    omitted: raised.filter(({ kind }) => kind === "omitted").length,
    standing: found.filter(({ stored }) => stored?.omitted === false).length,
  };
  const isIdle = [raised, described, document.scenes, superseded, rows.put, rows.removed].every(isEmpty);
  const renames = compared.dismissed.filter((one) => compared.renames.some((other) => isSameRename(one, other)));
  function write(_: unknown, writer: Written): void {
    const { production_id, now } = writer;
    const draft_id = recordDraft(writer, key, script, head, renames);
    writeRows(store, key, rows, draft_id);
    for (const change of superseded) {
      supersede(store, { production_id, change_id: change.id, draft_id, now });
      tellOfChange(store, { production_id, actor, now: head.now }, "dismissed", change);
    }
    for (const [one, { id }] of described)
      setChangeFields(store, { production_id, id, fields: JSON.stringify(one.fields), summary: summaryOf(one) });
    const ids = writer.added("script_changes", head.file);
    for (const [at, { fields }] of raised.entries())
      describeChange(store, { production_id, id: ids[at] as number, fields: JSON.stringify(fields), draft_id }); // each raised change is in the document
  }
  return {
    document: Object.fromEntries(Object.entries(document).filter(([, list]) => list.length > 0)),
    orders_scenes: false,
    warnings: [...warningsOf(counts, isPages), ...ofSpeakers],
    ...(!isIdle && { write }),
  };
}
