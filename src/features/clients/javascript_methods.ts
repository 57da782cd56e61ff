// Writes the methods of the JavaScript client.
import type { ClientOperation } from "./operations.ts";

/** The name of the method of an operation: list_scenes is listScenes. */
export const methodName = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The methods, as they stand in the class. tallylight.d.ts describes their arguments. */
export const javascriptMethods = (operations: readonly ClientOperation[]): string =>
  operations
    .map(({ name, description }) => {
      const [summary = ""] = description.split("\n", 1);
      const call = `return this.call("${name}", input);`;
      return `  /** ${summary.replaceAll("*/", "*\\/")} */\n  ${methodName(name)}(input) {\n    ${call}\n  }\n`;
    })
    .join("\n")
    .trim();
