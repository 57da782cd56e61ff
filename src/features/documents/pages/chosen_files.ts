// The files of the import page: chosen or dropped, and then kept in the page, so that how they are read can be
// corrected without choosing them again.
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { tooLarge } from "../../../core/errors.ts";
import { decodeBase64 } from "../../../core/http/body.ts";
import { Upload } from "../../../core/inputs.ts";
import { hiddenFields } from "../../pages/form_parts.ts";
import type { Markup } from "../../pages/html.ts";
import { html } from "../../pages/html.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import type { Visit } from "../../pages/visit.ts";
import type { EncodingReading } from "../../paperwork/encodings.ts";
import type { KindReading } from "../../paperwork/importers.ts";
import { importerOf } from "../importers.ts";
import { runJob } from "../jobs/import_job.ts";
import { isListKind, scriptKinds } from "../kinds.ts";
import { kindOfFile } from "../read/file_kinds.ts";
import { importFiles } from "./feature.ts";
import type { KindRead, KindsRequest } from "./kinds_work.ts";

export interface ChosenFile {
  name: string;
  bytes: Buffer;
}

/** Whether the files were kept in the page that sends them. */
const isKept = (form: SubmittedForm): boolean => form.texts("content").length > 0;

/** The files that a form brings, or that its page has kept. */
export async function chosenFiles(visit: Visit, form: SubmittedForm): Promise<ChosenFile[]> {
  const names = form.texts("name");
  const contents = [...form.texts("content").entries()];
  const kept = await visit.each(
    contents,
    ([at, base64]): ChosenFile => ({
      name: names[at] ?? `file ${at + 1}`,
      bytes: decodeBase64(base64, "content", "base64url"),
    }),
  );
  if (kept.reduce((sum, { bytes }) => sum + bytes.length, 0) > importFiles)
    throw tooLarge(`the files must have at most ${importFiles} bytes together`);
  const sent = form.files("files").map(
    async ({ file_name, staged }, at): Promise<ChosenFile> => ({
      name: file_name ?? `file ${at + 1}`,
      bytes: await readFile(staged.file),
    }),
  );
  return [...kept, ...(await Promise.all(sent))];
}

/** The fields that keep the files in the page. */
export const keptFiles = (visit: Visit, files: readonly ChosenFile[]): Promise<Markup[]> =>
  visit.each(files, ({ name, bytes }) => hiddenFields({ name, content: bytes.toString("base64url") }));

/** What a text without a telling name is, by how it begins. */
const looks: readonly (readonly [begins: RegExp, extension: string])[] = [
  [/<FinalDraft\b/, ".fdx"],
  [/^\s*[{[]/, ".json"],
  [/^[^\S\r\n\u2028\u2029]*\.?(?:INT|EXT|EST|I\/E)\b[. ]/im, ".fountain"],
  [/^[^\n]*[,;\t]/, ".csv"],
];

/**
 * What the person says the files are. The kind that a page fills in before a file is chosen counts only for files whose
 * names do not say something else.
 */
export async function kindAsked(form: SubmittedForm, files: readonly ChosenFile[]): Promise<string> {
  const as = form.text("kind") || form.text("as");
  if (as === "" || isKept(form)) return as;
  const own = await Promise.all(files.map(({ name }) => importerOf(name).catch(() => undefined)));
  const fits = own.every((importer) => importer === undefined || (importer.kind === "list" && isListKind(as)));
  return fits ? as : "";
}

/**
 * The name by which a file is read: that of what the person says it is, or of what it looks like, if its own says
 * nothing.
 */
async function nameToRead({ name, bytes }: ChosenFile, as: string, isOnly: boolean): Promise<string> {
  const importer = await importerOf(name);
  const isSaid = isOnly && as !== "" && extname(name).toLowerCase() !== ".json";
  if (isSaid && isListKind(as) && importer?.kind !== "list") return `${name}.csv`;
  if (isSaid && scriptKinds.some((kind) => kind === as) && importer !== undefined && extname(name) !== `.${as}`)
    return `${name}.${as}`;
  const text = bytes.toString("utf8", 0, 4000).replace(/^\ufeff/, "");
  if (
    importer !== undefined ||
    extname(name).toLowerCase() === ".json" ||
    text.includes("\0") ||
    kindOfFile(name, bytes) !== undefined
  )
    return name;
  const [, extension = ""] = looks.find(([begins]) => begins.test(text)) ?? [];
  return `${name}${extension}`;
}

/** The first rows of a file as a kind of list would read them, and the button that says that it is one. */
const kindChoice = ({ kind, table: [names = [], ...rows] }: KindReading): Markup =>
  html`<table><caption><button name="kind" value="${kind}" class="quiet">Read it as ${kind.replaceAll("-", " ")}</button></caption>
<thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td dir="auto">${cell.slice(0, maxShown)}</td>`)}</tr>`)}</tbody></table>`;
/** How much of a cell shows what it is. */
const maxShown = 200;

/** The first lines of a file as an encoding reads them, and the button that says that it is in this one. */
const encodingChoice = ({ encoding, rows }: EncodingReading): Markup =>
  html`<table><caption><button name="charset" value="${encoding}" class="quiet">Read it as ${encoding}</button></caption>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td dir="auto">${cell.slice(0, maxShown)}</td>`)}</tr>`)}</tbody></table>`;

/**
 * The lines that say what each file is read as, and the questions about those of which their headings do not tell it.
 */
export async function kindsRead(
  { context }: Visit,
  files: readonly ChosenFile[],
  uploads: readonly Upload[],
  said: Omit<KindsRequest, "files">,
): Promise<{ read: Markup[]; asked: Markup[] }> {
  const module = new URL("./kinds_work.ts", import.meta.url).href;
  const staged = uploads.map(({ staged, file_name }) => ({ path: staged.file, file: file_name ?? "" }));
  const request: KindsRequest = { files: staged, ...said };
  const kinds: KindRead[] = JSON.parse(await runJob(context, { module, request, is_large: false }));
  const shown: { read: Markup[]; asked: Markup[] } = { read: [], asked: [] };
  for (const [at, { name }] of files.entries()) {
    const kind = kinds[at] ?? [];
    if (typeof kind === "string") shown.read.push(html`<li><b>${name}</b> is read as ${kind}</li>`);
    else if ("encodings" in kind)
      shown.asked.push(
        html`<section><h3>${name} is not UTF-8: choose how its letters are right</h3>${kind.encodings.map(encodingChoice)}</section>`,
      );
    else if (kind.length > 0)
      shown.asked.push(html`<section><h3>${name} may be one of several lists</h3>${kind.map(kindChoice)}</section>`);
  }
  return shown;
}

/** Gives the files to `use`, staged and under the names by which they are read. */
export async function withStaged<T>(
  visit: Visit,
  files: readonly ChosenFile[],
  as: string,
  use: (uploads: Upload[]) => Promise<T>,
): Promise<T> {
  const { blobs } = visit.ctx.app;
  const names = await Promise.all(files.map((file) => nameToRead(file, as, files.length === 1).catch(() => file.name)));
  const uploads = await visit.each(
    files.entries(),
    ([at, { name, bytes }]) => new Upload(names[at] ?? name, blobs.stageBytes(bytes)),
  );
  try {
    return await use(uploads);
  } finally {
    await Promise.all(uploads.map(({ staged }) => blobs.discard(staged)));
  }
}
