// Lists the episodes of an episodic production.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { id, record, text } from "../records.ts";
import { many } from "../store/statements.ts";
import { listing, pageEntries, placedBySent, readPage } from "./listing.ts";
import { operation } from "./operation.ts";

const episode = record("Episode", v.object({ id, code: text, title: text }));

const episodeIdsOf = many<{ production_id: number }, { id: number }>("list_episode_ids");
const episodesOf = listing<Reach, v.InferOutput<typeof episode>>("list_episodes", placedBySent(episodeIdsOf));

export const listEpisodes = operation({
  name: "list_episodes",
  summary: "Lists the episodes in their order. Empty for a production that is not episodic.",
  method: "GET",
  path: "/episodes",
  scope: "read",
  reach: "production",
  input: v.object(pageEntries),
  output: v.array(episode),
  errors: [],
  run: (context, page) => readPage(context, episodesOf, {}, page),
});
