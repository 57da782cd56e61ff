// Reads the EPSF container of Movie Magic Scheduling: sections, each of which has a header of 34 bytes and then XML
// compressed by raw deflate, or a picture.
import { constants, inflateRawSync } from "node:zlib";
import { codeOf } from "../../core/errors.ts";
import { bufferOf } from "../paperwork/bytes.ts";
import { type Findings, refuse } from "../paperwork/findings.ts";

const fileMark = "EPSF FILE";
const sectionMark = Buffer.from("/********* EPSF SECTION *********/");
const headerBytes = 34;

const limits = { file: 64 * 2 ** 20, sections: 1000, inflated: 48 * 2 ** 20 };

function splitSections(file: Buffer): Buffer[] {
  const starts: number[] = [];
  for (let at = file.indexOf(sectionMark); at >= 0; at = file.indexOf(sectionMark, at + 1)) {
    starts.push(at);
    if (starts.length > limits.sections) refuse(`the file has more than ${limits.sections} sections`);
  }
  return starts.map((start, at) => file.subarray(start + sectionMark.length, starts[at + 1] ?? file.length));
}

const startsAsXml = (bytes: Buffer): boolean => /^\ufeff?\s*</.test(bytes.toString("utf8", 0, 100));

/** Whether the first bytes inflate to XML. Pictures of the cast are in other sections and do not. */
function isXml(deflated: Buffer): boolean {
  try {
    const head = deflated.subarray(0, 256);
    return startsAsXml(inflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 20 }));
  } catch {
    return false;
  }
}

function inflate(deflated: Buffer, name: string, maxOutputLength: number): Buffer {
  try {
    return inflateRawSync(deflated, { maxOutputLength });
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE")
      refuse(`the file holds more than ${limits.inflated / 2 ** 20} MiB when it is decompressed`);
    return refuse(`${name} is damaged or cut off`);
  }
}

/**
 * The XML texts of the file's sections, in its order. Throws FormatError if it is no such file, or one of them is
 * damaged.
 */
export function readSections(bytes: Uint8Array, findings: Findings): string[] {
  const file = bufferOf(bytes, limits.file, "a schedule");
  if (!file.subarray(0, 1024).includes(fileMark))
    refuse("the file is not a Movie Magic Scheduling file of version 5 or 6: it does not begin with EPSF FILE");
  const texts: string[] = [];
  let left = limits.inflated;
  let foreign = 0;
  for (const [at, section] of splitSections(file).entries()) {
    const deflated = section.subarray(headerBytes);
    if (!isXml(deflated)) {
      foreign++;
      continue;
    }
    const inflated = inflate(deflated, `section ${at + 1} of the file`, left);
    left -= inflated.length;
    texts.push(inflated.toString("utf8").replace(/^\ufeff/, ""));
  }
  if (foreign > 0)
    findings.warn(`${foreign} of the file's sections were not read: they hold pictures or nothing that is known`);
  return texts;
}
