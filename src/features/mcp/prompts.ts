// The four MCP prompts: text templates that tell a client's model which tool to call. They have no access to data.
import * as v from "valibot";
import type { Context } from "../../core/context.ts";
import { fieldsOf } from "../../core/http/coercion.ts";
import * as input from "../../core/inputs.ts";
import { validate } from "../../core/inputs.ts";
import type { Operation } from "../../core/operation.ts";
import { authorize } from "../../core/pipeline.ts";
import { listActivity } from "../../graph/activity.ts";
import { getSceneBundle } from "../../graph/bundles.ts";
import { listTurnovers, submitTurnover } from "../../graph/turnovers.ts";
import { asInvalidParams, type Fields, invalidParams, ProtocolError } from "./messages.ts";

export interface Prompt {
  /** As prompts/list shows it. */
  listing: { readonly name: string } & Fields;
  /** Throws an HttpError if the key may not use the tool that it names. */
  authorize(context: Context): void;
  /** Returns the result as JSON text. Throws a ProtocolError for malformed arguments. */
  answer(given: Fields): string;
}

interface Template<T extends v.ObjectEntries> {
  name: string;
  description: string;
  /** The operation whose tool the text names. */
  row: Operation;
  input: v.ObjectSchema<T, undefined>;
  /** The description of each argument. */
  about: Record<string & keyof T, string>;
  text: (tool: string, given: v.InferOutput<v.ObjectSchema<T, undefined>>) => string;
}

function promptOf<T extends v.ObjectEntries>({ name, description, row, input, about, text }: Template<T>): Prompt {
  const parameters = Object.entries(input.entries).map(([argument, schema]) => ({
    name: argument,
    description: about[argument],
    required: schema.type !== "optional",
  }));
  return {
    listing: { name, description, arguments: parameters },
    authorize: (context) => authorize(context, row),
    answer(given) {
      // MCP sends a prompt's arguments as text.
      const present = Object.entries(given).filter(([, value]) => value !== null);
      const texts = present.map(([argument, value]) => {
        if (typeof value !== "string" && typeof value !== "number")
          throw new ProtocolError(invalidParams, `${argument} must be text`);
        return [argument, String(value)] as const;
      });
      const fields = asInvalidParams(() => validate(input, fieldsOf(input, texts)));
      const content = { type: "text", text: text(row.name, fields) };
      return JSON.stringify({ description, messages: [{ role: "user", content }] });
    },
  };
}

const all = [
  promptOf({
    name: "scene_status",
    description: "The state of one scene: script, assets, shoot days and open approvals.",
    row: getSceneBundle,
    input: v.object({ node_id: input.id }),
    about: { node_id: "The scene's node id." },
    text: (tool, { node_id }) =>
      `Call the tool ${tool} with node_id ${node_id}. Then report the state of the scene: its status and revision color, ` +
      "which of its assets have no released version, on which days it shoots, which approvals are pending, and what the " +
      "departments noted. Start with what blocks the scene. Use only what the bundle contains.",
  }),
  promptOf({
    name: "pending_turnovers",
    description: "The deliveries that are waiting for work from this engagement.",
    row: listTurnovers,
    input: v.object({}),
    about: {},
    text: (tool) =>
      `Call the tool ${tool}. List the deliveries that are not yet sent or accepted, the earliest due date first, each ` +
      "with its title, status, due date and what its spec asks for. For each, say whether this key may submit work on it " +
      "(can_submit).",
  }),
  promptOf({
    name: "whats_changed",
    description: "What happened on the production recently.",
    row: listActivity,
    input: v.object({ limit: v.optional(input.limit) }),
    about: { limit: "How many entries to read: 50 by default, at most 200." },
    text: (tool, { limit }) =>
      `Call the tool ${tool}${limit === undefined ? "" : ` with limit ${limit}`}. Summarise the changes, newest first: ` +
      "group the entries about the same thing, and say who made each change and when.",
  }),
  promptOf({
    name: "how_to_submit_work",
    description: "How to submit work on one delivery.",
    row: submitTurnover,
    input: v.object({ delivery_id: input.id }),
    about: { delivery_id: "The delivery's id, as list_turnovers gives it." },
    text: (tool, { delivery_id }) =>
      `Help me to submit work on delivery ${delivery_id}. Check with list_turnovers that the delivery is listed with ` +
      "can_submit true, and tell me what its spec asks for. Ask me for the files, and for a title and a note if I want " +
      `them. Then call the tool ${tool} with delivery_id ${delivery_id} and files, a list with one object for each file: ` +
      "filename, and content_base64, its bytes in base64. The whole call must be smaller than 12 MB; upload larger files by tus " +
      "at /api/v1/uploads first and give upload_id instead of content_base64, or submit them " +
      `with POST /api/v1/turnovers/${delivery_id}/submissions as a multipart form. Call the tool once: each call submits the work again.`,
  }),
];

/** The prompts by name. */
export const prompts: ReadonlyMap<string, Prompt> = new Map(all.map((prompt) => [prompt.listing.name, prompt]));
