// The kinds of lists that the program reads, and those that it writes.
import "../../src/features.ts";
import { exportedKinds } from "../../src/features/documents/kinds.ts";

export const exportKinds = exportedKinds(["whole", "of episodes too"]);
