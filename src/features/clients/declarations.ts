// Writes tallylight.d.ts, the types of the JavaScript client.
import { release } from "../../core/program.ts";
import { methodName } from "./javascript_methods.ts";
import type { ClientField, ClientOperation, Schema } from "./operations.ts";
import { typeOf } from "./schema_types.ts";
import { paragraphs } from "./texts.ts";

const head = `// The types of tallylight.mjs, the client of Tallylight ${release}.

/** A file: its path, on Node and Deno, or its bytes. */
export type FileOrPath = string | Blob;

/**
 * A refusal: the HTTP status, the sentence, and the name of the request in the server's log; 0, a sentence and null
 * where no answer came.
 */
export class TallylightError extends Error {
  readonly status: number;
  readonly detail: string;
  readonly request: string | null;
}

/** What a mirror did: how many files were written, unchanged and removed, and how many requests that took. */
export interface Mirrored {
  written: number;
  unchanged: number;
  removed: number;
  requests: number;
}

/** A server, as a key sees it. An argument that is undefined is not sent. */
export class Tallylight {
  /**
   * \`url\` is the address of the server; \`cache\` a folder that keeps answers with their ETags, in memory by default.
   */
  constructor(url: string, key: string, options?: { cache?: string });

  /**
   * The answer of one GET at a path, below /api/v1 unless it begins with that; a page of a list that comes in pages.
   */
  get<Answer = unknown>(path: string, parameters?: Record<string, unknown>): Promise<Answer>;

  /** The rows of a list one after the other: those of the next page are asked for when they are needed. */
  rows<Row = unknown>(operation: string, input?: Record<string, unknown>): AsyncGenerator<Row, void, undefined>;

  /**
   * The events after a cursor, \`start\` or \`now\`, for ever. Each has its \`cursor\`, with which events() goes on
   * after it. While the server does not answer, they wait for it; a TallylightError is thrown if the first request
   * fails, or if the server refuses: with 410, the cursor is not valid any more.
   */
  events(since?: string): AsyncGenerator<Event & { cursor: string }, void, undefined>;

  /**
   * Writes everything that the key reads into a folder: each list as a JSON file, media below media/ under their
   * SHA-256. Again, it writes what has changed and removes what is gone; a mirror that was cut off goes on. On Node and
   * Deno. With names, files/ID/LABEL is a link to each medium of a submission or a version, whose id ID is. The log of
   * activity and the events are read by listActivity() and events().
   */
  mirror(folder: string, options?: { names?: boolean }): Promise<Mirrored>;
`;

const comment = (lines: readonly string[], indent: string): string => {
  const safe = lines.map((line) => line.replaceAll("*/", "*\\/"));
  if (safe.length === 1) return `${indent}/** ${safe[0]} */`;
  return [`${indent}/**`, ...safe.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join("\n");
};

function fieldType({ place, schema }: ClientField): string {
  if (place === "file") return "FileOrPath";
  if (place === "files") return "FileOrPath | readonly FileOrPath[]";
  if (place === "whole") return "object | string";
  const type = typeOf(schema);
  return place === "query" && schema.type === "array"
    ? `${typeOf(schema.items)} | readonly (${typeOf(schema.items)})[]`
    : type;
}

const further = ({ method, forms }: ClientOperation): string[] => {
  if (forms.includes("bytes"))
    return [
      "    /** The file that the bytes are written to, on Node and Deno; its path is the answer then. */\n    into?: string;",
    ];
  if (method === "GET") return [];
  return [
    "    /** A name of this request: again with it within a day, nothing is done twice. */\n    idempotency_key?: string;",
  ];
};

function declaration(operation: ClientOperation): string {
  const { name, description, fields, forms, answer } = operation;
  const inputs = fields.map((field) => {
    const about = field.description === "" ? [] : [comment(paragraphs(field.description, 110), "    ")];
    return [...about, `    ${field.name}${field.required ? "" : "?"}: ${fieldType(field)};`].join("\n");
  });
  const members = [...inputs, ...further(operation)];
  const question = fields.some(({ required }) => required) ? "" : "?";
  const input = members.length === 0 ? "" : `input${question}: {\n${members.join("\n")}\n  }`;
  const about = comment(paragraphs(description, 120), "  ");
  const output = typeOf(answer);
  const rows = output.replace(/\bPartial([A-Z])/, "$1");
  if (rows !== output) {
    const named = input.replace("    fields?:", "    fields:").replace("input?:", "input:");
    const whole = input.replace(/^ {4}fields\?: .*$/m, "    fields?: undefined;");
    return `${about}\n  ${methodName(name)}(${whole}): Promise<${rows}>;\n  ${methodName(name)}(${named}): Promise<${output}>;`;
  }
  if (!forms.includes("bytes")) return `${about}\n  ${methodName(name)}(${input}): Promise<${output}>;`;
  const written = input.replace("into?:", "into:").replace("input?:", "input:");
  const returned = input.replace("into?: string", "into?: undefined");
  return `${about}\n  ${methodName(name)}(${written}): Promise<string>;\n  ${methodName(name)}(${returned}): Promise<Blob>;`;
}

/** The schemas that types refer to, and those that these refer to. */
function referenced(schemas: Schema, text: string): string[] {
  const found = new Set<string>();
  const add = (types: string): void => {
    for (const [name] of types.matchAll(/\b[A-Z]\w*\b/g)) {
      if (found.has(name) || schemas[name] === undefined) continue;
      found.add(name);
      add(typeOf(schemas[name]));
    }
  };
  add(text);
  return [...found].sort();
}

/** Returns the text of the declarations. */
export function declarations(operations: readonly ClientOperation[], schemas: Schema): string {
  const methods = operations.map(declaration).join("\n\n");
  const code = methods.split("\n").filter((line) => !/^ *\/?\*/.test(line)); // a comment has lines of its own
  const used = referenced(schemas, `${code.join("\n")} Event`);
  const types = used.map((name) => `export type ${name} = ${typeOf(schemas[name])};`);
  return `${head}\n${methods}\n}\n\n${types.join("\n\n")}\n`;
}
