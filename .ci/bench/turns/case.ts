// What the measurement of turns knows of a request: what is at its limit, and how to ask for it.
import type { TestServer } from "../../../test/support/app.ts";
import type { Visitor } from "../../../test/support/pages.ts";
import type { Ids } from "./production.ts";

export interface Asked {
  /** From the root of the server. */
  path: string;
  method?: string;
  /** Sent as it is; an object that is no form is sent as JSON. */
  body?: object | string | FormData | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** Whether the answer does not end: only its beginning is read. */
  isStream?: true;
  /** Who asks: the production's admin by default. */
  key?: string;
  /** The statuses that the request may have; a 2xx by default. */
  statuses?: readonly number[];
}

/** A request at its limits. */
export interface TurnCase {
  /** What is at its limit. */
  size: string;
  /** The request of an attempt. What it does before is not measured. */
  ask(attempt: number): Asked | Promise<Asked>;
  /** It does not reach the bound: what it takes at most, as a ratio to it, and why. */
  beyond?: { ratio: number; why: string };
}

/** What the cases are made with. */
export interface Measured {
  server: Pick<TestServer, "url" | "store">;
  ids: Ids;
  /** Keys of the large production: of its admin, of a person, and of a vendor. */
  keys: { admin: string; person: string; vendor: string };
  /** Sends a request that is not measured, and returns its answer. */
  send(asked: Asked): Promise<unknown>;
  /** The same, for an answer that is its headers. */
  create(asked: Asked): Promise<Headers>;
  /** Browsers: of the admin, who came by a link, of a person, and of a vendor. */
  admin: Visitor;
  person: Visitor;
  vendor: Visitor;
}

/** One case, or several. */
export type Cases = Readonly<Record<string, TurnCase | readonly TurnCase[]>>;

/** The cases of what has a name. Throws an Error if there is none. */
export function casesFor(cases: Cases, name: string): readonly TurnCase[] {
  const found = cases[name];
  if (found === undefined) throw new Error("has no case at its limits");
  return [found].flat();
}
