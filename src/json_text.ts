// JSON text that carries the type of the value it holds.
declare const shape: unique symbol;

/** JSON text of a T. The type exists for the compiler alone. */
export type JsonText<T> = string & { readonly [shape]: T };

/** A value as JSON text. */
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>; // JSON.stringify made it of a T
