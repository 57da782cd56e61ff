// The limits of JSON in documents and lists.
import { bodyLimits, type JsonLimits } from "../../core/json.ts";

/** The limits of documents: any depth, which is checked later, with its place. */
export const documentLimits = (values = Number.POSITIVE_INFINITY): JsonLimits => ({
  ...bodyLimits(),
  depth: Number.POSITIVE_INFINITY,
  values,
  keys: Number.POSITIVE_INFINITY,
  noun: "the documents of an import",
});

/** Those of JSON in a cell of a list: no field that a list has is read with more digits than a number keeps. */
export const cellLimits = (): JsonLimits => ({ ...documentLimits(), digits: 0 });
