// The pages that change a production: import, edit, and the board.
import { formFields } from "../../../core/body_limits.ts";
import type { Feature } from "../../../core/feature.ts";
import type { FeaturePage } from "../../pages/contributions.ts";
import type { editableSections } from "../edit_scope.ts";

/** In bytes: the files of the import page together, and the form that applies them: they are in it as base64, of which some characters are encoded. */
export const importFiles = 6 << 20;
const importForm = 3 * importFiles;

/** The most bytes of a script that begins a production. */
export const maxScript = 16 * 1024 * 1024;

/** The sections that have an edit page, each with the page of its list. */
export const listPageOf = {
  scenes: "/scenes",
  episodes: "/scenes",
  assets: "/assets",
  schedule: "/schedule",
  deliveries: "/deliveries",
  approvals: "/approvals",
  people: "/people",
  departments: "/people",
  department_notes: "/",
} as const satisfies { readonly [S in (typeof editableSections)[number]]: string };

const editPages = Object.entries(listPageOf).flatMap(([section, list]) =>
  ["", "/:id"].map(
    (end): FeaturePage => ({
      path: `/edit/${section}${end}`,
      reach: "edit",
      file: "./edit/edit.ts",
      show: "showThing",
      submit: "submitThing",
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
    first_page: { file: "./first_production.ts", name: "firstPage" },
    first_form: { file: "./first_production.ts", name: "createFirst" },
    saved: { file: "./save.ts", name: "savedNotice" },
    board_forms: { file: "./board_tools.ts", name: "boardForms" },
    mark_delivery: { file: "./marking.ts", name: "markDelivery" },
    change_assets: { file: "./marking.ts", name: "changeAssets" },
  },
  pages: [
    { path: "/schedule", reach: "production", file: "./board_forms.ts", submit: "changeBoard" },
    {
      path: "/settings/import",
      reach: "edit",
      file: "./import.ts",
      show: "showImport",
      submit: "submitImport",
      files: true,
      form_limit: importForm,
      files_limit: importFiles,
      setting: {
        group: "The production",
        label: "Import",
        place: 30,
        about: "Update the production from documents, after a look at what would change.",
      },
    },
    {
      path: "/settings/productions",
      reach: "admin",
      file: "./productions_page.ts",
      show: "showProductions",
      submit: "submitProductions",
      files: true,
      files_limit: maxScript,
      setting: {
        group: "The server",
        label: "Productions",
        place: 65,
        about: "The productions of this server: open another one, or begin one.",
      },
    },
    ...editPages,
  ],
};
