// Reads scheduling exports (.sex), with which screenwriting and scheduling programs exchange breakdowns: records with a
// type and a length. They contain scenes and their elements, but no schedule. Layout as gabathanasiou/lemon_schedule
// describes it.
import { plural } from "../../core/wording.ts";
import { bufferOf } from "../paperwork/bytes.ts";
import { isCastCategory } from "../paperwork/categories.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../paperwork/partial.ts";
import { UnreadFields } from "../paperwork/unread_fields.ts";
import { listAt, remembering } from "../sequences/sequences.ts";
import { castName, maxScenesText, maxSheets, type Sheet, scenesOfSheets } from "./sheets.ts";

const maxBytes = 64 * 2 ** 20;
const magic = "SSI*";
/** After the magic come ten bytes of version, then the labels of the categories. */
const headerBytes = 14;
/** Programs differ in how many bytes that are no text follow. */
const maxHeaderBytes = 200;
const recordMark = Buffer.from("#\0\0\0", "latin1");
const maxCategories = 256;

const decoder = new TextDecoder("windows-1252");
const latin = (bytes: Buffer): string => decoder.decode(bytes);
/** What bytes say. NULs say nothing. */
const textOf = (bytes: Buffer): string => latin(bytes).replaceAll("\0", "").trim();

/**
 * Where the first label begins: at the first letter before the records, which programs put at byte 14 or a little
 * later.
 */
function firstLabel(file: Buffer): number {
  const records = file.indexOf(recordMark, headerBytes);
  const last = Math.min(maxHeaderBytes, records < 0 ? file.length : records);
  for (let at = headerBytes; at < last; at++) if (/[A-Za-z]/.test(String.fromCharCode(file.readUInt8(at)))) return at;
  return headerBytes;
}

/** The labels of the categories, each ended by a NUL and all of them by one more, and where the records begin. */
function readCategories(file: Buffer, findings: Findings): { categories: string[]; at: number } {
  const categories: string[] = [];
  let at = firstLabel(file);
  for (;;) {
    const end = file.indexOf(0, at);
    if (end < 0) refuse("the file ends in the list of its categories");
    if (end === at) break;
    categories.push(findings.clean(latin(file.subarray(at, end)), 100));
    if (categories.length > maxCategories) refuse(`the file has more than ${maxCategories} categories`);
    at = end + 1;
  }
  while (file[at] === 0) at++;
  return { categories, at };
}

interface SexRecord {
  at: number;
  type: number;
  payload: Buffer;
}

const maxTrailer = 64;

/** A few bytes at the end of the file that are no record. */
const isTrailer = (file: Buffer, at: number): boolean =>
  file.length - at <= maxTrailer && file[at] !== recordMark[0] && file.indexOf(recordMark, at) < 0;

/** Warns of bytes at the end of the file that are no record. NULs, which fill it up, say nothing. */
function nameTrailer(trailer: Buffer, findings: Findings): void {
  if (textOf(trailer) !== "")
    findings.warnOnce(`the last ${plural(trailer.length, "byte")} of the file are no record and were not read`);
}

/** A record: "#" and three NULs, a length that counts the type and what follows it, the type, and the payload. */
function* readRecords(file: Buffer, start: number, findings: Findings): Generator<SexRecord> {
  for (let at = start; at < file.length; ) {
    if (isTrailer(file, at)) {
      nameTrailer(file.subarray(at), findings);
      return;
    }
    if (at + 8 > file.length) refuse(`the file ends inside the record at byte ${at}`);
    if (file.indexOf(recordMark, at) !== at) refuse(`there is no record at byte ${at}, where one must begin`);
    const length = file.readUInt16LE(at + 4);
    if (length < 2) refuse(`the record at byte ${at} has a length of ${length}, and at least 2 is its type`);
    if (at + 6 + length > file.length) refuse(`the file ends inside the record at byte ${at}`);
    yield { at, type: file.readUInt16LE(at + 6), payload: file.subarray(at + 8, at + 6 + length) };
    at += 6 + length;
  }
}

/** A sheet to which records are added. */
interface Scene extends Sheet {
  cast: string[];
  tags: Map<string, string[]>;
}

/**
 * A scene: a byte that counts, then the page, the number and the slugline, each ended by a tab. Other records add to
 * it.
 */
function sceneOf(payload: Buffer, place: string, unread: UnreadFields, findings: Findings): Scene {
  const [page = "", number = "", slugline = "", ...further] = latin(payload.subarray(1)).split("\t");
  unread.saw("the script page of scenes", page);
  for (const text of further) unread.saw("further fields of scenes", text.replaceAll("\0", ""));
  return {
    scenes: findings.clean(number, maxScenesText, place),
    place,
    slugline: findings.clean(slugline, 500, place).toUpperCase(),
    eighths: undefined,
    cast: [],
    tags: new Map(),
  };
}

function scenesOf(records: Iterable<SexRecord>, unread: UnreadFields, findings: Findings): Scene[] {
  const scenes: Scene[] = [];
  for (const { type, payload } of records) {
    if (type === 1) scenes.push(sceneOf(payload, `scene ${scenes.length + 1} of the file`, unread, findings));
    if (scenes.length > maxSheets) refuse(`the file has more than ${maxSheets} scenes`);
  }
  return scenes;
}

/** Adds a record of an element: the scene, the position of its category, and its name. */
function addElement(
  scene: Scene,
  { at, payload }: SexRecord,
  {
    categories,
    isCast,
    unread,
    findings,
  }: {
    categories: readonly string[];
    isCast: (category: string) => boolean;
    unread: UnreadFields;
    findings: Findings;
  },
): void {
  const position = payload.readUInt8(2);
  const category = categories[position];
  const end = payload.indexOf(0, 3);
  const name = latin(payload.subarray(3, end < 0 ? payload.length : end));
  if (end >= 0 && end < payload.length - 1) unread.saw("further bytes of elements", textOf(payload.subarray(end)));
  if (category === undefined)
    findings.name(
      "element",
      `the element at byte ${at} was ignored: its category is number ${position} of ${categories.length}`,
    );
  else if (isCast(category)) scene.cast.push(castName(name, findings));
  else listAt(scene.tags, category).push(findings.clean(name, 300));
}

/** Adds what the records say about the scenes, which are counted from 1. */
function addDetails(
  scenes: readonly Scene[],
  records: Iterable<SexRecord>,
  categories: readonly string[],
  unread: UnreadFields,
  findings: Findings,
): void {
  const others = new Map<number, number>();
  const isCast = remembering(isCastCategory);
  for (const record of records) {
    const { at, type, payload } = record;
    if (type === 1) continue;
    if (type !== 2 && type !== 3) {
      others.set(type, (others.get(type) ?? 0) + 1);
      continue;
    }
    if (payload.length < (type === 2 ? 3 : 6)) refuse(`the record at byte ${at} is too short`);
    const position = payload.readUInt16LE(0);
    const scene = scenes[position - 1];
    if (scene === undefined)
      findings.problem(`the record at byte ${at} is about scene ${position}, and the file has ${scenes.length}`);
    else if (type === 3) {
      scene.eighths = payload.readUInt16LE(4);
      if (payload.length > 6) unread.saw("further bytes of lengths", textOf(payload.subarray(6)));
    } else {
      findings.mention();
      findings.tally.saw("element");
      addElement(scene, record, { categories, isCast, unread, findings });
    }
  }
  for (const [type, count] of others)
    findings.warn(`${plural(count, "record")} of the unknown type ${type} ${count === 1 ? "was" : "were"} not read`);
}

/** Throws FormatError with every problem of the file. */
export function readSex(bytes: Uint8Array, options: ReadOptions): PaperReading {
  const findings = new Findings();
  const file = bufferOf(bytes, maxBytes, "a breakdown");
  if (file.toString("latin1", 0, 4) !== magic)
    refuse("the file is not a scheduling export: it does not begin with SSI*");
  const { categories, at } = readCategories(file, findings);
  const unread = new UnreadFields();
  const read = scenesOf(readRecords(file, at, findings), unread, findings);
  if (read.length === 0) findings.problem("the file has no scenes");
  addDetails(read, readRecords(file, at, findings), categories, unread, findings);
  findings.warnOf(unread);
  return findings.reading(scenesOfSheets(read, options, "white", findings).document);
}
