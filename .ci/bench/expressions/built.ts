// Builds the expressions that the program builds: imports each file that has one, calls what builds another one later,
// and notes what RegExp was given, and where.
import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Expression } from "./source.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What builds an expression only when it is called, each with what it may be given. */
const callers: readonly (() => Promise<unknown>)[] = [
  async () => {
    const { Ignore } = await import("../../../src/agent/ignore.ts");
    new Ignore(["*.tmp", "cache/**", "**/proxies/*.mov", "day_??/*"]);
  },
  async () => {
    const { longerThan, replacing } = await import("../../../src/features/productions/name_pattern.ts");
    for (const name of ["Mira Holt", "Anna-Sofía van der Berg", "Jörg O'Neill"])
      replacing(name, longerThan(name, [`${name} Aarø`]), "somebody");
  },
  async () => {
    const { patternOf } = await import("../../../src/features/pages/pages.ts");
    patternOf("/days/:id/sheet.css");
  },
  async () => {
    const { wholeWords } = await import("../../../src/features/names/names.ts");
    wholeWords(["Mira Holt", "the harbour (old)"], "giu");
  },
];

/** Where the code that called RegExp stands, from the stack of an error. */
function callerIn(stack: string): Pick<Expression, "file" | "line" | "column"> | undefined {
  const [, url = "", line, column] = /\(?(file:[^\s()]+):(\d+):(\d+)\)?$/m.exec(stack) ?? [];
  return url === ""
    ? undefined
    : { file: relative(root, fileURLToPath(url)), line: Number(line), column: Number(column) };
}

/** Every expression that the files build, with the place that builds it. */
export async function builtIn(files: Iterable<string>): Promise<Expression[]> {
  const built: Expression[] = [];
  const original = RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, values, newTarget) {
      const made: RegExp = Reflect.construct(target, values, newTarget);
      const stack = (new Error().stack ?? "").split("\n").slice(2).join("\n");
      const place = callerIn(stack);
      if (place !== undefined) built.push({ ...place, source: made.source, flags: made.flags });
      return made;
    },
  });
  try {
    for (const file of files) await import(pathToFileURL(`${root}/${file}`).href);
    for (const call of callers) await call();
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}
