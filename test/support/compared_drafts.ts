// Compares two drafts of a script of which the earlier one was approved as it is.
import { compareScript } from "../../src/features/scripts/compare/comparison.ts";
import { laterDraft, type ScriptDraft } from "../../src/features/scripts/compare/drafts.ts";
import type { FieldChanges } from "../../src/features/scripts/compare/fields.ts";
import { type Matching, matchDrafts } from "../../src/features/scripts/compare/matching.ts";
import { nextScenes } from "../../src/features/scripts/compare/next_draft.ts";
import type { Script } from "../../src/features/scripts/script.ts";

interface DraftChange {
  kind: "added" | "changed" | "omitted";
  number: string;
  /** The indexes in the drafts; null where the draft has no such scene. */
  before: number | null;
  after: number | null;
  fields: FieldChanges;
  hint: string | undefined;
}

interface Options {
  /** The positions in the later draft of revised pages. If absent, it is whole. */
  pages?: ReadonlySet<number> | undefined;
  /** Which scenes are the same, if that is known. */
  matching?: Matching;
}

export function compareDrafts(before: ScriptDraft, after: ScriptDraft, { pages, matching }: Options = {}) {
  const known = before.scenes.map((scene, order) => {
    const stored = { ...scene, order, isMeasured: scene.eighths !== null && !scene.estimated };
    return { scene, approved: scene, place: order, stored, dismissed: 0, asked: false } as const;
  });
  const pairs = matching ?? matchDrafts(before.scenes, after.scenes);
  const ofFile = pages && new Map([...pages].map((at) => [at, at]));
  const all = nextScenes(known, { draft: after, matching: pairs, color: null, pages: ofFile });
  // What revised pages lack stays as it is.
  const next = all.map((one) =>
    pages !== undefined && one.place === null && one.former ? { ...one, scene: one.former } : one,
  );
  const { questions, settled } = compareScript(next, { hasCharacter: () => true, dismissed: [] });
  const asked = new Set(questions.map(({ of }) => of));
  return {
    changes: questions.map(
      ({ of, ...question }): DraftChange => ({ ...question, before: of.known?.place ?? null, after: of.place }),
    ),
    silent: settled.flatMap(({ silent }, at) => {
      const one = next[at];
      return one === undefined || asked.has(one) || one.place === null ? [] : [{ fields: silent }];
    }),
  };
}

/** The changes of a later draft, as it is read. */
export function changesOfScript(before: ScriptDraft, script: Script): DraftChange[] {
  const { draft, matching } = laterDraft(script, before);
  return compareDrafts(before, draft, { matching }).changes;
}
