// The operations of the admin API that release and archive versions.
import { operation } from "../../operations/operation.ts";
import { thing, writeAsAdmin } from "../admin.ts";
import { flaggedVersion, flagVersion } from "../versions.ts";

const shared = {
  method: "POST",
  scope: "edit",
  reach: "production",
  input: thing,
  body: "none",
  output: flaggedVersion,
  errors: [404],
} as const;

export const releaseVersion = operation({
  name: "release_version",
  summary: "Releases a version: its asset and bundles show it from the next call on.",
  path: "/admin/versions/:id/release",
  ...shared,
  run: (context, { id }) => writeAsAdmin(context, (admin) => flagVersion(admin, { id, flag: "released" }).version),
});

export const archiveVersion = operation({
  name: "archive_version",
  summary: "Marks a version as archived.",
  path: "/admin/versions/:id/archive",
  ...shared,
  run: (context, { id }) => writeAsAdmin(context, (admin) => flagVersion(admin, { id, flag: "archived" }).version),
});
