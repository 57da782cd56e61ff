// The pages that change a production: import, edit, and the board.
import { formFields } from "../../../core/body_limits.ts";
import type { Feature } from "../../../core/feature.ts";
import type { FeaturePage } from "../../pages/contributions.ts";
import type { editableSections } from "../edit_scope.ts";

/**
 * In bytes: the files of the import page together, and the form that applies them: they are in it as base64, of which
 * some characters are encoded.
 */
export const importFiles = 6 << 20;
const importForm = 3 * importFiles;

/** The most bytes of a script that begins a production. */
export const maxScript = 16 * 1024 * 1024;

/** The sections that have an edit page, each with the page of its list. */
export const listPageOf = {
  scenes: "/scenes",
  episodes: "/settings/episodes",
  assets: "/assets",
  schedule: "/schedule",
  deliveries: "/deliveries",
  approvals: "/approvals",
  people: "/people",
  departments: "/people",
  department_notes: "/",
  purchase_orders: "/orders",
} as const satisfies { readonly [S in (typeof editableSections)[number] | "purchase_orders"]: string };

const editPages = Object.entries(listPageOf).flatMap(([section, list]) =>
  ["", "/:id"].map(
    (end): FeaturePage => ({
      path: `/edit/${section}${end}`,
      reach: section === "purchase_orders" ? "admin" : "edit",
      show: () => import("./edit/edit.ts").then((m) => m.showThing),
      submit: () => import("./edit/edit.ts").then((m) => m.submitThing),
      section: list,
      form_limit: formFields,
      ...(section === "deliveries" && { files: true }),
    }),
  ),
);

export const documentsPages: Feature = {
  name: "documents/pages",
  url: import.meta.url,
  needs: ["documents", "history", "paperwork", "pages"],
  places: {
    first_page: () => import("./first_production.ts").then((m) => m.firstPage),
    first_form: () => import("./first_production.ts").then((m) => m.createFirst),
    saved: () => import("./save.ts").then((m) => m.savedNotice),
    board_forms: () => import("./board_tools.ts").then((m) => m.boardForms),
    mark_delivery: () => import("./marking.ts").then((m) => m.markDelivery),
    change_assets: () => import("./marking.ts").then((m) => m.changeAssets),
  },
  pages: [
    { path: "/schedule", reach: "production", submit: () => import("./board_forms.ts").then((m) => m.changeBoard) },
    {
      path: "/settings/import",
      reach: "edit",
      show: () => import("./import.ts").then((m) => m.showImport),
      submit: () => import("./import.ts").then((m) => m.submitImport),
      files: true,
      form_limit: importForm,
      files_limit: importFiles,
      setting: {
        group: "Show",
        label: "Bring in files",
        place: 30,
        about: "A script, a schedule or lists, after a look at what would change.",
        state: () => import("./settings_states.ts").then((m) => m.importState),
      },
    },
    {
      path: "/settings/time-zone",
      reach: "edit",
      show: () => import("./time_zone.ts").then((m) => m.showTimeZone),
      submit: () => import("./time_zone.ts").then((m) => m.submitTimeZone),
      refused_status: 422,
      setting: {
        group: "Show",
        label: "Time zone",
        place: 35,
        about: "Where the show is shot: what today is, what is late, and the times that the pages show.",
        state: () => import("./settings_states.ts").then((m) => m.timeZoneState),
      },
    },
    {
      path: "/settings/productions",
      reach: "admin",
      show: () => import("./productions_page.ts").then((m) => m.showProductions),
      submit: () => import("./productions_page.ts").then((m) => m.submitProductions),
      files: true,
      files_limit: maxScript,
      setting: {
        group: "Server",
        label: "Productions",
        place: 10,
        about: "The productions of this server: open another one, or begin one.",
        state: () => import("./settings_states.ts").then((m) => m.productionsState),
      },
    },
    ...editPages,
  ],
};
