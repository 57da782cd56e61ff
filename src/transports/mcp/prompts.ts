// The four prompts: text templates without data access, which tell a client's model what tool to call.
import * as v from "valibot";
import { id, limit } from "../../inputs.ts";
import { listActivity } from "../../operations/activity.ts";
import { getSceneBundle } from "../../operations/bundles.ts";
import type { Operation } from "../../operations/operation.ts";
import { listTurnovers, submitTurnover } from "../../operations/turnovers.ts";
import { validate } from "../../pipeline.ts";
import { fieldsOf } from "../http/coercion.ts";
import { type Fields, invalidParams, judged, ProtocolError } from "./messages.ts";

export interface Prompt {
  /** As prompts/list shows it. */
  listing: { readonly name: string } & Fields;
  /** The result as JSON text. Throws a ProtocolError for malformed arguments. */
  answer(given: Fields): string;
}

interface Template<T extends v.ObjectEntries> {
  name: string;
  description: string;
  /** The row whose tool it points at. */
  row: Operation;
  input: v.ObjectSchema<T, undefined>;
  /** What each argument is. */
  about: Record<keyof T, string>;
  text: (tool: string, given: v.InferOutput<v.ObjectSchema<T, undefined>>) => string;
}

function promptOf<T extends v.ObjectEntries>({ name, description, row, input, about, text }: Template<T>): Prompt {
  const parameters = Object.entries(input.entries).map(([argument, schema]) => ({
    name: argument,
    description: about[argument] as string,
    required: schema.type !== "optional",
  }));
  return {
    listing: { name, description, arguments: parameters },
    answer(given) {
      // A prompt's arguments travel as text.
      const texts = Object.entries(given).map(([argument, value]) => {
        if (typeof value !== "string" && typeof value !== "number")
          throw new ProtocolError(invalidParams, `${argument} must be text`);
        return [argument, String(value)] as const;
      });
      const fields = judged(() => validate(input, fieldsOf(input, texts)));
      const content = { type: "text", text: text(row.name, fields) };
      return JSON.stringify({ description, messages: [{ role: "user", content }] });
    },
  };
}

const all = [
  promptOf({
    name: "scene_status",
    description: "Where one scene stands: script, assets, shoot days and open approvals.",
    row: getSceneBundle,
    input: v.object({ node_id: id }),
    about: { node_id: "The scene's node id." },
    text: (tool, { node_id }) =>
      `Call the tool ${tool} with node_id ${node_id}. Then say where the scene stands: its status and revision color, ` +
      "which of its assets have no released version, on which days it shoots, which approvals are pending, and what the " +
      "departments noted. Name what blocks it first. Say only what the bundle holds.",
  }),
  promptOf({
    name: "pending_turnovers",
    description: "The deliveries that still wait for work from this engagement.",
    row: listTurnovers,
    input: v.object({}),
    about: {},
    text: (tool) =>
      `Call the tool ${tool}. List the deliveries that are not yet sent or accepted, the earliest due date first, each ` +
      "with its title, status, due date and what its spec asks for. Say of each whether this key may submit work on it " +
      "(can_submit).",
  }),
  promptOf({
    name: "whats_changed",
    description: "What happened on the production lately.",
    row: listActivity,
    input: v.object({ limit: v.optional(limit) }),
    about: { limit: "How many entries to look at: 50 by default, at most 200." },
    text: (tool, { limit }) =>
      `Call the tool ${tool}${limit === undefined ? "" : ` with limit ${limit}`}. Sum up what changed, the newest first: ` +
      "group what belongs to the same thing, and name who did it and when.",
  }),
  promptOf({
    name: "how_to_submit_work",
    description: "How to submit work on one delivery.",
    row: submitTurnover,
    input: v.object({ delivery_id: id }),
    about: { delivery_id: "The delivery's id, as list_turnovers gives it." },
    text: (tool, { delivery_id }) =>
      `Help me to submit work on delivery ${delivery_id}. Check with list_turnovers that the delivery is there with ` +
      "can_submit true, and tell me what its spec asks for. Ask me for the files, and for a title and a note if I want " +
      `them. Then call the tool ${tool} with delivery_id ${delivery_id} and files, a list with one object for each file: ` +
      "filename, and content_base64, its bytes in base64. All of it together must stay below 12 MB; larger files go " +
      `through POST /api/v1/turnovers/${delivery_id}/submissions as a multipart form. Call it once: each call submits the work again.`,
  }),
];

/** By name. */
export const prompts: ReadonlyMap<string, Prompt> = new Map(all.map((prompt) => [prompt.listing.name, prompt]));
