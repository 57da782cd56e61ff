// All operations of the program, for tests that walk the table.
import "../../src/features.ts";
import { allOperations } from "../../src/core/operation_table.ts";

export type { Operation } from "../../src/core/operation.ts";

export const table = await allOperations();
