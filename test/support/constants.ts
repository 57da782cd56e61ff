// Reads numeric constants out of the sources, so that documentation can be compared with limits that no module exports.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";

const textOf = (file: string): string => readFileSync(join(root, "src", file), "utf8");

/** Numbers, names of constants of the same file, and units of time, joined by *, ** and <<. */
const expression = "\\w+(?: (?:\\*|\\*\\*|<<) \\w+)*";

function evaluate(file: string, text: string): number {
  const numberOf = (word: string): number =>
    /^\d/.test(word)
      ? Number(word.replaceAll("_", ""))
      : constantOf(/^(?:second|minute|hour|day)$/.test(word) ? "core/times.ts" : file, word);
  const factors = text.split(" * ").map((factor) => {
    const [base = "", operator, exponent = ""] = factor.split(" ");
    if (operator === "<<") return numberOf(base) * 2 ** numberOf(exponent);
    return operator === "**" ? numberOf(base) ** numberOf(exponent) : numberOf(base);
  });
  return factors.reduce((product, factor) => product * factor, 1);
}

/**
 * The value of a constant, a property or a default with a name in a file below src/. Throws an Error if the file has
 * none of that name or its value is not such an expression.
 */
export function constantOf(file: string, name: string): number {
  const found = new RegExp(
    `(?:\\bconst ${name}(?:: \\w+)? =|\\b${name}:|\\b${name} \\?\\?) (${expression})[;,)}\\s]`,
  ).exec(textOf(file));
  const value = found?.[1] === undefined ? Number.NaN : evaluate(file, found[1]);
  if (Number.isNaN(value)) throw new Error(`src/${file} has no numeric constant ${name}`);
  return value;
}

const isLimit =
  /^(?:max|min|most|longest|largest|greatest|fewest|shortest)(?:[A-Z]|$)|(?:[lL]imit|[lL]ifetime|[tT]imeout|[tT]ime|AMinute)$/;

/** The numbers that stand in a schema below src/ where the name of a limit should, as `file: text`. */
export const namelessLimits = (): string[] =>
  globSync("**/*.ts", { cwd: join(root, "src") }).flatMap((file) =>
    [
      ...textOf(file).matchAll(/\bv\.max(?:Length|Value)\([1-9][\d_]+\b|\blist\((?:[^()]|\([^()]*\))*, [1-9][\d_]+\)/g),
    ].map(([text]) => `${file}: ${text}`),
  );

/** Every numeric constant below src/ whose name says that it limits something, as `file name`. */
export const limitConstants = (): string[] =>
  globSync("**/*.ts", { cwd: join(root, "src") })
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .flatMap((file) =>
      [...textOf(file).matchAll(new RegExp(`^(?:export )?const (\\w+)(?:: \\w+)? = ${expression};`, "gm"))]
        .map(([, name = ""]) => name)
        .filter((name) => isLimit.test(name))
        .map((name) => `${file} ${name}`),
    );
