// The pages that the features of the program have. The module of a page is loaded with its first visit.
import { features } from "../../core/features.ts";
import type { FeaturePage } from "./contributions.ts";
import { isMarkup, type Markup } from "./html.ts";
import type { PageAnswer, PageResult, SubmittedForm, WebPage } from "./page.ts";
import { settingsView } from "./settings.ts";
import type { Visit } from "./visit.ts";

/** What a function of a page returns: a body for the frame of the settings, or nothing, which opens the page anew. */
type Returned<A> = A | Markup | undefined;
export type Show = (visit: Visit) => Promise<Returned<PageResult>> | Returned<PageResult>;
export type Submit = (visit: Visit, form: SubmittedForm) => Promise<Returned<PageAnswer>> | Returned<PageAnswer>;
export type Send = (visit: Visit) => Promise<void> | void;

/** A page as its feature describes it. */
function openPage({ show, submit, send, refused_status, ...page }: FeaturePage): WebPage {
  const framed = async <A>(visit: Visit, answer: Returned<A>): Promise<A | PageResult> => {
    if (answer === undefined) return { location: page.path };
    if (!isMarkup(answer)) return answer;
    const view = await settingsView(page.path, answer, visit);
    return visit.refused && refused_status ? { ...view, status: refused_status } : view;
  };
  return {
    ...page,
    ...(send && { send: async (visit) => (await send())(visit) }),
    ...(show && { show: async (visit) => framed(visit, await (await show())(visit)) }),
    ...(submit && { submit: async (visit, form) => framed(visit, await (await submit())(visit, form)) }),
  };
}

/** A parameter of a path is an id: a positive integer. Any other text is no page. */
export const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(".", "\\.").replace(/:(\w+)/g, "(?<$1>[1-9]\\d{0,15})")}$`);

/**
 * Every page. Of two features that describe a page of one path, one shows it and the other does what its forms ask for.
 */
export function openPages(): readonly WebPage[] {
  const pages = new Map<string, WebPage>();
  for (const page of features().flatMap(({ pages = [] }) => pages))
    pages.set(page.path, { ...pages.get(page.path), ...openPage(page) });
  return [...pages.values()];
}
