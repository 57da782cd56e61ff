// Production documents: creating, updating and exporting a production.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import type { EventTypeRow, EventTypeRows, Verbs } from "../../core/store/event_types.ts";

const settings = ({ setting, wholeNumber }: Blocks) => ({
  import_deadline: setting(
    "the seconds that an import or a decision about a script may take, once it is its turn",
    wholeNumber(1, 86_400, "seconds"),
    60,
  ),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

const scriptChange = ["node_id", "scene_number", "kind"] as const;

const ownEventTypes = {
  "script_change.detected": {
    subject: "script_change",
    data: scriptChange,
    verbs: ["script_changes.imported"],
    when: "a draft differs from the one before it",
  },
  "script_change.approved": {
    subject: "script_change",
    data: scriptChange,
    verbs: ["script_change.approved", "script_changes.imported"],
    when: "a script change is approved",
  },
  "script_change.dismissed": {
    subject: "script_change",
    data: scriptChange,
    verbs: ["script_change.dismissed", "script_changes.imported"],
    when: "a script change is dismissed",
  },
  "engagement.changed": {
    subject: "engagement",
    data: ["key", "fields"],
    verbs: ["engagements.imported"],
    when: "an import changes an engagement",
  },
  "job.added": {
    subject: "job",
    data: ["key", "fields"],
    verbs: ["jobs.imported"],
    when: "an import adds a generation job",
  },
} as const satisfies EventTypeRows;

/** The nouns whose rows an import adds, changes and removes, with their sections. */
const importedNouns = {
  production: "production",
  department: "departments",
  person: "people",
  episode: "episodes",
  scene: "scenes",
  asset: "assets",
  ingredient: "ingredients",
  shoot_day: "schedule",
  vendor: "vendors",
  delivery: "deliveries",
  approval: "approvals",
  department_note: "department_notes",
  purchase_order: "purchase_orders",
  cost_report: "cost_reports",
} as const;
type ImportedNoun = keyof typeof importedNouns;
/** The sections whose changes are events of their own, or none. */
const otherSections = ["engagements", "notes", "script_changes", "jobs", "activity", "storage"] as const;

const imported = <S extends string>(section: S) => `${section}.imported` as const;

/** The verbs of the events of an import. */
const importVerbs = ["added", "changed", "removed"] as const;
type ImportVerb = (typeof importVerbs)[number];

/** The graph has this one, because an engagement adds its vendor as well. */
const ofGraph = "vendor.added";
type GraphType = typeof ofGraph;

type NounOf<T extends string> = T extends `${infer Noun extends ImportedNoun}.${ImportVerb}` ? Noun : never;

/** The events of the rows of an import. */
type ImportTypes = {
  readonly [T in Exclude<`${ImportedNoun}.${ImportVerb}`, GraphType>]: {
    readonly subject: NounOf<T>;
    readonly data: readonly ["key", "fields"];
    readonly verbs: readonly [`${(typeof importedNouns)[NounOf<T>]}.imported`];
    readonly when: string;
  };
};

const verbs = { added: "adds", changed: "changes", removed: "removes" } as const;

const importRow = (noun: ImportedNoun, verb: ImportVerb): readonly [string, EventTypeRow] => {
  const named = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun.replaceAll("_", " ")}`;
  const when = `an import ${verbs[verb]} ${named}`;
  return [`${noun}.${verb}`, { subject: noun, data: ["key", "fields"], verbs: [imported(importedNouns[noun])], when }];
};

const eventTypes: EventTypeRows = {
  ...ownEventTypes,
  ...Object.fromEntries(
    (Object.keys(importedNouns) as ImportedNoun[]) // the keys of the object
      .flatMap((noun) => importVerbs.map((verb) => importRow(noun, verb)))
      .filter(([type]) => type !== ofGraph),
  ),
};

const otherVerbs = ["production.undone", ...otherSections.map(imported)] as const;

type OwnTypes = typeof ownEventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends OwnTypes, ImportTypes {}
  interface OtherVerbs extends Verbs<typeof otherVerbs> {}
}

export const documents: Feature = {
  name: "documents",
  url: import.meta.url,
  eventTypes,
  otherVerbs,
  needs: ["names", "work", "idempotency", "clashes", "cast"],
  settings,
  operations: {
    "assets/:id/status": [() => import("./asset_status.ts")],
    "admin/import": [() => import("./operations.ts")],
    "admin/export": [() => import("./operations.ts")],
    "admin/remove": [() => import("./operations.ts")],
    "admin/files": [() => import("./operations.ts")],
  },
  commands: [
    { group: "Start", words: ["init"], load: () => import("./commands/export_commands.ts") },
    { group: "Start", words: ["import"], load: () => import("./commands/import_command.ts") },
    { group: "Production", words: ["list"], load: () => import("./commands/list_command.ts") },
    { group: "Production", words: ["set"], load: () => import("./commands/update_commands.ts") },
    { group: "Production", words: ["export"], load: () => import("./commands/export_commands.ts") },
  ],
};
