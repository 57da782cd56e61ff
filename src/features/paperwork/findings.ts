// Collects what a reader finds in one file: problems, which refuse it, and warnings, which do not. Bounds how often a
// file names things.
import type { Problem } from "../../core/errors.ts";
import { withCommas } from "../../core/wording.ts";
import { problemText } from "../documents/refusals.ts";
import { type Comparisons, type Near, nearest, quoted } from "../names/names.ts";
import { cutText, oneLineOf } from "./clean_text.ts";
import { type Counts, missingIn, Tally } from "./tally.ts";
import type { UnreadFields } from "./unread_fields.ts";

const maxProblems = 100;

/** A file that cannot be read: up to 100 problems, and how many more there are. */
export class FormatError extends Error {
  readonly problems: readonly Problem[];
  readonly more: number;
  constructor(problems: readonly Problem[], more = 0) {
    const first = problems.slice(0, maxProblems);
    const rest = more + problems.length - first.length;
    super(first.map(problemText).join("\n") + (rest > 0 ? `\nand ${rest} more` : ""));
    this.name = "FormatError";
    this.problems = first;
    this.more = rest;
  }
}

/** The place of a problem, as far as it is known. */
export type FindingPlace = Pick<Problem, "line" | "column">;
/** A sentence, or how to make it: finding a suggestion takes time, and a hostile file has a million problems. */
export type LazySentence = string | (() => string);

/** Why a cell cannot be read. The sentence names the column, unless it is about the whole row. */
export class CellRefusal {
  readonly message: LazySentence;
  readonly ofRow: boolean;
  constructor(message: LazySentence, ofRow = false) {
    this.message = message;
    this.ofRow = ofRow;
  }
}

const maxItems = 100;

const byLine = (one: Problem, other: Problem): number => (one.line ?? 0) - (other.line ?? 0);

class Bounded {
  readonly items: Problem[] = [];
  more = 0;

  /** The first item of each mistake. */
  readonly #mistakes = new Map<string, Problem>();

  add(sentence: LazySentence, place: FindingPlace): void {
    const isKept = this.items.length < maxItems;
    if (!isKept) this.more++;
    if (!isKept && typeof sentence !== "string") return; // to make it takes time
    const item: Problem = { ...place, sentence: typeof sentence === "string" ? sentence : sentence() };
    const mistake = `${place.column}\n${item.sentence}`;
    const first = this.#mistakes.get(mistake);
    if (isKept) this.items.push(item);
    if (isKept && first === undefined) this.#mistakes.set(mistake, item);
    else if (!isKept && first !== undefined) first.again = (first.again ?? 0) + 1;
  }
}

/** More than any production needs: a script of 500 scenes with 50 elements each names 25,000. */
const maxMentions = 200_000;

/** How many pairs of names are compared for one file: of names of 64 letters these take some 40 ms. */
const maxComparisons = 20_000;

/** Keeps 100 problems and 100 warnings, and counts the rest. Counts what the file names, each time that it names it. */
export class Findings {
  readonly tally = new Tally();
  readonly #problems = new Bounded();
  readonly #warnings = new Bounded();
  readonly #comparisons: Comparisons = { left: maxComparisons, isCut: false };
  /** The lines of problems and warnings. */
  readonly #named = new Set<number | undefined>();
  readonly #said = new Set<string>();
  #mentions = 0;

  /** Throws FormatError if the file names too much. */
  mention(count = 1, place: FindingPlace = {}): void {
    this.#mentions += count;
    if (this.#mentions > maxMentions)
      refuse(`the file names scenes and elements more than ${withCommas(maxMentions)} times, the maximum`, place);
  }

  /** Whether the file had more names to compare than are compared. */
  get isCut(): boolean {
    return this.#comparisons.isCut;
  }

  /**
   * The nearest of the known names. Undefined if there is none, and once as many names were compared as one file may
   * cost; a warning says that.
   */
  nearest(name: string, spellings: Iterable<readonly [folded: string, candidate: string]>): Near | undefined {
    if (this.isCut) return undefined;
    const near = nearest(name, spellings, this.#comparisons);
    if (this.isCut)
      this.warn(
        `unknown names were compared with known ones ${withCommas(maxComparisons)} times, the maximum; from ${quoted(name)} on no similar name is given`,
      );
    return near;
  }

  problem(sentence: LazySentence, place: FindingPlace = {}): void {
    this.#named.add(place.line);
    this.#problems.add(sentence, place);
  }

  warn(sentence: LazySentence, place: FindingPlace = {}): void {
    this.#named.add(place.line);
    this.#warnings.add(sentence, place);
  }

  /** Whether a problem or a warning is about a line. */
  hasNamed(line: number): boolean {
    return this.#named.has(line);
  }

  /** Says a sentence once, however often a file gives a reason for it. */
  warnOnce(sentence: string): void {
    if (this.#said.has(sentence)) return;
    this.#said.add(sentence);
    this.warn(sentence);
  }

  /** Warns of what a file says in fields that are not read, if it has such. */
  warnOf({ sentence }: UnreadFields): void {
    if (sentence !== undefined) this.warn(sentence);
  }

  /** A text of another program on one line, of at most `most` characters. A longer one is cut, and named. */
  clean(text: string, most = 500, place = ""): string {
    const line = oneLineOf(text);
    if (line.length <= most) return line;
    return cutText(line, most, (sentence) => this.warnOnce(place === "" ? sentence : `${place}: ${sentence}`));
  }

  /** Warns about `count` things of a kind that were seen and are not read. */
  name(kind: string, sentence: LazySentence, place: FindingPlace = {}, count = 1): void {
    this.tally.named(kind, count);
    this.warn(sentence, place);
  }

  /** In the order of their lines. */
  get warnings(): Problem[] {
    const { items, more } = this.#warnings;
    const sorted = items.toSorted(byLine);
    return more === 0 ? sorted : [...sorted, { sentence: `and ${more} more warnings` }];
  }

  /** Throws FormatError if there is a problem. */
  refuse(): void {
    const { items, more } = this.#problems;
    if (items.length > 0) throw new FormatError(items.toSorted(byLine), more);
  }

  /** What was read, with the warnings and the counts. Throws FormatError if there is a problem. */
  reading<D>(document: D): { document: D; warnings: Problem[]; counts: Counts } {
    this.refuse();
    const { counts } = this.tally;
    for (const sentence of missingIn(counts)) this.warn(sentence);
    return { document, warnings: this.warnings, counts };
  }
}

/** Throws FormatError with one problem. */
export function refuse(sentence: string, place: FindingPlace & Pick<Problem, "choices"> = {}): never {
  throw new FormatError([{ ...place, sentence }]);
}

/**
 * Reports the second and every further row of one key, with the line of the first. Answers whether the row is the
 * first.
 */
export class Repeats {
  readonly #first = new Map<string, { line: number; facts: string | undefined }>();
  readonly #findings: Findings;
  readonly #advice: string;

  constructor(findings: Findings, advice = "") {
    this.#findings = findings;
    this.#advice = advice;
  }

  /**
   * `facts` are what the row says. A row that says the same again is skipped with a warning; without facts, no row is
   * the same.
   */
  isFirst(key: string, name: string, line: number, facts?: unknown): boolean {
    const first = this.#first.get(key);
    const text = facts === undefined ? undefined : JSON.stringify(facts);
    if (first === undefined) {
      this.#first.set(key, { line, facts: text });
      return true;
    }
    if (text !== undefined && text === first.facts)
      this.#findings.warn(
        `${quoted(name)} is listed again with the same facts as on line ${first.line}, and was skipped`,
        {
          line,
        },
      );
    else this.#findings.problem(`${quoted(name)} appears twice, first on line ${first.line}${this.#advice}`, { line });
    return false;
  }
}

/** The warnings of a file as sentences. */
export const warningsIn = (file: string, warnings: readonly Problem[]): string[] =>
  warnings.map((warning) => problemText({ file, ...warning }));
