// Writes the example of an operation as a command of a shell, with the key in the variable KEY.
import { uploadField } from "../../../core/http/request_files.ts";
import { basePath } from "../../../core/http/request_head.ts";
import type { Operation } from "../../../core/operation.ts";
import type { Example } from "../recorded_examples.ts";

/** A word of a POSIX shell that stands for exactly this text. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The parts of the command that give the body; none for a GET and for an operation without a body. */
function bodyParts(row: Operation, { body, form }: Partial<Example>): string[] {
  if (row.method === "GET") return [];
  const file = uploadField(row);
  if (form !== undefined || file !== undefined) {
    const texts = Object.entries(form ?? {}).map(([name, text]) => `-F ${quoted(`${name}=${text}`)}`);
    return file === undefined ? texts : [...texts, `-F ${quoted(`${file.name}=@FILE`)}`];
  }
  if (body === undefined) return ["-X POST"];
  return [`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`];
}

/** The command of an operation at `path`, which begins below /api/v1. `origin` is that of the server. */
export function curlCommand(origin: string, row: Operation, path: string, example: Partial<Example> = {}): string {
  const key = '-H "Authorization: Bearer $KEY"';
  const address = quoted(origin + basePath + path);
  return [`curl ${address}`, key, ...bodyParts(row, example)].join(" \\\n  ");
}
