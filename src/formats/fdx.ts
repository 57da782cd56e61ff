// Reads a screenplay in Final Draft's format (.fdx), as Final Draft and the programs that export it write it.
import { parseEighths } from "../document/sections/scene_text.ts";
import { ScriptBuilder } from "./builder.ts";
import { decodeText } from "./bytes.ts";
import { type FdxFile, type FdxParagraph, FdxWalker } from "./fdx_elements.ts";
import { Findings } from "./findings.ts";
import { isOmittedCard, normalized, type ParagraphType, type Revision, type Script } from "./script.ts";

const chunkLength = 65_536;

const types: ReadonlyMap<string, ParagraphType> = new Map([
  ["Character", "character"],
  ["Dialogue", "dialogue"],
  ["Parenthetical", "parenthetical"],
  ["Transition", "transition"],
  ["Lyrics", "lyrics"],
  ["Singing", "lyrics"],
]);
/** Longer than any label of a tag; a longer one is cut. */
const maxLabel = 1000;
/** What is never printed in a script. */
const unprinted = /^(?:Outline\b.*|Note|Summary|Beat|Synopsis)$/;

const textOf = (paragraph: FdxParagraph): string => paragraph.runs.map(({ text }) => text).join("");

/** The colour in a revision set's name: "Blue Rev. (03/30/20)" is blue, "2nd Pink (mm/dd/yyyy)" is 2nd pink. */
export function colorOf(name: string): string {
  const given = normalized(name.slice(0, 100)).toLowerCase();
  const plain = given.replace(/\([^)]*\)?/g, " ").replace(/\b(?:rev(?:isions?|ised)?|draft|pages?)\b\.?/g, " ");
  return plain.replace(/\s+/g, " ").trim() || given || "revised";
}

class FdxReader {
  readonly #file: FdxFile;
  readonly #builder = new ScriptBuilder();
  readonly #revisions: ReadonlyMap<number, Revision>;
  readonly #findings = new Findings();
  /** The tags of the current scene. */
  #tags = new Set<string>();
  /** The labels of definitions, by id, as scenes get them. */
  readonly #labels = new Map<string, string>();

  constructor(file: FdxFile) {
    this.#file = file;
    this.#revisions = new Map([...file.revisions].map(([id, name]) => [id, { id, color: colorOf(name) }]));
  }

  read(): Script {
    let afterHeading = false;
    for (const paragraph of this.#file.paragraphs) {
      if (paragraph.type === "Scene Heading") this.#heading(paragraph);
      else if (paragraph.type === "Summary" && afterHeading) this.#builder.synopsis(textOf(paragraph));
      else this.#printed(paragraph);
      afterHeading = paragraph.type === "Scene Heading";
    }
    const fields = this.#titlePage();
    return this.#builder.finish(fields.get("title") ?? null, fields);
  }

  #heading(paragraph: FdxParagraph): void {
    const { line, number, omitted } = paragraph;
    const text = this.#display(paragraph);
    if (normalized(text) === "" && omitted === null) {
      this.#builder.warn(line, "this scene heading is empty and is not read as a scene");
      return;
    }
    const former = omitted?.find(({ type }) => type === "Scene Heading");
    const shown = former ?? paragraph;
    this.#builder.heading({
      line,
      number: number ?? former?.number ?? null,
      slugline: normalized(this.#display(shown)) || "OMITTED",
      omitted: omitted !== null || isOmittedCard(text),
      eighths: parseEighths(shown.length ?? "") || null,
    });
    this.#tags = new Set();
    this.#marks(paragraph);
    for (const summary of shown.summary) this.#builder.synopsis(summary);
    for (const nested of omitted ?? []) {
      if (nested === former) this.#marks(nested);
      else this.#printed(nested);
    }
  }

  #printed(paragraph: FdxParagraph): void {
    const { type, line, dual } = paragraph;
    if (unprinted.test(type)) return;
    this.#marks(paragraph);
    this.#builder.paragraph(types.get(type) ?? "action", this.#display(paragraph), line);
    let speeches = 0;
    for (const nested of dual ?? []) {
      if (nested.type === "Character" && ++speeches > 1) this.#builder.paragraph("dual", "", nested.line);
      this.#printed(nested);
    }
  }

  /** The text as Final Draft prints it: whole types are set in capitals. */
  #display(paragraph: FdxParagraph): string {
    const text = textOf(paragraph);
    return this.#file.capitals.has(paragraph.type) ? text.toUpperCase() : text;
  }

  /** The tags and the revision sets of a paragraph's runs. */
  #marks({ runs, line }: FdxParagraph): void {
    for (const { tags, revision } of runs) {
      const set = this.#revisions.get(revision);
      if (set !== undefined) this.#builder.revise(set);
      for (const tag of tags) {
        if (this.#tags.has(tag)) continue;
        this.#tags.add(tag);
        const ids = this.#file.tags.get(tag) ?? [];
        this.#findings.mention(ids.length, { line });
        for (const id of ids) this.#tag(id.trim());
      }
    }
  }

  #tag(definitionId: string): void {
    const definition = this.#file.definitions.get(definitionId);
    const category = this.#file.categories.get(definition?.category ?? "");
    let label = this.#labels.get(definitionId);
    if (label === undefined) {
      label = normalized((definition?.label ?? "").slice(0, maxLabel)).toWellFormed();
      this.#labels.set(definitionId, label);
    }
    if (category !== undefined && label !== "") this.#builder.tag(category, label);
  }

  /** The title is the first centred line; the authors follow "written by" and similar lines. */
  #titlePage(): Map<string, string> {
    const lines = this.#file.titlePage
      .map((paragraph) => ({ text: normalized(textOf(paragraph)), centered: paragraph.centered }))
      .filter(({ text }) => text !== "");
    const fields = new Map<string, string>();
    const title = lines.find(({ centered }) => centered) ?? lines[0];
    if (title === undefined) return fields;
    fields.set("title", title.text);
    const credit = lines.findIndex(({ text }) => /\bby\s*:?$/i.test(text));
    const author = lines[credit + 1];
    if (credit >= 0 && author !== undefined)
      fields.set("credit", (lines[credit] as typeof title).text).set("author", author.text);
    return fields;
  }
}

/**
 * Reads `bytes` as a Final Draft file of root version 1 to 6. Takes time in proportion to the bytes. Throws FormatError
 * at the first fault of the XML, at a document type declaration, and at another root element or version; what is wrong
 * inside the script is in its `problems`.
 */
export function readFdx(bytes: Uint8Array): Script {
  const text = decodeText(bytes);
  const walker = new FdxWalker();
  for (let at = 0; at < text.length; at += chunkLength) walker.write(text.slice(at, at + chunkLength));
  return new FdxReader(walker.close()).read();
}
