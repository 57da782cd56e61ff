// The type of an operation, and the function that defines one. The compiler checks the handler against the schemas.
import { hash } from "node:crypto";
import * as v from "valibot";
import { type Context, type Reach, reachOf } from "../context.ts";
import { notFound } from "../errors.ts";
import type { Subscription } from "../events/log.ts";
import { describe, listOf, type Scope } from "../inputs.ts";
import { type JsonText, jsonText } from "../json.ts";
import type { Store } from "../store/database.ts";

/** Stored bytes, to be sent unchanged. */
export class Bytes {
  readonly label: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly content_type: string;
  constructor(row: { label: string; sha256: string; size: number; content_type: string }) {
    this.label = row.label;
    this.sha256 = row.sha256;
    this.size = row.size;
    this.content_type = row.content_type;
  }
}

/** A document as pieces of text, which are sent while they are made. It is for downloads: it has no ETag and is no tool. */
export class Pieces {
  readonly pieces: AsyncIterable<string>;
  readonly file_name: string;
  constructor(pieces: AsyncIterable<string>, file_name: string) {
    this.pieces = pieces;
    this.file_name = file_name;
  }
}

/** A document with its own ETag. */
export class TaggedDocument<T> {
  readonly text: JsonText<T>;
  readonly etag: string;
  constructor(text: JsonText<T>, etag: string) {
    this.text = text;
    this.etag = etag;
  }
}

/** One page of a list, or the whole list. */
export class ListPage<T> {
  readonly text: JsonText<T>;
  /** The cursor of the next page; undefined if there is none. */
  readonly next: string | undefined;
  constructor(text: JsonText<T>, next: string | undefined) {
    this.text = text;
    this.next = next;
  }
}

/** A read that takes long, as steps. The first is run, and each further one after others had their turn, with `context` authorized again. */
export class Steps<T> {
  readonly steps: Generator<void, T>;
  constructor(steps: Generator<void, T>) {
    this.steps = steps;
  }
}

/** The strong ETag of a document: a hash of its text, including the quotes (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${hash("sha256", text).slice(0, 32)}"`;

/** A document: an object, JSON text that SQL assembled, or a document with its own ETag, or a page. */
export type Document<T> = T | JsonText<T> | TaggedDocument<T> | ListPage<T>;

export type InputSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
export type OutputSchema = v.GenericSchema | "bytes";
type AnswerOf<O extends OutputSchema> = O extends v.GenericSchema ? Document<v.InferOutput<O>> | Pieces : Bytes;

/** The document of a statement, within the caller's reach. Throws 404 if the statement has no row. */
export function read<P extends object, T>(
  context: Context,
  statement: (store: Store, parameters: Reach & P) => JsonText<T> | undefined,
  parameters: P,
): JsonText<T> {
  const document = statement(context.app.store, { ...reachOf(context), ...parameters });
  if (document === undefined) throw notFound();
  return document;
}

/** The input of an operation that takes nothing. */
const nothing = v.object({});

/** The names of the fields in a path such as `/assets/:node_id`. */
type PathFields<P extends string> = P extends `${string}:${infer Field}/${infer Rest}`
  ? Field | PathFields<Rest>
  : P extends `${string}:${infer Field}`
    ? Field
    : never;

interface Row<P extends string, I extends InputSchema, O extends OutputSchema> {
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
  /** null: any live key may call it. */
  scope: Scope | null;
  /**
   * production, the default: only for production-wide keys. engagement: also for keys bound to an engagement, clamped to its grants.
   * bound: only for those.
   */
  reach?: "production" | "engagement" | "bound";
  /** Nothing by default. */
  input?: I;
  /** The content type of a POST body; json by default. */
  body?: "json" | "multipart" | "json or multipart" | "none";
  /** The fields of a POST that the query gives. */
  query?: readonly string[];
  /** The field that a JSON body is as a whole. Without it, the body is an object of the fields. */
  whole_body?: string;
  /**
   * How a JSON body contains files: as base64 in the field of the file (the default), or by the ids of finished resumable uploads
   * in the field upload_ids, which replaces that of the files.
   */
  files_in_json?: "base64" | "upload_ids";
  /** The maximum size of the body in bytes; 1 MiB by default. Uploaded files have the configured ceiling. */
  body_limit?: number;
  output: O;
  /** It may be called while the production is frozen, because it changes who may read, not what. Rows of the scope read may be, too. */
  while_frozen?: true;
  /** The possible statuses other than 200, 401, 403, and 422 if there is input to validate; 404 by default if the path names a thing. */
  errors?: readonly number[];
  /**
   * If present, the operation is an MCP tool; `omit` lists the inputs that the tool does not have. false: it is never a tool, because
   * its answer contains a credential.
   */
  tool?: { omit?: readonly string[] } | false;
  /** The URI of its MCP resource. */
  resource?: string;
  /** The response differs at every call: it has no ETag, is never cached and is sent with no-store. */
  noStore?: true;
  /** Called with the fields of the path before the body is read. Throws if the caller may not use this path. */
  authorize?: (context: Context, path: Pick<v.InferOutput<I>, PathFields<P> & keyof v.InferOutput<I>>) => unknown;
  /** Where a stream of the operation's events begins, for a request with `Accept: text/event-stream`. */
  subscribe?: (context: Context, input: v.InferOutput<I>) => Subscription;
  run: (context: Context, input: v.InferOutput<I>) => Running<AnswerOf<NoInfer<O>>>;
}

type Running<A> = A | Promise<A> | Steps<A>;

/** The result of an operation. */
export type Answer = Document<unknown> | Bytes | Pieces;

/** An operation as the pipeline and the transports see it, independent of its schemas. */
export interface Operation
  extends Omit<
    Row<string, InputSchema, OutputSchema>,
    "method" | "reach" | "input" | "errors" | "authorize" | "subscribe" | "run"
  > {
  method: "GET" | "POST";
  reach: "production" | "engagement" | "bound";
  input: InputSchema;
  errors: readonly number[];
  authorize?: (context: Context, path: object) => unknown;
  subscribe?: (context: Context, input: object) => Subscription;
  run: (context: Context, input: object) => Running<Answer>;
}

/** An operation with the types of its schemas, for callers in this process. */
export type TypedOperation<I extends InputSchema, O extends OutputSchema> = Operation & { input: I; output: O };

/** A row that is a tool only for clients that ask for all tools has one of these scopes, or none. */
const toolScopes: readonly string[] = ["read", "write", "submit:turnover", "read:money"];

/** Whether an operation is a tool for clients that ask for all tools, although its row does not say `tool`: it takes and answers JSON. */
export const isFurtherTool = ({ tool, scope, output, body }: Operation): boolean =>
  tool === undefined && (scope === null || toolScopes.includes(scope)) && output !== "bytes" && body !== "multipart";

/** Whether unknown query parameters are refused: below /admin/, an ignored one could mean that something is written. */
export const isStrict = ({ path }: Pick<Operation, "path">): boolean => path.startsWith("/admin/");

/** Every path of an operation. */
export const pathsOf = ({ path, path_of_query }: Pick<Operation, "path" | "path_of_query">): readonly string[] =>
  path_of_query === undefined ? [path] : [path, path_of_query];

/** The names of the fields of each row, if the output is a list of objects. */
const rowFields = (output: OutputSchema): readonly string[] | undefined => {
  const { item } = output as Partial<v.ArraySchema<v.GenericSchema, undefined>>;
  return item !== undefined && "entries" in item ? Object.keys(item.entries as v.ObjectEntries) : undefined;
};

/** The answer of a list with only some fields of each row, in the order of the rows. */
function withFields(answer: Answer, fields: readonly string[]): Answer {
  const text = answer instanceof ListPage || answer instanceof TaggedDocument ? answer.text : answer;
  const rows = (typeof text === "string" ? JSON.parse(text) : text) as object[]; // safe: only lists have the input
  const cut = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name))));
  return new ListPage(jsonText(cut), answer instanceof ListPage ? answer.next : undefined);
}

/** Gives every list that is read the input `fields`, which only tools of clients that ask for all tools have. */
function withFieldsInput(row: Operation): Operation {
  const names = row.method === "GET" ? rowFields(row.output) : undefined;
  if (names === undefined) return row;
  const about = `Only these fields of each row, separated by commas; the others are absent. Of: ${names.join(", ")}.`;
  return {
    ...row,
    input: v.object({ ...row.input.entries, fields: v.optional(describe(listOf(names), about)) }),
    ...(row.tool && { tool: { omit: [...(row.tool.omit ?? []), "fields"] } }),
    run(context, { fields, ...input }: { fields?: readonly string[] }) {
      const answer = row.run(context, input);
      if (fields === undefined) return answer;
      if (answer instanceof Steps) throw new Error(`${row.name} is a list, which is not read in steps`);
      return answer instanceof Promise ? answer.then((list) => withFields(list, fields)) : withFields(answer, fields);
    },
  };
}

/** Defines an operation. The handler's parameter and result types come from the input and output schemas. */
export const operation = <const P extends string, O extends OutputSchema, I extends InputSchema = typeof nothing>(
  row: Row<P, I, O>,
): TypedOperation<I, O> => {
  const defaults = { method: "GET", reach: "production", input: nothing, errors: row.path.includes(":") ? [404] : [] };
  // Safe, because the pipeline calls an operation only with the output of its own input schema.
  return withFieldsInput({ ...defaults, ...row } as unknown as Operation) as TypedOperation<I, O>;
};
