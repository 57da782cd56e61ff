// The event feed: what changed, in commit order, from a cursor on. Answers at once, after a wait, or as a stream.
import * as v from "valibot";
import type { JsonText } from "../../core/answers.ts";
import type { Context } from "../../core/context.ts";
import { unprocessable } from "../../core/errors.ts";
import * as input from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { type EventType, eventTypes, isEventType } from "../../core/store/event_types.ts";
import { cursorAt, positionOf } from "./cursors.ts";
import type { ReaderOwner } from "./feed.ts";
import type { EventPage, Subscription } from "./log.ts";
import { feedOf } from "./state.ts";
import { wait } from "./wait.ts";

const { describe } = input;
const [firstType, ...otherTypes] = [...eventTypes().keys()] as [EventType, ...EventType[]]; // there are event types

/**
 * Any event: of a type that a client knows, or of one that came later. The description has a schema for each type, too.
 */
const event = out.record(
  "AnyEvent",
  v.object({
    id: describe(
      out.id,
      "Increases with each event of the production. Not every number is the id of an event of the production.",
    ),
    type: describe(out.text, "The type, such as asset.created. Later releases have further types."),
    timestamp: out.timestamp,
    subject: describe(
      v.object({ kind: out.text, id: out.id }),
      "What changed. Scenes and assets have the id of their node.",
    ),
    actor: out.text,
    person: describe(v.nullable(out.text), "The person who is accountable; null if nobody is named."),
    production_id: out.id,
    activity_id: describe(v.nullable(out.id), "The activity entry of the same change."),
    summary: describe(
      v.nullable(out.text),
      "The change as a sentence: that of its activity entry. Null if it has none.",
    ),
    label: describe(
      v.nullable(out.text),
      "What the subject is called now: the label of an asset, also that of a version or a note, a scene's number and slugline, the title of a delivery, an approval or a submission, a person's name. Null for anything else, and for what is gone.",
    ),
    data: describe(out.free, "The fields that say what changed. Each type has its own."),
  }),
);

const eventPage = out.record(
  "EventPage",
  v.object({
    events: v.array(event),
    next: describe(out.text, "The cursor to continue from, also if there are no events. Opaque."),
    more: describe(v.boolean(), "Whether further events are stored already."),
  }),
);
type EventsAnswer = v.InferOutput<typeof eventPage>;

interface Query {
  after: string;
  types?: string | undefined;
  limit: number;
}

/** The types of a list with commas; undefined for every type. Throws 422 for an unknown one. */
function typesOf(written: string | undefined): readonly EventType[] | undefined {
  if (written === undefined) return undefined;
  const given = written.split(",").map((type) => type.trim());
  const unknown = given.find((type) => !isEventType(type));
  if (unknown !== undefined)
    throw unprocessable(
      `types has ${JSON.stringify(unknown.slice(0, 100))}, which is not an event type; /api/v1/openapi.json lists them`,
    );
  return [...new Set(given.filter(isEventType))].sort();
}

/** Throws 422 for an unknown type or a malformed cursor, 410 for a cursor that is not valid any more. */
export const subscribeToEvents = ({ app, caller }: Context, { after, types }: Query): Subscription => ({
  types: typesOf(types),
  position: positionOf(app.store, caller.production_id, after),
});

/**
 * Waits until an event of one of the types may have been committed. Resolves to false if there was none, or if the
 * client disconnected or the server stops.
 */
function waitForEvent(context: Context, { position, types }: Subscription, milliseconds: number): Promise<boolean> {
  const { app, caller } = context;
  const { production_id } = caller;
  return new Promise((resolve, reject) => {
    let remove = (): void => {};
    const finish = (came: boolean): void => {
      clearTimeout(timer);
      remove();
      resolve(came);
    };
    const end = (): void => finish(false);
    const timer = setTimeout(end, milliseconds);
    let after = position;
    const wake = (): void => {
      const { position: until, stored } = feedOf(app);
      try {
        // If this turn has no more time, the next page is read when it is this reader's turn.
        const page = stored.isOver ? undefined : stored.part({ production_id, after, types, limit: 1 }, until);
        after = page?.position ?? after;
        if (page === undefined || page.events.length > 0 || page.more) finish(true);
      } catch {
        finish(true); // the log cannot be read, as the next page says
      }
    };
    try {
      remove = feedOf(app).add({ owner: readerOwner(context), wake, tick() {}, end });
    } catch (error) {
      clearTimeout(timer);
      reject(error);
    }
    context.onClose(end);
  });
}

/** The owner of a reader that a call opens. */
export function readerOwner(context: Context): ReaderOwner {
  const { key_id, expires_at } = context.caller;
  return {
    key_id,
    credentials: context.credentials,
    expires: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
    isAllowed() {
      try {
        context.renew();
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Reads the page after a position, once it has an event or the wait is over. Throws 401 if the key ended meanwhile. */
async function nextPage(
  context: Context,
  subscription: Subscription,
  { limit, wait }: { limit: number; wait: number },
) {
  const { app, caller } = context;
  const { production_id } = caller;
  const { types } = subscription;
  let deadline = performance.now() + wait * 1000;
  let after = subscription.position;
  for (;;) {
    const page = await feedOf(app).stored.page({ production_id, after, types, limit });
    context.renew();
    const left = deadline - performance.now();
    if (page.events.length > 0 || left <= 0) return page;
    after = page.position;
    if (!(await waitForEvent(context, { position: after, types }, left))) deadline = 0;
  }
}

const pageText = ({ app }: Context, { events, position, more }: EventPage): JsonText<EventsAnswer> =>
  // safe: the documents have the schema of an event
  `{"events":[${events.map(({ document }) => document).join(",")}],"next":"${cursorAt(app.store, position)}","more":${more}}` as JsonText<EventsAnswer>;

export const listEvents = operation({
  name: "list_events",
  summary:
    "The events of the production in commit order, from a cursor on. With wait, an answer without events is held open.",
  path: "/events",
  scope: "read",
  noStore: true,
  input: v.object({
    after: v.optional(describe(input.text(100), "A cursor, `start` or `now`."), "now"),
    wait: v.optional(describe(wait, "How many seconds to wait for an event; at most 45 behind a proxy."), 0),
    limit: v.optional(input.limit, 200),
    types: v.optional(
      describe(
        v.pipe(input.text(4_000), input.separated([firstType, ...otherTypes])),
        "Return only events of these types, with commas between them.",
      ),
    ),
  }),
  output: eventPage,
  errors: [410, 503],
  async stream(ctx, context, query) {
    // a client that connects again sends it, and it wins
    const last = ctx.req.headers["last-event-id"] as string | undefined;
    const { streamEvents } = await import("./event_stream.ts");
    return streamEvents(ctx, context, subscribeToEvents(context, last ? { ...query, after: last } : query));
  },
  run: async (context, query) => pageText(context, await nextPage(context, subscribeToEvents(context, query), query)),
});
