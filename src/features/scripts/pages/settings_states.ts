// How many changes of the script wait, and which episodes there are: for the overview of the settings.
import type { ProductionId } from "../../../core/ids.ts";
import { one } from "../../../core/store/statements.ts";
import { getProduction, listEpisodes } from "../../../graph/production.ts";
import type { SettingState } from "../../pages/contributions.ts";
import { dateText, localDate } from "../../pages/dates.ts";
import { capitalized, plural } from "../../pages/html_parts.ts";
import type { Visit } from "../../pages/visit.ts";

const pending = one<{ production_id: ProductionId }, { count: number; at: string | null; color: string | null }>(
  "count_pending_changes",
);
const pendingOf = ({ context: { app, caller } }: Visit) =>
  pending(app.store, caller) ?? { count: 0, at: null, color: null };

export const changesState: SettingState = {
  waits(visit) {
    const { count } = pendingOf(visit);
    return count === 0 ? undefined : { count, text: `${count} to decide`, tone: "warn" };
  },
  says(visit) {
    const { at, color } = pendingOf(visit);
    if (at === null) return "Nothing waits for a decision";
    return `${color === null ? "A draft" : `${capitalized(color)} pages`} of ${dateText(localDate(Date.parse(at)))}`;
  },
};

export const episodesState: SettingState = {
  async says(visit) {
    const [production, episodes] = [await visit.ask(getProduction, {}), await visit.ask(listEpisodes, {})];
    const current = episodes.find(({ id }) => id === production.current_episode_id);
    return episodes.length === 0
      ? "A single production, no episodes"
      : `${plural(episodes.length, "episode")}${current === undefined ? "" : `, ${current.code} is the current one`}`;
  },
};
