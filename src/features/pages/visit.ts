// A visit: one request for a page by a signed-in person. It runs rows of the table of operations, as every transport
// does, so a page gets nothing that the session's key could not get.
import { hash } from "node:crypto";
import type * as v from "valibot";
import { holds, type Scope } from "../../core/access/callers.ts";
import { Bytes } from "../../core/answers.ts";
import { type Attempt, attemptOf } from "../../core/attempts.ts";
import type { Context } from "../../core/context.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import type { EngagementId } from "../../core/ids.ts";
import { validate } from "../../core/inputs.ts";
import { inTurns } from "../../core/limits.ts";
import type { InputSchema, TypedOperation } from "../../core/operation.ts";
import { authorize, authorizePath, perform } from "../../core/pipeline.ts";
import { frozenSince } from "../../core/store/transactions.ts";
import { compareNames } from "../../core/wording.ts";
import { dateAt, type Zone } from "../../core/zones.ts";
import { getMe } from "../../graph/me.ts";
import { getProduction, zoneOf } from "../../graph/production.ts";
import { csrfToken } from "./form.ts";
import { html, type Markup, withAttribute } from "./html.ts";
import type { Refused, SubmittedForm } from "./page.ts";
import { seeSessionAs } from "./sessions.ts";

/** The document that a row answers. */
export type OutputOf<R extends { output: v.GenericSchema }> = v.InferOutput<R["output"]>;

/** How many names are sorted in one step. */
const sortedAtOnce = 1000;

/** The tags of the rows that an open page has, with spaces between them. */
const rowsHeader = "tallylight-rows";

/** What the schema of a field takes, as far as a form can give it. */
type FieldSchema = v.GenericSchema & { wrapped?: FieldSchema };

/** The value of texts for a schema; undefined if there is none. */
function formValue({ type, wrapped }: FieldSchema, texts: readonly string[]): unknown {
  const text = texts.at(-1);
  if (wrapped !== undefined) return text ? formValue(wrapped, texts) : undefined;
  if (text === undefined) return undefined;
  return type === "array" ? texts : type === "number" ? Number(text) : text;
}

export class Visit {
  readonly ctx: RequestContext;
  readonly context: Context;
  readonly query: URLSearchParams;
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The token of the session. */
  readonly secret: string;
  /** The position in the event log before anything of the page was read, if the page follows changes. */
  cursor: string | undefined;
  /** The form of the visit, if it was refused: its page shows it again. */
  refused: Refused | undefined;
  /** The tags of the rows that the open page has. */
  readonly #known: ReadonlySet<string>;
  /** Read with its first use. */
  #zone: { readonly name: Zone } | undefined;

  constructor(ctx: RequestContext, context: Context, secret: string, params: Readonly<Record<string, string>>) {
    this.ctx = ctx;
    this.context = context;
    this.params = params;
    this.query = new URLSearchParams(ctx.query);
    this.secret = secret;
    this.#known = new Set(String(ctx.req.headers[rowsHeader] ?? "").split(" "));
  }

  /** The same visit with the credentials as they are now. */
  renewed(): Visit {
    const renewed = new Visit(this.ctx, this.context.renew(), this.secret, this.params);
    renewed.cursor = this.cursor;
    return renewed;
  }

  /** The time zone of the production. */
  get zone(): Zone {
    this.#zone ??= { name: zoneOf(this.context.app.store, this.context.caller) };
    return this.#zone.name;
  }

  /** The present moment, in milliseconds. */
  get now(): number {
    return this.ctx.app.clock();
  }

  /** The present date in the time zone of the production. */
  get today(): string {
    return dateAt(this.zone, this.now);
  }

  /** Whether the session's key is bound to an engagement. */
  get isVendor(): boolean {
    return this.context.caller.engagement_id !== null;
  }

  /** Whether the production can be read and not changed. */
  get isFrozen(): boolean {
    return frozenSince(this.context.app.store, { production_id: this.context.caller.production_id }) !== undefined;
  }

  /** Whether the key of the session has a scope, or one that includes it. */
  holds(scope: Scope): boolean {
    return holds(this.context.caller.scopes, scope);
  }

  get isAdmin(): boolean {
    return this.holds("admin");
  }

  /** Whether the visitor may change the show's own content, as an admin may. */
  get mayEdit(): boolean {
    return this.holds("edit");
  }

  get mayWrite(): boolean {
    return this.holds("write");
  }

  /** Whether the session is the admin's of this server, who may look through the reach of a vendor. */
  get hasLink(): boolean {
    return this.context.caller.key_id === null;
  }

  /** Whether an admin looks through the reach of a vendor. */
  get isSeenAs(): boolean {
    return this.context.caller.looks === true;
  }

  /** Lets an admin's session look through the reach of an engagement; null gives it back its own. */
  seeAs(engagement_id: EngagementId | null): Promise<void> {
    return seeSessionAs(this.context.app.store, this.secret, engagement_id);
  }

  /** Names the session, and whose reach it has, without telling its token. */
  get tag(): string {
    const { key_id, engagement_id } = this.context.caller;
    return hash("sha256", `tallylight copies ${this.secret} ${key_id} ${engagement_id}`, "base64url").slice(0, 22);
  }

  /**
   * What `view` makes of each item of a list, each row with the tag of its text. A row that the open page has already
   * is sent empty, and the script of the page puts it back.
   */
  rows<T>(items: readonly T[], view: (item: T) => Markup): Promise<Markup[]> {
    return this.each(items, (one) => {
      const item = view(one);
      const tag = hash("sha1", item.text, "base64url").slice(0, 10);
      const name = /^\s*<(\w+)/.exec(item.text)?.[1];
      return this.#known.has(tag) ? html`<${name} data-row="${tag}"></${name}>` : withAttribute(item, "data-row", tag);
    });
  }

  /** What `view` makes of each item of a list that may be long. Other requests have their turn between two items. */
  each<T, R>(items: Iterable<T>, view: (item: T) => R): Promise<R[]> {
    return inTurns(items, this.context.caller.key_id, view);
  }

  /**
   * The items of a list that may be long by their names, of equal names in their former order. Sorted parts are merged,
   * so that each step is short.
   */
  async byName<T>(items: readonly T[], nameOf: (item: T) => string): Promise<T[]> {
    const compare = (one: T, other: T) => compareNames(nameOf(one), nameOf(other));
    const starts = (length: number, step: number) =>
      Array.from({ length: Math.ceil(length / step) }, (_, at) => at * step);
    let parts = await this.each(starts(items.length, sortedAtOnce), (at) =>
      items.slice(at, at + sortedAtOnce).sort(compare),
    );
    while (parts.length > 1) {
      const halves = parts;
      parts = await this.each(starts(halves.length, 2), (at) =>
        halves
          .slice(at, at + 2)
          .flat()
          .sort(compare),
      );
    }
    return parts[0] ?? [];
  }

  /** The hidden field that every form of the page must contain. */
  get proof(): Markup {
    return csrfToken(this.secret);
  }

  /** The positive integer in a parameter of the path, for the row's input. Text stays text, which the row refuses. */
  id(name: string): number {
    return Number(this.params[name]);
  }

  /** Runs a row of the table and returns its document. Throws what the row's REST endpoint would respond with. */
  async ask<I extends InputSchema, O extends v.GenericSchema>(
    row: TypedOperation<I, O>,
    given: v.InferInput<I>,
  ): Promise<v.InferOutput<O>> {
    return (await this.askPage(row, given)).document;
  }

  /**
   * Runs a row with `given` and the texts of a form that its input names. Of what is optional, an empty text is left
   * out.
   */
  send<I extends InputSchema, O extends v.GenericSchema>(
    row: TypedOperation<I, O>,
    form: SubmittedForm,
    given: Partial<v.InferInput<I>> = {},
  ): Promise<v.InferOutput<O>> {
    const sent = Object.entries(row.input.entries).flatMap(([name, schema]) => {
      const value = formValue(schema, form.texts(name));
      return value === undefined ? [] : [[name, value] as const];
    });
    return this.ask(row, { ...Object.fromEntries(sent), ...given } as v.InferInput<I>); // the row checks it
  }

  /**
   * Runs a row that writes as `ask` does, for one attempt of a name: again with the name within a day it changes
   * nothing, and returns what it returned.
   */
  async once<I extends InputSchema, O extends v.GenericSchema>(
    row: TypedOperation<I, O>,
    given: v.InferInput<I>,
    name: string,
  ): Promise<{ document: v.InferOutput<O>; isRepeated: boolean }> {
    const attempt = await attemptOf(this.context, row, name);
    try {
      return { ...(await this.#documentOf(row, given, attempt)), isRepeated: attempt?.replayed === true };
    } finally {
      attempt?.end();
    }
  }

  /** Runs a row that lists something, and returns one page with the cursor of the next one, if there is one. */
  askPage<I extends InputSchema, O extends v.GenericSchema>(
    row: TypedOperation<I, O>,
    given: v.InferInput<I>,
  ): Promise<{ document: v.InferOutput<O>; next: string | undefined }> {
    return this.#documentOf(row, given);
  }

  async #documentOf<I extends InputSchema, O extends v.GenericSchema>(
    row: TypedOperation<I, O>,
    given: v.InferInput<I>,
    attempt?: Attempt,
  ): Promise<{ document: v.InferOutput<O>; next: string | undefined }> {
    const result = await this.#run(row, given, attempt);
    if (!("text" in result)) throw new Error(`${row.name} returns no document`);
    return { document: JSON.parse(result.text), next: result.next };
  }

  /** Runs a row that returns stored bytes. */
  async bytes<I extends InputSchema>(row: TypedOperation<I, "bytes">, given: v.InferInput<I>): Promise<Bytes> {
    const result = await this.#run(row, given);
    if (!(result instanceof Bytes)) throw new Error(`${row.name} returns no bytes`);
    return result;
  }

  async #run<I extends InputSchema, O extends v.GenericSchema | "bytes">(
    row: TypedOperation<I, O>,
    given: v.InferInput<I>,
    attempt?: Attempt,
  ) {
    const { context } = this;
    authorize(context, row);
    authorizePath(context, row, given);
    return perform(context, row, validate(row.input, given), attempt);
  }

  /** The title and the accent of the page's frame. Not every key may read the production. */
  async heading(): Promise<{ title: string; accent: string }> {
    if (!this.isVendor && holds(this.context.caller.scopes, "read")) return this.ask(getProduction, {});
    return { title: (await this.ask(getMe, {})).production.title, accent: "slate" };
  }
}
