// The pages of the history.
import type { Feature } from "../../../core/feature.ts";

export const historyPages: Feature = {
  name: "history/pages",
  url: import.meta.url,
  needs: ["history", "documents/pages", "pages"],
  places: {
    reopen_form: () => import("./reopening.ts").then((m) => m.reopenForm),
    reopen_approval: () => import("./reopening.ts").then((m) => m.reopen),
    ask_form: () => import("./reopening.ts").then((m) => m.askForm),
    ask_again: () => import("./reopening.ts").then((m) => m.askAgain),
  },
  pages: [
    {
      path: "/settings/history",
      reach: "edit",
      show: () => import("./history_page.ts").then((m) => m.showHistory),
      setting: {
        group: "Show",
        label: "History",
        place: 50,
        about: "What changed the production, field by field, and the buttons that take it back.",
        state: () => import("./settings_state.ts").then((m) => m.historyState),
      },
    },
    {
      path: "/settings/history/:id",
      reach: "edit",
      show: () => import("./history_page.ts").then((m) => m.showSet),
      submit: () => import("./history_page.ts").then((m) => m.submitUndo),
      refused_status: 409,
    },
  ],
};
