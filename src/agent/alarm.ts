// Waits for a time, or until another part of the agent ends the wait early.
export class Alarm {
  #wake: (() => void) | undefined;
  #rung = false;

  /** Ends the wait that is under way, or the next one. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Waits for so many milliseconds at the most; throws the signal's reason as soon as it is aborted. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#rung)
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, milliseconds);
        signal.addEventListener("abort", end, { once: true });
        this.#wake = end;
      });
    this.#wake = undefined;
    this.#rung = false;
    signal.throwIfAborted();
  }
}
