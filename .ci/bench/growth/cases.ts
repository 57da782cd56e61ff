// What npm run growth measures: cases, each of which opens an input of a size and returns what is done with it.

/** One thing that is done with an input. */
export interface Step {
  name: string;
  /** Whether it can be done again with the same result. */
  repeats: boolean;
  run(): unknown;
}

export interface Case {
  name: string;
  /** The size of the smallest input. */
  size: number;
  /** Makes an input of a size. */
  open(size: number): Promise<{ steps: readonly Step[]; close(): void }>;
}

export const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1));

/** The case of a reader: `open` makes a file of a size, and returns what reads it. */
export const reader = (name: string, size: number, open: (size: number) => () => unknown): Case => ({
  name,
  size,
  open: async (count) => ({ steps: [{ name: "read", repeats: true, run: open(count) }], close() {} }),
});
