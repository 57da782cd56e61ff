// Returns the production of the key, and the episodes of an episodic one.
import * as v from "valibot";
import type { Id, ProductionId } from "../core/ids.ts";
import { describe } from "../core/inputs.ts";
import { pagedBySentIds } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import { count, id, record, text } from "../core/records.ts";
import { many } from "../core/store/statements.ts";
import { accents, productionFormats } from "./values.ts";

const production = record(
  "Production",
  v.object({
    id,
    title: text,
    logline: text,
    status: text,
    phase: text,
    accent: describe(v.picklist(accents), "A key into a small palette, never a colour value."),
    format: v.picklist(productionFormats),
    season_number: describe(v.optional(count), "Present only on an episodic production."),
    stats: v.object({
      departments: count,
      open_approvals: describe(count, "Pending approvals."),
      deliveries_in_flight: describe(count, "Deliveries that are blocked, ready or sent."),
      scenes: count,
      nodes: describe(count, "The number of nodes, including scenes."),
    }),
  }),
);

export const getProduction = reading({
  name: "get_production",
  summary: "Returns the production: title, logline, phase, format and counts.",
  path: "/production",
  scope: "read",
  output: production,
  tool: {},
  resource: "service://production",
});

const episode = record("Episode", v.object({ id, code: text, title: text }));

const episodeIdsOf = many<{ production_id: ProductionId }, { id: Id<"episode"> }>("list_episode_ids");

export const listEpisodes = reading({
  name: "list_episodes",
  summary: "Lists the episodes in their order. Empty for a production that is not episodic.",
  path: "/episodes",
  scope: "read",
  output: v.array(episode),
  list: pagedBySentIds(episodeIdsOf),
});
