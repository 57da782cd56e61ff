// Writes LucidLink's audit trail as a client would: in pieces, with a rotation at any byte.
import { appendFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

export interface Action {
  action: string;
  path: string;
  target?: string;
}

export class TrailWriter {
  readonly #folder: string;
  #file: string;
  #begin: number;

  constructor(root: string, node = "3f2a9c", begin = Date.UTC(2026, 10, 21, 9, 0)) {
    this.#folder = join(root, ".lucid_audit", node, "2026", "11");
    mkdirSync(this.#folder, { recursive: true });
    this.#begin = begin;
    this.#file = this.#path();
    this.write("");
  }

  #path(): string {
    const begin = new Date(this.#begin).toISOString().slice(0, 19).replaceAll(":", ".");
    return join(this.#folder, `${begin}Z.log`);
  }

  /** The text of one line. */
  line({ action, path, target }: Action): string {
    const operation = { action, entryPath: `/${path}`, fileId: "77", ...(target && { targetPath: `/${target}` }) };
    const user = { name: "ada", id: "ada@example.com" };
    const device = { hostName: "cart-1", osName: "macOS", osVersion: "15.1" };
    const event = { filespace: "show.example", nodeId: "3f2a9c", filespaceUuid: "u-1" };
    return `${JSON.stringify({ timestamp: this.#begin * 1000, user, device, event, operation })}\n`;
  }

  /** Appends bytes to the active file. */
  write(text: string | Uint8Array): void {
    appendFileSync(`${this.#file}.active`, text);
  }

  act(...actions: Action[]): void {
    this.write(actions.map((action) => this.line(action)).join(""));
  }

  /** Closes the active file and begins the next one. */
  rotate(): void {
    renameSync(`${this.#file}.active`, this.#file);
    this.#begin += 15 * 60_000;
    this.#file = this.#path();
    this.write("");
  }
}
