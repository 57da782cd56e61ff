// The type of an operation, and the two functions that define one: `operation` by a handler, which the compiler checks
// against the schemas, and `reading` by the statement of its name alone.
import * as v from "valibot";
import type { Scope } from "./access/callers.ts";
import {
  type Bytes,
  type Document,
  type JsonText,
  jsonText,
  type Pieces,
  Steps,
  TaggedDocument,
  withEtag,
} from "./answers.ts";
import type { Context, Reach } from "./context.ts";
import { notFound, unprocessable } from "./errors.ts";
import type { RequestContext } from "./http/request_context.ts";
import type { ProductionId, WithIds } from "./ids.ts";
import * as input from "./inputs.ts";
import { describe } from "./inputs.ts";
import {
  type Bounds,
  type ListForm,
  ListPage,
  listing,
  maxPage,
  type PageInput,
  pageEntries,
  type RowForm,
} from "./listing.ts";
import { type Building, document, type Found, valuesOf } from "./store/statements.ts";
import type { Store } from "./store/store.ts";

export type InputSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
export type OutputSchema = v.GenericSchema | "bytes";
type AnswerOf<O extends OutputSchema> = O extends v.GenericSchema ? Document<v.InferOutput<O>> | Pieces : Bytes;

/**
 * The JSON text that a statement assembles within the caller's reach. Throws 404 if it has no row: the thing does not
 * exist, or is not reached.
 */
export function read<P extends object, T>(
  context: Context,
  statement: (store: Store, parameters: Reach & P) => JsonText<T> | undefined,
  parameters: P,
): JsonText<T> {
  const document = statement(context.app.store, { ...reachOf(context), ...parameters });
  if (document === undefined) throw notFound();
  return document;
}

/** The names of the fields in a path such as `/assets/:node_id`. */
type PathFields<P extends string> = P extends `${string}:${infer Field}/${infer Rest}`
  ? Field | PathFields<Rest>
  : P extends `${string}:${infer Field}`
    ? Field
    : never;

type Entries = v.ObjectEntries;
type Named<E> = { [K in keyof E]: E[K] };
/** The input of an operation: each field of its path that it does not mention is an id. */
type Input<P extends string, E extends Entries> = v.ObjectSchema<
  Named<{ [K in Exclude<PathFields<P>, keyof E>]: typeof input.id } & E>,
  undefined
>;
type Fields<P extends string, E extends Entries> = WithIds<v.InferOutput<Input<P, E>>>;

interface Row<P extends string, E extends Entries, O extends OutputSchema> {
  /** The name of the MCP tool, of the SQL block and, in camelCase, of the constant. */
  name: string;
  /** One line: the description in the API reference and of the MCP tool. */
  summary: string;
  /** GET by default. */
  method?: "GET" | "POST";
  /** Relative to /api/v1; `:field` is a field of the input. Every other field comes from the query or the body. */
  path: P;
  /** A second path, without the fields of `path`: the query names the object instead. */
  path_of_query?: string;
  /** The field of that query that names the object. */
  named_by?: string;
  /** null: any live key may call it. */
  scope: Scope | null;
  /**
   * production, the default: only for production-wide keys. engagement: also for keys bound to an engagement, clamped
   * to its grants. bound: only for those.
   */
  reach?: "production" | "engagement" | "bound";
  /** Nothing by default, except the ids in the path. */
  input?: v.ObjectSchema<E, undefined>;
  /** The content type of a POST body; json by default. */
  body?: "json" | "multipart" | "json or multipart" | "none";
  /** The fields of a POST that the query gives. */
  query?: readonly string[];
  /** The field that a JSON body is as a whole. Without it, the body is an object of the fields. */
  whole_body?: string;
  /**
   * How a JSON body contains files: as base64 in the field of the file (the default), or by the ids of finished
   * resumable uploads in the field upload_ids, which replaces that of the files.
   */
  files_in_json?: "base64" | "upload_ids";
  /**
   * The field with a list whose items name a file: `upload_id`, which becomes `file`, the number of one in the field
   * `files`; in a form the list is JSON.
   */
  item_files?: string;
  /**
   * What it does with what machines report (`Changes` in store/transactions.ts): a read whose answer shows it, which is
   * never cached, or a write that changes nothing else, after which other answers stay cached.
   */
  reports?: "reads" | "writes";
  /** The maximum size of the body in bytes; 1 MiB by default. Uploaded files have the configured ceiling. */
  body_limit?: number;
  output: O;
  /**
   * It may be called while the production is frozen, because it changes who may read, not what. Rows of the scope read
   * may be, too.
   */
  while_frozen?: true;
  /**
   * The possible statuses other than 200, 401, 403, and 422 if there is input to validate; 404 by default if the path
   * names a thing.
   */
  errors?: readonly number[];
  /**
   * If present, the operation is an MCP tool; `omit` lists the inputs that the tool does not have. false: it is never a
   * tool, because its answer contains a credential.
   */
  tool?: { omit?: readonly string[] } | false;
  /**
   * What MCP clients are told besides whether it reads: `replaces`, it replaces something that others may have written;
   * `repeats`, the same call again changes nothing; `external`, it calls another service.
   */
  hints?: readonly ("replaces" | "repeats" | "external")[];
  /** The URI of its MCP resource. */
  resource?: string;
  /** The response differs at every call: it has no ETag, is never cached and is sent with no-store. */
  noStore?: true;
  /** Called with the fields of the path before the body is read. Throws if the caller may not use this path. */
  authorize?: (context: Context, path: Pick<Fields<P, E>, PathFields<P> & keyof Fields<P, E>>) => unknown;
  /** Answers a request with `Accept: text/event-stream` as a stream. Resolves once the stream has ended. */
  stream?: (ctx: RequestContext, context: Context, input: Fields<P, E>) => Promise<void>;
  run: (context: Context, input: Fields<P, E>) => Running<AnswerOf<NoInfer<O>>>;
}

type List = v.ArraySchema<v.GenericSchema, undefined>;
/** A list that one statement reads comes in pages where the caller asks. */
type Paged<O, E> = O extends List ? Named<Omit<typeof pageEntries, keyof E> & E> : E;
/** What the statement of an operation builds: the document without the tag that is added. */
type Built<O extends v.GenericSchema> =
  v.InferOutput<O> extends { etag: string } ? Omit<v.InferOutput<O>, "etag"> : v.InferOutput<O>;

/**
 * A read whose answer is the statement of its name: its parameters are the fields of the input, and what the caller
 * reaches.
 */
interface StatementRow<P extends string, E extends Entries, O extends v.GenericSchema, X>
  extends Omit<Row<P, E, O>, "name" | "method" | "stream" | "run"> {
  name: Found<Building<Reach & Bounds & Fields<P, E> & X, Built<O>>>;
  /** How a list comes in pages. */
  list?: ListForm;
  /** Loads what makes the rows that are sent of the stored ones; undefined if they are sent as they are stored. */
  form?: (input: Fields<P, E>) => Promise<RowForm> | undefined;
  /** Further parameters of the statement. Throws if the input contradicts itself. */
  parameters?: (context: Context, input: Fields<P, E>) => X;
}

type Running<A> = A | Promise<A | Steps<A>> | Steps<A>;

/** The result of an operation. */
export type Answer = Document<unknown> | Bytes | Pieces;

/** An operation as the pipeline and the transports see it, independent of its schemas. */
export interface Operation
  extends Omit<
    Row<string, Entries, OutputSchema>,
    "method" | "reach" | "input" | "errors" | "authorize" | "stream" | "run"
  > {
  method: "GET" | "POST";
  reach: "production" | "engagement" | "bound";
  /** A number that grows with each definition: the order of the operations of a file. */
  defined: number;
  input: InputSchema;
  errors: readonly number[];
  authorize?: (context: Context, path: object) => unknown;
  stream?: (ctx: RequestContext, context: Context, input: object) => Promise<void>;
  run: (context: Context, input: object) => Running<Answer>;
}

/** An operation with the types of its schemas, for callers in this process. */
export type TypedOperation<I extends InputSchema, O extends OutputSchema> = Operation & { input: I; output: O };

/**
 * Whether unknown query parameters are refused. Below /admin/ they are: a misspelt `dry_run` that is ignored would
 * write.
 */
export const isStrict = ({ path }: Pick<Operation, "path">): boolean => path.startsWith("/admin/");

/**
 * A part of a schema: the schema of the items of a list, or the fields of an object; undefined if it is no such schema.
 */
const partOf = (schema: OutputSchema | object | undefined, name: "item" | "entries"): object | undefined => {
  const part: unknown = typeof schema === "object" ? Reflect.get(schema, name) : undefined;
  return typeof part === "object" && part !== null ? part : undefined;
};

/**
 * Throws 422 if a request gives updated_since to a list that does not know it: a list of every row would look as if all
 * of them had changed.
 */
export function checkUpdatedSince({ name, input, output }: Operation, given: Iterable<string>): void {
  if (partOf(output, "item") === undefined || "updated_since" in input.entries) return;
  if ([...given].includes("updated_since"))
    throw unprocessable(`${name} does not know updated_since; the events of /events say what changed`);
}

/** The names of the fields in the path of an operation. */
export const pathFieldsOf = ({ path }: Pick<Operation, "path">): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/** Every path of an operation. */
export const pathsOf = ({ path, path_of_query }: Pick<Operation, "path" | "path_of_query">): readonly string[] =>
  path_of_query === undefined ? [path] : [path, path_of_query];

/** The names of the fields of each row; none unless the output is a list of objects. */
const rowFields = (output: OutputSchema): string[] => Object.keys(partOf(partOf(output, "item"), "entries") ?? {});

const only = (row: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)));

/** The answer of a list with only some fields of each row, in the order of the rows. */
function withFields(answer: Answer, fields: readonly string[]): Answer {
  const text = answer instanceof ListPage || answer instanceof TaggedDocument ? answer.text : answer;
  const rows = (typeof text === "string" ? JSON.parse(text) : text) as object[]; // safe: only lists have the input
  const reduced = jsonText(rows.map((row) => only(row, fields)));
  return answer instanceof ListPage
    ? new ListPage(reduced, answer.next, answer.total)
    : new ListPage(reduced, undefined);
}

const asStored: RowForm = (document) => document;
/** The same for each row of a list that is read in steps, which `form` makes of the stored one. */
const formOf = (fields: readonly string[] | undefined, form = asStored): RowForm =>
  fields === undefined ? form : (document) => JSON.stringify(only(JSON.parse(form(document)), fields));

let definitions = 0;
export const isOperation = (exported: unknown): exported is Operation =>
  typeof exported === "object" && exported !== null && "run" in exported && "defined" in exported;

/**
 * Completes a row: the fields of its path that its input does not mention are ids, and `pages` are inputs that only
 * lists have.
 */
function completed(
  row: Pick<Row<string, Entries, OutputSchema>, "name" | "path" | "method" | "input" | "output" | "tool"> & object,
  run: (context: Context, input: object, fields?: readonly string[]) => Running<Answer>,
  pages: Entries = {},
): object {
  const entries = row.input?.entries ?? {};
  const ids = pathFieldsOf(row).map((name) => [name, input.id] as const);
  const names = row.method === undefined || row.method === "GET" ? rowFields(row.output) : [];
  const about = `Only these fields of each row, separated by commas; the others are absent. Of: ${names.join(", ")}.`;
  const more = { ...pages, ...(names.length > 0 && { fields: v.optional(describe(input.listOf(names), about)) }) };
  const added = Object.fromEntries(Object.entries(more).filter(([name]) => !(name in entries)));
  return {
    method: "GET",
    reach: "production",
    errors: ids.length > 0 ? [404] : [],
    ...row,
    defined: definitions++,
    input: v.object({ ...Object.fromEntries(ids), ...entries, ...added }),
    ...(row.tool && { tool: { omit: [...(row.tool.omit ?? []), ...Object.keys(added)] } }),
    run(context: Context, { fields, ...input }: { fields?: readonly string[] }) {
      const answer = run(context, input, fields);
      if (fields === undefined) return answer;
      // steps leave the other fields out of each row
      const reduced = <A extends Answer | Steps<Answer>>(list: A) =>
        list instanceof Steps ? list : withFields(list, fields);
      return answer instanceof Promise ? answer.then(reduced) : reduced(answer);
    },
  };
}

/** Defines an operation. The handler's parameter and result types come from the input and output schemas. */
export const operation = <const P extends string, O extends OutputSchema, E extends Entries = Record<never, never>>(
  row: Row<P, E, O>,
): TypedOperation<Input<P, E>, O> =>
  // Safe, because the pipeline calls an operation only with the output of its own input schema.
  completed(row, row.run as Operation["run"]) as TypedOperation<Input<P, E>, O>;

/** An operation that is one statement, which others may run too. Few find anything without a production. */
type StatementOperation<I extends InputSchema, O extends v.GenericSchema> = TypedOperation<I, O> & {
  statement: (
    store: Store,
    parameters: Omit<Reach, "production_id"> & { production_id: ProductionId | null } & v.InferOutput<I>,
    maxSize?: number,
  ) => O extends List ? ListPage<v.InferOutput<O>> : JsonText<Built<O>> | undefined;
};

/** Defines a read whose answer is the statement of its name. */
export function reading<
  const P extends string,
  O extends v.GenericSchema,
  E extends Entries = Record<never, never>,
  X = unknown,
>({ list, parameters, form, ...row }: StatementRow<P, E, O, X>): StatementOperation<Input<P, Paged<O, E>>, O> {
  const name = row.name as Building<Reach, object>; // safe: what follows gives it the fields of the input and the reach
  const isList = partOf(row.output, "item") !== undefined;
  const isTagged = "etag" in (partOf(row.output, "entries") ?? {});
  const documentOf = isList ? undefined : document<Reach, object>(name);
  const rows = documentOf === undefined ? listing<Reach, object>(name, list) : undefined;
  const statement = rows ?? ((store: Store, given: Reach) => documentOf?.(store, valuesOf(name, given)));
  const run = (context: Context, input: object, fields?: readonly string[]) => {
    const { app, caller } = context;
    const fieldsOfRow = input as Fields<P, E>; // safe: the pipeline has validated it
    const given: Reach & PageInput = { ...input, ...parameters?.(context, fieldsOfRow), ...reachOf(context) };
    const answered = (rowForm?: RowForm) => {
      // What an engagement reaches may end between two steps, and is never much.
      if (rows?.isWhole(given) && caller.engagement_id === null)
        return new Steps(rows.inSteps(app.store, given, formOf(fields, rowForm)));
      const answer = statement(app.store, given, maxPage, rowForm);
      if (answer === undefined) throw notFound();
      return isTagged && !(answer instanceof ListPage) ? withEtag<{ etag: string }>(answer) : answer;
    };
    const loading = form?.(fieldsOfRow);
    return loading === undefined ? answered() : loading.then(answered);
  };
  const made: object = { ...completed(row, run, isList ? pageEntries : {}), statement };
  // safe by the type of its name: it takes the input and builds the output
  return made as StatementOperation<Input<P, Paged<O, E>>, O>;
}

/** The parameters by which a statement is clamped to what the caller reaches. */
export const reachOf = ({ caller, now }: Pick<Context, "caller" | "now">): Reach => ({
  production_id: caller.production_id,
  engagement_id: caller.engagement_id,
  now,
});
