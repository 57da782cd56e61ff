// What a row of the table is, and how one is written: the compiler holds its handler against its schemas.
import { hash } from "node:crypto";
import type * as v from "valibot";
import type { Context } from "../context.ts";
import type { Scope } from "../inputs.ts";
import type { JsonText } from "../json_text.ts";

/** Stored bytes, to be sent as they are. */
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

/** A document that brings its own ETag. */
export class TaggedDocument<T> {
  readonly text: JsonText<T>;
  readonly etag: string;
  constructor(text: JsonText<T>, etag: string) {
    this.text = text;
    this.etag = etag;
  }
}

/** The ETag of a document: a strong one, a hash of its text, quotes included (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${hash("sha256", text).slice(0, 32)}"`;

/** A document: as an object, as JSON text that SQL assembled, or with its own ETag. */
export type Document<T> = T | JsonText<T> | TaggedDocument<T>;

type InputSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
type OutputSchema = v.GenericSchema | "bytes";
type AnswerOf<O extends OutputSchema> = O extends v.GenericSchema ? Document<v.InferOutput<O>> : Bytes;

/** The names of the fields that a path such as `/assets/:node_id` bears. */
type PathFields<P extends string> = P extends `${string}:${infer Field}/${infer Rest}`
  ? Field | PathFields<Rest>
  : P extends `${string}:${infer Field}`
    ? Field
    : never;

interface Row<P extends string, I extends InputSchema, O extends OutputSchema> {
  /** Its name everywhere: the MCP tool, the SQL block, and in camelCase the row's constant. */
  name: string;
  /** What it is for, in a line: the description in the reference and of the tool. */
  summary: string;
  method: "GET" | "POST";
  /** Below /api/v1; `:field` is a field of the input. Every other field comes from the query or the body. */
  path: P;
  scope: Scope;
  /** engagement: works for both key shapes, clamped for a bound key. production: refuses a bound key. */
  reach: "production" | "engagement";
  input: I;
  /** How a POST's fields travel; json by default. */
  body?: "json" | "multipart" | "json or multipart" | "none";
  /** The most bytes that the body may have; 1 MiB by default. Uploaded files have the configured ceiling. */
  body_limit?: number;
  output: O;
  /** Statuses beyond 200, 401, 403, and 422 if there is an input to validate. */
  errors: readonly number[];
  /** Is an MCP tool under its name; `omit` are inputs that the tool does not take. */
  tool?: { omit?: readonly string[] };
  /** The URI of its MCP resource. */
  resource?: string;
  /** Differs at every call: it has no ETag, is never cached and is sent with no-store. */
  noStore?: true;
  /** Refuses before the body is read, by the fields of the path alone. */
  authorize?: (context: Context, path: Pick<v.InferOutput<I>, PathFields<P> & keyof v.InferOutput<I>>) => unknown;
  run: (context: Context, input: v.InferOutput<I>) => AnswerOf<NoInfer<O>> | Promise<AnswerOf<NoInfer<O>>>;
}

/** What every operation answers. */
export type Answer = Document<unknown> | Bytes;

/** A row as the pipeline and the transports see it, whatever its schemas are. */
export interface Operation extends Omit<Row<string, InputSchema, OutputSchema>, "authorize" | "run"> {
  authorize?: (context: Context, path: object) => unknown;
  run: (context: Context, input: object) => Answer | Promise<Answer>;
}

/** A row whose handler takes what its input schema makes and answers what its output schema says. */
export const operation = <const P extends string, I extends InputSchema, O extends OutputSchema>(
  row: Row<P, I, O>,
): Operation =>
  // The pipeline calls a row with nothing but what the row's own schema made.
  row as unknown as Operation;
