// What people did with a page that is no content of the production, kept for everybody: a call sheet that was printed,
// a list that was put away.
import type { ProductionId } from "../../core/ids.ts";
import { change, one } from "../../core/store/statements.ts";
import { timestampOf } from "../../core/times.ts";
import type { Visit } from "./visit.ts";

export interface PageMark {
  marked_at: string;
  marked_by: string;
  /** JSON. */
  content: string;
}

const markOf = one<{ production_id: ProductionId; name: string }, PageMark>("get_page_mark");
const setRow = change("set_page_mark");

/** The newest mark of a name; undefined if there is none. */
export const pageMark = ({ context }: Visit, name: string): PageMark | undefined =>
  markOf(context.app.store, { production_id: context.caller.production_id, name });

/** Whether the visitor may set marks. */
export const mayMarkPages = (visit: Visit): boolean =>
  (visit.mayWrite || visit.mayEdit) && !visit.isVendor && visit.ctx.app.copy === undefined;

/** Sets the mark of a name, in place of the former one. */
export async function markPage(visit: Visit, name: string, content: object): Promise<void> {
  const { app, caller } = visit.context;
  const mark = { marked_at: timestampOf(app), marked_by: caller.label, content: JSON.stringify(content) };
  await app.store.write(() => setRow(app.store, { production_id: caller.production_id, name, ...mark }));
}
