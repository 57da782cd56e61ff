// The type of a page, and of what it answers.
import type { SubmittedForm } from "./form.ts";
import type { Markup } from "./html.ts";
import type { Visit } from "./visit.ts";

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

/** A file that the browser saves. */
export interface Download {
  file: string;
  /** In bytes. */
  size: number;
  name: string;
  content_type: string;
  /** Called once the file was sent or the connection has ended. */
  discard(): Promise<void>;
}

export interface WebPage {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /**
   * production: only for production-wide keys, otherwise 404. engagement: also for keys of an engagement. edit and admin: only for
   * sessions with that scope; 403 for others, 404 for keys of an engagement.
   */
  reach: "production" | "engagement" | "edit" | "admin";
  /** The entry of the navigation that is marked as the current one. */
  section?: string;
  show?(visit: Visit): Promise<View | Redirect> | View | Redirect;
  /** Handles a form that was sent to the page. Its proof has been checked. */
  submit?(visit: Visit, form: SubmittedForm): Promise<View | Redirect | Download> | View | Redirect;
  /** Whether forms may have files. */
  files?: true;
  /** The most bytes of a form without files; 256 KiB by default. */
  form_limit?: number;
  /** The most bytes of all files of a form; by default each has the configured limit. */
  files_limit?: number;
}
