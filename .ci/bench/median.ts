// The median of measured figures.

/** Of an even number of figures, the higher one of the two in the middle. */
export const median = (figures: readonly number[]): number =>
  figures.toSorted((one, other) => one - other)[figures.length >> 1] as number; // there is one at least
