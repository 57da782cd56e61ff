// The types of ids, by what they are ids of. Any number may become an id of some kind, because ids come from requests
// and from the database; from then on, the id of one kind is refused where that of another one is wanted. Types only:
// an id is a number.

declare const kind: unique symbol;

/** The id of something of the kind K. */
export type Id<K extends Kind> = number & { readonly [kind]?: K };

/** The kinds of things that have ids of their own. */
type Kind =
  | "production"
  | "node"
  | "person"
  | "department"
  | "vendor"
  | "engagement"
  | "grant"
  | "key"
  | "episode"
  | "delivery"
  | "submission"
  | "approval"
  | "version"
  | "ingredient"
  | "media"
  | "asset_file"
  | "install"
  | "task"
  | "shoot_day"
  | "activity"
  | "webhook"
  | "draft"
  | "change_set";

export type ProductionId = Id<"production">;
export type NodeId = Id<"node">;
export type PersonId = Id<"person">;
export type VendorId = Id<"vendor">;
export type EngagementId = Id<"engagement">;
export type KeyId = Id<"key">;
export type DeliveryId = Id<"delivery">;
export type SubmissionId = Id<"submission">;
export type ApprovalId = Id<"approval">;
export type VersionId = Id<"version">;
export type InstallId = Id<"install">;

/** An object whose `id` is of a kind. */
export type Identified<T, K extends Kind> = Omit<T, "id"> & { id: Id<K> };

/** The id of a kind; a number if the kind is not known. */
export type IdOf<K> = [K] extends [never] ? number : K extends Kind ? Id<K> : never;

/** Whether a type of an id is that of a kind. A plain number is that of none. */
export type IsIdOf<I, K> = typeof kind extends keyof I
  ? I extends { readonly [kind]?: infer Own }
    ? [Exclude<Own, undefined>] extends [K]
      ? true
      : false
    : false
  : false;

/** Names of fields that are not the name of their kind. */
interface Synonyms {
  work_item: "submission";
  root: "node";
}

/** The kind of a name without its end: a name, or one with words before it, as in `decided_by_person`. */
type KindOf<Name> = Name extends Kind
  ? Name
  : Name extends keyof Synonyms
    ? Synonyms[Name]
    : Name extends `${string}_${infer Rest}`
      ? KindOf<Rest>
      : never;

/** The type of a field by its name: a number named `node_id` is the id of a node. Any other field keeps its type. */
type Held<Name, Value> = Name extends `${infer Whose}_id`
  ? Value extends number
    ? number extends Value
      ? [KindOf<Whose>] extends [never]
        ? Value
        : Id<KindOf<Whose>>
      : Value
    : Value
  : Value;

/** An object in which the fields that are named as ids have the types of these ids. */
export type WithIds<T> = { [Name in keyof T]: Held<Name, T[Name]> };
