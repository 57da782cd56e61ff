// Reads and checks a document from a file, and reports all problems at once, each with its place. Uses no database.
import { constants, isUtf8 } from "node:buffer";
import { readFileSync, type Stats, statSync } from "node:fs";
import * as v from "valibot";
import { CliError } from "../errors.ts";
import type { Reading } from "./apply.ts";
import { checkApprovals } from "./approvals.ts";
import { checkAssets } from "./assets.ts";
import { checkAttachments, folderOf } from "./attachments.ts";
import { checkDeliveries } from "./deliveries.ts";
import { DocumentNames } from "./document_names.ts";
import { checkEngagements } from "./engagements.ts";
import { checkFeeds } from "./feeds.ts";
import { formOf } from "./form.ts";
import { formCheck } from "./form_check.ts";
import { parseDocument } from "./json.ts";
import { checkMoney } from "./money.ts";
import { Problems } from "./problems.ts";
import { checkProduction } from "./production.ts";
import { checkScenes } from "./scenes.ts";
import { documentSchema, type ProductionDocument } from "./schema.ts";
import { checkStorage } from "./storage.ts";
import { Validator } from "./validator.ts";

/** A sound document: every value has its shape and every reference its target. */
export interface ReadDocument {
  file: string;
  /** What the `file` paths of its media start from. */
  folder: string;
  document: ProductionDocument;
  /** What else is written in the transaction of the import. */
  beside?: Reading["beside"];
}

/** The size in bytes of the file at `path`, which errors call `file`. Throws CliError if there is none. */
export function sizeOfFile(path: string, file = path): number {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`); // its folder is closed
  }
  if (found === undefined) throw new CliError(`there is no file ${file}`);
  if (!found.isFile()) throw new CliError(`${file} is not a file`);
  return found.size;
}

/** The text of the file at `path`, which errors call `file`. */
export function textOf(path: string, file = path): string {
  if (sizeOfFile(path, file) > constants.MAX_STRING_LENGTH)
    throw new CliError(
      `${file} is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} MB, the maximum; put the media into files next to the document`,
    );
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (!isUtf8(bytes)) throw new CliError(`${file} is not UTF-8 text`);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString("utf8", marked ? 3 : 0);
}

/** Restores the digits of mtime_ns, the only field that may have long numbers; checkKept reports all others. */
export function takeDigits(value: unknown): void {
  const { storage } = value as { storage?: unknown };
  for (const install of Array.isArray(storage) ? storage : [])
    for (const file of Array.isArray(install?.files) ? install.files : [])
      if (typeof file?.mtime_ns === "bigint") file.mtime_ns = String(file.mtime_ns);
}

/** The checks of the sections, in the order of documents. */
export const checks = [
  checkProduction,
  checkScenes,
  checkAssets,
  checkEngagements,
  checkDeliveries,
  checkApprovals,
  checkMoney,
  checkFeeds,
  checkStorage,
];
const sections = Object.keys(documentSchema.entries);
const form = formOf(documentSchema);
const checkForm = formCheck(documentSchema);

/** A document of another version has another form, so nothing else can be said of it. */
function isOfAnotherVersion(value: object): boolean {
  const { document_version } = value as { document_version?: unknown };
  return typeof document_version === "number" && !v.is(documentSchema.entries.document_version, document_version);
}

/** Every problem of a parsed document, in the document's order, and the document as far as it could be understood. */
function check(value: unknown, folder: string): { problems: string[]; more: number; document: ProductionDocument } {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject) takeDigits(value);
  const problems = new Problems();
  const document = checkForm(value, problems);
  if (isObject && isOfAnotherVersion(value))
    return {
      problems: problems.sentences(document, sections).filter((line) => line.startsWith("document_version ")),
      more: 0,
      document,
    };
  if (isObject && problems.more === 0) {
    const validator = new Validator(document, problems, new DocumentNames(document, problems));
    for (const checkSection of checks) checkSection(validator);
    validator.checkReferences(form);
    checkAttachments(validator, document, folder);
  }
  return { problems: problems.sentences(document, sections), more: problems.more, document };
}

/**
 * Reads and checks the document in `file`. Throws CliError: one sentence for a file that is missing, too large,
 * not UTF-8 or not JSON; otherwise a line for each problem with its place and the names of what stands there, such as
 * "scenes[12] (scene 5A).status must be one of …".
 */
export const readDocument = (file: string): ReadDocument =>
  checkedDocument(parseDocument(textOf(file), file), file, folderOf(file));

/** A parsed document. Throws CliError with every problem. */
export function checkedDocument(value: unknown, file: string, folder: string): ReadDocument {
  const { problems, more, document } = check(value, folder);
  if (problems.length > 0) {
    const count = problems.length === 1 ? "a problem" : `${problems.length + more} problems`;
    const inFile = problems.map((sentence) => ({ file, sentence }));
    throw new CliError(`${file} has ${count}; nothing was imported`, problems, inFile, more);
  }
  return { file, folder, document };
}
