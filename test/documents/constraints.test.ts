// Every constraint of the database has a place here: what an update that would break it is told, or why no update can
// break it.
// Thorough: only --all runs it.
import { mkdtempSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { openStore } from "../../src/core/store/database.ts";
import { databaseRefusal } from "../../src/features/documents/changes/failures.ts";
import { layoutOf } from "../../src/features/documents/sections/form.ts";
import { namingOf, namings, sectionNames, sections } from "../../src/features/documents/sections/sections.ts";
import { temporaryFolder } from "../support/folder.ts";
import { documentOf, type Json, openProduction, silverButton } from "../support/update.ts";

const document = documentOf(silverButton);
const [scene] = document.scenes;
const [delivery] = document.deliveries;
const engagement = { title: document.engagements[0].title, vendor: document.engagements[0].vendor };
const day = document.schedule[0];
const { week_of } = document.cost_reports[0];
const costume = document.assets.find(({ kind }: Json) => kind === "costume").label;
const time = "2026-11-01T00:00:00.000Z";
const without = (section: string, at = 0) => ({
  [section]: document[section].filter((_: Json, i: number) => i !== at),
});
const unknown = (section: string, fields: Json) => ({
  given: { [section]: [fields] },
  says: /names no \w+: "Nothing"$/,
});
const step = (fields: Json) => ({
  approvals: [{ title: "New", steps: [{ person: document.people[0].name, ...fields }] }],
});
const order = { account: "1", vendor: document.vendors[0], description: "x", amount: 1, date: "2026-11-01" };
const change = { scene_number: "1", kind: "changed", summary: "x", detected_at: time };

interface Refused {
  given: Json;
  exact?: true;
  says: RegExp;
}
/** What is refused and how; a text says why nothing of a document can break the constraint. */
type How = Refused | string;

const replaced = "rows of this table belong to one thing, are written with it and removed before it";
const called = "a name that nothing has is kept as a text, and what a call names cannot be removed";
const positions = "positions are counted by the writer";
const matched =
  "things are matched by this key: a second one of the same key is the same thing, or is refused by its place";
const written = "the writer writes the JSON of a value whose shape the schema of documents checks";
const oneOf = /must be one of/;

const refusals: Record<string, How> = {
  "activity: (production_id,node_id) -> nodes": "an asset that goes leaves its activity with node_id null",
  "activity: (production_id,actor_person_id) -> people": {
    given: without("people"),
    exact: true,
    says: /cannot be removed: it is (?:named by|bound)/,
  },
  "api_keys: (production_id,person_id) -> people": "list_bindings has the people of keys",
  "api_keys: (production_id,engagement_id) -> engagements": "list_bindings has the engagements of keys",
  "approval_steps: (production_id,decided_by_person_id) -> people": {
    given: step({ status: "approved", decided_at: time, decided_by: "Nothing" }),
    says: /names no person/,
  },
  "approval_steps: (production_id,person_id) -> people": {
    given: step({ person: "Nothing" }),
    says: /names no person/,
  },
  "approval_steps: (production_id,approval_id) -> approvals": replaced,
  "approval_steps: pk (approval_id,position)": positions,
  "approval_steps: CHECK (position > 0)": positions,
  "approval_steps: CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected'))": {
    given: step({ status: "x" }),
    says: oneOf,
  },
  "approval_steps: CHECK ((decided_at IS NULL) = (status = 'pending'))": {
    given: step({ decided_at: time }),
    says: /decided_at/,
  },
  "approval_steps: (version_id) -> versions": "a version is never removed",
  "approval_steps: CHECK (version_id IS NULL OR status <> 'pending')": {
    given: step({ version: 1 }),
    says: /version is allowed only on a decided step/,
  },
  "approvals: (production_id,delivery_id) -> deliveries": {
    given: without(
      "deliveries",
      document.deliveries.findIndex(({ title }: Json) =>
        document.approvals.some((one: Json) => one.delivery === title),
      ),
    ),
    exact: true,
    says: /cannot be removed/,
  },
  "approvals: (production_id,node_id) -> nodes": unknown("approvals", {
    title: "New",
    asset: "Nothing",
    steps: [{ person: document.people[0].name }],
  }),
  "approvals: CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected'))": {
    given: { approvals: [{ title: "New", status: "x", steps: [{ person: document.people[0].name }] }] },
    says: oneOf,
  },
  "approvals: CHECK (mode IN ('chain', 'decision'))": {
    given: { approvals: [{ title: "New", mode: "x", steps: [{ person: document.people[0].name }] }] },
    says: oneOf,
  },
  "approvals: CHECK (node_id IS NULL OR delivery_id IS NULL)": {
    given: {
      approvals: [
        { title: "New", scene: scene.number, delivery: delivery.title, steps: [{ person: document.people[0].name }] },
      ],
    },
    says: /one of/,
  },
  "approvals: (version_id) -> versions": "a version is never removed",
  "approvals: CHECK (version_id IS NULL OR node_id IS NOT NULL)":
    "an approval about a version is about the version's node",
  "approvals: CHECK (version_status IS NULL OR version_id IS NOT NULL)": {
    given: { approvals: [{ title: "New", version_status: "x", steps: [{ person: document.people[0].name }] }] },
    says: /version_status is allowed only with version/,
  },
  "asset_files: (production_id,install_id) -> storage_installs": "an install is never removed",
  "asset_files: u (install_id,path)": {
    given: {
      storage: [{ filespace: "new", files: [1, 2].map(() => ({ path: "a", state: "present", detected_at: time })) }],
    },
    says: /is the same as/,
  },
  "asset_files: CHECK (state IN ('present', 'gone'))": {
    given: { storage: [{ filespace: "new", files: [{ path: "a", state: "x", detected_at: time }] }] },
    says: oneOf,
  },
  "bad_conditions: pk (name)": "health records each condition once",
  "change_set_media: (change_set_id) -> change_sets": written,
  "change_set_media: (sha256) -> blobs": "only hashes with a row are written",
  "change_set_media: pk (change_set_id,sha256)": "each blob is written once",
  "change_operations: (set_id) -> change_sets": written,
  "change_operations: CHECK (json_type(key) = 'object')": written,
  "change_operations: CHECK (json_valid(after))": written,
  "change_operations: CHECK (json_valid(before))": written,
  "change_operations: pk (set_id,place)": written,
  "change_sets: CHECK (json_type(changes) = 'array')": written,
  "change_sets: CHECK (script IS NULL OR json_type(script) = 'array')": written,
  "cost_report_lines: (production_id,department_id) -> departments": unknown("cost_reports", {
    week_of,
    lines: [{ account: "1", department: "Nothing" }],
  }),
  "cost_report_lines: (production_id,cost_report_id) -> cost_reports": replaced,
  "cost_report_lines: u (cost_report_id,account)": {
    given: {
      cost_reports: [
        { week_of, lines: [1, 2].map(() => ({ account: "1", department: document.departments[0].slug })) },
      ],
    },
    says: /is the same as/,
  },
  "cost_report_lines: CHECK (json_type(figures) = 'object')": {
    given: {
      cost_reports: [{ week_of, lines: [{ account: "1", department: document.departments[0].slug, figures: [] }] }],
    },
    says: /must be an object/,
  },
  "cost_reports: c partial (production_id)": {
    given: { cost_reports: ["2027-01-04", "2027-01-11"].map((week) => ({ week_of: week, active: true })) },
    says: /must be false/,
  },
  "cost_reports: u (production_id,week_of)": {
    given: { cost_reports: [{ week_of }, { week_of }] },
    says: /is the same thing as/,
  },
  "cost_reports: CHECK (active IN (0, 1))": {
    given: { cost_reports: [{ week_of, active: 2 }] },
    says: /must be true or false/,
  },
  "deliveries: CHECK (status IN ('draft', 'blocked', 'ready', 'sent', 'accepted'))": {
    given: { deliveries: [{ title: delivery.title, status: "x" }] },
    says: oneOf,
  },
  "deliveries: CHECK (kind IN ('internal', 'external'))": {
    given: { deliveries: [{ title: delivery.title, kind: "x" }] },
    says: oneOf,
  },
  "deliveries: CHECK ((external_to IS NOT NULL) = (kind = 'external'))": {
    given: { deliveries: [{ title: "New", kind: "external" }] },
    says: /external_to is required/,
  },
  "deliveries: CHECK (json_type(spec) = 'array')": written,
  "day_banners: (production_id,before_node_id) -> nodes": unknown("schedule", {
    day_number: day.day_number,
    banners: [{ before: "Nothing", text: "x" }],
  }),
  "day_banners: (production_id,shoot_day_id) -> shoot_days": replaced,
  "day_banners: pk (shoot_day_id,position)": positions,
  "day_calls: (production_id,department_id) -> departments": called,
  "day_calls: (production_id,node_id) -> nodes": called,
  "day_calls: (production_id,person_id) -> people": called,
  "day_calls: (production_id,shoot_day_id) -> shoot_days": replaced,
  "day_calls: CHECK ((node_id IS NOT NULL) + (person_id IS NOT NULL) + (department_id IS NOT NULL) + (who IS NOT NULL) = 1)":
    "the writer finds one thing of the name, or keeps the text",
  "day_calls: pk (shoot_day_id,position)": positions,
  "day_lines: (production_id,shoot_day_id) -> shoot_days": replaced,
  "day_lines: pk (shoot_day_id,position)": positions,
  "day_parts: (production_id,scene_node_id) -> nodes": unknown("schedule", {
    day_number: day.day_number,
    parts: [{ scene: "Nothing", text: "pt 1" }],
  }),
  "day_parts: (production_id,shoot_day_id) -> shoot_days": replaced,
  "day_parts: pk (shoot_day_id,position)": positions,
  "delivery_nodes: (production_id,node_id) -> nodes": unknown("deliveries", {
    title: delivery.title,
    assets: ["Nothing"],
  }),
  "delivery_nodes: (production_id,delivery_id) -> deliveries": replaced,
  "delivery_nodes: pk (delivery_id,node_id)": {
    given: { deliveries: [{ title: delivery.title, scenes: [scene.number, scene.number] }] },
    says: /is the same as/,
  },
  "department_notes: (production_id,node_id) -> nodes": unknown("department_notes", {
    department: document.departments[0].slug,
    scene: "Nothing",
    summary: "x",
  }),
  "department_notes: (production_id,department_id) -> departments": unknown("department_notes", {
    department: "Nothing",
    scene: scene.number,
    summary: "x",
  }),
  "departments: u (production_id,slug)": {
    given: { departments: [{ slug: document.departments[0].slug, was: document.departments[1].slug }] },
    says: /must be different/,
  },
  "departments: CHECK (json_type(phases) = 'array')": written,
  "departments: CHECK (json_type(key_roles) = 'array')": written,
  "departments: CHECK (unveiled IN (0, 1))": {
    given: { departments: [{ slug: document.departments[0].slug, unveiled: 2 }] },
    says: /must be true or false/,
  },
  "departments: CHECK (json_type(registry) = 'object')": {
    given: { departments: [{ slug: document.departments[0].slug, registry: [] }] },
    says: /must be an object/,
  },
  "engagement_use: (engagement_id) -> engagements":
    "an engagement is used by its keys, and one that is bound to a key stays",
  "engagements: (production_id,vendor_id) -> vendors": unknown("engagements", { title: "New", vendor: "Nothing" }),
  "episodes: u (production_id,code)": matched,
  "former_steps: (production_id,decided_by_person_id) -> people": "rounds name people like steps",
  "former_steps: (production_id,person_id) -> people": {
    given: {
      approvals: [{ title: "New", steps: [{ person: document.people[0].name }], rounds: [[{ person: "Nothing" }]] }],
    },
    says: /names no person/,
  },
  "former_steps: (production_id,approval_id) -> approvals": "an approval with former rounds stays",
  "former_steps: pk (approval_id,round,position)": positions,
  "former_steps: CHECK (round > 0)": positions,
  "former_steps: CHECK (position > 0)": positions,
  "former_steps: CHECK (status IN ('pending', 'approved', 'changes_requested', 'rejected'))": {
    given: {
      approvals: [
        {
          title: "New",
          steps: [{ person: document.people[0].name }],
          rounds: [[{ person: document.people[0].name, status: "x" }]],
        },
      ],
    },
    says: oneOf,
  },
  "former_steps: CHECK ((decided_at IS NULL) = (status = 'pending'))": {
    given: {
      approvals: [
        {
          title: "New",
          steps: [{ person: document.people[0].name }],
          rounds: [[{ person: document.people[0].name, decided_at: time }]],
        },
      ],
    },
    says: /decided_at/,
  },
  "former_steps: (version_id) -> versions": "a version is never removed",
  "former_steps: CHECK (version_id IS NULL OR status <> 'pending')": {
    given: {
      approvals: [
        {
          title: "New",
          steps: [{ person: document.people[0].name }],
          rounds: [[{ person: document.people[0].name, version: 1 }]],
        },
      ],
    },
    says: /version is allowed only on a decided step/,
  },
  "grants: (production_id,delivery_id) -> deliveries": unknown("engagements", {
    ...engagement,
    grants: [{ verb: "submit", delivery: "Nothing" }],
  }),
  "grants: (production_id,department_id) -> departments": unknown("engagements", {
    ...engagement,
    grants: [{ verb: "read", department: "Nothing" }],
  }),
  "grants: (production_id,node_id) -> nodes": unknown("engagements", {
    ...engagement,
    grants: [{ verb: "read", asset: "Nothing" }],
  }),
  "grants: (production_id,engagement_id) -> engagements": {
    given: without("engagements"),
    exact: true,
    says: /cannot be removed/,
  },
  "grants: CHECK (verb IN ('read', 'submit', 'read:own_po'))": {
    given: { engagements: [{ ...engagement, grants: [{ verb: "x", scene: scene.number }] }] },
    says: oneOf,
  },
  "grants: CHECK ((node_id IS NOT NULL) + (department_id IS NOT NULL) + (delivery_id IS NOT NULL) = 1)": {
    given: { engagements: [{ ...engagement, grants: [{ verb: "read" }] }] },
    says: /must have exactly one of/,
  },
  "grants: CHECK (verb <> 'submit' OR delivery_id IS NOT NULL)": {
    given: { engagements: [{ ...engagement, grants: [{ verb: "submit", scene: scene.number }] }] },
    says: /submit needs a delivery/,
  },
  "grants: CHECK (verb <> 'read:own_po' OR department_id IS NOT NULL)": {
    given: { engagements: [{ ...engagement, grants: [{ verb: "read:own_po", scene: scene.number }] }] },
    says: /needs a department/,
  },
  "jobs: (production_id,node_id) -> nodes": unknown("jobs", {
    kind: "image",
    status: "done",
    summary: "x",
    asset: "Nothing",
    created_at: time,
  }),
  "jobs: CHECK (kind IN ('image', 'video'))": {
    given: { jobs: [{ kind: "x", status: "done", summary: "x", created_at: time }] },
    says: oneOf,
  },
  "jobs: CHECK (status IN ('queued', 'running', 'done', 'failed'))": {
    given: { jobs: [{ kind: "image", status: "x", summary: "x", created_at: time }] },
    says: oneOf,
  },
  "look_briefs: (version_id) -> versions": "an asset with versions is never removed, nor is a version",
  "media: (production_id,asset_file_id) -> asset_files": "a reported file is never removed",
  "media: (production_id,ingredient_id) -> ingredients": replaced,
  "media: (production_id,work_item_id) -> submissions": "a submission is never removed",
  "media: (production_id,delivery_id) -> deliveries": replaced,
  "media: (production_id,version_id) -> versions": "a version is never removed",
  "media: (sha256) -> blobs": "the bytes are staged before the row is written",
  "media: c partial (asset_file_id)": "a file has one medium in the schema",
  "media: c partial (ingredient_id)": "an ingredient has one medium in the schema",
  "media: c partial (version_id)": "a version has one medium in the schema",
  "media: c (production_id,path)": "paths are made with the id of the medium",
  "media: CHECK ((version_id IS NOT NULL) + (delivery_id IS NOT NULL AND work_item_id IS NULL) + (work_item_id IS NOT NULL) + (ingredient_id IS NOT NULL) + (asset_file_id IS NOT NULL) <= 1)":
    "a medium is attached to one row",
  "node_links: (production_id,to_node_id) -> nodes": unknown("scenes", { number: scene.number, assets: ["Nothing"] }),
  "node_links: (production_id,from_node_id) -> nodes": replaced,
  "node_links: pk (from_node_id,to_node_id)": {
    given: { scenes: [{ number: scene.number, assets: [costume, costume] }] },
    says: /is the same as/,
  },
  "nodes: CHECK (cast_number IS NULL OR kind = 'character')": {
    given: { assets: [{ label: costume, cast_number: "1" }] },
    says: /cast_number is allowed only on an asset of kind character/,
  },
  "nodes: CHECK (performer IS NULL OR kind = 'character')": {
    given: { assets: [{ label: costume, performer: "Somebody" }] },
    says: /performer is allowed only on an asset of kind character/,
  },
  "nodes: CHECK (status IN ('planned', 'active', 'blocked', 'done') OR (status = 'omitted' AND kind = 'scene'))": {
    given: { assets: [{ label: costume, status: "omitted" }] },
    says: oneOf,
  },
  "notes: (production_id,version_id) -> versions": {
    given: { notes: [{ asset: costume, version: 99, text: "x", author: "x", created_at: time }] },
    says: /version/,
  },
  "notes: CHECK (place IS NULL OR version_id IS NOT NULL)": {
    given: { notes: [{ asset: costume, text: "x", author: "x", created_at: time, place: { x: 0.5, y: 0.5 } }] },
    says: /place/,
  },
  "notes: (production_id,node_id) -> nodes": unknown("notes", {
    asset: "Nothing",
    text: "x",
    author: "x",
    created_at: time,
  }),
  "people: c (production_id,name)": matched,
  "people: CHECK (is_hod IN (0, 1))": {
    given: { people: [{ name: document.people[0].name, is_hod: 2 }] },
    says: /must be true or false/,
  },
  "people: CHECK (is_admin IN (0, 1))": {
    given: { people: [{ name: document.people[0].name, is_admin: 2 }] },
    says: /must be true or false/,
  },
  "people: CHECK (active IN (0, 1))": {
    given: { people: [{ name: document.people[0].name, active: 2 }] },
    says: /must be true or false/,
  },
  "productions: (id,current_episode_id) -> episodes": {
    given: { production: { current_episode: "Nothing" } },
    says: /current_episode/,
  },
  "productions: c (title)": "productionOfTitle finds another production of the title",
  "productions: CHECK (format IN ('single', 'episodic'))": {
    given: { production: { format: "episodic" } },
    says: /must stay single/,
  },
  "productions: CHECK ((season_number IS NOT NULL) = (format = 'episodic'))": {
    given: { production: { season_number: 2 } },
    says: /season_number is allowed only/,
  },
  "purchase_orders: (production_id,vendor_id) -> vendors": unknown("purchase_orders", { ...order, vendor: "Nothing" }),
  "purchase_orders: c partial (production_id,number)": {
    given: { purchase_orders: [1, 2].map((amount) => ({ ...order, number: "P1", amount })) },
    says: /is the same/,
  },
  "purchase_orders: CHECK (currency GLOB '[A-Z][A-Z][A-Z]')": {
    given: { purchase_orders: [{ ...order, currency: "eur" }] },
    says: /currency must be/,
  },
  "purchase_orders: CHECK (status IN ('open', 'partial', 'closed'))": {
    given: { purchase_orders: [{ ...order, status: "x" }] },
    says: oneOf,
  },
  "scenes: (production_id,episode_id) -> episodes": "the episode of a scene is part of its name",
  "scenes: (production_id,node_id) -> nodes": "a scene is written after its node, and neither is removed",
  "scenes: c (production_id,script_order)": positions,
  "scenes: c (production_id,,number)": { given: { scenes: [{ number: "1", was: "2" }] }, says: /must be different/ },
  "scenes: CHECK (json_type(elements) = 'object')": {
    given: { scenes: [{ number: "1", elements: [] }] },
    says: /must be an object/,
  },
  "script_changes: (production_id,node_id) -> nodes": unknown("script_changes", { ...change, scene: "Nothing" }),
  "script_changes: (production_id,episode_id) -> episodes": {
    given: { script_changes: [{ ...change, episode: "Nothing" }] },
    says: /episode names no episode|episode is allowed only on an episodic production/,
  },
  "script_changes: (superseded_by) -> script_drafts": "a draft is never removed",
  "script_changes: (production_id,moved_by) -> script_changes": written,
  "script_changes: (draft_id) -> script_drafts": "a draft is never removed",
  "script_changes: CHECK (kind IN ('added', 'changed', 'omitted', 'moved'))": {
    given: { script_changes: [{ ...change, kind: "x" }] },
    says: oneOf,
  },
  "script_changes: CHECK (status IN ('pending', 'approved', 'dismissed'))": {
    given: { script_changes: [{ ...change, status: "x" }] },
    says: oneOf,
  },
  "script_changes: CHECK ((decided_at IS NULL) = (status = 'pending'))": {
    given: { script_changes: [{ ...change, status: "approved" }] },
    says: /decided_at/,
  },
  "script_changes: CHECK (json_type(fields) = 'object')": written,
  "script_drafts: (production_id,episode_id) -> episodes": "list_bindings has the episodes of drafts",
  "script_drafts: CHECK (json_type(departments) = 'object')": written,
  "script_drafts: CHECK (json_type(dismissed) = 'array')": written,
  "script_scenes: (production_id,node_id) -> nodes": "a scene is never removed",
  "script_scenes: (production_id,episode_id) -> episodes": "list_bindings has the episodes of scripts",
  "script_scenes: CHECK (json_type(scene) = 'object')": written,
  "script_scenes: CHECK (approved IS NULL OR json_type(approved) = 'object')": written,
  "script_scenes: CHECK (json_type(kept) = 'array')": written,
  "script_scenes: CHECK (json_type(by_hand) = 'array')": written,
  "nodes: c partial (production_id,external_id)": {
    given: {
      assets: [
        { label: costume, external_id: "sg-1" },
        { label: "Another", kind: "prop", external_id: "sg-1" },
      ],
    },
    says: /external_id must be that of one asset, and "Another" has it/,
  },
  "nodes: CHECK (external_id IS NULL OR kind <> 'scene')": "a scene of a document has no external_id",
  "versions: c partial (production_id,external_id)": {
    given: {
      assets: [
        {
          label: "Another",
          kind: "prop",
          versions: [
            { version: 1, external_id: "pub-1" },
            { version: 2, external_id: "pub-1" },
          ],
        },
      ],
    },
    says: /external_id must be that of one of the versions/,
  },
  "submissions: (answers) -> submissions": "what answers a submission that is removed keeps null",
  "submissions: c partial (engagement_id,external_id)": {
    given: {
      deliveries: [
        {
          title: delivery.title,
          submissions: ["One", "Two"].map((title) => ({ engagement: engagement.title, title, external_id: "v-1" })),
        },
      ],
    },
    says: /external_id must be that of one of the submissions/,
  },
  "sessions: (production_id,seen_as) -> engagements": "the sessions that see as an engagement end with it",
  "shoot_days: CHECK (wrap IS NULL OR wrap GLOB '[0-2][0-9]:[0-5][0-9]')": {
    given: { schedule: [{ day_number: day.day_number, wrap: "late" }] },
    says: /wrap must be a time of day/,
  },
  "shoot_days: u (production_id,day_number,unit)": {
    given: { schedule: [{ day_number: day.day_number, was: document.schedule[1].day_number }] },
    says: /must be different/,
  },
  "storage_events: (production_id,install_id) -> storage_installs": "an install is never removed",
  "storage_installs: c partial (production_id)": {
    given: { storage: ["new", "newer"].map((filespace) => ({ filespace, active: true })) },
    says: /must be false/,
  },
  "storage_installs: u (production_id,filespace)": {
    given: { storage: [{ filespace: "new" }, { filespace: "new" }] },
    says: /is the same/,
  },
  "storage_installs: CHECK (active IN (0, 1))": {
    given: { storage: [{ filespace: "new", active: 2 }] },
    says: /must be true or false/,
  },
  "storage_tasks: (production_id,install_id) -> storage_installs": "an install is never removed",
  "storage_tasks: CHECK (status IN ('pending', 'done', 'failed'))": {
    given: { storage: [{ filespace: "new", moves: [{ src: "a", dst: "b", status: "x", created_at: time }] }] },
    says: oneOf,
  },
  "storage_tasks: CHECK ((settled_at IS NULL) = (status = 'pending'))": {
    given: { storage: [{ filespace: "new", moves: [{ src: "a", dst: "b", status: "done", created_at: time }] }] },
    says: /settled_at/,
  },
  "strips: (production_id,node_id) -> nodes": unknown("schedule", { day_number: day.day_number, scenes: ["Nothing"] }),
  "strips: (production_id,shoot_day_id) -> shoot_days": replaced,
  "strips: c (node_id,shoot_day_id)": {
    given: { schedule: [{ day_number: day.day_number, scenes: [scene.number, scene.number] }] },
    says: /is the same as/,
  },
  "strips: pk (shoot_day_id,position)": positions,
  "submissions: (production_id,engagement_id) -> engagements": unknown("deliveries", {
    title: delivery.title,
    submissions: [{ engagement: "Nothing", title: "x" }],
  }),
  "submissions: (production_id,delivery_id) -> deliveries": "a delivery with submissions stays",
  "vendors: c (production_id,name)": matched,
  "version_ingredients: (production_id,ingredient_id) -> ingredients": unknown("assets", {
    label: costume,
    versions: [{ version: 99, ingredients: [{ ingredient: "Nothing" }] }],
  }),
  "version_ingredients: (production_id,version_id) -> versions": "a version is never removed",
  "version_ingredients: pk (version_id,ingredient_id)": {
    given: {
      assets: [
        {
          label: costume,
          versions: [{ version: 99, ingredients: [1, 2].map(() => ({ ingredient: document.ingredients[0].label })) }],
        },
      ],
    },
    says: /is the same as/,
  },
  "versions: (production_id,created_by_person_id) -> people": unknown("assets", {
    label: costume,
    versions: [{ version: 99, created_by_person: "Nothing" }],
  }),
  "versions: (production_id,node_id) -> nodes": "an asset with versions stays",
  "versions: u (node_id,version)": {
    given: { assets: [{ label: "New", kind: "prop", versions: [{ version: 1 }, { version: 1 }] }] },
    says: /version must be 2: versions are in order/,
  },
  "versions: CHECK (version > 0)": {
    given: { assets: [{ label: costume, versions: [{ version: 0 }] }] },
    says: /must be at least 1/,
  },
  "versions: CHECK (archived IN (0, 1))": {
    given: { assets: [{ label: "New", kind: "prop", versions: [{ version: 1, archived: 2 }] }] },
    says: /must be true or false/,
  },
  "versions: CHECK (released IN (0, 1))": {
    given: { assets: [{ label: "New", kind: "prop", versions: [{ version: 1, released: 2 }] }] },
    says: /must be true or false/,
  },
};

/** What references of optional fields are refused with: nothing has the name. */
function ofReferences(): Record<string, Refused> {
  const things = sectionNames.flatMap((section) => {
    const item = document[section]?.[0];
    return sections[section].plain || sections[section].history || item === undefined ? [] : [{ section, item }];
  });
  return Object.fromEntries(
    things.flatMap(({ section, item }) =>
      layoutOf(section).fields.flatMap(({ name, noun, isNeeded }) => {
        if (noun === undefined || isNeeded) return [];
        const { table } = sections[namings[noun].list];
        const given = unknown(section, { ...namingOf(section, item), [name]: "Nothing" });
        const columns = [`${name}_id`, `production_id,${name}_id`];
        return columns.map((column) => [`${sections[section].table}: (${column}) -> ${table}`, given]);
      }),
    ),
  );
}

/** What documents neither write nor, but for the constraints above, remove what it refers to. */
const elsewhere =
  /^(?:api_keys|audit|begin_links|blobs|day_issues|event_floors|events|former_tokens|idempotent_answers|import_maps|invitations|last_ids|look_briefs|media_typing|oauth_\w+|page_marks|search_\w+|sessions|sign_in_links|storage_events|uploads|webhooks|webhook_deliveries|webhook_set_aside): (?!.*-> (?:people|engagements|episodes|vendors|deliveries|nodes|versions|storage_installs)$)/;
/** Every row is written with the id of the production and with an id of its own. */
const general = /: (?:\(production_id\) -> productions|u \(production_id,id\))$/;

function constraintsOf(): string[] {
  const store = openStore(`${mkdtempSync(`${temporaryFolder()}/`)}/tallylight.db`);
  const { database } = store;
  const tables = database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all() as Json[];
  const found = tables.flatMap(({ name, sql }) => {
    const foreign = Map.groupBy(database.pragma(`foreign_key_list(${name})`) as Json[], ({ id }) => id);
    const unique = (database.pragma(`index_list(${name})`) as Json[]).filter((index) => index.unique === 1);
    return [
      ...[...foreign.values()].map((rows) => `(${rows.map(({ from }) => from)}) -> ${rows[0].table}`),
      ...unique.map(({ name, origin, partial }) => {
        const columns = (database.pragma(`index_xinfo(${name})`) as Json[]).filter(({ key }) => key === 1);
        return `${origin}${partial === 1 ? " partial" : ""} (${columns.map((column) => column.name)})`;
      }),
      ...checksIn(sql ?? ""),
    ].map((constraint) => `${name}: ${constraint}`);
  });
  store.close();
  return found;
}

function checksIn(sql: string): string[] {
  return [...sql.matchAll(/CHECK \(/g)].map(({ index }) => {
    let [depth, end] = [0, sql.indexOf("(", index)];
    do depth += { "(": 1, ")": -1 }[sql[end++] as string] ?? 0;
    while (depth > 0);
    return sql.slice(index, end).replace(/\s+/g, " ");
  });
}

const test = suite("the constraints of the database");

test("have each a refusal or a reason here", () => {
  const particular = constraintsOf().filter((one) => !elsewhere.test(one) && !general.test(one));
  const references = new Set(Object.keys(ofReferences()));
  const without = particular.filter((one) => !Object.hasOwn(refusals, one) && !references.has(one));
  assert.equal(without, [], "say above what an update that breaks it is told, or why none can");
  const further = Object.keys(refusals).filter((one) => !particular.includes(one));
  assert.equal(further, [], "the database has no such constraint");
});

test("are refused by the plan, in sentences of its own", async () => {
  const production = await openProduction();
  for (const [constraint, how] of Object.entries({ ...ofReferences(), ...refusals })) {
    if (typeof how === "string") continue;
    const { given, says, exact = false } = how;
    const problems = await production.problems(given, { exact }).catch((error) => [`${constraint}: ${error.message}`]);
    assert.ok(
      problems.some((sentence) => says.test(sentence)),
      `${constraint}: ${problems}`,
    );
    assert.ok(!problems.some((sentence) => /constraint failed/.test(sentence)), constraint);
  }
});

test("that no check foresees become a sentence that names the section", async () => {
  const { store, production_id } = await openProduction();
  const twice = `INSERT INTO vendors (production_id, name) SELECT production_id, name FROM vendors WHERE production_id = ${production_id}`;
  const unsound = "INSERT INTO vendors (production_id, name) VALUES (999, 'x')";
  for (const [sql, sentence] of [
    [twice, "the database does not allow what vendors would become (vendors, name); nothing was imported"],
    [unsound, "the database does not allow what scenes, vendors would become; nothing was imported"],
  ] as const) {
    let refusal: unknown;
    try {
      store.writeSync(() => store.database.exec(sql));
    } catch (error) {
      refusal = databaseRefusal(error, ["scenes", "vendors"]);
    }
    assert.instance(refusal, CliError);
    assert.is((refusal as CliError).message, sentence); // as the line above says
  }
});

test.run();
