// Releases and archives versions of assets, for the command line and as operations of the admin API.
import * as v from "valibot";
import type { Identified, NodeId } from "../../core/ids.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { change, one } from "../../core/store/statements.ts";
import { type Admin, noSuch, recordChange, requireChangeable, writeAsAdmin } from "../../graph/admin.ts";
import { touchNode } from "../../graph/nodes.ts";
import { versionIdOf } from "../../graph/versions.ts";

const flaggedVersion = out.record(
  "FlaggedVersion",
  v.object({
    id: out.id,
    production_id: out.id,
    node_id: out.id,
    label: out.text,
    version: out.count,
    variant: out.text,
    released: v.boolean(),
    archived: v.boolean(),
  }),
);
/** A version after it was released or archived. */
export type FlaggedVersion = v.InferOutput<typeof flaggedVersion>;

type StoredRow = Identified<Omit<FlaggedVersion, "released" | "archived">, "version"> & {
  released: 0 | 1;
  archived: 0 | 1;
};

const versionOf = one<{ id: number }, StoredRow>("find_version");
/** The flags of a version: the statement that sets each, and the verb of its summary. */
const flags = {
  released: { set: change("release_version"), done: "Released" },
  archived: { set: change("archive_version"), done: "Archived" },
};

/** The id of a version by its asset and its number. Throws 404 if there is none. */
export function versionNumbered(admin: Admin, given: { node_id: NodeId; version: number }): number {
  const id = versionIdOf(admin.store, given);
  if (id === undefined) throw noSuch(admin, `version ${given.version} of the asset ${given.node_id}`);
  return id;
}

/**
 * Releases or archives a version. `summary` says what was done; it is undefined if the version was already released or
 * archived. Throws 404 if it does not exist or the admin may not change it.
 */
export function flagVersion(
  admin: Admin,
  { id, flag }: { id: number; flag: keyof typeof flags },
): { version: FlaggedVersion; summary: string | undefined } {
  const { store, now } = admin;
  return store.writeSync(() => {
    const found = requireChangeable(admin, versionOf(store, { id }), `version ${id}`);
    const version = { ...found, released: found.released === 1, archived: found.archived === 1 };
    if (version[flag]) return { version, summary: undefined };
    const { production_id, node_id, label, variant } = version;
    flags[flag].set(store, { production_id, id });
    touchNode(store, { production_id, node_id, now });
    const summary = `${flags[flag].done} version ${version.version} (${variant}) of ${label}`;
    recordChange(
      admin,
      { production_id, node_id, summary, detail: { id } },
      {
        type: `version.${flag}`,
        subject: { kind: "version", id },
        data: { node_id, version: version.version, variant },
      },
    );
    return { version: { ...version, [flag]: true }, summary };
  });
}

const shared = { method: "POST", scope: "edit", body: "none", output: flaggedVersion } as const;

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
