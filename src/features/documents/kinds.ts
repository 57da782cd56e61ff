// The kinds of lists and of scripts, and what a document without a file name is called.

/** What messages and the history call a document that a request or a form of a page has as its body. */
export const unnamedDocument = "the document";

/** The kinds of lists. */
export const listKinds = [
  "schedule",
  "people",
  "vendors",
  "deliveries",
  "assets",
  "purchase-orders",
  "cost-report",
  "scenes",
  "breakdown",
  "cast",
  "departments",
  "approvals",
] as const;

export type ListKind = (typeof listKinds)[number];

/** The formats of scripts that are text: a file with another extension can be said to be one of them. */
export const scriptKinds = ["fountain", "fdx"] as const;

export type ScriptKind = (typeof scriptKinds)[number];

export const isListKind = (kind: unknown): kind is ListKind => listKinds.some((known) => known === kind);
