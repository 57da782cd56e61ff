// Reads files of the tests whole and damaged, and asserts that whatever the reader saw it took or named.
import * as fc from "fast-check";
import type { Problem } from "../../src/core/errors.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import type { Counts } from "../../src/features/paperwork/tally.ts";
import { assertCounted } from "./counted.ts";
import { assertProperty, sampling } from "./sampling.ts";

type Read = (bytes: Uint8Array) => { counts: Counts; warnings: readonly Problem[] };

/** Asserts it of the file as it is, and of the file with a piece cut out, another one in its place, or a part twice. */
export function assertCountedDamaged(read: Read, bytes: Uint8Array, file: string): void {
  assertCounted(read(bytes), file);
  const most = Math.max(0, bytes.length - 1);
  assertProperty(
    fc.property(fc.nat(most), fc.integer({ min: -60, max: 60 }), fc.string({ maxLength: 3 }), (at, cut, mark) => {
      const rest = bytes.subarray(Math.max(0, at + cut)); // what is cut off below 0 is there twice
      try {
        assertCounted(read(Buffer.concat([bytes.subarray(0, at), Buffer.from(mark), rest])), file);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }),
    sampling(40, 4),
  );
}
