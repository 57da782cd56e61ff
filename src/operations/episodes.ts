// Lists the episodes of an episodic production.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { id, record, text } from "../records.ts";
import { document } from "../store/statements.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

const episode = record("Episode", v.object({ id, code: text, title: text }));

const episodesOf = document<Reach, v.InferOutput<typeof episode>[]>("list_episodes");

export const listEpisodes = operation({
  name: "list_episodes",
  summary: "Lists the episodes in their order. Empty for a production that is not episodic.",
  method: "GET",
  path: "/episodes",
  scope: "read",
  reach: "production",
  input: v.object({}),
  output: v.array(episode),
  errors: [],
  run: (context) => read(context, episodesOf, {}),
});
