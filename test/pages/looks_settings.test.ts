// Every page of the settings, in windows of four widths. Skipped with a message without Chromium, and on Deno.
// SHOTS=folder saves pictures.
// Thorough: only --all runs it.
import { reasonToSkip, skipped } from "../support/chromium.ts";
import { testLooks } from "../support/page_looks.ts";

if (reasonToSkip === undefined) await testLooks((path) => path.startsWith("/settings"));
else skipped("the looks of the settings were");
