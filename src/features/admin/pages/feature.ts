// The settings of an admin: keys, vendors, releases, storage, sessions, audit and health.
import type { Feature } from "../../../core/feature.ts";

export const adminPages: Feature = {
  name: "admin/pages",
  url: import.meta.url,
  needs: ["admin", "pages", "backup", "doctor", "health", "productions"],
  places: {
    version_button: () => import("./releases.ts").then((m) => m.versionButton),
    checklist: () => import("./checklist.ts").then((m) => m.checklist),
    grant_menu: () => import("./many_grants.ts").then((m) => m.grantMenu),
    grant_assets: () => import("./many_grants.ts").then((m) => m.grantAssets),
    granted: () => import("./many_grants.ts").then((m) => m.grantedNotice),
    before_signing_out: () => import("./leaving.ts").then((m) => m.beforeSigningOut),
  },
  pages: [
    {
      path: "/checklist",
      reach: "edit",
      show: () => import("./checklist.ts").then((m) => m.showChecklist),
      submit: () => import("./checklist.ts").then((m) => m.putAway),
      section: "/",
    },
    {
      path: "/leaving",
      reach: "admin",
      show: () => import("./leaving.ts").then((m) => m.showLeaving),
      submit: () => import("./leaving.ts").then((m) => m.makeKey),
    },
    { path: "/seen-as", reach: "engagement", submit: () => import("./vendors.ts").then((m) => m.submitSeenAs) },
    {
      path: "/people/invite",
      reach: "admin",
      show: () => import("./many_invitations.ts").then((m) => m.showInvite),
      submit: () => import("./many_invitations.ts").then((m) => m.submitInvite),
      section: "/people",
    },
    {
      path: "/settings/keys",
      reach: "admin",
      show: () => import("./keys.ts").then((m) => m.keysView),
      submit: () => import("./keys.ts").then((m) => m.submitKeys),
      setting: { group: "Access", label: "Keys", place: 10, about: "Make, see and end the keys of programs." },
    },
    {
      path: "/settings/vendors",
      reach: "admin",
      show: () => import("./vendors.ts").then((m) => m.showVendors),
      submit: () => import("./vendors.ts").then((m) => m.submitVendors),
      setting: {
        group: "Access",
        label: "Vendors",
        place: 20,
        about: "Who works on this show, what each vendor may see, and the production as a vendor sees it.",
      },
    },
    {
      path: "/settings/releases",
      reach: "edit",
      show: () => import("./releases.ts").then((m) => m.showReleases),
      submit: () => import("./releases.ts").then((m) => m.submitRelease),
      setting: { group: "The production", label: "Releases", place: 60, about: "Versions that wait to be released." },
    },
    {
      path: "/settings/storage",
      reach: "admin",
      show: () => import("./storage_page.ts").then((m) => m.showStorage),
      submit: () => import("./storage_page.ts").then((m) => m.submitStorage),
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
      show: () => import("./sessions.ts").then((m) => m.showSessions),
      submit: () => import("./sessions.ts").then((m) => m.submitSession),
      setting: { group: "Access", label: "Sessions", place: 90, about: "The browsers that are signed in." },
    },
    {
      path: "/settings/audit",
      reach: "admin",
      show: () => import("./audit_page.ts").then((m) => m.showAudit),
      setting: { group: "Access", label: "Log of admins", place: 100, about: "What admins did, newest first." },
    },
    {
      path: "/settings/health",
      reach: "admin",
      show: () => import("./health.ts").then((m) => m.showHealth),
      submit: () => import("./health.ts").then((m) => m.downloadBackup),
      refused_status: 409,
      setting: { group: "The server", label: "Health", place: 110, about: "The state of this server and its data." },
    },
  ],
};
