// Recorded examples of operations: real responses of the demo, which `npm run examples` records in
// fixtures/api/examples.json. None of them is written by hand.
import { readFileSync } from "node:fs";

export interface Example {
  /** With its query. It starts below /api/v1; for a route that is not in the table of operations, at the root. */
  path: string;
  /** The JSON body of the request. */
  body?: Readonly<Record<string, unknown>>;
  /** The text fields of the request's form. */
  form?: Readonly<Record<string, string>>;
  status: number;
  /** The JSON of the response, with long lists shortened. Absent for bytes. */
  answer?: unknown;
  /** The size of the whole response of a GET, and the number of its rows if it is a list. */
  bytes?: number;
  rows?: number;
}

/** By the operation's name. An operation that was never recorded is absent. */
export type Examples = Readonly<Record<string, Example>>;

/** Reads the recorded examples. */
export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL("../../../fixtures/api/examples.json", import.meta.url), "utf8"));
