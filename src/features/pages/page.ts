// The type of a page, of what it is given, and of what it answers.
import type { Upload } from "../../core/inputs.ts";
import { Markup } from "./html.ts";
import type { Visit } from "./visit.ts";

/** A form that was sent. */
export interface SubmittedForm {
  /** The field's text without surrounding space; empty if it is absent. */
  text(name: string): string;
  /** Every value of a repeated field. */
  texts(name: string): string[];
  /** The field's text, or undefined if it is empty. */
  optional(name: string): string | undefined;
  files(name: string): Upload[];
  /** The names of its fields, but for the proof. */
  names(): string[];
}

/** A form that was refused, as its page shows it again. */
export interface Refused {
  form: SubmittedForm;
  problem: string;
  /** The names of the fields that are wrong, if they are known. */
  fields: readonly string[];
  status: number;
}

/** What a page shows. */
export interface View {
  /** The name of the page, for the window's title. */
  title: string;
  body: Markup;
  /** What a printed page is headed with, if it is not the title. */
  sheet?: string;
  /** The HTTP status; 200 by default. */
  status?: number;
}

/** Where the browser goes after a form was accepted: an address of this server. */
export interface Redirect {
  location: string;
}

export type Shown = View | Redirect;
/** What is shown, or how a file is sent that the browser saves. */
export type PageAnswer = Shown | (() => Promise<void>);

export interface WebPage {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /**
   * production: only for production-wide keys, otherwise 404. engagement: also for keys of an engagement. edit and admin: only for
   * sessions with that scope; 403 for others, 404 for keys of an engagement.
   */
  reach: "production" | "engagement" | "edit" | "admin";
  /** The entry of the navigation that is marked as the current one; by default the one of the first segment of the path. */
  section?: string;
  /** Sends what pages load besides their own text: stills, files, and what changed. It has no page. */
  send?(visit: Visit): Promise<void> | void;
  /** Shows the page, with the form that the visit has if one was refused. */
  show?(visit: Visit): Promise<Shown> | Shown;
  /** Does what a form asks for. Its proof has been checked. Throws what refuses it. */
  submit?(visit: Visit, form: SubmittedForm): Promise<PageAnswer> | PageAnswer;
  /** Whether forms may have files. */
  files?: true;
  /** The most bytes of a form without files; 256 KiB by default. */
  form_limit?: number;
  /** The most bytes of all files of a form; by default each has the configured limit. */
  files_limit?: number;
}

/** The names of the functions of that type in a module. */
type NamesOf<M, F> = { [K in keyof M]: M[K] extends F ? K : never }[keyof M];

/** `B` is what a function may return besides: a body for the frame of its page, or nothing, which opens the page anew. */
type Show<B> = (visit: Visit) => Promise<Shown | B> | Shown | B;
type Submit<B> = (visit: Visit, form: SubmittedForm) => Promise<PageAnswer | B> | PageAnswer | B;
type Body = Markup | undefined;
export type ShowNames<M, B = Body> = NamesOf<M, Show<B>>;
export type SubmitNames<M, B = Body> = NamesOf<M, Submit<B>>;

/** A page by the names of the functions of its module, which is loaded with its first visit. */
export function webPage<M, B extends Body = never>(
  path: string,
  reach: WebPage["reach"],
  load: () => Promise<M>,
  show: ShowNames<M, B>,
  submit?: SubmitNames<M, B>,
  { frame, ...more }: Partial<WebPage> & { frame?: (visit: Visit, body: Markup) => View } = {},
): WebPage {
  const framed = <A>(visit: Visit, answer: A | Body) =>
    (answer instanceof Markup ? frame?.(visit, answer) : answer) ?? { location: path };
  return {
    ...{ path, reach, ...more },
    show: async (visit) => framed<Shown>(visit, await ((await load())[show] as Show<B>)(visit)), // safe: the names are of such functions
    ...(submit !== undefined && {
      submit: async (visit, form) =>
        framed<PageAnswer>(visit, await ((await load())[submit] as Submit<B>)(visit, form)), // as above
    }),
  };
}
