// Real answers of the demo, to be shown beside the shapes: what `npm run examples` recorded in examples.json, and nothing
// written by hand. Knows no schema.
import { readFileSync } from "node:fs";
import type { Json } from "./schemas.ts";

export interface Example {
  /** Below /api/v1, with its query; of a route beside the table, from the root. */
  path: string;
  /** The JSON body that was sent. */
  body?: Json;
  /** The text fields of the form that was sent. */
  form?: Readonly<Record<string, string>>;
  status: number;
  /** The JSON that came back; long lists are cut. Left out for bytes. */
  answer?: unknown;
}

/** By the operation's name; an operation that was never recorded has none. */
export type Examples = Readonly<Record<string, Example>>;

/** The recorded exchanges. */
export const readExamples = (): Examples => JSON.parse(readFileSync(new URL("examples.json", import.meta.url), "utf8"));

/** The fields that a recorded request's path and query bore, as text, for a row's path such as `/assets/:node_id`. */
export function fieldsAsked(pattern: string, { path }: Example): ReadonlyMap<string, string> {
  const [way = "", query] = path.split("?");
  const parts = way.split("/");
  const inPath = pattern.split("/").flatMap((part, at): [string, string][] => {
    const text = parts[at];
    return part.startsWith(":") && text !== undefined ? [[part.slice(1), decodeURIComponent(text)]] : [];
  });
  return new Map([...inPath, ...new URLSearchParams(query)]);
}
