// Collects the problems of one document, each once, in the order of the document. The first 200 are kept, the others are counted.
import { namedPlace, nameOfPlace } from "./places.ts";

export interface PlacedProblem {
  place: string;
  sentence: string;
}

const maxKept = 200;
const printable = (text: string): string => text.replace(/\p{Cc}/gu, " ");

export class Problems {
  readonly #found: PlacedProblem[] = [];
  readonly #byPlace = new Map<string, Set<string>>();
  #more = 0;

  /** Adds what is wrong at a place; a problem that is there already is not added again. */
  add(place: string, sentence: string): void {
    const known = this.#byPlace.get(place);
    if (known?.has(sentence)) return;
    if (this.#found.length === maxKept) {
      this.#more++;
      return;
    }
    if (known === undefined) this.#byPlace.set(place, new Set([sentence]));
    else known.add(sentence);
    this.#found.push({ place, sentence });
  }

  /** Whether anything is wrong. */
  get any(): boolean {
    return this.#found.length > 0;
  }

  /** How many were found and not kept. If there are any, no value of the document can be relied on. */
  get more(): number {
    return this.#more;
  }

  /** Counts problems that are not kept. */
  addMore(count: number): void {
    this.#more += count;
  }

  /** The same problems, to which others can be added. */
  copy(): Problems {
    const copy = new Problems();
    for (const { place, sentence } of this.#found) copy.add(place, sentence);
    copy.addMore(this.#more);
    return copy;
  }

  /** What was kept, in the order in which it was found. */
  get list(): readonly PlacedProblem[] {
    return this.#found;
  }

  /** Whether something is wrong at this very place. */
  has = (place: string): boolean => this.#byPlace.size > 0 && this.#byPlace.has(place);

  /** The problems as sentences that begin with their place, in the order of `described`. */
  sentences(document: unknown, sections: readonly string[]): string[] {
    return this.described(document, sections).map(({ sentence }) => sentence);
  }

  /** The problems with the names of their things, sections in the order of `sections`, things by their index. */
  described(document: unknown, sections: readonly string[]) {
    const rank = new Map(sections.map((section, at) => [section, at]));
    const orderOf = (place: string): [section: number, at: number] => {
      const [, section = "", at = "-1"] = /^(\w*)(?:\[(\d+)\])?/.exec(place) ?? [];
      return [rank.get(section) ?? sections.length, Number(at)];
    };
    return this.#found
      .map((problem) => ({ ...problem, order: orderOf(problem.place) }))
      .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1])
      .map(({ place, sentence }) => ({
        place: printable(place),
        name: nameOfPlace(document, place),
        message: printable(sentence),
        sentence: printable(`${place === "" ? "the document" : namedPlace(document, place)} ${sentence}`),
      }));
  }
}
