// Writes the methods of the Python client.
import type { ClientField, ClientOperation } from "./operations.ts";
import { paragraphs, wrapped } from "./texts.ts";

/** The words that no argument of Python can be called. */
const reserved = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self".split(
    " ",
  ),
);
const nameOf = ({ name }: Pick<ClientField, "name">): string => (reserved.has(name) ? `${name}_` : name);

const width = 110;

/** The arguments that a method has besides those of its operation. */
const further = ({ method, forms }: ClientOperation): { name: string; description: string }[] => {
  if (forms.includes("bytes"))
    return [{ name: "into", description: "The file that the bytes are written to; without it, they are returned." }];
  if (method === "GET") return [];
  return [
    {
      name: "idempotency_key",
      description: "A name of this request: again with it within a day, nothing is done twice.",
    },
  ];
};

const shape: Readonly<Record<string, string>> = {
  file: "The path of a file. ",
  files: "The path of a file, or several. ",
};

function docstring(operation: ClientOperation, indent: string): string {
  const described = [
    ...operation.fields.map((field) => ({
      name: nameOf(field),
      description: `${shape[field.place] ?? ""}${field.description}${values(field)}`,
    })),
    ...further(operation),
  ];
  const lines = [
    ...paragraphs(operation.description, width),
    ...(described.length > 0 ? [""] : []),
    ...described.flatMap(({ name, description }) =>
      wrapped(`${name}: ${description}`, width - 4).map((line, at) => (at === 0 ? line : `    ${line}`)),
    ),
  ];
  const text = lines.map((line) => (line === "" ? "" : `${indent}${line}`)).join("\n");
  return `${indent}"""${text.trim().replaceAll("\\", "\\\\").replaceAll('"""', "'''")}\n${indent}"""`;
}

/** The values that a field may have, as a sentence. */
function values({ schema }: ClientField): string {
  const known =
    schema.enum ??
    (typeof schema.items === "object" && schema.items !== null && "enum" in schema.items
      ? schema.items.enum
      : undefined);
  return Array.isArray(known) && known.length <= 12 ? ` One of: ${known.join(", ")}.` : "";
}

function method(operation: ClientOperation): string {
  const required = operation.fields.filter((field) => field.required);
  const optional = [
    ...operation.fields.filter((field) => !field.required).map(nameOf),
    ...further(operation).map(({ name }) => name),
  ];
  const words = [
    "self",
    ...required.map(nameOf),
    ...(optional.length > 0 ? ["*"] : []),
    ...optional.map((name) => `${name}=None`),
  ];
  const given = operation.fields.map((field) => `"${field.name}": ${nameOf(field)}`);
  const more = further(operation).map(({ name }) => `, ${name}=${name}`);
  const call = `        return self._call("${operation.name}", {${given.join(", ")}}${more.join("")})`;
  return `    def ${operation.name}(${words.join(", ")}):\n${docstring(operation, "        ")}\n${call}\n`;
}

/** The methods, as they stand in the class. */
export const pythonMethods = (operations: readonly ClientOperation[]): string =>
  operations.map(method).join("\n").trim();
