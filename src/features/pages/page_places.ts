// What the pages have of other features: links to their pages, and the functions that fill a place in a page. Without
// the feature, the link or the place is not there.
import type { Feature } from "../../core/feature.ts";
import { features } from "../../core/features.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import type { NodeId } from "../../core/ids.ts";
import type { Approval } from "../../graph/approvals.ts";
import type { getSchedule } from "../../graph/schedule.ts";
import type { FeaturePage } from "./contributions.ts";
import { html, type Markup } from "./html.ts";
import type { FormFields, Refused, SubmittedForm, View } from "./page.ts";
import type { ShownVersion } from "./pages/versions.ts";
import type { OutputOf, Visit } from "./visit.ts";

/**
 * The forms of the board: the links that open those about days, the one that is open, and the one that moves scenes.
 */
export interface BoardForms {
  links: Markup;
  opened: Markup;
  move: Markup;
}

/** What was sent to begin a production, and why it was refused. */
export interface GivenProduction {
  problem?: string | undefined;
  /** The fields of the form as they were sent. */
  form?: FormFields | undefined;
}

/** The places in the pages that other features fill, each with the type of the function that fills it. */
export interface PagePlaces {
  /** The page of a server without a production, for a visitor who has that secret. */
  first_page: (ctx: RequestContext, secret: string, given?: GivenProduction) => Markup;
  /** Does what the form of that page asks for. Returns the secret of a one-time link, or why it was refused. */
  first_form: (
    ctx: RequestContext,
    secret: string | undefined,
  ) => Promise<{ link: string } | { problem: string; form: FormFields }>;
  /** What a new production needs: above the first page while that has no day to show, otherwise below it. */
  checklist: (visit: Visit) => Promise<{ list: Markup; isAbove: boolean } | undefined>;
  /** What is wrong with the server, above the overview of the settings. */
  alarm: (visit: Visit) => Promise<Markup | undefined>;
  /** What is shown instead of signing out, if something should be done before. */
  before_signing_out: (visit: Visit) => Promise<View | undefined>;
  /** The message after a save. */
  saved: (visit: Visit) => Promise<Markup | undefined>;
  /** Where the changes begin that an open page follows. */
  cursor: (visit: Visit) => string;
  /** Answers a resumable upload of a page's script. */
  upload: (ctx: RequestContext) => Promise<void>;
  /** The panels that say where an asset is used. */
  asset_usage: (visit: Visit, node_id: NodeId) => Promise<Markup>;
  /** The facts of what waits for an asset: its scenes that are left, and when it is shot next. */
  asset_waits: (visit: Visit, node_id: NodeId) => Promise<Markup>;
  /** The text of a scene, as a script looks; nothing if there is none. */
  scene_script: (visit: Visit, node_id: NodeId) => Promise<Markup | undefined>;
  /** The button that releases a version, or archives it, for somebody who may edit; false if it is done. */
  version_button: (
    visit: Visit,
    version: ShownVersion,
    action: "release" | "archive",
    how: { text: string; kind?: "quiet" | "danger" },
  ) => Markup | false;
  /** The forms that change the schedule. */
  board_forms: (visit: Visit, days: OutputOf<typeof getSchedule>) => Promise<BoardForms>;
  /** Changes the assets that a form has chosen. */
  change_assets: (visit: Visit, form: SubmittedForm, ids: readonly number[]) => Promise<{ location: string }>;
  /** The menu and the button that let a vendor see the chosen assets, for who may; and what they do. */
  grant_menu: (visit: Visit, refused: Refused | undefined) => Promise<Markup | undefined>;
  grant_assets: (visit: Visit, form: SubmittedForm, ids: readonly number[]) => Promise<{ location: string }>;
  /** The message after grants were made or revoked. */
  granted: (visit: Visit) => Promise<Markup | undefined>;
  /** Marks the delivery that the form names; returns the address that is opened then. */
  mark_delivery: (visit: Visit, id: number, status: string) => Promise<{ location: string }>;
  /** The form that reopens a decided approval, with the text of its button. */
  reopen_form: (visit: Visit, approval: Approval, text: string) => Markup;
  reopen_approval: (visit: Visit, id: number) => Promise<void>;
  /** The form that asks about a newer version; and what it does. */
  ask_form: (visit: Visit, approval: Approval, version: { id: number; version: number }) => Markup;
  ask_again: (visit: Visit, id: number, version_id: number) => Promise<void>;
  /** The names of the departments of the notes on a shoot day, by the ids of the notes. */
  note_departments: (visit: Visit, shoot_day_id: number) => Promise<ReadonlyMap<number, string>>;
}

/** The function that fills a place; undefined if no feature does. */
export const placeFiller = async <P extends keyof PagePlaces>(place: P): Promise<PagePlaces[P] | undefined> =>
  features()
    .find(({ places }) => places?.[place] !== undefined)
    ?.places?.[place]?.();

/** Whether a feature fills a place. */
export const isFilled = (place: keyof PagePlaces): boolean =>
  features().some(({ places }) => places?.[place] !== undefined);

let known: { of: readonly Feature[]; paths: ReadonlySet<string> } | undefined;

const pathsOf = (pages: readonly FeaturePage[]): string[] => pages.map(({ path }) => path.replace(/:\w+/g, ":"));

/** Whether there is a page at an address of this server. */
export function hasPage(address: string): boolean {
  const of = features();
  if (known?.of !== of) known = { of, paths: new Set(of.flatMap(({ pages = [] }) => pathsOf(pages))) };
  const [path = ""] = address.split(/[?#]/, 1);
  return known.paths.has(
    path
      .split("/")
      .map((part) => (/^\d+$/.test(part) ? ":" : part))
      .join("/"),
  );
}

/** Whether a feature answers a path by itself. */
export const hasRoute = (path: string): boolean =>
  features().some(({ routes = [] }) => routes.some(({ paths = [] }) => paths.includes(path)));

/** The text as a link to a page; the text alone if there is no such page. */
export const linkTo = (address: string, text: Markup | string): Markup =>
  hasPage(address) ? html`<a href="${address}">${text}</a>` : html`${text}`;

/**
 * The link to a page that edits something, for those who may; `about` says what it is, for people who hear the page.
 */
export const editLink = (visit: Visit, address: string, text: string, about?: string): Markup | false =>
  visit.mayEdit &&
  hasPage(address) &&
  html`<a href="${address}"${about !== undefined && html` aria-label="${about}"`}>${text}</a>`;

/** The same as a button. */
export const editButton = (
  visit: Visit,
  address: string,
  text: string,
  kind: "quiet" | "plain" | "" = "quiet",
): Markup | false => visit.mayEdit && hasPage(address) && html`<a class="button ${kind}" href="${address}">${text}</a>`;

/** The link to the import of a kind of file, for those who may; others have none. */
export const importLink = (visit: Visit, kind: string, text: string): Markup | undefined =>
  editLink(visit, `/settings/import?as=${kind}`, text) || undefined;
