// The schemas of events: one for each type, told apart by `type`; and what a webhook is sent.

import { type Json, objectOf, objectsOf } from "../../core/input_schemas.ts";
import { eventTypes } from "../../core/store/event_types.ts";
import { parameterOf } from "./responses.ts";

const nameOf = (type: string): string =>
  `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The schema of a field of `data`. Ids and counts are known by their names; another value may be null. */
function dataField(name: string): Json {
  if (name === "fields") return { type: "object", additionalProperties: true };
  if (name.endsWith("_id")) return { type: ["integer", "null"] };
  if (name === "key" || name === "label") return { type: ["string", "null"] };
  return {};
}

/**
 * Returns the schemas by their names: `Event`, which is one of the others, and one for each type. `event` is that of
 * any event.
 */
export function eventSchemas(event: Json): Record<string, Json> {
  const properties = objectsOf(event.properties);
  const subject = objectOf(properties.subject);
  const named = [...eventTypes()].map(([type, { subject: kind, data, when }]) => {
    const of = {
      type: { type: "string", const: type },
      subject: { ...subject, properties: { ...objectOf(subject.properties), kind: { type: "string", const: kind } } },
      data: {
        type: "object",
        description: "What changed. A field without a value is null.",
        properties: Object.fromEntries(data.map((name) => [name, dataField(name)])),
        required: data,
        additionalProperties: true,
      },
    };
    return {
      type,
      name: nameOf(type),
      schema: { ...event, description: `Recorded when ${when}.`, properties: { ...properties, ...of } },
    };
  });
  const refOf = (name: string): string => `#/components/schemas/${name}`;
  const mapping = Object.fromEntries(named.map(({ type, name }) => [type, refOf(name)]));
  return {
    Event: {
      oneOf: named.map(({ name }) => ({ $ref: refOf(name) })),
      discriminator: { propertyName: "type", mapping },
    },
    ...Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
  };
}

/** A header by which a receiver checks a message. */
const headerOf = (name: string, description: string): Json => parameterOf("header", name, description, undefined, true);

/** The section of what the server sends to the addresses of its webhooks. */
export const webhookSection: Json = {
  event: {
    post: {
      operationId: "receive_event",
      tags: ["events"],
      security: [],
      summary: "An event, sent to a webhook",
      description:
        "Each event of the production, of the types that the webhook asks for, in commit order, at least once. Signed by Standard Webhooks.",
      parameters: [
        headerOf("webhook-id", "The id of the message: the same at every attempt."),
        headerOf("webhook-timestamp", "When this attempt was made, in seconds since 1970."),
        headerOf(
          "webhook-signature",
          "`v1,` and the HMAC-SHA256 of id, timestamp and body in base64; several with spaces between them.",
        ),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Event" } } },
      },
      responses: {
        "2XX": { description: "Received. The next event follows." },
        default: { description: "Not received: the server sends the same event again later." },
      },
    },
  },
};
