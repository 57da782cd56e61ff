// How it stands with what was brought in, the time zone and the productions: for the overview of the settings.
import { zoneName } from "../../../core/zones.ts";
import { listProductions } from "../../../graph/find_production.ts";
import { getProduction } from "../../../graph/production.ts";
import { listHistory } from "../../history/history.ts";
import type { SettingState } from "../../pages/contributions.ts";
import { timeText } from "../../pages/dates.ts";
import { unnamedDocument } from "../kinds.ts";

/** How many change sets are looked at for the last file. */
const searched = 50;
/** How many productions are named. */
const named = 4;

export const importState: SettingState = {
  async says(visit) {
    const sets = await visit.ask(listHistory, { limit: searched });
    const last = sets.find(({ source }) => source.includes(".") && source !== unnamedDocument);
    return last === undefined ? "A script, a schedule or lists" : `Last: ${last.source}, ${timeText(last.at)}`;
  },
};

export const timeZoneState: SettingState = {
  says: ({ zone }) => `${zoneName(zone)}${zone === null ? ", as the server" : ""}`,
};

export const productionsState: SettingState = {
  async says(visit) {
    if (!visit.hasLink) return (await visit.ask(getProduction, {})).title;
    const titles = listProductions(visit.context.app.store).map(({ title }) => title);
    const more = titles.length > named ? ` and ${titles.length - named} more` : "";
    return `${titles.slice(0, named).join(", ")}${more}`;
  },
};
