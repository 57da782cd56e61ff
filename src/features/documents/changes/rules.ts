// The rules of the things of each section, beside what the schema says: between the fields of a thing, and between it
// and what it refers to.
import { listed } from "../../../core/wording.ts";
import { grantTargets } from "../../../graph/values.ts";
import { quoted } from "../../names/names.ts";
import { parseEighths } from "../../names/page_lengths.ts";
import { personNameProblem } from "../../names/person_names.ts";
import { callTimeFields } from "../../names/typed_times.ts";
import { idsOf, type Raw, rawsOf } from "../sections/form.ts";
import { callWords, timeOfDay } from "../sections/schema.ts";
import type { SectionName } from "../sections/sections.ts";
import type { Checking } from "./checking.ts";
import { isDecided } from "./steps.ts";
import { approvalStatusOf, grantTargetFields } from "./terms.ts";
import { forUpdates, type Item } from "./update.ts";

export const onEpisodic = "on an episodic production";
const onCharacter = "on an asset of kind character";
/** Versions are numbered 1, 2, 3 in their order. After the first wrong number, the following ones are not reported. */
function checkNumbers(checking: Checking, versions: unknown): void {
  let before = 0;
  for (const [{ version }, here, at] of checking.items(".versions", versions)) {
    const isUsable = checking.isUsable(`${here}.version`);
    if (isUsable && version !== at + 1 && version !== before + 1)
      checking.report(`${here}.version`, `must be ${at + 1}: versions are in order and numbered from 1`);
    before = isUsable ? Number(version) : at + 1;
  }
}

/** What a character wears: assets of kind costume. */
function checkCostumes(checking: Checking): void {
  const { update, thing } = checking;
  const costumes = idsOf(thing.costumes);
  if (!checking.isUsable(".costumes") || costumes.length === 0) return;
  if (checking.isUsable(".kind") && thing.kind !== "character") {
    checking.report(".costumes", "is allowed only on an asset of kind character");
    return;
  }
  const assets = update.items(
    "assets",
    costumes.filter((id) => id !== null),
  );
  for (const [at, id] of costumes.entries()) {
    const asset = assets.get(id);
    const isSound = asset?.places.every(({ source, at: own }) => !source.problems.has(`assets[${own}].kind`)) !== false;
    const kind = isSound ? asset?.next?.kind : undefined;
    if (kind !== undefined && kind !== "costume" && checking.isUsable(`.costumes[${at}]`))
      checking.report(
        `.costumes[${at}]`,
        `must name an asset of kind costume, and "${update.names.nameOf("asset", id)}" is not one`,
      );
  }
}

/** An asset that a character wears stays a costume. Of characters that the documents name, their own place says it. */
function checkWearers(checking: Checking): void {
  const { update, item, thing } = checking;
  if (item.before?.kind !== "costume" || thing.kind === "costume") return;
  const sql =
    "SELECT from_node_id AS id FROM node_links JOIN nodes ON id = from_node_id WHERE to_node_id = ? AND kind <> 'scene'";
  const stays = ({ id }: { id: number }) => (update.items("assets").get(id)?.places.length ?? 0) === 0;
  const wearer = update.rows.all<{ id: number }>(sql, item.id).find(stays);
  if (wearer !== undefined)
    checking.report(".kind", `must stay costume: "${update.names.nameOf("asset", wearer.id)}" wears it`);
}

/** The assets that documents name, by the ids that other programs have for them. */
const assetsByExternalId = forUpdates((update) =>
  Map.groupBy<unknown, Item>(update.items("assets").values(), ({ next }) => next?.external_id),
);

/** The id of another program is that of one asset. An asset that loses or changes its own makes room for it. */
function checkExternalId(checking: Checking): void {
  const { update, item, thing } = checking;
  const { external_id } = thing;
  const { rows } = update;
  if (typeof external_id !== "string") return;
  const sql = "SELECT id FROM nodes WHERE production_id = ? AND external_id = ?";
  const stored = rows.all<{ id: number }>(sql, rows.production_id, external_id)[0]?.id;
  const stays = stored !== undefined && stored !== item.id && !update.items("assets").has(stored);
  const other =
    assetsByExternalId(update)
      .get(external_id)
      ?.find(({ id }) => id !== item.id)?.id ?? (stays ? stored : undefined);
  if (other !== undefined)
    checking.report(".external_id", `must be that of one asset, and "${update.names.nameOf("asset", other)}" has it`);
}

const versionsNamed = "SELECT node_id AS id FROM versions WHERE production_id = ? AND external_id = ?";
const submissionsNamed = "SELECT delivery_id AS id FROM submissions WHERE engagement_id = ? AND external_id = ?";

/** The id of another program of a recorded item, with the engagement of a submission. */
const recordedKey = ({ engagement, external_id }: Raw): string => JSON.stringify([engagement, external_id]);

/** The recorded items of the things of a section by these ids. */
const recordedIn = (section: SectionName, part: string) =>
  forUpdates((update) => {
    const items = [...update.items(section).values()];
    return Map.groupBy(
      items.flatMap(({ next }) => [...rawsOf(next?.[part])]),
      recordedKey,
    );
  });
const recordedItems = {
  versions: recordedIn("assets", "versions"),
  submissions: recordedIn("deliveries", "submissions"),
};

/** The id of another program is that of one version of a production, or of one submission of an engagement. */
function checkRecordedIds(checking: Checking, part: "versions" | "submissions", stored: string): void {
  const { update, item, thing } = checking;
  for (const [one, here] of checking.items(`.${part}`, thing[part])) {
    const { external_id, engagement } = one;
    if (typeof external_id !== "string") continue;
    const owner = part === "versions" ? update.rows.production_id : engagement;
    const others = recordedItems[part](update).get(recordedKey(one)) ?? [];
    const holder =
      typeof owner === "number" ? update.rows.all<{ id: number }>(stored, owner, external_id)[0]?.id : undefined;
    const isElsewhere = holder !== undefined && holder !== item.id; // what is recorded stays with it
    if (others.length > 1 || isElsewhere)
      checking.report(
        `${here}.external_id`,
        `must be that of one of the ${part}, and another one has "${external_id}"`,
      );
  }
}

/** A submission answers one before it in the list, which the same engagement submitted. */
function checkAnswers(checking: Checking): void {
  const submissions = rawsOf(checking.thing.submissions);
  for (const [{ answers, engagement }, here, at] of checking.items(".submissions", submissions)) {
    if (typeof answers !== "number") continue;
    const earlier = answers <= at ? submissions[answers - 1] : undefined;
    if (earlier?.engagement !== engagement || earlier === undefined)
      checking.report(
        `${here}.answers`,
        "must be the number of an earlier submission of the same engagement in this list",
      );
  }
}

function checkAsset(checking: Checking): void {
  const { thing } = checking;
  checkCostumes(checking);
  if (checking.isUsable(".kind") && thing.kind !== "character")
    for (const field of ["cast_number", "performer"]) checking.present(`.${field}`, thing[field], false, onCharacter);
  for (const [{ ingredients }, here] of checking.items(".versions", thing.versions))
    checking.distinct(`${here}.ingredients`, ingredients, "ingredient");
  checkNumbers(checking, thing.versions);
  checkRecordedIds(checking, "versions", versionsNamed);
  checkWearers(checking);
  if (checking.isUsable(".external_id")) checkExternalId(checking);
}

/** What is about a version names one that its asset has. */
function checkVersion(checking: Checking, version: unknown, here = ""): void {
  const { update, thing } = checking;
  const { asset } = thing;
  if (!checking.isUsable(".asset")) return;
  checking.present(`${here}.version`, version, version !== undefined && asset !== undefined, "with asset");
  if (version === undefined || typeof asset !== "number" || !checking.isUsable(`${here}.version`)) return;
  const known = update.item("assets", asset);
  const versions = rawsOf(known?.next?.versions);
  const isSound = known?.places.every(({ source, at }) => !source.problems.has(`assets[${at}].versions`)) === true;
  if (!isSound || !versions.every((one, at) => one.version === at + 1)) return; // their number is not known
  if (Number(version) > versions.length)
    checking.report(
      `${here}.version`,
      `names no version of "${update.names.nameOf("asset", asset)}": ${String(version)}`,
    );
}

/** Parts of scenes, and times of a day that are none. Those that an older version stored may stay, and come back. */
function checkDay(checking: Checking): void {
  const { item, thing, place } = checking;
  if (place.source.was_stored) return;
  const example = "must be a time of day such as 07:30";
  const { general_call, calls, parts } = thing;
  checking.distinct(".parts", parts, "scene");
  for (const [{ pages }, here] of checking.items(".parts", parts))
    if (typeof pages === "string" && parseEighths(pages) === undefined)
      checking.report(`${here}.pages`, `must be a length such as 1 3/8, not ${quoted(pages)}`);
  if (typeof general_call === "string" && general_call !== item.before?.general_call && !timeOfDay.test(general_call))
    checking.report(".general_call", `${example}, not ${quoted(general_call)}`);
  const timesOf = (call: Raw) => callTimeFields.map((field) => [field, call[field]] as const);
  const stored = new Set(rawsOf(item.before?.calls).flatMap((call) => timesOf(call).map(([, time]) => time)));
  for (const [call, here] of checking.items(".calls", calls))
    for (const [field, time] of timesOf(call)) {
      const isTime = (text: string) => timeOfDay.test(text) || callWords.includes(text.toUpperCase());
      if (typeof time !== "string" || stored.has(time) || isTime(time)) continue;
      checking.report(`${here}.${field}`, `${example}, or ${listed(callWords, "or")}, not ${quoted(time)}`);
    }
}

/** A document names a node in the field of its kind. */
const targetOf = (field: string): string => (field === "scene" || field === "asset" ? "node" : field);

function checkGrants(checking: Checking): void {
  for (const [grant, here] of checking.items(".grants", checking.thing.grants)) {
    const named = grantTargetFields.filter((field) => grant[field] !== undefined && grant[field] !== null);
    const [field] = named;
    if (field === undefined || named.length > 1) {
      const isUnknown = grantTargetFields.some((one) => !checking.isUsable(`${here}.${one}`));
      if (!isUnknown) checking.report(here, `must have exactly one of ${grantTargetFields.join(", ")}`);
      continue;
    }
    if (!checking.isUsable(`${here}.verb`)) continue;
    const verb = grant.verb as keyof typeof grantTargets; // as the schema has it
    const fit: readonly string[] = grantTargets[verb];
    if (!fit.includes(targetOf(field)))
      checking.report(`${here}.verb`, `${verb} needs a ${fit[0]}, not ${/^a/.test(field) ? "an" : "a"} ${field}`);
  }
}

/** The fields of one step that depend on whether it is decided. */
function checkStep(checking: Checking, step: Raw, here: string): void {
  if (!checking.isUsable(`${here}.status`)) return;
  checking.present(`${here}.decided_at`, step.decided_at, isDecided(step), "on a decided step");
  if (isDecided(step)) {
    checkVersion(checking, step.version, here);
    return;
  }
  for (const field of ["decided_by", "signed_as", "version"])
    checking.present(`${here}.${field}`, step[field], false, "on a decided step");
}

/** Steps are decided in order, and one that is not approved ends the approval. */
function checkState(checking: Checking): void {
  const { status, steps } = checking.thing;
  const list = [...checking.items(".steps", steps)];
  const readable = list.filter(([, here]) => checking.isUsable(`${here}.status`));
  if (readable.length === 0 || readable.length < rawsOf(steps).length) return; // the others may have any status
  const [ending, endingPlace = "", end = list.length] = list.find(([step]) => step.status !== "approved") ?? [];
  const late = list.filter(([step, , at]) => at > end && isDecided(step));
  for (const [, here] of late)
    checking.report(
      `${here}.status`,
      ending !== undefined && isDecided(ending)
        ? `must be pending: ${checking.called(endingPlace)} is ${String(ending.status)}, which ends the approval`
        : `must be pending: steps are decided in order, and ${checking.called(endingPlace)} is not decided`,
    );
  const state = approvalStatusOf(rawsOf(steps));
  if (late.length > 0 || !checking.isUsable(".status") || status === state) return;
  const why = ending === undefined ? "every step is" : `${checking.called(endingPlace)} is`;
  checking.report(".status", `must be ${String(state)}, as ${why}`);
}

/** A person who left can be named where they were named before, and nowhere else. */
function checkDeciders(checking: Checking): void {
  const { update, item, thing } = checking;
  const known = new Set(rawsOf(item.before?.steps).flatMap(({ person, decided_by }) => [person, decided_by]));
  for (const [step, here] of checking.items(".steps", thing.steps))
    for (const field of ["person", "decided_by"]) {
      const id = step[field];
      if (typeof id === "number" && !known.has(id) && update.item("people", id)?.next?.active === false)
        checking.report(
          `${here}.${field}`,
          `must not name "${update.names.nameOf("person", id)}", who left the production`,
        );
    }
}

function checkApproval(checking: Checking): void {
  const { scene, asset, delivery, steps, rounds, version, version_status } = checking.thing;
  if ([scene, asset, delivery].filter((gated) => gated !== undefined).length > 1)
    checking.report("", "must have at most one of scene, asset and delivery");
  if (!checking.update.options.is_new) checkDeciders(checking);
  for (const [step, here] of checking.items(".steps", steps)) checkStep(checking, step, here);
  for (const [round, here] of checking.items(".rounds", rounds))
    for (const [step, there] of checking.items(here, round)) checkStep(checking, step, there);
  checkState(checking);
  checkVersion(checking, checking.thing.version);
  if (version === undefined) checking.present(".version_status", version_status, false, "with version");
}

function checkStorage(checking: Checking): void {
  const { files, moves } = checking.thing;
  checking.distinct(".files", files, "path");
  for (const [{ src, dst, status, settled_at }, here] of checking.items(".moves", moves)) {
    if (checking.isUsable(`${here}.src`) && checking.isUsable(`${here}.dst`) && src === dst)
      checking.report(`${here}.dst`, "must be another path than src");
    if (checking.isUsable(`${here}.status`))
      checking.present(`${here}.settled_at`, settled_at, status !== "pending", "on a settled move");
  }
}

function checkNode(checking: Checking): void {
  const { scene, asset } = checking.thing;
  if (scene !== undefined && asset !== undefined) checking.report("", "must name at most one of scene and asset");
}

/** The format of the production as it will be, if it could be read. */
export function formatOf({ update, place }: Pick<Checking, "update" | "place">): unknown {
  const { problems } = place.source;
  return problems.has("production") || problems.has("production.format") ? undefined : update.production.next.format;
}

/** What is checked of the things of each section. */
export const rules: { readonly [S in SectionName]?: (checking: Checking) => void } = {
  scenes(checking) {
    const format = formatOf(checking);
    if (format !== undefined) checking.present(".episode", checking.thing.episode, format === "episodic", onEpisodic);
  },
  assets: checkAsset,
  people({ item, place, thing }) {
    if (place.source.was_stored || thing.name === item.before?.name) return;
    const problem = personNameProblem(String(thing.name));
    if (problem !== undefined) place.source.problems.add(`people[${place.at}].name`, problem);
  },
  schedule: checkDay,
  engagements: checkGrants,
  deliveries(checking) {
    const { kind, external_to } = checking.thing;
    if (checking.isUsable(".kind"))
      checking.present(".external_to", external_to, kind === "external", "on an external delivery");
    checkRecordedIds(checking, "submissions", submissionsNamed);
    checkAnswers(checking);
  },
  approvals: checkApproval,
  notes(checking) {
    const { place, version } = checking.thing;
    checkVersion(checking, checking.thing.version);
    checking.present(".place", place, place !== undefined && version !== undefined, "with version");
  },
  cost_reports: (checking) => checking.distinct(".lines", checking.thing.lines, "account"),
  script_changes(checking) {
    const { episode, status, decided_at } = checking.thing;
    if (formatOf(checking) === "single") checking.present(".episode", episode, false, onEpisodic);
    if (checking.isUsable(".status"))
      checking.present(".decided_at", decided_at, status !== "pending", "on a decided change");
  },
  jobs: checkNode,
  activity: checkNode,
  storage: checkStorage,
};
