// Walks the XML of a Final Draft file: reports the paragraphs, tags and revision sets in the order of the file, and skips everything
// else (notes, alternates, outlines, beat boards, headers).
import { SaxesParser } from "saxes";
import { withCommas } from "../spelling.ts";
import { FormatError } from "./findings.ts";

/** A run of text with what marks it. */
export interface Run {
  text: string;
  /** The numbers of its tags. */
  tags: readonly string[];
  /** The number of the revision set that last changed it; 0 for none. */
  revision: number;
}

export interface FdxParagraph {
  type: string;
  number: string | null;
  line: number;
  runs: Run[];
  length: string | null;
  centered: boolean;
  summary: string[];
  /** The paragraphs of the scene that was omitted, under the card that replaces it. */
  omitted: FdxParagraph[] | null;
  /** The paragraphs of two speeches side by side. */
  dual: FdxParagraph[] | null;
}

export interface FdxFile {
  paragraphs: FdxParagraph[];
  titlePage: FdxParagraph[];
  revisions: Map<number, string>;
  /** By the number of the tag: the ids of its definitions. */
  tags: Map<string, string[]>;
  /** By id. */
  definitions: Map<string, { label: string; category: string }>;
  /** By id. */
  categories: Map<string, string>;
  /** The paragraph types that Final Draft prints in capitals. */
  capitals: Set<string>;
}

type Attributes = Record<string, string>;

const maxDepth = 100;
const maxElements = 1_000_000;
const maxParagraphs = 200_000;

/**
 * What an element is, by the role of its parent. An element without an entry is passed over with everything inside it:
 * headings also occur in notes, alternates and beats, and arc beats nest inside headings.
 */
const roleNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  file: { FinalDraft: "root" },
  root: {
    Content: "content",
    TitlePage: "titlePage",
    Revisions: "revisions",
    TagData: "tagData",
    ElementSettings: "settings",
  },
  content: { Paragraph: "paragraph" },
  titlePage: { Content: "titleContent" },
  titleContent: { Paragraph: "titleParagraph" },
  titleParagraph: { Text: "text" },
  paragraph: { Text: "text", SceneProperties: "properties", DualDialogue: "dual", OmittedScene: "omitted" },
  properties: { Summary: "summary" },
  summary: { Paragraph: "summaryParagraph" },
  summaryParagraph: { Text: "summaryText" },
  dual: { Paragraph: "paragraph" },
  omitted: { Paragraph: "paragraph" },
  revisions: { Revision: "revision" },
  tagData: { TagCategories: "categories", TagDefinitions: "definitions", Tags: "tags" },
  categories: { TagCategory: "category" },
  definitions: { TagDefinition: "definition" },
  tags: { Tag: "tag" },
  tag: { DefId: "definitionId" },
  settings: { FontSpec: "font" },
};

/** The same as maps, in which a stranger's element names find nothing but these. */
const roles = new Map(Object.entries(roleNames).map(([parent, names]) => [parent, new Map(Object.entries(names))]));

const hasStyle = (style: string | undefined, wanted: string): boolean => style?.split("+").includes(wanted) === true;

const tooMany = (most: number, what: string): string => `there are more than ${withCommas(most)} ${what} in the file`;

export class FdxWalker {
  readonly file: FdxFile = {
    paragraphs: [],
    titlePage: [],
    revisions: new Map(),
    tags: new Map(),
    definitions: new Map(),
    categories: new Map(),
    capitals: new Set(),
  };
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #roles: (string | undefined)[] = ["file"];
  /** The paragraphs that are open: a card, the paragraph of the scene omitted inside it. */
  readonly #open: FdxParagraph[] = [];
  #tag: string | undefined;
  #element = "";
  #elements = 0;
  #paragraphs = 0;
  /** Where the tag that is being read begins. */
  #line = 1;

  constructor() {
    const parser = this.#parser;
    parser.on("error", ({ message }) => {
      throw this.#fault(`this is not well-formed XML: ${message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")}`);
    });
    parser.on("doctype", () => {
      throw this.#fault("a document type declaration is not read: Final Draft writes none");
    });
    parser.on("opentagstart", ({ name }) => {
      // The character after the name is read by now, and may be a line break.
      this.#line = parser.columnIndex === 0 ? parser.line - 1 : parser.line;
      if (this.#roles.length > maxDepth) throw this.#fault(`elements are nested deeper than ${maxDepth} levels`);
      if (++this.#elements > maxElements) throw this.#fault(tooMany(maxElements, "elements"));
      const role = roles.get(this.#roles.at(-1) ?? "")?.get(name);
      this.#roles.push(role);
      if (this.#roles.length === 2 && role === undefined)
        throw this.#fault(`the file's root element is ${name.slice(0, 100)}, not FinalDraft`);
    });
    parser.on("opentag", ({ attributes }) => this.#begin(this.#roles.at(-1), attributes));
    parser.on("text", (text) => this.#text(this.#roles.at(-1), text));
    parser.on("cdata", (text) => this.#text(this.#roles.at(-1), text));
    parser.on("closetag", () => this.#end(this.#roles.pop()));
  }

  /** Takes the next piece of the file. Throws FormatError at the first fault. */
  write(text: string): void {
    this.#parser.write(text);
  }

  close(): FdxFile {
    this.#parser.close();
    return this.file;
  }

  #fault(sentence: string): FormatError {
    return new FormatError([{ line: this.#parser.line, sentence }]);
  }

  #begin(role: string | undefined, attributes: Attributes): void {
    const current = this.#open.at(-1);
    if (role === "root") this.#checkVersion(attributes.Version);
    else if (role === "paragraph" || role === "titleParagraph") this.#beginParagraph(attributes);
    else if (role === "text") {
      const { TagNumber = "", RevisionID = "0", Style } = attributes;
      const tags = TagNumber.split(/[\s,]+/).filter((tag) => tag !== "");
      current?.runs.push({ text: "", tags, revision: Number(RevisionID) || 0 });
      this.#element = hasStyle(Style, "AllCaps") ? "capitals" : "";
    } else if (role === "properties" && current !== undefined) current.length = attributes.Length ?? null;
    else if (role === "summaryText") current?.summary.push("");
    else if (role === "dual" && current !== undefined) current.dual ??= [];
    else if (role === "omitted" && current !== undefined) current.omitted ??= [];
    else this.#beginRecord(role, attributes);
  }

  #beginRecord(
    role: string | undefined,
    { ID, Id, Name, Number: number, CatId, Label, Type, Style }: Attributes,
  ): void {
    const { revisions, categories, definitions, tags, capitals } = this.file;
    if (role === "revision" && /^\d{1,4}$/.test(ID ?? "") && Name !== undefined) revisions.set(Number(ID), Name);
    else if (role === "category" && Id !== undefined && Name !== undefined) categories.set(Id, Name);
    else if (role === "definition" && Id !== undefined && CatId !== undefined)
      definitions.set(Id, { label: Label ?? "", category: CatId });
    else if (role === "tag") {
      this.#tag = number ?? "";
      tags.set(this.#tag, []);
    } else if (role === "definitionId" && this.#tag !== undefined) tags.get(this.#tag)?.push("");
    else if (role === "settings") this.#element = Type ?? "";
    else if (role === "font" && hasStyle(Style, "AllCaps")) capitals.add(this.#element);
  }

  #beginParagraph({ Type, Number: number, Alignment }: Attributes): void {
    if (++this.#paragraphs > maxParagraphs) throw this.#fault(tooMany(maxParagraphs, "paragraphs"));
    const paragraph: FdxParagraph = {
      type: Type ?? "Action",
      number: number?.trim() || null,
      line: this.#line,
      runs: [],
      length: null,
      centered: Alignment === "Center",
      summary: [],
      omitted: null,
      dual: null,
    };
    this.#siblings()?.push(paragraph);
    this.#open.push(paragraph);
  }

  /** The list that a paragraph joins by the role of its parent. */
  #siblings(): FdxParagraph[] | null | undefined {
    const parent = this.#roles.at(-2);
    if (parent === "content") return this.file.paragraphs;
    if (parent === "titleContent") return this.file.titlePage;
    return parent === "dual" ? this.#open.at(-1)?.dual : this.#open.at(-1)?.omitted;
  }

  #text(role: string | undefined, text: string): void {
    const current = this.#open.at(-1);
    if (role === "text") {
      const run = current?.runs.at(-1);
      if (run !== undefined) run.text += this.#element === "capitals" ? text.toUpperCase() : text;
    } else if (role === "summaryText" && current !== undefined)
      current.summary.push(`${current.summary.pop() ?? ""}${text}`);
    else if (role === "definitionId") {
      const ids = this.file.tags.get(this.#tag ?? "");
      ids?.push(`${ids.pop() ?? ""}${text}`);
    }
  }

  #end(role: string | undefined): void {
    if (role === "paragraph" || role === "titleParagraph") this.#open.pop();
  }

  #checkVersion(version: string | undefined): void {
    if (version !== undefined && !/^[1-6]$/.test(version))
      throw this.#fault(`version ${version.slice(0, 20)} of Final Draft's format is not read, only 1 to 6`);
  }
}
