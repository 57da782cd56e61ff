// The order of names on pages: that which readers expect, whatever the language of the server is.

let collator: Intl.Collator | undefined; // made at its first use: most requests sort no names

/** Compares two names: É is beside E, 2 before 10, and case counts last. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(one, other);
}
