// The types of events. The graph and each feature declare their own: what each is about, which data it has, and when it
// happens. docs/api.md, "An event".
import { features } from "../features.ts";

/** One type of events. */
export interface EventTypeRow {
  /** The noun that the event is about; `subject.id` is its id. */
  readonly subject: string;
  /** The names of the fields of `data`. */
  readonly data: readonly string[];
  /**
   * The verbs of the activity entries of the change; the name of the type alone by default. An import has those of its
   * sections.
   */
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

/** The verb of the activity entry of a change: one of the row's `verbs`, otherwise the name of the type. */
export type VerbOf<T extends EventType> = T extends EventType
  ? RowOf<T> extends { readonly verbs: readonly (infer Verb)[] }
    ? Verb
    : T
  : never;

/** The verbs of activity entries about what is no event, as keys. A feature that has some adds them to OtherVerbs. */
export type Verbs<List extends readonly string[]> = Readonly<Record<List[number], unknown>>;

/** Those of every feature. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it by declaration merging
export interface OtherVerbs {}

/** A verb of an activity entry that the program writes. */
export type ActivityVerb = VerbOf<EventType> | keyof OtherVerbs;

/** The fields of the data of a type. Each is given; a field without a value is null. */
export type DataOf<T extends EventType> = T extends EventType
  ? Readonly<Record<RowOf<T>["data"][number], unknown>>
  : never;

/** Every event type, in the order of the documentation. */
export const eventTypes = (): ReadonlyMap<EventType, EventTypeRow> =>
  new Map(
    // as each declares it
    features().flatMap(({ eventTypes = {} }) => Object.entries(eventTypes) as [EventType, EventTypeRow][]),
  );

/** The verbs of the activity entries of the changes of a type. */
export const verbsOf = (type: EventType): readonly string[] => eventTypes().get(type)?.verbs ?? [type];

/** Every verb of an activity entry that the program writes. */
export const activityVerbs = (): ReadonlySet<string> =>
  new Set([...[...eventTypes().keys()].flatMap(verbsOf), ...features().flatMap(({ otherVerbs = [] }) => otherVerbs)]);

/** Whether a text is the name of an event type. */
export const isEventType = (text: string): text is EventType =>
  features().some(({ eventTypes = {} }) => Object.hasOwn(eventTypes, text));
