// The settings of an admin: keys, vendors, releases, storage, sessions, audit and health.
import type { Feature } from "../../../core/feature.ts";

export const adminPages: Feature = {
  name: "admin/pages",
  url: import.meta.url,
  needs: ["admin", "pages", "backup", "doctor", "health", "productions"],
  places: {
    version_buttons: { file: "./releases.ts", name: "releaseForm" },
    checklist: { file: "./checklist.ts", name: "checklist" },
    before_signing_out: { file: "./leaving.ts", name: "beforeSigningOut" },
  },
  pages: [
    { path: "/checklist", reach: "edit", file: "./checklist.ts", submit: "putAway" },
    { path: "/leaving", reach: "admin", file: "./leaving.ts", submit: "makeKey" },
    { path: "/seen-as", reach: "engagement", file: "./vendors.ts", submit: "submitSeenAs" },
    {
      path: "/settings/keys",
      reach: "admin",
      file: "./keys.ts",
      show: "keysView",
      submit: "submitKeys",
      setting: { group: "Access", label: "Keys", place: 10, about: "Mint, see and revoke API keys." },
    },
    {
      path: "/settings/vendors",
      reach: "admin",
      file: "./vendors.ts",
      show: "showVendors",
      submit: "submitVendors",
      setting: {
        group: "Access",
        label: "Vendors",
        place: 20,
        about: "Engagements, what each vendor was granted, and the production as a vendor sees it.",
      },
    },
    {
      path: "/settings/releases",
      reach: "edit",
      file: "./releases.ts",
      show: "showReleases",
      submit: "submitRelease",
      setting: { group: "The production", label: "Releases", place: 60, about: "Versions that wait to be released." },
    },
    {
      path: "/settings/storage",
      reach: "admin",
      file: "./storage_page.ts",
      show: "showStorage",
      submit: "submitStorage",
      setting: {
        group: "The server",
        label: "Storage",
        place: 70,
        about: "The active filespace, and file moves for the storage agent.",
      },
    },
    {
      path: "/settings/sessions",
      reach: "edit",
      file: "./sessions.ts",
      show: "showSessions",
      submit: "submitSession",
      setting: { group: "Access", label: "Sessions", place: 90, about: "The browsers that are signed in." },
    },
    {
      path: "/settings/audit",
      reach: "admin",
      file: "./audit_page.ts",
      show: "showAudit",
      setting: { group: "Access", label: "Audit", place: 100, about: "What admins did, newest first." },
    },
    {
      path: "/settings/health",
      reach: "admin",
      file: "./health.ts",
      show: "showHealth",
      submit: "downloadBackup",
      refused_status: 409,
      setting: { group: "The server", label: "Health", place: 110, about: "The state of this server and its data." },
    },
  ],
};
