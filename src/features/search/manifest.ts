// Lists everything that an engagement reaches, with the tags of the documents and the hashes of the media, so that one
// request tells what has changed.
import * as v from "valibot";
import { etagOf, type JsonText, jsonText, Steps, type TaggedDocument, withEtag } from "../../core/answers.ts";
import type { Context, Reach } from "../../core/context.ts";
import type { DeliveryId, NodeId } from "../../core/ids.ts";
import { describe } from "../../core/inputs.ts";
import { maxPage } from "../../core/listing.ts";
import { operation, reachOf, read } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document, many, value } from "../../core/store/statements.ts";
import { etag, getAssetBundle, getCharacterBundle, getSceneBundle } from "../../graph/bundles.ts";
import { mediaFile } from "../../graph/media.ts";
import { getPurchaseOrders } from "../../graph/purchase_orders.ts";
import { listSubmissions, listTurnovers } from "../../graph/turnovers.ts";
import { append } from "../sequences/sequences.ts";

const manifest = out.record(
  "Manifest",
  v.object({
    documents: v.array(
      v.object({
        path: describe(out.text, "Below /api/v1."),
        etag: describe(out.text, "The ETag of GET at this path."),
      }),
    ),
    media: describe(v.array(mediaFile), "Every medium that GET /media/{id} returns."),
    etag,
  }),
);
type Manifest = v.InferOutput<typeof manifest>;
type Tag = Manifest["documents"][number];

const submittedOn = many<Reach, { id: DeliveryId }>("list_submitted_deliveries");
const nodesOf = many<Reach, Node>("list_reached_nodes");
const mediaOf = document<Reach, Manifest["media"]>("list_reached_media");
const reachesMoney = value<Reach, 0 | 1>("reaches_money");

type Node = { id: NodeId; kind: string };
type BundleRow = typeof getSceneBundle | typeof getCharacterBundle | typeof getAssetBundle;

/** The list of the submitted work of a delivery. */
function submissionsOf(context: Context, { id: delivery_id }: { id: DeliveryId }): Tag {
  const { text } = listSubmissions.statement(context.app.store, { ...reachOf(context), delivery_id }, maxPage);
  return { path: listSubmissions.path.replace(":delivery_id", String(delivery_id)), etag: etagOf(text) };
}

/** The bundles of a node; none if it is no longer reached. A character has two. */
function bundlesOf(context: Context, { id: node_id, kind }: Node): Tag[] {
  const tagsOf = ({ path, statement }: BundleRow): Tag[] => {
    const text = statement(context.app.store, { ...reachOf(context), node_id });
    return text === undefined ? [] : [{ path: path.replace(":node_id", String(node_id)), etag: etagOf(text) }];
  };
  if (kind === "scene") return tagsOf(getSceneBundle);
  return [...(kind === "character" ? tagsOf(getCharacterBundle) : []), ...tagsOf(getAssetBundle)];
}

function* manifestOf(context: Context): Generator<void, TaggedDocument<Manifest>> {
  const { store } = context.app;
  const bundles = new Map<number, Tag[]>();
  for (const node of nodesOf(store, reachOf(context))) {
    bundles.set(node.id, bundlesOf(context, node));
    yield;
  }
  const submissions = new Map<number, Tag>();
  for (const delivery of submittedOn(store, reachOf(context))) {
    submissions.set(delivery.id, submissionsOf(context, delivery));
    yield;
  }
  // A grant may have ended.
  const documents = nodesOf(store, reachOf(context)).flatMap(({ id }) => bundles.get(id) ?? []);
  append(
    documents,
    submittedOn(store, reachOf(context)).flatMap(({ id }) => submissions.get(id) ?? []),
  );
  documents.push({ path: listTurnovers.path, etag: etagOf(listTurnovers.statement(store, reachOf(context)).text) });
  const seesMoney = context.caller.scopes.includes("read:money") && reachesMoney(store, reachOf(context)) === 1;
  if (seesMoney)
    documents.push({ path: getPurchaseOrders.path, etag: etagOf(read(context, getPurchaseOrders.statement, {})) });
  const assembled = `{"documents":${jsonText(documents)},"media":${read(context, mediaOf, {})}}`;
  return withEtag<Manifest>(assembled as JsonText<Omit<Manifest, "etag">>); // safe: the two fields of a manifest
}

export const getManifest = operation({
  name: "get_manifest",
  summary:
    "Lists every document that the key's engagement reaches with its ETag, and every medium with its SHA-256. If its own ETag is the same, none of them has changed.",
  path: "/me/manifest",
  scope: "read",
  reach: "bound",
  output: manifest,
  run: (context) => new Steps(manifestOf(context)),
});
