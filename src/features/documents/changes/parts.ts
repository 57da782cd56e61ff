// The engine that changes rows by operations, as the rest of the program calls it once it is chosen.
import { engine } from "../engine.ts";
import { operationsOf } from "./between.ts";
import { updateByOperations } from "./commit.ts";
import { createByOperations } from "./creating.ts";
import { newProduction } from "./creation.ts";
import { loadRecord } from "./record.ts";

const parts = { createByOperations, loadRecord, newProduction, operationsOf, updateByOperations };
export type Parts = typeof parts;

/** From now on this thread changes productions by operations. */
export function useOperations(): void {
  engine.parts = parts;
}
