// Reads the XML of a Final Draft file into a tree of the elements that scripts are read from, and skips everything else
// (notes, alternates, outlines, beat boards, headers).
import { SaxesParser } from "saxes";
import { withCommas } from "../../core/wording.ts";
import { refuse } from "../paperwork/findings.ts";

export interface FdxElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  line: number;
  /** Without that of the elements inside it. */
  text: string;
  children: readonly FdxElement[];
}

/** Most elements have no attributes or no elements inside, and a file has many: they share these. */
export const noAttributes: FdxElement["attributes"] = {};
const noChildren: FdxElement["children"] = [];

/** The text of a paragraph that stands beside its runs, or without any, is a run. */
const run: FdxElement = { name: "Text", attributes: noAttributes, line: 0, text: "", children: noChildren };

function addTo(parent: FdxElement, child: FdxElement): void {
  if (parent.children === noChildren) parent.children = [child];
  // an element is open while it is read, so its list is this one
  else (parent.children as FdxElement[]).push(child);
}

/** What is kept inside an element, by name. */
interface Shape {
  [name: string]: Shape;
}

const text: Shape = { Text: {} };
const paragraph: Shape = { ...text, SceneProperties: { Summary: { Paragraph: text } } };
paragraph.DualDialogue = { Paragraph: paragraph };
paragraph.OmittedScene = { Paragraph: paragraph };

/**
 * Headings also occur in notes, alternates and beats, and arc beats nest inside headings: what is not named here is
 * skipped with all inside it.
 */
const file: Shape = {
  FinalDraft: {
    Content: { Paragraph: paragraph },
    TitlePage: { Content: { Paragraph: text } },
    Revisions: { Revision: {} },
    TagData: {
      TagCategories: { TagCategory: {} },
      TagDefinitions: { TagDefinition: {} },
      Tags: { Tag: { DefId: {} } },
    },
    ElementSettings: { FontSpec: {}, Behavior: {} },
  },
};

/** Elements inside the script whose text is never printed: notes, arcs, alternates. The text of any other is named. */
const unprinted = /^(?:ScriptNote|SceneArcBeats|AttributedTitle|DynamicLabel|Alt\w*)$/;

const chunkLength = 65_536;
const maxDepth = 100;
const limits = { elements: 1_000_000, paragraphs: 200_000 };

/** What stands in a script where no script has text, by the name of the element around it. */
export type UnreadText = ReadonlyMap<string, { line: number; count: number }>;

/**
 * The root element of a file, and the text inside its script that no element of it has. Throws FormatError at the first
 * fault.
 */
export function readElements(xml: string): { root: FdxElement; unread: UnreadText } {
  const parser = new SaxesParser({ xmlns: false });
  const top: FdxElement = { name: "", attributes: noAttributes, line: 1, text: "", children: noChildren };
  /** The elements around the current place; undefined for one that is skipped. */
  const open: ({ element: FdxElement; shape: Shape } | undefined)[] = [{ element: top, shape: file }];
  const unread = new Map<string, { line: number; count: number }>();
  /** The outermost of the elements that are skipped now, if it is inside the script and its text may be printed. */
  let skipped: string | undefined;
  let inScript = false;
  const counts = { elements: 0, paragraphs: 0 };
  let line = 1;
  let shape: Shape | undefined;
  const fault = (sentence: string) => refuse(sentence, { line: parser.line });
  const count = (what: keyof typeof limits) => {
    if (++counts[what] > limits[what]) fault(`there are more than ${withCommas(limits[what])} ${what} in the file`);
  };
  const nameUnread = (name: string) => {
    const { line, count } = unread.get(name) ?? { line: parser.line, count: 0 };
    unread.set(name, { line, count: count + 1 });
  };
  const addText = (text: string) => {
    const { element } = open.at(-1) ?? {};
    const name = element === undefined ? skipped : element.name;
    if (element?.name === "Text" || name === undefined || !/\S/.test(text)) {
      if (element !== undefined) element.text += text;
    } else if (element?.name === "Paragraph") addTo(element, { ...run, line: parser.line, text });
    else if (inScript) nameUnread(name);
    else if (element !== undefined) element.text += text;
  };
  parser.on("error", ({ message }) =>
    fault(`this is not well-formed XML: ${message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")}`),
  );
  parser.on("doctype", () => fault("a document type declaration is not read: Final Draft writes none"));
  parser.on("opentagstart", ({ name }) => {
    // The character after the name is read by now, and may be a line break.
    line = parser.columnIndex === 0 ? parser.line - 1 : parser.line;
    if (open.length > maxDepth) fault(`elements are nested deeper than ${maxDepth} levels`);
    count("elements");
    const known = open.at(-1)?.shape ?? {};
    shape = Object.hasOwn(known, name) ? known[name] : undefined;
    if (open.length === 1 && shape === undefined)
      fault(`the file's root element is ${name.slice(0, 100)}, not FinalDraft`);
  });
  parser.on("opentag", ({ name, attributes }) => {
    const parent = open.at(-1)?.element;
    if (open.length === 2) inScript = name === "Content";
    if (parent === undefined || shape === undefined) {
      if (parent !== undefined) skipped = unprinted.test(name) ? undefined : name;
      open.push(undefined);
      return;
    }
    const { Version: version } = attributes;
    if (parent === top && version !== undefined && !/^[1-6]$/.test(version))
      fault(`version ${version.slice(0, 20)} of Final Draft's format is not read, only 1 to 6`);
    if (name === "Paragraph" && parent.name !== "Summary") count("paragraphs");
    const own = Object.keys(attributes).length === 0 ? noAttributes : attributes;
    const element: FdxElement = { name, attributes: own, line, text: "", children: noChildren };
    addTo(parent, element);
    open.push({ element, shape });
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => void open.pop());
  for (let at = 0; at < xml.length; at += chunkLength) parser.write(xml.slice(at, at + chunkLength));
  parser.close();
  return { root: top.children[0] as FdxElement, unread }; // a document without a root is not well-formed
}

/** The elements at a path inside another, in the order of the file. */
export const inside = ({ children }: FdxElement, name: string, ...path: readonly string[]): FdxElement[] => {
  const found = children.filter((child) => child.name === name);
  const [next, ...rest] = path;
  return next === undefined ? found : found.flatMap((child) => inside(child, next, ...rest));
};
