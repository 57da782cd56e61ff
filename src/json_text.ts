// A type for JSON text that records the type of the value.
declare const shape: unique symbol;

/** JSON text of a T. The type exists only at compile time. */
export type JsonText<T> = string & { readonly [shape]: T };

/** Converts a value to JSON text. */
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>; // safe: it is the text of a T
