// Writes a script as a Final Draft file, in the structure that Final Draft 13 uses. For the checked-in paperwork and
// for the test that compares both formats of one script.
import { formatEighths } from "../../src/features/names/page_lengths.ts";
import type { Script, ScriptScene } from "../../src/features/scripts/script.ts";

/** A label of a tag category, and the words in a scene's text that are tagged with it. */
export interface TagDefinition {
  category: string;
  label: string;
  words: RegExp;
  /** The numbers of the scenes in which the words are tagged. */
  scenes: ReadonlySet<string>;
}

export interface FdxOptions {
  lengths?: ReadonlyMap<string, number>;
  tags?: readonly TagDefinition[];
  /** The colours of the revision sets, numbered from 1. */
  colors?: readonly string[];
  /** The number of the revision set that last changed a paragraph; 0 if there is none. */
  revisionOf?: (scene: ScriptScene, text: string) => number;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] as string);

const typeNames = {
  action: "Action",
  character: "Character",
  parenthetical: "Parenthetical",
  dialogue: "Dialogue",
  lyrics: "Lyrics",
  transition: "Transition",
} as const;

const categoryIds: Record<string, string> = {
  Props: "05c556eb-6bc1-4a3a-b09f-f8b5ba1b6afa",
  Vehicles: "04721a56-f54b-49c8-80ad-d53887d6b851",
  Animals: "09cb0d1c-ce01-4f22-bb64-b5f2e6c491c6",
};

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

class FdxWriter {
  readonly #script: Script;
  readonly #options: FdxOptions;
  readonly #lines: string[] = [];
  readonly #used = new Set<number>();

  constructor(script: Script, options: FdxOptions) {
    this.#script = script;
    this.#options = options;
  }

  write(): string {
    this.#line(0, '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>');
    this.#line(0, '<FinalDraft DocumentType="Script" Template="No" Version="6">');
    this.#line(1, "<Content>");
    for (const scene of this.#script.scenes) this.#scene(scene);
    this.#line(1, "</Content>");
    this.#titlePage();
    this.#revisions();
    this.#tagData();
    this.#line(0, "</FinalDraft>");
    return `${this.#lines.join("\n")}\n`;
  }

  #line(depth: number, text: string): void {
    this.#lines.push("  ".repeat(depth) + text);
  }

  #scene(scene: ScriptScene): void {
    const length = this.#options.lengths?.get(scene.number ?? "");
    const number = scene.number === null ? "" : ` Number="${escaped(scene.number)}"`;
    this.#line(2, `<Paragraph${number} Type="Scene Heading">`);
    if (scene.omitted) this.#line(3, "<Text>OMITTED</Text>");
    if (scene.omitted) this.#line(3, '<OmittedScene><Paragraph Type="Scene Heading">');
    const properties = `<SceneProperties${length === undefined ? "" : ` Length="${formatEighths(length)}"`} Title=""`;
    if (scene.synopsis === null) this.#line(3, `${properties}/>`);
    else {
      const summary = `<Summary><Paragraph><Text RevisionID="0">${escaped(scene.synopsis)}</Text></Paragraph></Summary>`;
      this.#line(3, `${properties}>${summary}</SceneProperties>`);
    }
    this.#line(3, this.#runs(scene, scene.slugline));
    if (scene.omitted) this.#line(3, "</Paragraph></OmittedScene>");
    this.#line(2, "</Paragraph>");
    this.#paragraphs(scene);
  }

  #paragraphs(scene: ScriptScene): void {
    const { paragraphs } = scene;
    for (let at = 0; at < paragraphs.length; at++) {
      const end = this.#endOfDual(scene, at);
      if (end > at) {
        this.#line(2, '<Paragraph Type="General"><DualDialogue>');
        for (; at < end; at++) this.#paragraph(3, scene, at);
        this.#line(2, "</DualDialogue></Paragraph>");
        at--;
      } else this.#paragraph(2, scene, at);
    }
  }

  /** The index after two simultaneous speeches that begin at `at`; `at` if none begin there. */
  #endOfDual({ paragraphs }: ScriptScene, at: number): number {
    if (paragraphs[at]?.type !== "character") return at;
    let dual = false;
    let end = at + 1;
    for (let type = paragraphs[end]?.type; type !== undefined; type = paragraphs[++end]?.type) {
      if (type === "dual") dual = true;
      else if (type === "character" && paragraphs[end - 1]?.type !== "dual") break;
      else if (type === "action" || type === "transition") break;
    }
    return dual ? end : at;
  }

  #paragraph(depth: number, scene: ScriptScene, at: number): void {
    const { type, text } = scene.paragraphs[at] as ScriptScene["paragraphs"][number];
    if (type !== "dual")
      this.#line(depth, `<Paragraph Type="${typeNames[type]}">${this.#runs(scene, text)}</Paragraph>`);
  }

  /** The runs of a paragraph: the first occurrence of each tag's words is a run of its own. */
  #runs(scene: ScriptScene, text: string): string {
    const revision = this.#options.revisionOf?.(scene, text) ?? 0;
    const mark = revision === 0 ? "" : ` RevisionID="${revision}"`;
    let [rest, runs] = [text, ""];
    const found = (this.#options.tags ?? [])
      .map((tag, number) => ({ number, match: tag.scenes.has(scene.number ?? "") ? tag.words.exec(text) : null }))
      .filter(({ match }) => match !== null)
      .sort((a, b) => (a.match as RegExpExecArray).index - (b.match as RegExpExecArray).index);
    for (const { number, match } of found) {
      const words = (match as RegExpExecArray)[0];
      const at = rest.indexOf(words);
      if (at < 0) continue;
      if (at > 0) runs += `<Text${mark}>${escaped(rest.slice(0, at))}</Text>`;
      runs += `<Text${mark} TagNumber="${number + 1}">${escaped(words)}</Text>`;
      rest = rest.slice(at + words.length);
      this.#used.add(number);
    }
    return rest === "" ? runs : `${runs}<Text${mark}>${escaped(rest)}</Text>`;
  }

  #titlePage(): void {
    const lines = [...this.#script.title_page.values()].flatMap((value) => value.split("\n"));
    this.#line(1, "<TitlePage><Content>");
    for (const line of lines)
      this.#line(2, `<Paragraph Alignment="Center"><Text>${escaped(line.replace(/[*_]/g, ""))}</Text></Paragraph>`);
    this.#line(1, "</Content></TitlePage>");
  }

  #revisions(): void {
    const { colors = [] } = this.#options;
    this.#line(1, `<Revisions ActiveSet="${colors.length || 1}" RevisionMode="${colors.length > 0 ? "Yes" : "No"}">`);
    for (const [at, color] of colors.entries())
      this.#line(2, `<Revision ID="${at + 1}" Mark="*" Name="${color} Rev. (mm/dd/yy)"/>`);
    this.#line(1, "</Revisions>");
  }

  #tagData(): void {
    const used = (this.#options.tags ?? []).flatMap((tag, number) => (this.#used.has(number) ? [{ tag, number }] : []));
    const categories = [...new Set(used.map(({ tag }) => tag.category))];
    this.#line(1, "<TagData>");
    this.#line(2, "<TagCategories>");
    for (const [at, name] of categories.entries())
      this.#line(
        3,
        `<TagCategory Id="${categoryIds[name] ?? idOf(900 + at)}" Name="${escaped(name)}" Number="${at + 1}"/>`,
      );
    this.#line(2, "</TagCategories>");
    this.#line(2, "<TagDefinitions>");
    for (const { tag, number } of used) {
      const category = categoryIds[tag.category] ?? idOf(900 + categories.indexOf(tag.category));
      this.#line(
        3,
        `<TagDefinition CatId="${category}" Id="${idOf(number + 1)}" Label="${escaped(tag.label)}" Number="${number + 1}"/>`,
      );
    }
    this.#line(2, "</TagDefinitions>");
    this.#line(2, "<Tags>");
    for (const { number } of used)
      this.#line(3, `<Tag Number="${number + 1}"><DefId>${idOf(number + 1)}</DefId></Tag>`);
    this.#line(2, "</Tags>");
    this.#line(1, "</TagData>");
  }
}

/** The text of a Final Draft file with `script`. */
export const writeFdx = (script: Script, options: FdxOptions = {}): string => new FdxWriter(script, options).write();
