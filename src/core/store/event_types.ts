// The types of events. The graph and each feature declare their own: what each is about, which data it has, and when it happens. docs/events.md,
// "An event".
import { features } from "../features.ts";

/** One type of events. */
export interface EventTypeRow {
  /** The noun that the event is about; `subject.id` is its id. */
  readonly subject: string;
  /** The names of the fields of `data`. */
  readonly data: readonly string[];
  /** The verbs of the activity entries of the change, if it has others than the name of the type. An import has those of its sections. */
  readonly verbs?: readonly string[];
  /** When the event happens: the end of a sentence that begins with "Recorded when". */
  readonly when: string;
}

/** The types of a feature, by their names. It adds them to the interface EventTypes. */
export type EventTypeRows = Readonly<Record<string, EventTypeRow>>;

/** Every event type of the program. */
// biome-ignore lint/suspicious/noEmptyInterface: the graph and the features extend it by declaration merging
export interface EventTypes {}

/** The name of an event type. */
export type EventType = keyof EventTypes;

type RowOf<T extends EventType> = EventTypes[T] extends EventTypeRow ? EventTypes[T] : never;

/** The noun that the events of a type are about. */
export type SubjectOf<T extends EventType> = RowOf<T>["subject"];

/** The fields of the data of a type. Each is given; a field without a value is null. */
export type DataOf<T extends EventType> = T extends EventType
  ? Readonly<Record<RowOf<T>["data"][number], unknown>>
  : never;

/** Every event type, in the order of the documentation. */
export const eventTypes = (): ReadonlyMap<EventType, EventTypeRow> =>
  new Map(
    features().flatMap(({ eventTypes = {} }) => Object.entries(eventTypes) as [EventType, EventTypeRow][]), // as each declares it
  );

/** The verbs of the activity entries of the changes of a type. */
export const verbsOf = (type: EventType): readonly string[] => eventTypes().get(type)?.verbs ?? [type];

/** Every verb of an activity entry that the program writes. */
export const activityVerbs = (): ReadonlySet<string> =>
  new Set([
    ...[...eventTypes().keys()].flatMap(verbsOf),
    ...features().flatMap(({ activityVerbs = [] }) => activityVerbs),
  ]);

/** Whether a text is the name of an event type. */
export const isEventType = (text: string): text is EventType =>
  features().some(({ eventTypes = {} }) => Object.hasOwn(eventTypes, text));
