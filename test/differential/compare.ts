// Compares what two programs answer to a step, and what they have stored after it.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../support/update.ts";
import { canonical, textOfRow } from "./canonical.ts";
import type { Doing, Outcome } from "./steps.ts";
import type { ComparedTable } from "./subject.ts";
import type { Subject } from "./subject_process.ts";

export interface Difference {
  /** What differs: "refusal", "answer.changes", "table events", "export.scenes". */
  where: string;
  former: Json;
  present: Json;
}

/** Of tables: what says nothing of the production, or is each program's own matter. */
const leftOut: Readonly<Record<string, readonly string[] | "*">> = {
  sessions: "*", // their tokens are random
  idempotent_answers: "*",
  api_keys: ["last_used_at"], // it is written after the answer
  change_sets: ["script", "schema_number"], // how a program undoes it
  change_operations: "*",
  change_set_media: "*",
  search_changes: "*",
  migrations: "*",
};

/** The tables and columns that both programs have, but for what is left out. */
export async function comparedTables(former: Subject, present: Subject): Promise<ComparedTable[]> {
  const others = new Map((await present.ask("tables")).map((one) => [one.name, new Set(one.columns)]));
  return (await former.ask("tables")).flatMap(({ name, columns, order }) => {
    const [other, out = []] = [others.get(name), leftOut[name]];
    if (other === undefined || out === "*" || /^sqlite_|^search/.test(name)) return [];
    const both = columns.filter((column) => other.has(column) && !out.includes(column));
    return [{ name, columns: both, order: order.length > 0 ? order : both }];
  });
}

/** The places at which two values differ, the deepest that both have. */
function* differing(former: Json, present: Json, where: string, depth = 0): Generator<Difference> {
  if (isDeepStrictEqual(former, present)) return;
  const isRecord = (value: Json) => typeof value === "object" && value !== null;
  const isOneForm = isRecord(former) && isRecord(present) && Array.isArray(former) === Array.isArray(present);
  if (!isOneForm || depth >= 2 || (Array.isArray(former) && former.length !== present.length)) {
    yield { where, former, present };
    return;
  }
  for (const name of new Set([...Object.keys(former), ...Object.keys(present)]))
    yield* differing(former[name], present[name], Array.isArray(former) ? where : `${where}.${name}`, depth + 1);
}

/** An answer without what each program chooses for itself: a revision is opaque. */
const comparable = (answer: Json): Json =>
  canonical(JSON.parse(JSON.stringify(answer ?? null), (name, value) => (name === "revision" ? typeof value : value)));

export function compareOutcomes(former: Outcome, present: Outcome): Difference[] {
  if (former.isRefused !== present.isRefused) {
    const told = ({ isRefused, status, words, answer }: Outcome) => (isRefused ? `${status} ${words}` : answer);
    return [
      {
        where: `refusal by ${former.isRefused ? "the former" : "the present"} only`,
        former: told(former),
        present: told(present),
      },
    ];
  }
  if (former.status !== present.status)
    return [
      { where: "status", former: `${former.status} ${former.words}`, present: `${present.status} ${present.words}` },
    ];
  const [one, other] = [comparable(former.answer), comparable(present.answer)];
  return [
    ...differing(one?.rehearsal, other?.rehearsal, "rehearsal"),
    ...differing({ ...one, rehearsal: null }, { ...other, rehearsal: null }, "answer"),
  ];
}

/**
 * What is read after a step that was not refused: the export, and the newest change sets as an admin and as an editor
 * see them.
 */
async function readingsOf({ subject }: Doing, keys: { admin: string; edit: string }): Promise<Record<string, Json>> {
  const ask = async (key: string, path: string) => (await subject.fetch(key, path)).json();
  const document = await ask(keys.admin, "/admin/export");
  const newest = (await ask(keys.admin, "/admin/history?limit=3")) as { id: number }[];
  const [last] = newest;
  const shown = (key: string) => (last === undefined ? Promise.resolve(null) : ask(key, `/admin/history/${last.id}`));
  return { export: document, history: { newest, admin: await shown(keys.admin), edit: await shown(keys.edit) } };
}

/** Whether only the tables are compared. */
const isOfTables = process.env.TABLES !== undefined;

async function differingRows(
  [former, present]: readonly [Doing, Doing],
  { name, columns, order }: ComparedTable,
): Promise<Difference> {
  const read = async ({ subject }: Doing) =>
    (await subject.ask("rows", `SELECT ${columns} FROM "${name}" ORDER BY ${order}`)).map(
      (row) => textOfRow(row as Record<string, Json>), // rows are objects
    );
  const [one, other] = [await read(former), await read(present)];
  const only = (rows: string[], others: string[]) => {
    const known = new Set(others);
    return rows.filter((row) => !known.has(row)).map((row) => JSON.parse(row));
  };
  return { where: `table ${name}`, former: only(one, other), present: only(other, one) };
}

/**
 * Compares every table; also the export and the history, unless the step was refused. Answers the differences, and the
 * former export.
 */
export async function compareStates(
  both: readonly [Doing, Doing],
  tables: readonly ComparedTable[],
  keys: { admin: string; edit: string } | undefined,
): Promise<{ differences: Difference[]; document?: Json }> {
  const differences: Difference[] = [];
  let document: Json;
  if (keys !== undefined && isOfTables) {
    const exports = both.map(async ({ subject }) => (await subject.fetch(keys.admin, "/admin/export")).json());
    [document] = await Promise.all(exports); // an export writes what the audit has
  } else if (keys !== undefined) {
    const [one, other] = await Promise.all(both.map((doing) => readingsOf(doing, keys)));
    document = one?.export;
    differences.push(
      ...differing(canonical(one?.history), canonical(other?.history), "history"),
      ...differing(canonical(one?.export), canonical(other?.export), "export"),
    );
  }
  const [one = {}, other = {}] = await Promise.all(both.map(({ subject }) => subject.ask("digest", tables)));
  for (const table of tables)
    if (one[table.name] !== other[table.name]) differences.push(await differingRows(both, table));
  return { differences, document };
}
