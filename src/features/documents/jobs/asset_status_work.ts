// The job that sets the status of an asset. It runs on a thread, because a change of the production is planned from
// what is stored of it.
import { notFound } from "../../../core/errors.ts";
import type { ProductionId } from "../../../core/ids.ts";
import { assetRowOf } from "../../../graph/assets.ts";
import { checkStatus, type StatusRequest } from "../asset_status.ts";
import { updateFrom } from "../production_update.ts";
import { partialDocument } from "../read/read.ts";
import { StoredProduction } from "../stored.ts";
import type { WorkModule } from "./import_job.ts";

type Store = Parameters<WorkModule["perform"]>[0]["store"];

/** The list row of the asset as JSON text. Throws 404 if it was removed meanwhile. */
function rowIn(store: Store, { production_id, node_id }: StatusRequest): string {
  const row = assetRowOf(store, { production_id: production_id as ProductionId, node_id }); // that of the caller
  if (row === undefined) throw notFound();
  return row;
}

export const perform: WorkModule["perform"] = async (admin, blobs, asked, write) => {
  const request = asked as StatusRequest; // its operation made it
  const { production_id, node_id, label, status, if_status } = request;
  const { store } = admin;
  rowIn(store, request);
  const naming = store.database.transaction(() =>
    new StoredProduction(store, production_id).namingOf("assets", node_id),
  )();
  const given = await partialDocument({ assets: [{ ...naming, status }] }, `set assets ${label} status`, undefined);
  return updateFrom(admin, blobs, [given], { production_id }, (work) =>
    write((at) => {
      checkStatus(JSON.parse(rowIn(store, request)).status, if_status);
      return work(at);
    }),
  );
};

// as above
export const answerOf: NonNullable<WorkModule["answerOf"]> = ({ store }, asked) => rowIn(store, asked as StatusRequest);
