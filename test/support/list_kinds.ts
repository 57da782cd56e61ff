// The kinds of lists that the program writes.
import { lists } from "../../src/features/lists/feature.ts";

export const exportKinds = lists.exporters?.kinds ?? [];
