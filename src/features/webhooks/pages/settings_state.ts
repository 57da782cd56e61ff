// How it stands with the programs that are notified: for the overview of the settings.
import type { SettingState } from "../../pages/contributions.ts";
import { plural } from "../../pages/html_parts.ts";
import { listWebhooks } from "../operations.ts";

export const webhooksState: SettingState = {
  async says(visit) {
    const all = await visit.ask(listWebhooks, {});
    const paused = all.filter(({ status }) => status === "paused").length;
    return all.length === 0
      ? "No address yet"
      : `${plural(all.length, "address", "addresses")}${paused > 0 ? `, ${paused} paused` : ""}`;
  },
};
