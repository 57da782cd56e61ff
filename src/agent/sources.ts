// The source of hints between passes: the audit trail if the filespace has one, otherwise the file notifications of the
// system.
import { hasTrail, hintsOf, Trail } from "./audit/trail.ts";
import type { Components } from "./components.ts";
import { codeOrTextOf, isSystemError } from "./errors.ts";
import type { Hint } from "./spool.ts";
import { Watch } from "./watch.ts";

/** So many broken lines of the trail are logged. */
const mostBroken = 20;

export class Sources {
  readonly #parts: Components;
  #trail: Trail | undefined;
  #watch: Watch | undefined;
  #broken = 0;

  constructor(parts: Components) {
    this.#parts = parts;
  }

  /** Chooses the source; to be called before each full pass, which covers what happened until then. */
  async begin(): Promise<void> {
    const { root, log, status } = this.#parts;
    if (this.#trail !== undefined) return;
    if (await hasTrail(root)) {
      this.#trail = new Trail({ root, line: (text) => this.#line(text), broken: (reason) => this.#breakLine(reason) });
      await this.#trail.begin();
      this.#watch?.close();
      this.#watch = undefined;
      status.change({ source: "audit trail" });
      log("source", { source: "audit trail" });
    } else if (this.#watch === undefined) {
      const failed = (reason: string) => log("watch", { reason, consequence: "passes find what is not watched" });
      const hint = (path: string, named: boolean) => this.#add({ path, source: "audit_tail", named });
      this.#watch = new Watch({ root, hint, failed });
      status.change({ source: "watch" });
      log("source", { source: "watch" });
    }
  }

  /** Reads what was added to the trail. */
  async poll(): Promise<void> {
    try {
      await this.#trail?.poll();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#breakLine(`the trail cannot be read: ${codeOrTextOf(error)}`); // the next poll tries again
    }
  }

  /** Is called with each folder before it is read. */
  entered(folder: string): void {
    this.#watch?.entered(folder);
  }

  /** Is called with a path at which no file exists any more. */
  left(path: string): void {
    this.#watch?.left(path);
  }

  close(): void {
    this.#watch?.close();
  }

  #line(text: string): void {
    const hints = hintsOf(text);
    if (hints === undefined) this.#breakLine("a line is not one of the audit trail");
    else for (const hint of hints) this.#add(hint);
  }

  #breakLine(reason: string): void {
    if (++this.#broken <= mostBroken) this.#parts.log("audit_trail", { reason });
    this.#parts.wanted.fullPass = true; // hints may be missing
  }

  #add(hint: Hint): void {
    if (hint.path === "" || this.#parts.ignore.takesAnyOf(hint.path)) return;
    const { spool, alarm } = this.#parts;
    const isFirst = spool.size === 0;
    spool.add(hint);
    if (isFirst) alarm.ring();
  }
}
