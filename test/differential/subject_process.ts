// Starts a program that is compared, asks it, and sends it requests and forms.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Visitor, visitor } from "../support/pages.ts";
import { runtime } from "../support/runtime.ts";
import type { Checkout } from "./checkouts.ts";
import { tokenOf } from "./keys.ts";
import type { Asked, Questions } from "./subject.ts";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

type Answered<N extends keyof Questions> = Awaited<ReturnType<Questions[N]>>;

export class Subject {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #url = "";
  #browsers = new Map<string, Promise<Visitor>>();

  private constructor(name: string, { root }: Checkout) {
    this.name = name;
    this.#child = fork(fileOf("subject.ts"), [root], {
      execArgv: [...runtime, "--import", fileOf("preload.ts")],
      env: { ...process.env, COMPARED_ROOT: root },
      serialization: "advanced",
    });
    this.#child.on("message", ({ id, answer, error }: { id: number; answer: unknown; error?: string }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(`${name}: ${error}`));
    });
    this.#child.on("exit", (status) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${name} ended with status ${status}`));
    });
  }

  static async start(name: string, checkout: Checkout): Promise<Subject> {
    const subject = new Subject(name, checkout);
    await subject.#promise(0); // it has loaded
    return subject;
  }

  #promise(id: number): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  async ask<N extends keyof Questions>(name: N, ...given: Parameters<Questions[N]>): Promise<Answered<N>> {
    const id = ++this.#last;
    const answer = this.#promise(id);
    this.#child.send({ id, name, given } satisfies Asked);
    return (await answer) as Answered<N>; // the answer to the question of that name
  }

  async open(data: string, now: string): Promise<void> {
    this.#url = await this.ask("open", data, now);
    this.#browsers = new Map();
  }

  /** Sends a request below /api/v1 with a key. */
  fetch(key: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${tokenOf(key)}`, ...(init.headers as Record<string, string>) };
    return fetch(`${this.#url}/api/v1${path}`, { ...init, headers });
  }

  /** A browser that is signed in with a key. */
  browser(key: string): Promise<Visitor> {
    const signIn = async () => {
      const browser = visitor({ url: this.#url });
      await browser.send("/signin", { key: tokenOf(key) });
      return browser;
    };
    const found = this.#browsers.get(key) ?? signIn();
    this.#browsers.set(key, found);
    return found;
  }

  end(): void {
    this.#child.disconnect();
  }
}
