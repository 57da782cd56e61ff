// Random updates of a production: documents, lists, drafts of its script, and what an admin does between them. Some are
// refused.
import fc from "fast-check";
import * as assert from "uvu/assert";
import { CliError, HttpError } from "../../src/core/errors.ts";
import type { Blobs } from "../../src/core/store/blobs.ts";
import { noFlags } from "../../src/features/documents/import_flags.ts";
import type { InputFile } from "../../src/features/documents/importers.ts";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import type { Plan } from "../../src/features/documents/planned.ts";
import { updateFromFiles } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { sectionNames } from "../../src/features/documents/sections/sections.ts";
import { reopenApproval } from "../../src/features/history/approval_reopening.ts";
import { knownKinds } from "../../src/features/lists/lists.ts";
import { decideScriptChanges } from "../../src/features/scripts/deciding.ts";
import type { Admin } from "../../src/graph/admin.ts";
import { endEngagement } from "../../src/graph/engagements.ts";
import { revokeGrant } from "../../src/graph/grants.ts";
import { givenFile } from "./import.ts";
import type { Json } from "./update.ts";

export const past = "2026-05-01T00:00:00.000Z";

export interface Choice {
  kind: number;
  a: number;
  b: number;
  c: number;
}
export const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.nat(99),
  a: fc.nat(20),
  b: fc.nat(20),
  c: fc.nat(20),
});

export const range = (size: number) => Array.from({ length: size }, (_, at) => at);
/** The item at a random index; undefined of an empty list. */
export const at = <T>(list: readonly T[] | undefined, index: number): T =>
  (list ?? [])[index % Math.max(1, list?.length ?? 0)] as T;
const nameOf = ({ ref, label, title }: Json): string => ref ?? label ?? title;
export const sceneOf = ({ number, episode }: Json): string => (episode === undefined ? number : `${episode}/${number}`);

const statuses = ["planned", "active", "done"];
/** A document about a few things of a production, by random numbers. Some are refused. */
const edits: readonly ((document: Json, choice: Choice) => Json)[] = [
  ({ scenes, assets }, { a, b, c }) => ({
    scenes: [
      {
        ...keyed(at(scenes, a)),
        status: at([...statuses, "omitted"], b),
        synopsis: `${c}`,
        assets: [nameOf(at(assets, c))],
      },
    ],
  }),
  ({ scenes }, { a, b }) => ({
    scenes: [{ ...keyed(at(scenes, a)), number: `${b}Z`, was: at<Json>(scenes, a).number }],
  }),
  ({ scenes }, { a, b, c }) => ({
    scenes: [keyed(at(scenes, a)), { ...keyed(at(scenes, b)), number: `N${c}`, slugline: "EXT. NEW" }],
  }),
  ({ assets, departments }, { a, b, c }) => ({
    assets: [
      {
        ...keyed(at(assets, a)),
        kind: at(["prop", "costume", "character"], b),
        department: at([null, at<Json>(departments, c).slug], c),
      },
    ],
  }),
  ({ assets }, { a, b, c }) => ({
    assets: [
      { ...keyed(at(assets, a)), costumes: [nameOf(at(assets, b))] },
      { label: `New ${c}`, kind: "costume" },
    ],
  }),
  ({ assets }, { a, b }) => ({ assets: [{ label: `Renamed ${b}`, was: nameOf(at(assets, a)) }] }),
  ({ assets, scenes }, { a, b, c }) => ({
    assets: [{ ...keyed(at(assets, a)), scenes: [at(scenes, b), at(scenes, c)].map(sceneOf) }],
  }),
  ({ schedule, assets, people, departments, scenes }, { a, b, c }) => ({
    schedule: [
      {
        day_number: at<Json>(schedule, a)?.day_number,
        calls: [nameOf(at(assets, b)), at<Json>(people, b).name, at<Json>(departments, c).slug, `New ${c}`].map(
          (who) => ({ who, time: "07:00" }),
        ),
        banners: [{ before: sceneOf(at(scenes, c)), text: "LUNCH" }, { text: "WRAP" }],
        location: `${b}`,
        wrap: at([null, "19:30"], c),
      },
    ],
  }),
  ({ people, departments }, { a, b, c }) => ({
    people: [
      { name: at<Json>(people, a).name, active: b % 2 === 0 },
      { name: `New ${b}`, role: "New", department: at<Json>(departments, c).slug },
    ],
  }),
  ({ people }, { a, b }) => ({ people: [{ name: `Renamed ${b}`, was: at<Json>(people, a).name }] }),
  ({ departments }, { a, b }) => ({
    departments: [
      { slug: `renamed-${b}`, was: at<Json>(departments, a).slug },
      { slug: `new-${b}`, name: "New" },
    ],
  }),
  ({ deliveries, departments }, { a, b, c }) => ({
    deliveries: [
      {
        ...keyed(at(deliveries, a)),
        status: at(["draft", "ready", "sent", "accepted"], b),
        due: at([null, "2026-12-24", "soon"], c),
        to_department: at<Json>(departments, c).slug,
      },
    ],
  }),
  ({ deliveries }, { a, b }) => ({
    deliveries: [{ ...keyed(at(deliveries, a)), kind: "external", external_to: `Vendor ${b}` }],
  }),
  ({ deliveries }, { a, b }) => ({ deliveries: [{ title: `Renamed ${b}`, was: nameOf(at(deliveries, a)) }] }),
  ({ approvals }, { a, b, c }) => {
    const { steps, ...approval } = at<Json>(approvals, a);
    const status = at(["approved", "changes_requested", "rejected"], b);
    const decided = { status, decided_at: past, decided_by: steps[0].person };
    return {
      approvals: [
        {
          ...keyed(approval),
          status: c % 2 === 0 ? status : "pending",
          steps: [{ person: steps[0].person, ...decided }],
        },
      ],
    };
  },
  ({ approvals }, { a, b }) => ({
    approvals: [{ ...keyed(at(approvals, a)), status: at(["pending", "approved"], b), due: `${b}` }],
  }),
  ({ people, assets }, { a, b, c }) => ({
    approvals: [{ title: `New ${a}`, asset: nameOf(at(assets, b)), steps: [{ person: at<Json>(people, c).name }] }],
  }),
  ({ engagements, scenes }, { a, b, c }) => ({
    engagements: [
      {
        ...keyed(at(engagements, a)),
        vendor: at<Json>(engagements, a).vendor,
        grants: [
          {
            verb: "read",
            scene: sceneOf(at(scenes, b)),
            ...at<Json>([{}, { expires_at: past }, { expires_at: "2030-01-01T00:00:00.000Z" }], c),
          },
        ],
      },
    ],
  }),
  ({ engagements }, { a, b }) => ({
    engagements: [
      {
        ...keyed(at(engagements, a)),
        vendor: at<Json>(engagements, a).vendor,
        ended_at: at([null, past, "2030-01-01T00:00:00.000Z"], b),
      },
    ],
  }),
  ({ vendors }, { a, b }) => ({ vendors: [{ name: `Renamed ${b}`, was: at<Json>(vendors, a) }] }),
  ({ vendors }, { a, b, c }) => ({
    vendors: [at(vendors, a)],
    purchase_orders: [
      {
        account: "1",
        vendor: at(vendors, a),
        description: "Rope",
        amount: b,
        date: "2026-11-01",
        ...(c % 2 === 0 && { number: `P${c}` }),
      },
    ],
  }),
  ({ cost_reports }, { a, b }) => ({
    cost_reports: [{ week_of: at<Json>(cost_reports, a)?.week_of, active: b % 2 === 0 }],
  }),
  (_, { a, b }) => ({
    cost_reports: [
      { week_of: `2026-10-${10 + a}`, active: b % 2 === 0, lines: [{ account: "1", department: "department-0" }] },
    ],
  }),
  ({ cost_reports }, { a, b }) => ({
    cost_reports: [{ week_of: `2027-10-${10 + b}`, was: at<Json>(cost_reports, a)?.week_of }],
  }),
  ({ storage }, { a, b }) => ({ storage: [{ filespace: `space ${b}`, was: at<Json>(storage, a).filespace }] }),
  ({ storage }, { a, b, c }) => ({
    storage: [
      {
        filespace: b % 2 === 0 ? at<Json>(storage, a).filespace : `new ${b}`,
        ...(c % 3 > 0 && { active: c % 3 === 1 }),
        files: [{ path: `${c}.mov`, state: "present", detected_at: past }],
      },
    ],
  }),
  ({ schedule, scenes }, { a, b, c }) => ({
    schedule: [
      { day_number: at<Json>(schedule, a).day_number, scenes: [sceneOf(at(scenes, b))], date: `2027-01-${10 + c}` },
    ],
  }),
  ({ schedule }, { a, b }) => ({ schedule: [{ day_number: 100 + b, was: at<Json>(schedule, a).day_number }] }),
  ({ episodes = [] }, { a, b }) => ({
    episodes: [
      { code: `2${b}`, title: "New" },
      ...(episodes.length > 0 ? [{ code: `R${b}`, was: at<Json>(episodes, a).code }] : []),
    ],
  }),
  (_, { a }) => ({ production: { phase: `Phase ${a}`, ...(a === 0 && { title: "Random 1" }) } }),
  ({ assets }, { a, b, c }) => ({
    notes: [
      {
        asset: nameOf(at(assets, a)),
        text: `${b}`,
        author: "A",
        created_at: `2026-11-0${1 + (c % 9)}T00:00:00.000Z`,
        ...(b === 0 && { version: 1 }),
      },
    ],
  }),
  ({ departments, scenes }, { a, b, c }) => ({
    department_notes: [{ department: at<Json>(departments, a).slug, scene: sceneOf(at(scenes, b)), summary: `${c}` }],
  }),
];
/** The fields by which a document names a thing. */
const keyed = ({ ref, label, title, number, episode }: Json): Json =>
  JSON.parse(JSON.stringify({ ref, label, title, number, episode }));

/** A table as the text of a CSV file. */
const csv = (header: string, ...rows: unknown[][]): string =>
  [header, ...rows.map((row) => row.map((cell) => `"${cell ?? ""}"`).join(","))].join("\n");

/** A list of each kind about a few things of a production. Some are refused. */
const lists: Record<ListKind, (document: Json, choice: Choice) => string> = {
  people: ({ people, departments }, { a, b, c }) =>
    csv(
      "Name,Role,Department,Active",
      [`List ${a}`, "Grip", at<Json>(departments, b).slug, "yes"],
      [at<Json>(people, a).name, "Boss", `Department ${c}`, at(["yes", "no"], b)],
    ),
  vendors: ({ vendors }, { a, b }) => csv("Vendor", [at(vendors, a)], [`List ${b}`]),
  deliveries: ({ deliveries, scenes }, { a, b, c }) =>
    csv(
      "Delivery,Ref,Status,Due,To,Scenes",
      [
        at<Json>(deliveries, a).title,
        at<Json>(deliveries, a).ref,
        at(["draft", "sent"], b),
        "24 Dec 2026",
        at(["", "Vendor 0", "Department 1"], c),
        sceneOf(at(scenes, b)),
      ],
      [`List ${c}`, "", "ready", "", "", ""],
    ),
  assets: ({ assets, departments }, { a, b, c }) =>
    csv(
      "Asset,Ref,Kind,Department",
      [at<Json>(assets, a).label, at<Json>(assets, a).ref, at<Json>(assets, a).kind, at<Json>(departments, b).slug],
      [`List ${c}`, "", "vehicle", ""],
    ),
  "purchase-orders": ({ vendors, departments }, { a, b, c }) =>
    csv(
      "PO,Date,Vendor,Description,Account,Department,Amount,Status",
      ["", "2026-11-01", at(vendors, a), "Rope", 1, at<Json>(departments, b).slug, b, "open"],
      [`P${c % 3}`, "2026-11-02", at(vendors, b), "Cable", 2, "", c, "paid"],
    ),
  "cost-report": ({ departments }, { a, b, c }) =>
    csv("Week,Account,Department,Budget,Committed", [
      `2026-11-0${1 + (c % 4)}`,
      a % 3,
      at<Json>(departments, b).slug,
      a,
      b,
    ]),
  scenes: ({ scenes }, { a, b, c }) =>
    csv("Scene,Episode,Slugline,Status,Pages", [
      at<Json>(scenes, a).number,
      at<Json>(scenes, a).episode,
      `INT. LISTED ${c} - DAY`,
      at(["active", "omitted", ""], b),
      "2/8",
    ]),
  breakdown: ({ scenes, assets }, { a, b, c }) =>
    csv(
      "Scene,Category,Element",
      [sceneOf(at(scenes, a)), "Props", nameOf(at(assets, b))],
      [sceneOf(at(scenes, b)), "Stunts", `Fall ${c}`],
    ),
  cast: ({ assets, scenes }, { a, b, c }) =>
    csv(
      "No,Character,Actor,Scenes",
      [b, nameOf(at(assets, a)), `Actor ${c}`, sceneOf(at(scenes, c))],
      [c, `Role ${c}`, "", ""],
    ),
  departments: ({ departments }, { a, b }) =>
    csv("Department,Mission", [at<Json>(departments, a).name, `Mission ${b}`], [`Listed ${b}`, ""]),
  approvals: ({ people, assets }, { a, b, c }) =>
    csv("Approval,Asset,People", [`Listed ${a}`, nameOf(at(assets, b)), at<Json>(people, c).name]),
  schedule: ({ scenes, schedule }, { a, b, c }) =>
    csv(
      "Day,Date,Scene,Episode,Pages",
      ...[a, b].map((index) => {
        const { number, episode } = at<Json>(scenes, index);
        return [at<Json>(schedule, c).day_number, `2027-02-${10 + c}`, number, episode, `${1 + (a % 3)} 2/8`];
      }),
    ),
};

/** A draft of the script, or of an episode, that has most scenes of a production. */
function draftOf({ scenes, episodes = [] }: Json, { a, b, c }: Choice): { episode: string | undefined; text: string } {
  const episode: string | undefined = episodes.length > 0 ? at<Json>(episodes, a).code : undefined;
  const draft = (scenes as Json[])
    .filter((scene) => scene.episode === episode && scene.status !== "omitted")
    .map(({ slugline, number }) => {
      const words = `They look at ${slugline.slice(5)} for a while, and somebody counts the steps. `.repeat(3);
      return { heading: slugline, number, text: words };
    });
  if (draft.length > 0) {
    const [one, place] = [at(draft, b), c % draft.length];
    const edit = a % 6;
    if (edit === 1) one.text += `It takes ${c} minutes.`;
    if (edit === 2) one.heading = `EXT. ELSEWHERE ${c} - NIGHT`;
    if (edit === 3) draft.splice(place, 1);
    if (edit === 4) draft.splice(place, 0, ...draft.splice(b % draft.length, 1));
    if (edit === 5) draft.splice(place + 1, 0, { heading: `INT. CELLAR ${c}`, number: `${b}Y`, text: "It is dark." });
  }
  const lines = draft.map(({ heading, number, text }) => `${heading} #${number}#\n\n${text}\n`);
  return { episode, text: ["Title: Random", "", ...lines].join("\n") };
}

export interface Input {
  documents: Json[];
  list?: { as: ListKind; text: string };
  draft?: { episode: string | undefined; text: string };
  exact?: boolean;
}

/** One update: a section without one of its things, or a few documents with a list or a draft of the script. */
export function inputOf(document: Json, choices: readonly Choice[]): Input {
  const [{ kind, a, b } = { kind: 0, a: 0, b: 0 }] = choices;
  if (kind % 6 === 0) {
    const section = at(sectionNames, a);
    const list = document[section] ?? [];
    const less = list.filter((_: Json, index: number) => index !== b % Math.max(1, list.length));
    return { exact: true, documents: [{ [section]: less }] };
  }
  const input: Input = { documents: [] };
  for (const [index, choice] of choices.entries()) {
    const isPaper = (index + kind) % 2 === 0;
    if (isPaper && choice.kind % 3 > 0) {
      const as = at(knownKinds, choice.kind);
      input.list ??= { as, text: lists[as](document, choice) };
    } else if (isPaper) input.draft ??= draftOf(document, choice);
    else input.documents.push(at(edits, choice.kind)(document, choice));
  }
  return input;
}

/** The result, or undefined if it is refused. An error that is no refusal is thrown. */
const unlessRefused = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    assert.not.match(String(error.message), /constraint|SQLITE/);
    if (error instanceof CliError || (error instanceof HttpError && error.status < 500)) return undefined;
    throw error;
  });

/** Where the updates go. */
interface Target {
  admin: Admin;
  blobs: Blobs;
  folder: string;
}

/** What an admin does between two updates: returns the plan of a decision on changes of the script. */
export async function act(
  { admin, blobs }: Target,
  production_id: number,
  { kind, a }: Choice,
): Promise<Plan | undefined> {
  const { store } = admin;
  const write = async <T>(work: () => T): Promise<T> => store.writeSync(work);
  const ids = (sql: string): number[] => store.database.prepare(sql).pluck().all(production_id) as number[];
  const grants = ids("SELECT id FROM grants WHERE production_id = ?");
  const engagements = ids("SELECT id FROM engagements WHERE production_id = ?");
  const reopened = ids("SELECT id FROM approvals WHERE production_id = ? AND status = 'changes_requested'");
  const pending = ids("SELECT id FROM script_changes WHERE production_id = ? AND status = 'pending' ORDER BY id");
  if (kind % 5 === 0 && grants.length > 0) revokeGrant(admin, { id: at(grants, a) });
  if (kind % 5 === 1 && engagements.length > 0) endEngagement(admin, { id: at(engagements, a) });
  if (kind % 5 === 2 && reopened.length > 0) reopenApproval(admin, { id: at(reopened, a) });
  if (kind % 5 < 3 || pending.length === 0) return undefined;
  const decision = kind % 2 === 0 ? "approved" : "dismissed";
  const chosen = a % 3 === 0 ? [at(pending, a)] : pending;
  const decided = await unlessRefused(
    decideScriptChanges(admin, blobs, { ids: chosen, production_id, decision }, write),
  );
  return decided?.plan;
}

/** Applies an input, or returns undefined if it is refused. */
export async function applied(
  { admin, blobs, folder }: Target,
  production_id: number,
  { documents, list, draft, exact = false }: Input,
  dry_run = false,
) {
  const write = async <T>(work: () => T): Promise<T> => admin.store.writeSync(work);
  const given: InputFile[] = await Promise.all(
    documents.map((document, at) => partialDocument(structuredClone(document), `given${at}.json`, folder)),
  );
  if (list !== undefined) given.push(await givenFile({ name: "list.csv", text: list.text }));
  if (draft !== undefined) given.push(await givenFile({ name: "draft.fountain", text: draft.text }));
  const flags = {
    ...noFlags,
    ...(list !== undefined && { as: list.as }),
    ...(draft?.episode !== undefined && { episode: draft.episode }),
  };
  return unlessRefused(updateFromFiles(admin, blobs, { given, flags }, { production_id, exact, dry_run }, write));
}
