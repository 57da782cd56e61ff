// Returns the production, and the episodes of an episodic one.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { accents, describe, productionFormats } from "../inputs.ts";
import { count, id, record, text } from "../records.ts";
import { document, many } from "../store/statements.ts";
import { listing, pageEntries, placedBySent, readPage } from "./listing.ts";
import { operation, read } from "./operation.ts";

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

const productionOf = document<Reach, v.InferOutput<typeof production>>("get_production");

export const getProduction = operation({
  name: "get_production",
  summary: "Returns the production: title, logline, phase, format and counts.",
  path: "/production",
  scope: "read",
  output: production,
  tool: {},
  resource: "service://production",
  run: (context) => read(context, productionOf, {}),
});

const episode = record("Episode", v.object({ id, code: text, title: text }));

const episodeIdsOf = many<{ production_id: number }, { id: number }>("list_episode_ids");
const episodesOf = listing<Reach, v.InferOutput<typeof episode>>("list_episodes", placedBySent(episodeIdsOf));

export const listEpisodes = operation({
  name: "list_episodes",
  summary: "Lists the episodes in their order. Empty for a production that is not episodic.",
  path: "/episodes",
  scope: "read",
  input: v.object(pageEntries),
  output: v.array(episode),
  run: (context, page) => readPage(context, episodesOf, {}, page),
});
