// Reads a screenplay in Final Draft's format (.fdx), as Final Draft and the programs that export it write it.
import { headingLine } from "../names/heading_lines.ts";
import { headingBeginning, inCapitals } from "../names/heading_words.ts";
import { quoted } from "../names/names.ts";
import { parseEighths } from "../names/sluglines.ts";
import { decodeText } from "../paperwork/bytes.ts";
import { Findings } from "../paperwork/findings.ts";
import { ScriptBuilder } from "./builder.ts";
import { type FdxElement, inside, readElements } from "./fdx_elements.ts";
import {
  colorOf,
  isOmittedCard,
  normalized,
  type ParagraphType,
  type Revision,
  type Script,
  titledColor,
} from "./script.ts";

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

const hasCapitals = ({ attributes }: FdxElement): boolean => attributes.Style?.split("+").includes("AllCaps") === true;
const typeOf = ({ attributes }: FdxElement): string => attributes.Type ?? "Action";
const numberOf = ({ attributes }: FdxElement): string | null => attributes.Number?.trim() || null;
const textOf = (paragraph: FdxElement): string =>
  inside(paragraph, "Text")
    .map((run) => (hasCapitals(run) ? run.text.toUpperCase() : run.text))
    .join("");

class FdxReader {
  readonly #root: FdxElement;
  readonly #builder = new ScriptBuilder();
  readonly #revisions = new Map<number, Revision>();
  readonly #findings = new Findings();
  /** The tags of the current scene. */
  #tags = new Set<string>();
  /** By the number of the tag: the ids of its definitions. */
  readonly #definitionsOf: ReadonlyMap<string, readonly string[]>;
  readonly #categories = new Map<string, string>();
  /** The labels and categories of definitions, by id, as scenes get them. */
  readonly #definitions = new Map<string, { label: string; category: string }>();
  /** The paragraph types that Final Draft prints in capitals. */
  readonly #capitals: ReadonlySet<string>;

  constructor(root: FdxElement) {
    this.#root = root;
    const settings = inside(root, "ElementSettings").filter((one) => inside(one, "FontSpec").some(hasCapitals));
    this.#capitals = new Set(settings.map(({ attributes }) => attributes.Type ?? ""));
    for (const { attributes } of inside(root, "Revisions", "Revision")) {
      const { ID = "", Name } = attributes;
      if (/^\d{1,4}$/.test(ID) && Name !== undefined)
        this.#revisions.set(Number(ID), { id: Number(ID), color: colorOf(Name) });
    }
    for (const { attributes } of inside(root, "TagData", "TagCategories", "TagCategory"))
      if (attributes.Id !== undefined && attributes.Name !== undefined)
        this.#categories.set(attributes.Id, attributes.Name);
    for (const { attributes } of inside(root, "TagData", "TagDefinitions", "TagDefinition")) {
      const { Id, CatId: category, Label = "" } = attributes;
      if (Id === undefined || category === undefined) continue;
      this.#definitions.set(Id, { label: normalized(Label.slice(0, maxLabel)).toWellFormed(), category });
    }
    this.#definitionsOf = new Map(
      inside(root, "TagData", "Tags", "Tag").map((tag) => [
        tag.attributes.Number ?? "",
        inside(tag, "DefId").map(({ text }) => text.trim()),
      ]),
    );
  }

  read(): Script {
    let afterHeading = false;
    for (const paragraph of inside(this.#root, "Content", "Paragraph")) {
      const type = typeOf(paragraph);
      if (type === "Scene Heading") this.#heading(paragraph);
      else if (type === "Summary" && afterHeading) this.#builder.synopsis(textOf(paragraph));
      else this.#printed(paragraph);
      afterHeading = type === "Scene Heading";
    }
    const { RevisionMode: mode, ActiveSet: set }: FdxElement["attributes"] =
      inside(this.#root, "Revisions")[0]?.attributes ?? {};
    const title = this.#title();
    const active = mode === "Yes" ? this.#revisions.get(Number(set)) : undefined;
    return this.#builder.finish({
      title: title === undefined ? null : textOf(title),
      color: active?.color ?? this.#titledColor(),
    });
  }

  #heading(paragraph: FdxElement): void {
    const { line } = paragraph;
    const text = this.#display(paragraph);
    // The scene that was omitted is under the card that replaces it.
    const isReplaced = inside(paragraph, "OmittedScene").length > 0;
    const omitted = inside(paragraph, "OmittedScene", "Paragraph");
    const former = omitted.find((one) => typeOf(one) === "Scene Heading");
    const shown = former ?? paragraph;
    const number = numberOf(paragraph) ?? (former === undefined ? null : numberOf(former));
    if (normalized(text) === "" && !isReplaced) {
      if (number === null) {
        this.#builder.warn(line, "this scene heading is empty and is not read as a scene");
        return;
      }
      this.#builder.warn(line, `the heading of scene ${number} is empty: it is called SCENE ${number}`);
    }
    const heading = normalized(this.#display(shown)) || (isReplaced ? "OMITTED" : `SCENE ${number}`);
    const read = headingLine(heading);
    this.#builder.heading({
      line,
      number: number ?? read?.number ?? null,
      slugline: number === null || read?.number === null ? (read?.slugline ?? heading) : heading,
      omitted: isReplaced || isOmittedCard(text),
      eighths: parseEighths(inside(shown, "SceneProperties").at(-1)?.attributes.Length ?? "") || null,
    });
    this.#tags = new Set();
    this.#marks(paragraph);
    for (const { text } of inside(shown, "SceneProperties", "Summary", "Paragraph", "Text"))
      this.#builder.synopsis(text);
    for (const nested of omitted) {
      if (nested === former) this.#marks(nested);
      else this.#printed(nested);
    }
  }

  #printed(paragraph: FdxElement): void {
    const type = typeOf(paragraph);
    if (unprinted.test(type)) return;
    this.#marks(paragraph);
    const text = this.#display(paragraph);
    if (type === "Action" && inCapitals(text) && headingBeginning(normalized(text))?.words === "own")
      this.#builder.warn(paragraph.line, `${quoted(normalized(text))} looks like a scene heading and is action`);
    this.#builder.paragraph(types.get(type) ?? "action", text, paragraph.line);
    let speeches = 0;
    for (const nested of inside(paragraph, "DualDialogue", "Paragraph")) {
      if (typeOf(nested) === "Character" && ++speeches > 1) this.#builder.paragraph("dual", "", nested.line);
      this.#printed(nested);
    }
  }

  /** The text as Final Draft prints it: whole types are set in capitals. */
  #display(paragraph: FdxElement): string {
    const text = textOf(paragraph);
    return this.#capitals.has(typeOf(paragraph)) ? text.toUpperCase() : text;
  }

  /** The tags and the revision sets of a paragraph's runs. */
  #marks(paragraph: FdxElement): void {
    for (const { attributes } of inside(paragraph, "Text")) {
      const set = this.#revisions.get(Number(attributes.RevisionID) || 0);
      if (set !== undefined) this.#builder.revise(set);
      for (const tag of attributes.TagNumber?.split(/[\s,]+/) ?? []) {
        if (tag === "" || this.#tags.has(tag)) continue;
        this.#tags.add(tag);
        const ids = this.#definitionsOf.get(tag) ?? [];
        this.#findings.mention(ids.length, { line: paragraph.line });
        for (const id of ids) this.#tag(id);
      }
    }
  }

  #tag(definitionId: string): void {
    const { category = "", label = "" } = this.#definitions.get(definitionId) ?? {};
    const name = this.#categories.get(category);
    if (name !== undefined && label !== "") this.#builder.tag(name, label);
  }

  get #titleLines(): FdxElement[] {
    return inside(this.#root, "TitlePage", "Content", "Paragraph").filter((one) => normalized(textOf(one)) !== "");
  }

  /** The first centred line of the title page, else its first line. */
  #title(): FdxElement | undefined {
    const lines = this.#titleLines;
    return lines.find(({ attributes }) => attributes.Alignment === "Center") ?? lines[0];
  }

  /** The colour in a line of the title page that speaks of a draft or has a date. */
  #titledColor(): string | null {
    const title = this.#title();
    const lines = this.#titleLines.filter((one) => one !== title).map(textOf);
    return titledColor(lines.filter((line) => /\b(?:rev|draft|pages?)|\d/i.test(line)));
  }
}

/**
 * Reads `bytes` as a Final Draft file of root version 1 to 6. Takes time in proportion to the bytes. Throws FormatError
 * at the first fault of the XML, at a document type declaration, and at another root element or version; what is wrong
 * inside the script is in its `problems`.
 */
export const readFdx = (bytes: Uint8Array): Script => new FdxReader(readElements(decodeText(bytes))).read();
