// Every page in a window of 320 pixels. Skipped with a message without Chromium, and on Deno. SHOTS=folder saves pictures.
import { reasonToSkip, skipped } from "../support/chromium.ts";
import { testLooks } from "../support/page_looks.ts";

if (reasonToSkip === undefined) await testLooks(320);
else skipped("the looks of the pages were");
