// A document from a file, or every reason why it is none: each problem with its place, all of them at once.
// Knows no database.
import { constants, isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import * as v from "valibot";
import { CommandRefusal } from "../errors.ts";
import { sentences } from "../inputs.ts";
import { checkApprovals } from "./approvals.ts";
import { checkAssets } from "./assets.ts";
import { checkAttachments, folderOf } from "./attachments.ts";
import { Checking } from "./checking.ts";
import { checkDeliveries } from "./deliveries.ts";
import { checkEngagements } from "./engagements.ts";
import { checkFeeds } from "./feeds.ts";
import { checkKept, digitsOf, parseJson } from "./json.ts";
import { checkMoney } from "./money.ts";
import { checkProduction } from "./production.ts";
import { checkScenes } from "./scenes.ts";
import { documentSchema, type ProductionDocument } from "./schema.ts";
import { checkStorage } from "./storage.ts";

/** A sound document: every value has its shape and every reference its target. */
export interface ReadDocument {
  file: string;
  /** What the `file` paths of its media start from. */
  folder: string;
  document: ProductionDocument;
}

function textOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandRefusal(`there is no file ${file}`);
  if (!found.isFile()) throw new CommandRefusal(`${file} is not a file`);
  if (found.size > constants.MAX_STRING_LENGTH)
    throw new CommandRefusal(
      `${file} is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} MB, the most that is read in one piece; keep media as files beside the document`,
    );
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new CommandRefusal(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (!isUtf8(bytes)) throw new CommandRefusal(`${file} is not UTF-8 text`);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString("utf8", marked ? 3 : 0);
}

/** Gives the one place where long digits belong its digits; anywhere else checkKept reports them. */
function takeDigits(value: unknown): void {
  const { storage } = value as { storage?: unknown };
  for (const install of Array.isArray(storage) ? storage : [])
    for (const file of Array.isArray(install?.files) ? install.files : [])
      if (file?.mtime_ns !== undefined) file.mtime_ns = digitsOf(file.mtime_ns);
}

/** Every problem of a parsed document, in the order of reading, and the document as far as it could be understood. */
function judge(value: unknown, folder: string): { problems: string[]; document: ProductionDocument } {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject) takeDigits(value);
  const lost: string[] = [];
  checkKept(value, (place, sentence) => lost.push(`${place} ${sentence}`));
  const { output, issues = [] } = v.safeParse(documentSchema, value);
  const document = output as ProductionDocument;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problems: sentences(issues), document };
  const checking = new Checking(document, issues);
  checkProduction(checking);
  checkScenes(checking);
  checkAssets(checking);
  checkEngagements(checking);
  checkDeliveries(checking);
  checkApprovals(checking);
  checkMoney(checking);
  checkFeeds(checking);
  checkStorage(checking);
  checkAttachments(checking, folder);
  return { problems: [...lost, ...sentences(issues), ...checking.problems], document };
}

/**
 * Reads and checks the document in `file`. Throws CommandRefusal: one sentence for a file that is missing, too large,
 * not UTF-8 or not JSON; otherwise a line for each problem, naming its place ("scenes[12].status must be one of …").
 */
export function readDocument(file: string): ReadDocument {
  const value = parseJson(textOf(file), file);
  const folder = folderOf(file);
  const { problems, document } = judge(value, folder);
  if (problems.length > 0) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    throw new CommandRefusal(`${file} has ${count}; nothing was imported`, problems);
  }
  return { file, folder, document };
}
