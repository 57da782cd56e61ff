// What approvals are about, as their cards show it: the asset with the version, the scene or the delivery.
import { sceneName } from "../../../document/sections/sections.ts";
import type { Approval } from "../../../operations/approvals.ts";
import { getAsset, listAssets, listVersions } from "../../../operations/assets.ts";
import { listDeliveries } from "../../../operations/deliveries.ts";
import { getPerson } from "../../../operations/people.ts";
import { getScene } from "../../../operations/scenes.ts";
import type { OutputOf, Visit } from "../visit.ts";

export type AssetVersion = OutputOf<typeof listVersions>[number];

/** What is shown of a version. An unreleased one is complete only for keys that may write. */
export type ShownVersion = Pick<AssetVersion, "id" | "version" | "variant" | "status" | "released"> &
  Partial<Pick<AssetVersion, "note" | "created_by" | "created_by_person_id" | "created_at" | "archived">> & {
    media_id: number | null;
  };

/** The medium of a version that browsers show as a still; the first one if there is none. */
const stillOf = ({ media }: AssetVersion): number | null =>
  (media.find(({ content_type }) => content_type.startsWith("image/")) ?? media[0])?.id ?? null;

/** The versions of an asset, newest last, with as much as the visitor may see of each, and signed by the people of their keys. */
export async function versionsOf(visit: Visit, node_id: number): Promise<ShownVersion[]> {
  const versions: ShownVersion[] = visit.mayWrite
    ? (await visit.ask(listVersions, { node_id })).map((version) => ({ ...version, media_id: stillOf(version) }))
    : (await visit.ask(getAsset, { node_id })).versions.map((one) => (one.released ? one : { ...one, media_id: null }));
  const signed = versions.map(async ({ created_by_person_id: person_id, ...version }) =>
    person_id == null ? version : { ...version, created_by: (await visit.ask(getPerson, { person_id })).name },
  );
  return Promise.all(signed);
}

export interface Subject {
  href: string;
  name: string;
  /** The kind of an asset. */
  kind?: string;
  version?: ShownVersion | undefined;
}

/** What each of the approvals is about, by their ids. Of one that gates an asset, the version that it names, or the newest. */
export async function subjectsOf(visit: Visit, approvals: readonly Approval[]): Promise<ReadonlyMap<number, Subject>> {
  const assets = approvals.some(({ node_id }) => node_id !== null) ? await visit.ask(listAssets, {}) : [];
  const deliveries = approvals.some(({ delivery_id }) => delivery_id !== null)
    ? await visit.ask(listDeliveries, {})
    : [];
  const [byNode, byDelivery] = [
    new Map(assets.map((asset) => [asset.node_id, asset])),
    new Map(deliveries.map(({ id, title }) => [id, title])),
  ];
  const subjects = new Map<number, Subject>();
  for (const { id, node_id, delivery_id, version_id } of approvals) {
    if (delivery_id !== null)
      subjects.set(id, { href: `/deliveries/${delivery_id}`, name: byDelivery.get(delivery_id) ?? "the delivery" });
    if (node_id === null) continue;
    const asset = byNode.get(node_id);
    if (asset === undefined) {
      const { number, episode_code, slugline } = await visit.ask(getScene, { node_id });
      subjects.set(id, { href: `/scenes/${node_id}`, name: `Scene ${sceneName(number, episode_code)} ${slugline}` });
      continue;
    }
    const versions = asset.versions > 0 ? await versionsOf(visit, node_id) : [];
    const version =
      versions.find((one) => one.id === version_id) ?? versions.findLast(({ archived }) => archived !== true);
    subjects.set(id, { href: `/assets/${node_id}`, name: asset.label, kind: asset.kind, version });
  }
  return subjects;
}
