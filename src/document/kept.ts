// Collects what a document says that contradicts what is recorded, and that the update therefore leaves as it is.

/** How many things a warning lists. */
const named = 5;

export class KeptValues {
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
      const more = things.size > named ? ` and ${things.size - named} more` : "";
      return `${[...things].slice(0, named).join(", ")}${more}: ${sentence}`;
    });
  }
}
