// Moves the stored text of scenes that documents set into another episode.
import { operationOn } from "./replay.ts";
import type { RowOperation } from "./row_operation.ts";
import type { Row } from "./rows.ts";
import type { Item, Update } from "./update.ts";

/** Whether a scene comes from another episode of the series. */
export const isMoved = ({ section, before, next }: Pick<Item, "section" | "before" | "next">): boolean =>
  section === "scenes" &&
  typeof before?.episode === "number" &&
  typeof next?.episode === "number" &&
  before.episode !== next.episode;

const textOf = (scene: Row, number: unknown): Row => ({ ...scene, number: String(number) });

/** A scene of the newest draft of an episode that the production does not have. */
const draftedSql = `SELECT * FROM script_scenes
  WHERE production_id = ? AND episode_id = ? AND node_id IS NULL AND scene ->> '$.number' = ?`;

/**
 * The approved text of a scene comes along, under its new number: to the scene of that number in the newest draft of
 * the new episode, if the production does not have it; else the draft does not have the scene. The newest draft of the
 * former one has it, if it had it, as a scene whose addition nobody wants.
 */
export function movedTexts(update: Update): RowOperation[] {
  const { rows } = update;
  const { database, production_id } = rows;
  if (database === undefined) return [];
  const moved = [...update.items("scenes").values()].filter(isMoved);
  return moved.flatMap(({ id, next }): RowOperation[] => {
    const sql = "SELECT * FROM script_scenes WHERE production_id = ? AND node_id = ?";
    const [row] = rows.all<Row>(sql, production_id, id);
    if (row === undefined) return [];
    const scene: Row = JSON.parse(String(row.scene));
    const approved: Row = row.approved === null ? scene : JSON.parse(String(row.approved));
    const episode_id = update.operations.id("episode", Number(next?.episode));
    const text = textOf(approved, next?.number);
    const texts = { scene: JSON.stringify({ ...text, omitted: true }), approved: JSON.stringify(text) };
    const [drafted] = rows.all<Row>(draftedSql, production_id, episode_id, String(next?.number));
    const put = (of: Row, to: Row | null) =>
      operationOn(database, { section: "script_scenes", id: Number(of.id), to }) ?? [];
    if (drafted !== undefined) {
      const none = { node_id: null, approved: null, dismissed: 3, kept: "[]", by_hand: "[]" };
      const own = {
        node_id: id,
        approved: texts.approved,
        dismissed: 0,
        kept: row.kept ?? "[]",
        by_hand: row.by_hand ?? "[]",
      };
      return [put(row, row.place === null ? null : none), put(drafted, own)].flat();
    }
    const to = { episode_id, place: null, ...texts };
    const rest = row.place === null ? [] : [leftBehind(update, { ...row, node_id: null, approved: null })];
    return [put(row, { ...to, dismissed: 1 }), ...rest].flat();
  });
}

/** The scene of the newest draft that the production does not have any more under that number. */
function leftBehind(update: Update, row: Row): RowOperation {
  const id = update.operations.next("script_scenes");
  const to = { ...row, id, dismissed: 3, kept: "[]", by_hand: "[]" };
  return { section: "script_scenes", id, field: "", table: "script_scenes", key: { id }, from: null, to };
}
