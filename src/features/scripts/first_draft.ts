// Makes the document of the first draft of a script, and keeps the text of its scenes for the next comparison.

import { listed } from "../../core/spelling.ts";
import { nameOfFile } from "../documents/importers.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { NameChange } from "../documents/plan/scenes.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { Pairs } from "../paperwork/header_maps.ts";
import { type BreakdownOptions, breakDown } from "./breakdown.ts";
import { draftOf, type ScriptDraft } from "./compare/drafts.ts";
import type { Script } from "./script.ts";
import { insertDraft, rowWrites, type ScriptKey, scriptKeyOf, writeRows } from "./script_store.ts";

/** A draft as it is recorded. */
export interface DraftHead {
  /** The name of the file. */
  file: string;
  /** The revision colour that the import gives; undefined: what the file marks. */
  color: string | undefined;
  departments: Pairs;
  now: string;
}

/** The colour of a draft: the given one, else that of its highest revision set, else that of its title page, else white. */
function colorOf(script: Script, given: string | undefined): string {
  const revisions = script.scenes.flatMap(({ revision }) => revision ?? []);
  const highest = revisions.reduce((high, one) => Math.max(high, one.id), 0);
  return given ?? revisions.find(({ id }) => id === highest)?.color ?? script.color ?? "white";
}

/** Records a draft, with the renames of it that were dismissed before. Returns its id. Inside a write transaction. */
export const recordDraft = (
  { store, now }: Writer,
  key: ScriptKey,
  script: Script,
  { file, color, departments }: DraftHead,
  dismissed: readonly NameChange[] = [],
): number =>
  insertDraft(store, {
    ...key,
    id: null,
    file: nameOfFile(file),
    color: colorOf(script, color),
    departments: JSON.stringify(departments),
    dismissed: JSON.stringify(dismissed),
    imported_at: now,
  }).id;

/** A warning with the numbers that scenes got because the script has none for them. */
function inventedNumbers(script: Script, { scenes }: ScriptDraft): string[] {
  const invented = scenes.filter((_, at) => script.scenes[at]?.number === null).map(({ number }) => number);
  if (invented.length === 0) return [];
  const all = invented.length === scenes.length;
  const last = all && invented.length > 1 ? `1 to ${invented.at(-1)}` : listed(invented);
  return [
    `the script has no number for ${invented.length === 1 ? "a scene" : `${invented.length} scenes`}: numbered ${last}`,
  ];
}

/** The document of a first draft, and what keeps the text of its scenes once they are written. */
export function planFirstDraft(script: Script, head: DraftHead, options: BreakdownOptions) {
  const { episode } = options;
  const draft = draftOf(script, head.color);
  return {
    document: breakDown(draft, options),
    warnings: inventedNumbers(script, draft),
    write(_: unknown, writer: Writer): void {
      const { store, production_id } = writer;
      const key = scriptKeyOf(store, production_id, episode);
      const id = recordDraft(writer, key, script, head);
      const rows = draft.scenes.map((read, place) => {
        const node_id = writer.id("scene", sceneName(read.number, episode));
        return {
          id: undefined,
          node_id,
          place,
          scene: read,
          approved: null,
          dismissed: 0 as const,
          kept: [],
        };
      });
      writeRows(store, key, rowWrites([], rows), id);
    },
  };
}
