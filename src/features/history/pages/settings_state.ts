// What changed the production last: for the overview of the settings.
import type { SettingState } from "../../pages/contributions.ts";
import { timeText, withTimes } from "../../pages/dates.ts";
import { listHistory } from "../history.ts";

export const historyState: SettingState = {
  async says(visit) {
    const [last] = await visit.ask(listHistory, { limit: 1 });
    return last === undefined ? "Nothing has changed yet" : `Last: ${withTimes(last.summary)}, ${timeText(last.at)}`;
  },
};
