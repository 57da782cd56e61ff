// Reads lists: whole, or in pages that neither repeat nor skip a row while others are added and removed. docs/api.md,
// "Lists in pages".
// A cursor is deflated JSON in base64url: the name of the list, the place of the last row that was sent and, of a list
// that is ordered by time, the id of that row as a tie. The place is a time or an id, or for pagedBySentIds all ids
// that were sent.
import * as v from "valibot";
import type { JsonText } from "./answers.ts";
import { unprocessable } from "./errors.ts";
import type { ProductionId } from "./ids.ts";
import * as input from "./inputs.ts";
import { loadZlib } from "./late_loading.ts";
import { composed } from "./store/composed.ts";
import { type Building, each, parametersOf, type StatementName, statementTexts, valuesOf } from "./store/statements.ts";
import type { Store } from "./store/store.ts";

/** One page of a list, or the whole list. */
export class ListPage<T> {
  readonly text: JsonText<T>;
  /** The cursor of the next page; undefined if there is none. */
  readonly next: string | undefined;
  /** How many rows all pages have; undefined if it was not asked for. */
  readonly total: number | undefined;
  constructor(text: JsonText<T>, next: string | undefined, total?: number) {
    this.text = text;
    this.next = next;
    this.total = total;
  }
}

/**
 * In characters: a page of the API ends with the row that exceeds it, so that its cost is bounded whatever the rows
 * contain.
 */
export const maxPage = 512 * 1024;

/** The inputs of a list that comes in pages where the caller asks. */
export const pageEntries = {
  limit: v.optional(
    input.describe(
      input.pageLimit,
      `The maximum number of rows of a page; values above ${input.maxListRows} become ${input.maxListRows}. Without it, the list is whole.`,
    ),
  ),
  after: v.optional(
    input.describe(input.text(12_000), "The page after this one: from the `Link` header of the page before. Opaque."),
  ),
  total: v.optional(
    input.describe(input.flag, "Whether to send in `Tallylight-Total` how many rows all pages of the list have."),
  ),
};

/** Which page of a list is read; without both, the list is whole. */
export interface PageInput {
  limit?: number | undefined;
  after?: string | undefined;
  /** Whether the number of rows of all pages is asked for. */
  total?: boolean | undefined;
}

/** The input of a list whose rows have a time of their last change. */
export const updatedSince = v.optional(
  input.describe(
    input.timestamp,
    "Only rows that were changed at or after this time. What was removed is in the events of /events.",
  ),
);

/** Where a page begins: the values by which the list is ordered, of the row before it. */
interface PageStart {
  place: string | number;
  tie?: number;
}

interface Row {
  place: string | number;
  tie?: number;
  document: string;
}

/** The parameters of the statement of a list that say which part of it is read. */
export type Bounds = { [K in "after" | "after_tie" | "limit"]?: unknown };

/** In bytes: a cursor of a list of 20,000 scenes, of which every second one was sent, has 100,000. */
const maxInflated = 1024 * 1024;

/** The cursor of the rows after a place of a list. */
export const cursorOf = (list: string, { place, tie }: PageStart): string =>
  loadZlib()
    .deflateRawSync(JSON.stringify(tie === undefined ? [list, place] : [list, place, tie]))
    .toString("base64url");

const cursorSchema = v.tuple([v.string(), v.union([v.string(), v.number()]), v.optional(v.number())]);

/** The refusal of a cursor that no page of the list had. */
const wrongCursor = () => unprocessable("after must be from the Link header of a page of this list");

/** The place in a cursor. Throws 422 if it is not a cursor of this list. */
function placeIn(list: string, cursor: string): PageStart {
  try {
    const text = loadZlib()
      .inflateRawSync(Buffer.from(cursor, "base64url"), { maxOutputLength: maxInflated })
      .toString();
    const [of, place, tie] = v.parse(cursorSchema, JSON.parse(text));
    if (of === list) return { place, ...(tie !== undefined && { tie }) };
  } catch {
    // the same refusal
  }
  throw wrongCursor();
}

type Ids = (store: Store, reach: { production_id: ProductionId }) => readonly { id: number }[];

/**
 * The ids of a list that are in the runs of a place: in turn how far the next run begins behind the last one, and how
 * many ids follow its first. "5.2.4.0" has the ids from 5 to 7, and 11. Throws 422 for anything else.
 */
function idsInRuns(place: string | number, ids: ReturnType<Ids>): number[] {
  const steps = (String(place).match(/\d{1,16}/g) ?? []).map(Number);
  if (steps.join(".") !== place || steps.length % 2 === 1) throw wrongCursor();
  const sent: number[] = [];
  let [from, to, at] = [0, -1, 0];
  for (const { id } of ids) {
    for (; id > to && at < steps.length; at += 2) {
      from = Math.max(to, 0) + (steps[at] ?? 0);
      to = from + (steps[at + 1] ?? 0);
    }
    if (id >= from && id <= to) sent.push(id);
  }
  return sent;
}

/**
 * The options of a list whose rows may move before or behind the last one of a page. The place of its cursor names
 * every row that was sent: the runs of their ids among those that `idsOf` lists (idsInRuns says how they are written).
 */
export const pagedBySentIds = (idsOf: Ids): ListForm => ({
  next(store, reach, former, rows) {
    const ids = idsOf(store, reach);
    const sent = new Set<string | number>(former === undefined ? [] : idsInRuns(former.place, ids));
    for (const { place } of rows) sent.add(place);
    const steps: number[] = [];
    let last = 0;
    let isOpen = false;
    for (const { id } of ids) {
      if (sent.has(id)) {
        if (isOpen) steps.push((steps.pop() ?? 0) + id - last);
        else steps.push(id - last, 0);
        last = id;
      }
      isOpen = sent.has(id);
    }
    return { place: steps.join(".") };
  },
  stored: (place, store, reach) => JSON.stringify(idsInRuns(place, idsOf(store, reach))),
});

/** Makes the JSON text that is sent of a row, from the one that is stored. */
export type RowForm = (document: string) => string;

/** How a list comes in pages, where that differs from other lists. */
export interface ListForm {
  /** How many rows the list has if the caller does not say; by default, all. */
  limit?: number;
  /** The place after a page; that of its last row by default. */
  next?: (
    store: Store,
    reach: { production_id: ProductionId },
    former: PageStart | undefined,
    rows: readonly Row[],
  ) => PageStart;
  /** The parameter `after` of a place; the place itself by default. */
  stored?: (place: string | number, store: Store, reach: { production_id: ProductionId }) => string | number;
}

/** A row as it is stored. */
const asStored: RowForm = (document) => document;

/**
 * The rows up to `limit`, or up to the one that exceeds `maxSize` characters, their text, and whether there are more.
 */
function firstRows<T>(all: Iterable<Row>, limit: number | undefined, maxSize: number, form = asStored) {
  const rows: Row[] = [];
  let size = 0;
  let isCut = false;
  for (const row of all) {
    isCut = rows.length === limit || size > maxSize;
    if (isCut) break;
    rows.push(row);
    size += row.document.length;
  }
  return { rows, text: textOf<T>(rows.map(({ document }) => form(document))), isCut };
}

/** The list of documents of T. */
// safe: that is what they are
const textOf = <T>(documents: readonly string[]) => `[${documents.join(",")}]` as JsonText<T[]>;

/** In characters: what one step reads of a whole list takes a few milliseconds. */
const stepSize = 64 * 1024;

/**
 * Joins the documents of all rows, each as `form` makes it, and yields whenever it has read as much as a step reads.
 */
function* joined<T>(rows: Iterable<Row>, form: RowForm, total = false): Generator<void, ListPage<T[]>> {
  const documents: string[] = [];
  let size = 0;
  for (const { document } of rows) {
    if (size > stepSize) {
      yield;
      size = 0;
    }
    documents.push(form(document));
    size += document.length;
  }
  return new ListPage(textOf<T>(documents), undefined, total ? documents.length : undefined);
}

/** How many rows the statement of a list returns for all pages together. */
function countRows(store: Store, name: StatementName, parameters: object): number {
  const statement = composed<{ total: number }>(
    store.database,
    `SELECT count(*) AS total FROM (${statementTexts().get(name) ?? ""}\n)`,
  );
  return statement.get(valuesOf(name, { ...parameters, after: null, after_tie: null, limit: -1 }))?.total ?? 0;
}

/**
 * Declares the statement of a list. Its rows have a document and the values that order them; its parameters `after`,
 * `after_tie` and `limit` say which part of the list it returns. Without a cursor, the list begins where the parameters
 * say.
 */
export function listing<P extends { production_id: ProductionId }, T>(
  name: Building<P & Bounds, T>,
  options: ListForm = {},
) {
  const rowsOf = each<P & Bounds, Row, T>(name);
  const hasTies = parametersOf(name).includes("after_tie"); // a place is a time; without ties, it is an id

  /**
   * Reads the whole list in steps, in one state of the database: what is written between two steps is not in it. Only a
   * list of more than one step needs a connection of its own, because nothing is written on one that has a statement
   * under way.
   */
  function* inSteps(store: Store, parameters: P & PageInput, form: RowForm): Generator<void, ListPage<T[]>> {
    const values = valuesOf<P & Bounds>(name, { ...parameters, limit: -1 });
    const { total } = parameters;
    const first: Iterator<void, ListPage<T[]>> = joined<T>(rowsOf(store, values), form, total);
    const { done, value } = first.next();
    if (done) return value;
    first.return?.(); // ends the statement
    const snapshot = store.snapshot();
    try {
      return yield* joined<T>(rowsOf(snapshot, values), form, total);
    } finally {
      snapshot.close();
    }
  }

  const atOnce = (
    store: Store,
    parameters: P & PageInput,
    maxSize = Number.POSITIVE_INFINITY,
    form?: RowForm,
  ): ListPage<T[]> => {
    const { limit = options.limit, after: cursor } = parameters;
    const total = parameters.total ? countRows(store, name, parameters) : undefined;
    const former = cursor === undefined ? undefined : placeIn(name, cursor);
    if (former && !options.stored && (typeof former.place === "string") !== hasTies) throw wrongCursor();
    if (former && (former.tie !== undefined) !== hasTies) throw wrongCursor();
    const inPages = limit !== undefined || cursor !== undefined;
    const bounds = {
      ...(former && {
        after: options.stored?.(former.place, store, parameters) ?? former.place,
        after_tie: former.tie,
      }),
      limit: limit === undefined ? -1 : limit + 1, // -1: no limit
    };
    const stored = rowsOf(store, valuesOf<P & Bounds>(name, { ...parameters, ...bounds }));
    const { rows, text, isCut } = firstRows<T>(stored, limit, inPages ? maxSize : Number.POSITIVE_INFINITY, form);
    if (!isCut) return new ListPage(text, undefined, total);
    const last = rows.at(-1) as Row; // a page has at least one row
    return new ListPage(text, cursorOf(name, options.next?.(store, parameters, former, rows) ?? last), total);
  };

  /** Whether a call with these parameters reads every row. */
  const isWhole = ({ limit = options.limit, after }: PageInput) => limit === undefined && after === undefined;
  return Object.assign(atOnce, { inSteps, isWhole });
}

/** A page of a list that is read whole and ordered by the ids of its rows. */
export function pageOf<T extends { id: number }>(
  list: string,
  all: readonly T[],
  { limit, after, total }: PageInput,
): ListPage<T[]> {
  const from = after === undefined ? 0 : placeIn(list, after).place;
  if (typeof from !== "number") throw wrongCursor();
  const inPages = limit !== undefined || after !== undefined;
  const behind = all.filter(({ id }) => id > from).values();
  const documents = behind.map((row) => ({ place: row.id, document: JSON.stringify(row) }));
  const { rows, text, isCut } = firstRows<T>(documents, limit, inPages ? maxPage : Number.POSITIVE_INFINITY);
  const next = isCut ? cursorOf(list, rows.at(-1) as Row) : undefined; // a page has a row
  return new ListPage(text, next, total ? all.length : undefined);
}
