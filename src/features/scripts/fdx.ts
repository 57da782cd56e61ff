// Reads a screenplay in Final Draft's format (.fdx), as Final Draft and the programs that export it write it.
import type { Problem } from "../../core/errors.ts";
import { plural } from "../../core/wording.ts";
import { headingLine, isProse } from "../names/heading_lines.ts";
import { headingBeginning, inCapitals, withoutOmitted } from "../names/heading_words.ts";
import { quoted } from "../names/names.ts";
import { parseEighths } from "../names/page_lengths.ts";
import { endsInTime } from "../names/sluglines.ts";
import { maxNewName } from "../paperwork/asset_list.ts";
import { decodeText } from "../paperwork/bytes.ts";
import { cutText } from "../paperwork/clean_text.ts";
import { Findings } from "../paperwork/findings.ts";
import { UnreadFields } from "../paperwork/unread_fields.ts";
import { remembering } from "../sequences/sequences.ts";
import { kinds, ScriptBuilder, synopsisCategory } from "./builder.ts";
import { type EpisodeScript, episodeCode, episodesIn } from "./episode_parts.ts";
import { type FdxElement, inside, noAttributes, readElements } from "./fdx_elements.ts";
import { FdxTypes, headingType, isOutline, isUnprinted, paragraphType, printedTypes } from "./fdx_types.ts";
import {
  colorOf,
  hasOmittedCard,
  longestKept,
  normalized,
  omittedCard,
  type Revision,
  type Script,
  titledColor,
  warningsOfTitlePage,
} from "./script.ts";

/** What a document takes. */
const maxSynopsis = 10_000;

/** What is read of each element, says how it looks, or comes from dividing the text into pages. */
const readAttributes: Readonly<Record<string, ReadonlySet<string>>> = {
  Paragraph: new Set(
    `Type Number id Alignment FirstIndent Leading LeftIndent RightIndent SpaceBefore Spacing StartsNewPage OutlineLevel`.split(
      " ",
    ),
  ),
  SceneProperties: new Set(["Length", "Number", "Page"]),
};

const hasCapitals = ({ attributes }: FdxElement): boolean => attributes.Style?.split("+").includes("AllCaps") === true;
const numberOf = ({ attributes }: FdxElement): string | null => attributes.Number?.trim() || null;
/** The text of the runs of a paragraph. */
function textOf({ children }: FdxElement): string {
  let text = "";
  for (const child of children)
    if (child.name === "Text") text += hasCapitals(child) ? child.text.toUpperCase() : child.text;
  return text;
}

/** The code of a heading that names an episode; null for another paragraph, undefined for what is not printed. */
function codeOf(paragraph: FdxElement, type: string): string | null | undefined {
  if (type !== "transition" && printedTypes.has(type))
    return paragraph.children.some(({ name, text }) => name === "Text" && /\S/.test(text)) ? null : undefined;
  const text = textOf(paragraph);
  const code = episodeCode(text);
  if (isUnprinted(type)) return isOutline(type) ? code : undefined;
  return code ?? (/\S/.test(text) ? null : undefined);
}

/** Whether a line of a title page speaks of a draft or has a date. */
const saysDraft = (line: string): boolean => /\b(?:r[eé]v|draft|pages?|fassung|seiten)|редакц|\d/i.test(line);

/** Whether a text that is not in capitals is read as a heading and has a time of day, or a name behind INT. */
const looksTyped = (text: string): boolean =>
  headingLine(text) !== undefined && (endsInTime(text) || /^(?:INT|Int|int|EXT|Ext|ext|I\/E)[./] ?\p{Lu}/u.test(text));

/** Whether a text that is printed, and neither a heading nor spoken, has the marks of a heading. */
function looksPrinted(given: string): boolean {
  if (!inCapitals(given)) return !isProse(given) && looksTyped(normalized(given));
  const text = normalized(given);
  return headingBeginning(text)?.words === "own" || headingLine(text)?.isSure === true || hasOmittedCard(text);
}

class FdxReader {
  readonly #root: FdxElement;
  /** What was found beside the script. */
  readonly #found: Problem[];
  #builder = new ScriptBuilder();
  readonly #revisions = new Map<number, Revision>();
  readonly #findings = new Findings();
  readonly #unread = new UnreadFields();
  #unreadTags: { tag: string; line: number }[] = [];
  /** The tags of the current scene. */
  #tags = new Set<string>();
  /** By the number of the tag: the ids of its definitions. */
  readonly #definitionsOf: ReadonlyMap<string, readonly string[]>;
  readonly #categories = new Map<string, string>();
  /** The labels and categories of definitions, by id, as scenes get them. */
  readonly #definitions = new Map<string, { label: string; category: string }>();
  /** The paragraph types that Final Draft prints in capitals. */
  readonly #capitals: ReadonlySet<string>;
  readonly #types: FdxTypes;

  constructor(root: FdxElement, warnings: readonly Problem[]) {
    this.#root = root;
    this.#found = [...warnings];
    const settings = inside(root, "ElementSettings").filter((one) => inside(one, "FontSpec").some(hasCapitals));
    this.#capitals = new Set(settings.map(paragraphType));
    this.#types = new FdxTypes(root);
    for (const { attributes } of inside(root, "Revisions", "Revision")) {
      const { ID = "", Name } = attributes;
      if (/^\d{1,4}$/.test(ID) && Name !== undefined)
        this.#revisions.set(Number(ID), { id: Number(ID), color: colorOf(Name) });
    }
    for (const { attributes } of inside(root, "TagData", "TagCategories", "TagCategory"))
      if (attributes.Id !== undefined && attributes.Name !== undefined)
        this.#categories.set(attributes.Id, attributes.Name);
    for (const { attributes, line } of inside(root, "TagData", "TagDefinitions", "TagDefinition")) {
      const { Id, CatId: category, Label = "" } = attributes;
      if (Id === undefined || category === undefined) continue;
      const most = this.#categories.get(category) === synopsisCategory ? maxSynopsis : maxNewName;
      const label = cutText(normalized(Label), most, (sentence) => this.#found.push({ line, sentence }));
      this.#definitions.set(Id, { label: label.toWellFormed(), category });
    }
    this.#definitionsOf = new Map(
      inside(root, "TagData", "Tags", "Tag").map((tag) => [
        tag.attributes.Number ?? "",
        inside(tag, "DefId").map(({ text }) => text.trim()),
      ]),
    );
  }

  /** The scripts of the file: one, or one for each heading of an episode. */
  readAll(): EpisodeScript[] {
    const paragraphs = inside(this.#root, "Content", "Paragraph");
    const parts = episodesIn(paragraphs.length, (at) => this.#codeAt(paragraphs, at));
    const cut = parts.length === 0 ? [paragraphs] : parts.map(({ from, to }) => paragraphs.slice(from, to));
    const scripts = cut.map((own) => this.#read(own));
    const [first, ...others] = scripts as [Script, ...Script[]]; // one for each part, and one without parts
    const { sentence } = this.#unread;
    const unread = sentence === undefined ? [] : [{ sentence }];
    const titled = warningsOfTitlePage(this.#unreadTitleLines());
    const warnings = [...this.#found, ...first.warnings, ...this.#unusedTags(scripts), ...unread, ...titled];
    return [{ ...first, warnings }, ...others].map((script, at) => ({ ...parts[at], script }));
  }

  #codeAt(paragraphs: readonly FdxElement[], at: number): string | null | undefined {
    const paragraph = paragraphs[at] as FdxElement; // below the length
    return codeOf(paragraph, this.#types.of(paragraph));
  }

  #read(paragraphs: readonly FdxElement[]): Script {
    this.#builder = new ScriptBuilder();
    [this.#unreadTags, this.#tags] = [[], new Set()];
    let afterHeading = false;
    for (const paragraph of paragraphs) {
      const type = this.#types.of(paragraph);
      if (type === headingType) this.#heading(paragraph);
      else if (type === "summary" && afterHeading) this.#builder.synopsis(textOf(paragraph));
      else this.#printed(paragraph);
      afterHeading = type === headingType;
    }
    this.#nameUnread();
    for (const { line, sentence } of this.#types.unknown()) this.#builder.warn(line, sentence);
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
    this.#builder.tally.saw(kinds.heading);
    const text = this.#display(paragraph);
    // The scene that was omitted is under the card that replaces it.
    const isReplaced = inside(paragraph, "OmittedScene").length > 0;
    const omitted = inside(paragraph, "OmittedScene", "Paragraph");
    const former = omitted.find((one) => this.#types.of(one) === headingType);
    const shown = former ?? paragraph;
    const properties = inside(shown, "SceneProperties").at(-1);
    const numbers = [paragraph, former, properties].flatMap((one) => (one && numberOf(one)) ?? []);
    const [number = null] = numbers;
    for (const other of numbers) if (other !== number) this.#unread.saw("a second number of a scene", other);
    if (properties !== undefined) this.#nameAttributes(properties);
    if (normalized(text) === "" && !isReplaced) {
      if (number === null) {
        this.#builder.name(kinds.heading, line, "this scene heading is empty and is not read as a scene");
        return;
      }
      this.#builder.warn(line, `the heading of scene ${number} is empty: it is called SCENE ${number}`);
    }
    const whole = this.#display(shown);
    const given = normalized(whole) || (isReplaced ? "OMITTED" : `SCENE ${number}`);
    this.#nameSecond(whole, line);
    // A number as Fountain has it.
    const [, heading = given, marked = null] = /^([^#]+) #([^#\s]{1,12})#$/.exec(given) ?? [];
    const read = headingLine(heading, marked !== null);
    const card = omittedCard(text) ?? omittedCard(read?.slugline ?? "");
    const kept = read && withoutOmitted(read.slugline);
    const isSeveral = card === undefined && hasOmittedCard(text);
    if (isSeveral) this.#builder.warn(line, `${quoted(normalized(text))} are several cards, which are read as one`);
    const written = marked ?? read?.number ?? null;
    if (number !== null && written !== null && written !== number)
      this.#unread.saw("a second number of a scene", written);
    this.#builder.heading({
      line,
      number: number ?? written ?? card?.number ?? null,
      slugline: kept ?? read?.slugline ?? heading,
      omitted: isReplaced || card !== undefined || kept !== undefined || isSeveral,
      eighths: this.#lengthOf(shown),
    });
    this.#tags = new Set();
    this.#marks(paragraph);
    for (const { text } of inside(shown, "SceneProperties", "Summary", "Paragraph", "Text"))
      this.#builder.synopsis(text);
    this.#dual(paragraph);
    for (const nested of omitted) {
      if (nested === former) this.#marks(nested);
      else this.#printed(nested);
    }
  }

  /** Names a further line of a heading that is itself one. */
  #nameSecond(text: string, line: number): void {
    const [, ...lines] = text.split(/[\n\u2028]/);
    const other = lines.map(normalized).find((one) => headingLine(one) !== undefined);
    if (other !== undefined)
      this.#builder.warn(line, `${quoted(other)} is a further line of a heading and no scene of its own`);
  }

  /** The length that a program has measured; 0 says that it has measured none. */
  #lengthOf(heading: FdxElement): number | null {
    const length = inside(heading, "SceneProperties").at(-1)?.attributes.Length?.trim() ?? "";
    const eighths = parseEighths(length);
    if (length === "") return null;
    this.#builder.tally.saw("length");
    if (eighths !== undefined) this.#builder.tally.took("length");
    else
      this.#builder.name("length", heading.line, `the length ${quoted(length)} is not a number of eighths of a page`);
    return eighths || null;
  }

  #printed(paragraph: FdxElement): void {
    const type = this.#types.of(paragraph);
    if (isUnprinted(type)) return;
    this.#marks(paragraph);
    const { tally } = this.#builder;
    const text = this.#display(paragraph);
    const printed = printedTypes.get(type) ?? "action";
    this.#types.saw(paragraph, type);
    const lines = /\S/.test(text) ? 1 : 0;
    tally.saw(kinds.text, lines);
    if (printed === "character") tally.saw(kinds.cue);
    if (this.#isLikeHeading(type, text)) {
      tally.saw(kinds.heading);
      this.#builder.name(
        kinds.heading,
        paragraph.line,
        `${quoted(normalized(text))} looks like a scene heading and is ${printed}`,
      );
    }
    this.#builder.paragraph(printed, text, paragraph.line, lines);
    this.#dual(paragraph);
  }

  readonly #looksPrinted = remembering(looksPrinted, longestKept);
  /** Whether a paragraph that is printed and no scene has the marks of a heading. */
  #isLikeHeading(type: string, text: string): boolean {
    if (type === headingType) return true;
    if (type === "dialogue" || type === "parenthetical") return false;
    return this.#looksPrinted(text);
  }

  /** The speeches beside each other inside a paragraph. */
  #dual(paragraph: FdxElement): void {
    let speeches = 0;
    if (paragraph.children.length < 2 && paragraph.children[0]?.name === "Text") return; // as almost all
    for (const nested of inside(paragraph, "DualDialogue", "Paragraph")) {
      if (this.#types.of(nested) === "character" && ++speeches > 1) this.#builder.paragraph("dual", "", nested.line, 0);
      this.#printed(nested);
    }
  }

  /** The text as Final Draft prints it: whole types are set in capitals. */
  #display(paragraph: FdxElement): string {
    const text = textOf(paragraph);
    return this.#capitals.size > 0 && this.#capitals.has(paragraphType(paragraph)) ? text.toUpperCase() : text;
  }

  /** Keeps what attributes say that are not read. */
  #nameAttributes({ name, attributes }: FdxElement): void {
    for (const attribute in attributes)
      if (!readAttributes[name]?.has(attribute))
        this.#unread.saw(`${attribute} of ${name}`, attributes[attribute] ?? "");
  }

  /** The tags and the revision sets of a paragraph's runs. What other attributes say is kept. */
  #marks(paragraph: FdxElement): void {
    this.#nameAttributes(paragraph);
    const number = numberOf(paragraph);
    if (number !== null && this.#types.of(paragraph) !== headingType)
      this.#unread.saw("the number of what is no heading", number);
    for (const { name, attributes } of paragraph.children) {
      if (name !== "Text" || attributes === noAttributes) continue;
      const set = this.#revisions.get(Number(attributes.RevisionID) || 0);
      if (set !== undefined) this.#builder.revise(set);
      for (const tag of attributes.TagNumber?.split(/[\s,]+/) ?? []) {
        if (tag === "" || this.#tags.has(tag)) continue;
        this.#tags.add(tag);
        const ids = this.#definitionsOf.get(tag) ?? [];
        this.#findings.mention(ids.length, { line: paragraph.line });
        this.#builder.tally.saw(kinds.tag, Math.max(1, ids.length));
        for (const id of ids.length === 0 ? [""] : ids) this.#tag(id, tag, paragraph.line);
      }
    }
  }

  #tag(definitionId: string, tag: string, line: number): void {
    const { category = "", label = "" } = this.#definitions.get(definitionId) ?? {};
    const name = this.#categories.get(category);
    if (name === undefined || label === "" || !this.#builder.hasScene) this.#unreadTags.push({ tag, line });
    else {
      this.#builder.tag(name, label);
      this.#builder.tally.took(kinds.tag);
    }
  }

  /** Names the tags that have no definition with a label and a category. */
  #nameUnread(): void {
    const [first] = this.#unreadTags;
    const count = this.#unreadTags.length;
    if (first !== undefined) {
      const tags = count === 1 ? `the tag ${quoted(first.tag)} was` : `${count} tags, first ${quoted(first.tag)}, were`;
      this.#builder.name(kinds.tag, first.line, `${tags} ignored: without a label, a category or a scene`, count);
    }
  }

  /** Says that no text has a tag, if the file defines some. */
  #unusedTags(scripts: readonly Script[]): Problem[] {
    const { length } = inside(this.#root, "TagData", "TagDefinitions", "TagDefinition");
    if (length === 0 || scripts.some(({ counts }) => counts[kinds.tag] !== undefined)) return [];
    return [
      {
        line: this.#root.line,
        sentence: `the file defines ${plural(length, "tag")}, and no text of a scene has one`,
      },
    ];
  }

  get #titleLines(): FdxElement[] {
    return inside(this.#root, "TitlePage", "Content", "Paragraph").filter((one) => normalized(textOf(one)) !== "");
  }

  /** The first centred line of the title page, else its first line. */
  #title(): FdxElement | undefined {
    const lines = this.#titleLines;
    return lines.find(({ attributes }) => attributes.Alignment === "Center") ?? lines[0];
  }

  /** The lines of the title page but its title. */
  get #otherLines(): string[] {
    const title = this.#title();
    return this.#titleLines.filter((one) => one !== title).map(textOf);
  }

  /** The lines of the title page that nothing keeps: all but the title and what says the colour. */
  #unreadTitleLines(): string[] {
    const lines = this.#otherLines;
    const colored = lines.find((line) => saysDraft(line) && titledColor([line]) !== null);
    return lines.filter((line) => line !== colored);
  }

  /** The colour in a line of the title page that speaks of a draft or has a date. */
  #titledColor(): string | null {
    return titledColor(this.#otherLines.filter(saysDraft));
  }
}

/**
 * Reads `bytes` as a Final Draft file of root version 1 to 6: one script, or one for each heading that says
 * "EPISODE 101" alone. Takes time in proportion to the bytes. Throws FormatError at the first fault of the XML, at a
 * document type declaration, and at another root element or version; what is wrong inside a script is in its
 * `problems`.
 */
export function readFdxScripts(bytes: Uint8Array): EpisodeScript[] {
  const { text, warnings } = decodeText(bytes);
  const { root, unread } = readElements(text);
  const named = [...unread].map(([name, { line, count }]) => ({
    line,
    sentence: `text in ${quoted(name)} was not read, ${count === 1 ? "once" : `${count} times`}: a script has none there`,
  }));
  return new FdxReader(root, [...warnings, ...named]).readAll();
}
