// Collects what a document says that contradicts what is recorded, and that the update therefore leaves as it is.

/** How many things a warning names. */
const maxNamed = 5;

export class Kept {
  readonly #things = new Map<string, Set<string>>();

  /** `sentence` says what stays, and which command changes it. */
  add(thing: string, sentence: string): void {
    const things = this.#things.get(sentence);
    if (things === undefined) this.#things.set(sentence, new Set([thing]));
    else things.add(thing);
  }

  /** A warning for each sentence, with the things that it is about. */
  get warnings(): string[] {
    return [...this.#things].map(([sentence, things]) => {
      const more = things.size > maxNamed ? ` and ${things.size - maxNamed} more` : "";
      return `${[...things].slice(0, maxNamed).join(", ")}${more}: ${sentence}`;
    });
  }
}
