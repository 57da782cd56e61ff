// Returns the production of the key, and the episodes of an episodic one.
import * as v from "valibot";
import type { Id, ProductionId } from "../core/ids.ts";
import { describe } from "../core/inputs.ts";
import { pagedBySentIds } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { many, value } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import type { Zone } from "../core/zones.ts";
import { accents, productionFormats } from "./values.ts";

const production = out.record(
  "Production",
  v.object({
    id: out.id,
    title: out.text,
    logline: out.text,
    status: out.text,
    phase: out.text,
    accent: describe(v.picklist(accents), "A key into a small palette, never a colour value."),
    format: v.picklist(productionFormats),
    season_number: describe(v.optional(out.count), "Present only on an episodic production."),
    current_episode_id: describe(
      v.optional(v.nullable(out.id)),
      "The episode of which /script-changes shows changes unasked; null if there is none. Present only on an episodic production.",
    ),
    time_zone: describe(
      v.optional(out.text),
      "The IANA name of its time zone. Absent if it is that of the server. Timestamps are in UTC anyway.",
    ),
    stats: v.object({
      departments: out.count,
      open_approvals: describe(out.count, "Pending approvals."),
      deliveries_in_flight: describe(out.count, "Deliveries that are blocked, ready or sent."),
      scenes: out.count,
      nodes: describe(out.count, "The number of nodes, including scenes."),
    }),
  }),
);

const timeZoneOf = value<{ production_id: ProductionId }, string | null>("get_time_zone");
/** The time zone of a production. */
export const zoneOf = (store: Store, production: { production_id: ProductionId }): Zone =>
  timeZoneOf(store, production) ?? null;

export const getProduction = reading({
  name: "get_production",
  summary: "Returns the production: title, logline, phase, format and counts.",
  path: "/production",
  scope: "read",
  output: production,
  tool: {},
  resource: "service://production",
});

const episode = out.record("Episode", v.object({ id: out.id, code: out.text, title: out.text }));

const episodeIdsOf = many<{ production_id: ProductionId }, { id: Id<"episode"> }>("list_episode_ids");

export const listEpisodes = reading({
  name: "list_episodes",
  summary: "Lists the episodes in their order. Empty for a production that is not episodic.",
  path: "/episodes",
  scope: "read",
  output: v.array(episode),
  list: pagedBySentIds(episodeIdsOf),
});
