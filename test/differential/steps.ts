// The steps of a comparison, each complete in itself so that it can be kept in a file and done again, and how a program
// does one.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { editFields } from "../support/pages.ts";
import type { Json } from "../support/update.ts";
import type { Subject } from "./subject_process.ts";

export interface GivenFile {
  name: string;
  text: string;
}

/** Who does a step: a key by its name. */
interface ByKey {
  key: string;
}

export type Step =
  /** An import over HTTP. `rehearsed`: it is applied with the revision of a dry run before it. */
  | (ByKey & { do: "import"; query: Record<string, string>; files: readonly GivenFile[]; rehearsed?: boolean })
  | (ByKey & { do: "call"; method: "GET" | "POST"; path: string; body?: Json })
  /** A form of a page with other values in some of its fields. */
  | (ByKey & { do: "form"; page: string; fields: Record<string, string> })
  /** A form of a page with these fields. */
  | (ByKey & { do: "page"; page: string; fields: Record<string, string> })
  /** A command without --data and --json. Its files are in a folder that is named FILES. */
  | { do: "command"; argv: readonly string[]; files?: readonly GivenFile[] };

/** What a program answered to a step. */
export interface Outcome {
  isRefused: boolean;
  status: number;
  /** What is compared of the answer, if it is no refusal. */
  answer?: Json;
  /** Why it was refused. */
  words?: string;
}

export interface Doing {
  subject: Subject;
  data: string;
  now: string;
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

async function outcomeOf(response: Response): Promise<Outcome> {
  const { status } = response;
  const answer = parsed(await response.text());
  return status < 400
    ? { isRefused: false, status, answer }
    : { isRefused: true, status, words: answer?.detail ?? String(answer).slice(0, 2000) };
}

async function doImport({ subject }: Doing, step: Step & { do: "import" }): Promise<Outcome> {
  const send = async (more: Record<string, string>) => {
    const body = new FormData();
    for (const { name, text } of step.files) body.append("files", new Blob([text]), name);
    const query = new URLSearchParams({ ...step.query, ...more });
    return outcomeOf(await subject.fetch(step.key, `/admin/import?${query}`, { method: "POST", body }));
  };
  if (step.rehearsed !== true) return send({});
  const rehearsal = await send({ dry_run: "true" });
  if (rehearsal.isRefused) return rehearsal;
  const applied = await send({ if_revision: rehearsal.answer.revision });
  return applied.isRefused ? applied : { ...applied, answer: { rehearsal: rehearsal.answer, ...applied.answer } };
}

async function call({ subject }: Doing, { key, method, path, body }: Step & { do: "call" }): Promise<Outcome> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  return outcomeOf(await subject.fetch(key, path, init));
}

/** What a page refuses, without its look. */
const textOfPage = (page: string): string =>
  (/role="alert"[^>]*>([\s\S]*?)<\/(?:section|p|div)>/.exec(page)?.[1] ?? "").replace(/<[^>]+>/g, " ").trim();

/** Fields by which a form tells what it showed; each program has its own. */
const isOwn = (name: string): boolean => /^(?:was:|proof$|revision$|shown)/.test(name);

async function sendForm({ subject }: Doing, { key, page, fields }: Step & { do: "form" }): Promise<Outcome> {
  const browser = await subject.browser(key);
  const shown = await browser.get(page);
  if (shown.status !== 200) return { isRefused: true, status: shown.status, words: "the page is not shown" };
  const former = await editFields(browser, page);
  const values = Object.fromEntries(Object.entries(former).filter(([name]) => !isOwn(name)));
  const changed = Object.fromEntries(Object.entries(fields).filter(([name]) => name in values));
  const response = await browser.send(page, { ...former, ...changed });
  const { status } = response;
  const location = response.headers.get("location");
  return status === 303 || status === 302
    ? { isRefused: false, status, answer: { values, location } }
    : { isRefused: true, status, words: textOfPage(await response.text()) };
}

async function sendPage({ subject }: Doing, { key, page, fields }: Step & { do: "page" }): Promise<Outcome> {
  const response = await (await subject.browser(key)).send(page, fields);
  const { status } = response;
  const location = response.headers.get("location");
  return status === 303 || status === 302
    ? { isRefused: false, status, answer: { location } }
    : { isRefused: true, status, words: textOfPage(await response.text()) };
}

/** The folder of the files of commands: the same for both programs. */
const folderOfFiles = (data: string): string => join(dirname(data), "files");

/** Writes the files of a step, before a program does it. */
export function writeFiles(data: string, step: Step): void {
  if (step.do !== "command") return;
  mkdirSync(folderOfFiles(data), { recursive: true });
  for (const { name, text } of step.files ?? []) writeFileSync(join(folderOfFiles(data), name), text);
}

async function command({ subject, data, now }: Doing, { argv }: Step & { do: "command" }): Promise<Outcome> {
  const words = argv.map((word) => word.replace("FILES", folderOfFiles(data)));
  const { status, out, err } = await subject.ask("command", [...words, "--data", data, "--json"], now);
  return status === 0 ? { isRefused: false, status, answer: parsed(out) } : { isRefused: true, status, words: err };
}

/** Does a step at a time. */
export async function doStep(doing: Doing, step: Step): Promise<Outcome> {
  await doing.subject.ask("setTime", doing.now);
  switch (step.do) {
    case "import":
      return doImport(doing, step);
    case "call":
      return call(doing, step);
    case "form":
      return sendForm(doing, step);
    case "page":
      return sendPage(doing, step);
    case "command":
      return command(doing, step);
  }
}

/** A step in a line. */
export function titleOf(step: Step): string {
  const who = "key" in step ? ` by ${step.key}` : "";
  if (step.do === "import")
    return `import of ${step.files.map(({ name }) => name).join(", ")}${who} ${JSON.stringify(step.query)}`;
  if (step.do === "call") return `${step.method} ${step.path}${who}`;
  if (step.do === "page") return `page ${step.page}${who}`;
  return step.do === "form" ? `form of ${step.page}${who}` : step.argv.join(" ");
}
