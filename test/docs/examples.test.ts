// Runs the commands of every page, in their order, in a folder that shows the checkout and has the demo's data.
// Thorough: only --all runs it.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoFolder } from "../support/app.ts";
import { type Checkout, hasDeno, hasPython, linkCheckout } from "../support/checkout.ts";
import { commandsOf, type Page, pages } from "../support/documentation.ts";

/** The commands that no test runs, and why. */
const notRun: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci$/, "installs the packages of this checkout; the gate starts with it"],
  [
    /^npm (test|run (tools|test:all|test:deno|types|lint|format))\b|^bash \.ci\/run$/,
    "the gate runs it, and it runs this",
  ],
  [/^npm run (bench|growth|soak)\b/, "takes minutes to hours"],
  [/^npm run (expressions|turns)$/, "the gate runs it"],
  [/tally\.example\.lan/, "the address is an example"],
  [/^export TALLYLIGHT_KEY=tl_…$/, "the key is an example"],
];
const isRun = (command: string): boolean => !notRun.some(([pattern]) => pattern.test(command));
/** What this machine lacks for a command. */
const lacks = (command: string): string | undefined => {
  if (!hasPython && command.startsWith("python3 ")) return "python3";
  return !hasDeno && command.startsWith("deno ") ? "deno" : undefined;
};
const serves = (command: string): boolean => command === "npm start" || /\bserve\b/.test(command);

for (const lack of new Set(pages.flatMap((page) => commandsOf(page).flat()).map(lacks)))
  if (lack !== undefined) console.log(`skipped: the commands that need ${lack}, which is not installed`);

/**
 * The steps of a page: each is one command that serves, or the other commands of a block up to there, for one shell.
 */
const stepsOf = (page: Page): string[][] =>
  commandsOf(page).flatMap((block) => {
    const steps: string[][] = [];
    for (const command of block.filter((one) => isRun(one) && lacks(one) === undefined)) {
      const last = steps.at(-1);
      if (last === undefined || serves(command) || last.some(serves)) steps.push([command]);
      else last.push(command);
    }
    return steps;
  });

for (const page of pages) {
  const steps = stepsOf(page);
  if (steps.length === 0) continue;
  const commands = suite(`the commands of ${page.path}, in their order`);
  let checkout: Checkout;
  let stop = async (): Promise<void> => {};

  /** Stops the server that runs, if one does, and starts another. */
  async function serve(command: string): Promise<void> {
    await stop();
    stop = async () => {};
    stop = await checkout.serve(command);
  }

  commands.before(async () => {
    checkout = await linkCheckout();
    const first = steps[0]?.[0] as string;
    if (first === "npm start") return;
    cpSync(await demoFolder(), join(checkout.folder, "data"), { recursive: true }); // so that the demo starts at once
    if (!serves(first)) await serve("npx tallylight demo");
  });
  commands.after(async () => {
    await stop();
    rmSync(checkout.folder, { recursive: true });
  });

  for (const step of steps)
    commands(`work: ${step[0]}${step.length > 1 ? `, and ${step.length - 1} more` : ""}`, async () => {
      const [first = ""] = step;
      if (serves(first)) return serve(first);
      const { status, output } = await checkout.run(step);
      assert.is(status, 0, output);
    });

  commands.run();
}

const list = suite("the list of commands that are not run");

list("names only commands that a page has", () => {
  const written = pages.flatMap((page) => commandsOf(page).flat());
  for (const [pattern] of notRun)
    assert.ok(
      written.some((command) => pattern.test(command)),
      `${pattern}: no page has such a command`,
    );
});

list.run();
