// The pages of the history.
import type { Feature } from "../../../core/feature.ts";

export const historyPages: Feature = {
  name: "history/pages",
  url: import.meta.url,
  needs: ["history", "documents/pages", "pages"],
  places: {
    reopen_form: { file: "./reopening.ts", name: "reopenForm" },
    reopen_approval: { file: "./reopening.ts", name: "reopen" },
    ask_form: { file: "./reopening.ts", name: "askForm" },
    ask_again: { file: "./reopening.ts", name: "askAgain" },
  },
  pages: [
    {
      path: "/settings/history",
      reach: "edit",
      file: "./history_page.ts",
      show: "showHistory",
      setting: {
        group: "The production",
        label: "History",
        place: 50,
        about: "What changed the production, field by field, and the buttons that take it back.",
      },
    },
    {
      path: "/settings/history/:id",
      reach: "edit",
      file: "./history_page.ts",
      show: "showSet",
      submit: "submitUndo",
      refused_status: 409,
    },
  ],
};
