// Keeps values in memory for a time, and not more than a number of them: the oldest go first.

export class ShortLived<V> {
  readonly #clock: () => number;
  readonly #lifetime: number;
  readonly #max: number;
  readonly #entries = new Map<string, { value: V; until: number }>();

  /** `lifetime` is in milliseconds. */
  constructor(clock: () => number, { lifetime, max }: { lifetime: number; max: number }) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#max = max;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#max) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until: this.#clock() + this.#lifetime });
  }

  get(key: string): V | undefined {
    const found = this.#entries.get(key);
    return found !== undefined && found.until > this.#clock() ? found.value : undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
