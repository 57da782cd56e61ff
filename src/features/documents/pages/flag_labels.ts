// What the form of the import calls the flags of an import, and its sentences with these labels: a page has no flags.
import { sentence } from "../../pages/send.ts";

/** The labels of the fields, by the flags that they give. */
export const flagLabels = {
  as: "It is",
  exact: "Also remove what its sections do not list",
  dates: "Its dates are written",
  map: "Its headers mean",
  encoding: "The encoding of its text",
  week: "The week of a cost report",
  episode: "The episode of a script or schedule",
  new_episode: "Add this episode, if the series does not have it",
  color: "The revision colour of a script",
  pages: "Only the revised pages",
} as const;

/** The choices of `dates`, by its values. */
export const dateOrders = { dmy: "day month year", mdy: "month day year", ymd: "year month day" } as const;

const labels = new Map<string, string>(Object.entries(flagLabels));
const orderOf = new Map<string, string>(Object.entries(dateOrders));

/** A sentence that names flags, as a command or the API says it, in the words of the form. */
export const inFormWords = (text: string): string =>
  sentence(
    text
      .replace(
        /--dates (.*)/,
        (_, orders: string) => `--dates ${orders.replace(/\b[dmy]{3}\b/g, (one) => orderOf.get(one) ?? one)}`,
      )
      .replace(/--([a-z][a-z-]*)|[`“]([a-z_]+)[`”]/g, (written, flag = "", parameter = "") => {
        const label = labels.get(flag.replaceAll("-", "_") || parameter);
        return label === undefined ? written : `“${label}”`;
      }),
  );
