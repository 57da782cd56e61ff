// The types of events: what each is about, which data it has, and when it happens.

interface TypeRow {
  /** The noun that the event is about; `subject.id` is its id. */
  readonly subject: string;
  /** The names of the fields of `data`. */
  readonly data: readonly string[];
  /** When the event happens: the end of a sentence that begins with "Recorded when". */
  readonly when: string;
}

const engagement = ["vendor", "title"] as const;
const grant = ["engagement_id", "verb", "node_id", "department_id", "delivery_id", "expires_at"] as const;
const key = ["label", "scopes", "engagement_id"] as const;
const move = ["src", "dst"] as const;
const scriptChange = ["node_id", "scene_number", "kind"] as const;
const version = ["node_id", "version", "variant"] as const;

/** The events that are neither of an import nor of a row of a document. */
const coreEventTypes = {
  "asset.created": { subject: "asset", data: ["label", "kind", "status", "department"], when: "an asset is created" },
  "note.created": { subject: "note", data: ["node_id", "version_id"], when: "a note is added to an asset" },
  "version.landed": { subject: "version", data: version, when: "a version of an asset is uploaded" },
  "version.released": { subject: "version", data: version, when: "a version is released" },
  "version.archived": { subject: "version", data: version, when: "a version is archived" },
  "approval.decided": {
    subject: "approval",
    data: ["status", "position", "decision", "node_id", "delivery_id", "version_id"],
    when: "a step of an approval is decided; `status` is that of the approval after it",
  },
  "approval.taken_back": {
    subject: "approval",
    data: ["position", "round", "node_id", "delivery_id", "version_id"],
    when: "the last decision of an approval is taken back",
  },
  "approval.reopened": { subject: "approval", data: ["round"], when: "an approval is reopened" },
  "submission.created": {
    subject: "submission",
    data: ["delivery_id", "engagement_id", "title"],
    when: "a vendor submits work on a delivery",
  },
  "submission.decided": {
    subject: "submission",
    data: ["delivery_id", "decision", "title"],
    when: "submitted work is accepted or returned",
  },
  "submission.removed": {
    subject: "submission",
    data: ["delivery_id", "engagement_id", "title"],
    when: "an admin removes submitted work",
  },
  "health.changed": {
    subject: "production",
    data: ["condition", "ok", "reason"],
    when: "something of the server turns bad or is right again, such as `backup`, `backup_verification`, `media`, `disk` or `clock`; every production has it",
  },
  "storage.reported": {
    subject: "storage_install",
    data: ["filespace", "accepted"],
    when: "the storage agent reports a batch of file events; one event for each batch",
  },
  "storage.proxied": {
    subject: "storage_file",
    data: ["filespace", "path", "media_id"],
    when: "a stand-in for a library file is stored",
  },
  "storage.fingerprinted": {
    subject: "storage_move",
    data: [...move, "src_sha256"],
    when: "the storage agent records the fingerprint of a file that it is about to move",
  },
  "storage.moved": { subject: "storage_move", data: move, when: "the storage agent has moved a file" },
  "storage.move_failed": {
    subject: "storage_move",
    data: [...move, "note"],
    when: "the storage agent could not move a file",
  },
  "storage.move_approved": { subject: "storage_move", data: move, when: "an admin approves a file move" },
  "storage.installed": { subject: "storage_install", data: ["filespace"], when: "a filespace is made the active one" },
  "script_change.detected": {
    subject: "script_change",
    data: scriptChange,
    when: "a draft differs from the one before it",
  },
  "script_change.approved": { subject: "script_change", data: scriptChange, when: "a script change is approved" },
  "script_change.dismissed": { subject: "script_change", data: scriptChange, when: "a script change is dismissed" },
  "key.minted": { subject: "key", data: key, when: "a key is minted" },
  "key.revoked": { subject: "key", data: key, when: "a key is revoked" },
  "engagement.added": { subject: "engagement", data: engagement, when: "a vendor is engaged" },
  "engagement.changed": { subject: "engagement", data: ["key", "fields"], when: "an import changes an engagement" },
  "engagement.ended": { subject: "engagement", data: engagement, when: "an engagement is ended" },
  "grant.added": { subject: "grant", data: grant, when: "an engagement is granted something" },
  "grant.changed": { subject: "grant", data: grant, when: "the expiry of a grant is replaced" },
  "grant.revoked": { subject: "grant", data: grant, when: "a grant is revoked" },
  "job.added": { subject: "job", data: ["key", "fields"], when: "an import adds a generation job" },
} as const satisfies Record<string, TypeRow>;

/** The nouns whose rows an import adds, changes and removes. */
const importedNouns = [
  "production",
  "department",
  "person",
  "episode",
  "scene",
  "asset",
  "ingredient",
  "shoot_day",
  "vendor",
  "delivery",
  "approval",
  "department_note",
  "purchase_order",
  "cost_report",
] as const;
export type ImportedNoun = (typeof importedNouns)[number];

/** The verbs of the events of an import. */
const importVerbs = ["added", "changed", "removed"] as const;
export type ImportVerb = (typeof importVerbs)[number];

type CoreEventTypes = typeof coreEventTypes;
type ImportType = `${ImportedNoun}.${ImportVerb}`;
export type EventType = keyof CoreEventTypes | ImportType;

/** The noun that the events of a type are about. */
export type SubjectOf<T extends EventType> = T extends keyof CoreEventTypes
  ? CoreEventTypes[T]["subject"]
  : T extends `${infer Noun}.${ImportVerb}`
    ? Noun
    : never;

/** The fields of the data of a type. Each is given; a field without a value is null. */
export type DataOf<T extends EventType> = T extends keyof CoreEventTypes
  ? Readonly<Record<CoreEventTypes[T]["data"][number], unknown>>
  : Readonly<Record<"key" | "fields", unknown>>;

const importRow = (noun: ImportedNoun, verb: ImportVerb): readonly [ImportType, TypeRow] => {
  const named = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun.replaceAll("_", " ")}`;
  const verbs = { added: "adds", changed: "changes", removed: "removes" };
  return [`${noun}.${verb}`, { subject: noun, data: ["key", "fields"], when: `an import ${verbs[verb]} ${named}` }];
};

/** Every event type, in the order of the documentation. */
export const eventTypes: ReadonlyMap<EventType, TypeRow> = new Map<EventType, TypeRow>([
  ...(Object.entries(coreEventTypes) as [keyof CoreEventTypes, TypeRow][]), // the entries of the object
  ...importedNouns.flatMap((noun) => importVerbs.map((verb) => importRow(noun, verb))),
]);

export const isEventType = (text: string): text is EventType => (eventTypes as ReadonlyMap<string, TypeRow>).has(text);
