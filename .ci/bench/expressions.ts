// npm run expressions: every regular expression of the program is proven linear by recheck, or a doubling test of npm
// run growth names it (.ci/bench/growth/expressions.ts).
import { existsSync } from "node:fs";
import { check } from "recheck";
import { builtIn } from "./expressions/built.ts";
import { type Expression, expressionsIn, type Place } from "./expressions/source.ts";

// The checker as a program takes a fifth of the time of the one in JavaScript, which runs everywhere. Neither needs
// Java.
const isProgram = existsSync(new URL("../tools/node_modules/recheck-linux-x64", import.meta.url));
process.env.RECHECK_BACKEND = isProgram ? "native" : "pure";

/**
 * In milliseconds: on a machine that is not loaded, each of those that are proven takes less than a hundredth of it.
 */
const timeout = 120_000;

const textOf = ({ source, flags }: Expression): string => `/${source}/${flags}`;
const placeOf = ({ file, line }: Place): string => `${file}:${line}`;

/** Why an expression is not proven linear; undefined if it is. */
async function doubtIn(source: string, flags: string): Promise<string | undefined> {
  try {
    const found = await check(source, flags, { checker: "automaton", timeout });
    if (found.status === "safe") return undefined;
    if (found.status === "vulnerable") return `${found.complexity.summary}, such as ${found.attack.pattern}`;
    return `undecided: ${found.error.kind}${"message" in found.error ? `, ${found.error.message}` : ""}`;
  } catch (error) {
    return `undecided: ${String(error)}`;
  }
}

const { literals, builders } = expressionsIn("src");
const built = await builtIn(new Set(builders.map(({ file }) => file)));
const { namedExpressions } = await import("./growth/expressions.ts"); // imports the program, so only now
const problems: string[] = [];
for (const place of builders)
  if (!built.some(({ file, line, column }) => file === place.file && line === place.line && column === place.column))
    problems.push(`${placeOf(place)} builds an expression, and nothing in .ci/bench/expressions/built.ts calls it`);

const used = new Set<string>();
const doubts = new Map<string, string | undefined>();
for (const expression of new Map([...literals, ...built].map((one) => [placeOf(one) + textOf(one), one])).values()) {
  const text = textOf(expression);
  const named = namedExpressions.find(({ file, names }) => file === expression.file && names(text));
  if (named !== undefined) {
    used.add(named.title);
    continue;
  }
  if (!doubts.has(text)) doubts.set(text, await doubtIn(expression.source, expression.flags));
  const doubt = doubts.get(text);
  if (doubt !== undefined) problems.push(`${placeOf(expression)} ${text}\n     ${doubt}`);
}
for (const { title } of namedExpressions)
  if (!used.has(title)) problems.push(`${title}: a doubling test names it, and no file has it`);

for (const problem of problems) console.log(`bad  ${problem}`);
console.log(
  `${literals.length} literals, and ${builders.length} places that build ${built.length}; ${used.size} have a doubling test`,
);
console.log(`${literals.length + built.length} passed, ${problems.length} failed`);
process.exit(problems.length === 0 ? 0 : 1);
