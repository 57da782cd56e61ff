// What other features add to the pages. Types only.
import type { Load } from "../../core/feature.ts";
import type { Markup } from "./html.ts";
import type { PagePlaces } from "./page_places.ts";
import type { Send, Show, Submit } from "./pages.ts";
import type { Visit } from "./visit.ts";

declare module "../../core/feature.ts" {
  interface Feature {
    readonly pages?: readonly FeaturePage[];
    /** What it adds to places in the pages of other features. */
    readonly places?: { readonly [P in keyof PagePlaces]?: Load<PagePlaces[P]> };
    /**
     * The files that its pages load, by their names: the parts of each. A part that does not begin with a dot is a file
     * of a package.
     */
    readonly files?: Readonly<Record<string, readonly string[]>>;
  }
}

/** What a page of the settings is about: what is made, who may see it, or the machine. */
export type SettingsGroup = "Show" | "Access" | "Server";

/** How it stands with what a page of the settings is about. */
export interface SettingState {
  /** One line for the overview. */
  says?: (visit: Visit) => Promise<Markup | string> | Markup | string;
  /** What somebody must decide or mend there, also beside the page's name; nothing if that is nothing. */
  waits?: (visit: Visit) => Promise<SettingWaits | undefined> | SettingWaits | undefined;
}

export interface SettingWaits {
  text: string;
  /** warn: somebody decides. bad: something is wrong. */
  tone: "warn" | "bad";
  count?: number;
}

/** Whom a page is for. */
export type PageReach = "production" | "engagement" | "edit" | "admin";

/** A page for people, or something that pages load besides their own text. */
export interface FeaturePage {
  /** Segments that begin with a colon are ids. */
  path: string;
  /**
   * production: only for production-wide keys, otherwise 404. engagement: also for keys of an engagement. edit and
   * admin: only for sessions with that scope; 403 for others, 404 for keys of an engagement.
   */
  reach: PageReach;
  /** Shows the page. */
  show?: Load<Show>;
  /** Does what a form of the page asks for. */
  submit?: Load<Submit>;
  /** Sends something else than a page, such as a still. */
  send?: Load<Send>;
  /** Its entry in the navigation: the smaller the place, the nearer to the beginning. */
  menu?: { label: string; place: number; phone?: true };
  /** Its entry among the settings. */
  setting?: {
    label: string;
    place: number;
    group: SettingsGroup;
    /** What the page is for, where nothing says how it stands. */
    about: string;
    state?: Load<SettingState>;
    /** An admin has another page that shows the same and more. */
    withoutAdmins?: true;
  };
  /**
   * The path of the entry of the navigation that is marked while the page is open; by default that of its first
   * segment.
   */
  section?: string;
  /** Whether forms may have files. */
  files?: true;
  /** The most bytes of a form without files; 256 KiB by default. */
  form_limit?: number;
  /** The most bytes of all files of a form; by default each has the configured limit. */
  files_limit?: number;
  /** The HTTP status of the page if it shows a refused form; 422 by default. */
  refused_status?: number;
}
