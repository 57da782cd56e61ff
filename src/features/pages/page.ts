// The types of a page, of its input and of its answers.
import type { Upload } from "../../core/inputs.ts";
import type { FeaturePage } from "./contributions.ts";
import type { Markup } from "./html.ts";
import type { Visit } from "./visit.ts";

/** The fields of a form. */
export interface FormFields {
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

declare const isProven: unique symbol;

/**
 * A form whose proof was checked. Only `form.ts` makes one, so nothing that a form asks for can be done without its
 * proof.
 */
export interface SubmittedForm extends FormFields {
  readonly [isProven]: true;
}

/** A form that was refused, as its page shows it again. Nothing that takes a SubmittedForm takes it. */
export interface Refused {
  form: FormFields;
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

export type PageResult = View | Redirect;
/** What is shown, or how a file is sent that the browser saves. */
export type PageAnswer = PageResult | (() => Promise<void>);

/** A page of a feature, opened. */
export interface WebPage
  extends Pick<FeaturePage, "path" | "reach" | "section" | "files" | "form_limit" | "files_limit"> {
  /** Sends what pages load besides their own text: stills, files, and what changed. It has no page. */
  send?(visit: Visit): Promise<void> | void;
  /** Shows the page, with the form that the visit has if one was refused. */
  show?(visit: Visit): Promise<PageResult> | PageResult;
  /** Does what a form asks for. Throws what refuses it. */
  submit?(visit: Visit, form: SubmittedForm): Promise<PageAnswer> | PageAnswer;
}
