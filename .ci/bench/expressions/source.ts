// Finds every regular expression in the program's own files: the literals, and the places that build one with RegExp.
import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";

export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface Expression extends Place {
  source: string;
  flags: string;
}

const filesOf = (folder: string): string[] =>
  globSync(`${folder}/**/*.{ts,js}`)
    .filter((file) => !file.endsWith(".d.ts"))
    .sort();

/** The place of a position in a text, as a stack trace names it. */
function placeOf(file: string, text: string, at: number): Place {
  const before = text.slice(0, at);
  return { file, line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

/** Every literal, and every place that builds an expression. Throws if a file cannot be parsed. */
export function expressionsIn(folder: string): { literals: Expression[]; builders: Place[] } {
  const literals: Expression[] = [];
  const builders: Place[] = [];
  for (const file of filesOf(folder)) {
    const text = readFileSync(file, "utf8");
    const { program, errors } = parseSync(file, text);
    if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
    const build = ({ callee, start }: { callee: { type: string; name?: unknown }; start: number }): void => {
      if (callee.type === "Identifier" && callee.name === "RegExp") builders.push(placeOf(file, text, start));
    };
    new Visitor({
      Literal(node) {
        if (!("regex" in node)) return;
        literals.push({ ...placeOf(file, text, node.start), source: node.regex.pattern, flags: node.regex.flags });
      },
      NewExpression: build,
      CallExpression: build,
    }).visit(program);
  }
  return { literals, builders };
}
