// The rules of the things of each section, beside what the schema says and beside references: between the fields of a thing, and between the
// things of one document.
import { grantTargets } from "../../../graph/values.ts";
import type { Item, SectionName } from "../sections/sections.ts";
import type { Validator } from "./validator.ts";

interface ThingRules<S extends SectionName> {
  /** Between the fields of a thing. */
  one?(validator: Validator, thing: Item<S>, place: string): void;
  /** Between the things of a document. */
  all?(validator: Validator, things: readonly Item<S>[]): void;
}

const onEpisodic = "on an episodic production";

/** The production itself, and that only a series has episodes. */
export function checkProduction(validator: Validator): void {
  const { format, production, hasEpisodes } = validator;
  if (format === undefined) return;
  const episodic = format === "episodic";
  validator.present("production.season_number", production.season_number, episodic, onEpisodic);
  if (episodic) return;
  validator.present("production.current_episode", production.current_episode, false, onEpisodic);
  if (validator.isUsable("episodes") && hasEpisodes) validator.report("episodes", `is allowed only ${onEpisodic}`);
}

type Asset = Item<"assets">;

/** Versions are numbered 1, 2, 3 in their order. After the first wrong number, the following ones are not reported. */
function checkNumbers(validator: Validator, versions: Asset["versions"], place: string): void {
  let before = 0;
  for (const [{ version }, here, at] of validator.items(place, versions)) {
    const readable = validator.isUsable(`${here}.version`);
    if (readable && version !== at + 1 && version !== before + 1)
      validator.report(`${here}.version`, `must be ${at + 1}: versions are in order and numbered from 1`);
    before = readable ? version : at + 1;
  }
}

/** What a character wears: assets of kind costume. */
function checkCostumes(validator: Validator, { kind, costumes }: Asset, place: string): void {
  const list = `${place}.costumes`;
  if (!validator.isUsable(list)) return;
  if (costumes.length > 0 && validator.isUsable(`${place}.kind`) && kind !== "character") {
    validator.report(list, "is allowed only on an asset of kind character");
    return;
  }
  for (const [name, here] of validator.items(list, costumes)) {
    if (!validator.isUsable(here)) continue;
    const { kind: named } = validator.asset(name);
    if (named !== undefined && named !== "costume")
      validator.report(here, `must name an asset of kind costume, and "${name}" is not one`);
  }
}

function checkAsset(validator: Validator, asset: Asset, place: string): void {
  checkCostumes(validator, asset, place);
  if (validator.isUsable(`${place}.kind`) && asset.kind !== "character")
    for (const field of ["cast_number", "performer"] as const)
      validator.present(`${place}.${field}`, asset[field], false, "on an asset of kind character");
  const versions = `${place}.versions`;
  for (const [{ ingredients }, here] of validator.items(versions, asset.versions))
    validator.distinct(`${here}.ingredients`, ingredients, ({ ingredient }) => ingredient, ".ingredient");
  checkNumbers(validator, asset.versions, versions);
}

/** What is about a version names one that its asset has. */
function checkVersionOf(
  validator: Validator,
  { asset, version }: { asset?: string | undefined; version?: number | undefined },
  place: string,
): void {
  validator.present(`${place}.version`, version, version !== undefined && asset !== undefined, "with asset");
  if (version === undefined || asset === undefined) return;
  if (!validator.isUsable(`${place}.asset`) || !validator.isUsable(`${place}.version`)) return;
  const { versions } = validator.asset(asset);
  if (versions !== undefined && version > versions)
    validator.report(`${place}.version`, `names no version of "${asset}": ${version}`);
}

type Grant = Item<"engagements">["grants"][number];

export const grantTargetFields = ["scene", "asset", "department", "delivery"] as const;
/** A document names a node in the field of its kind. */
const nounOf = (target: (typeof grantTargetFields)[number]) =>
  target === "scene" || target === "asset" ? "node" : target;

function checkGrant(validator: Validator, grant: Grant, place: string): void {
  const named = grantTargetFields.filter((target) => grant[target] !== undefined);
  const [target] = named;
  if (target === undefined || named.length > 1) {
    validator.report(place, `must have exactly one of ${grantTargetFields.join(", ")}`);
    return;
  }
  if (!validator.isUsable(`${place}.verb`)) return;
  const fit: readonly string[] = grantTargets[grant.verb];
  if (!fit.includes(nounOf(target)))
    validator.report(
      `${place}.verb`,
      `${grant.verb} needs a ${fit[0]}, not ${/^a/.test(target) ? "an" : "a"} ${target}`,
    );
}

type Approval = Item<"approvals">;

/** The fields of one step that depend on whether it is decided. */
function checkStep(validator: Validator, { asset }: Approval, step: Approval["steps"][number], place: string): void {
  if (!validator.isUsable(`${place}.status`)) return;
  const decided = step.status !== "pending";
  validator.present(`${place}.decided_at`, step.decided_at, decided, "on a decided step");
  if (decided) checkVersionOf(validator, { asset, version: step.version }, place);
  else
    for (const field of ["decided_by", "signed_as", "version"] as const)
      validator.present(`${place}.${field}`, step[field], false, "on a decided step");
}

/** The state that follows from steps: that of the first one that is not approved; approved if every step is. */
export const approvalStatusOf = (steps: readonly { status?: unknown }[]): unknown =>
  steps.find(({ status }) => status !== "approved")?.status ?? "approved";

/** Steps are decided in order, and one that is not approved ends the approval. */
function checkState(validator: Validator, { status, steps }: Approval, place: string): void {
  const list = [...validator.items(`${place}.steps`, steps)];
  const readable = list.filter(([, here]) => validator.isUsable(`${here}.status`));
  if (readable.length === 0 || readable.length < steps.length) return; // the others may have any status
  const [ending, endingPlace = "", end = list.length] = list.find(([step]) => step.status !== "approved") ?? [];
  const late = list.filter(([step, , at]) => at > end && step.status !== "pending");
  for (const [, here] of late)
    validator.report(
      `${here}.status`,
      ending?.status === "pending"
        ? `must be pending: steps are decided in order, and ${validator.thing(endingPlace)} is not decided`
        : `must be pending: ${validator.thing(endingPlace)} is ${ending?.status}, which ends the approval`,
    );
  const state = approvalStatusOf(steps);
  if (late.length > 0 || !validator.isUsable(`${place}.status`) || status === state) return;
  const why = ending === undefined ? "every step is" : `${validator.thing(endingPlace)} is`;
  validator.report(`${place}.status`, `must be ${String(state)}, as ${why}`);
}

function checkApproval(validator: Validator, approval: Approval, place: string): void {
  const { scene, asset, delivery, steps, rounds } = approval;
  if ([scene, asset, delivery].filter((gated) => gated !== undefined).length > 1)
    validator.report(place, "must have at most one of scene, asset and delivery");
  for (const [step, here] of validator.items(`${place}.steps`, steps)) checkStep(validator, approval, step, here);
  for (const [round, here] of validator.items(`${place}.rounds`, rounds))
    for (const [step, there] of validator.items(here, round)) checkStep(validator, approval, step, there);
  checkState(validator, approval, place);
  checkVersionOf(validator, approval, place);
  if (approval.version === undefined)
    validator.present(`${place}.version_status`, approval.version_status, false, "with version");
}

function checkMove(validator: Validator, move: Item<"storage">["moves"][number], place: string): void {
  const { src, dst, status, settled_at } = move;
  if (validator.isUsable(`${place}.src`) && validator.isUsable(`${place}.dst`) && src === dst)
    validator.report(`${place}.dst`, "must be another path than src");
  if (validator.isUsable(`${place}.status`))
    validator.present(`${place}.settled_at`, settled_at, status !== "pending", "on a settled move");
}

function checkNode(validator: Validator, { scene, asset }: Item<"jobs" | "activity">, place: string): void {
  if (scene !== undefined && asset !== undefined) validator.report(place, "must name at most one of scene and asset");
}

export const thingRules: { readonly [S in SectionName]?: ThingRules<S> } = {
  scenes: {
    one(validator, { episode }, place) {
      const { format } = validator;
      if (format !== undefined) validator.present(`${place}.episode`, episode, format === "episodic", onEpisodic);
    },
  },
  assets: { one: checkAsset },
  engagements: {
    one(validator, { grants }, place) {
      for (const [grant, here] of validator.items(`${place}.grants`, grants)) checkGrant(validator, grant, here);
    },
  },
  deliveries: {
    one(validator, { kind, external_to }, place) {
      if (validator.isUsable(`${place}.kind`))
        validator.present(`${place}.external_to`, external_to, kind === "external", "on an external delivery");
    },
  },
  approvals: { one: checkApproval },
  notes: {
    one(validator, note, place) {
      checkVersionOf(validator, note, place);
      const isOfVersion = note.place !== undefined && note.version !== undefined;
      validator.present(`${place}.place`, note.place, isOfVersion, "with version");
    },
  },
  purchase_orders: {
    all: (validator, orders) => validator.distinct("purchase_orders", orders, ({ number }) => number, ".number"),
  },
  cost_reports: {
    all: (validator, reports) => validator.oneActive("cost_reports", reports, "cost report"),
    one: (validator, { lines }, place) =>
      validator.distinct(`${place}.lines`, lines, ({ account }) => account, ".account"),
  },
  script_changes: {
    one(validator, { episode, status, decided_at }, place) {
      if (validator.format === "single") validator.present(`${place}.episode`, episode, false, onEpisodic);
      if (validator.isUsable(`${place}.status`))
        validator.present(`${place}.decided_at`, decided_at, status !== "pending", "on a decided change");
    },
  },
  jobs: { one: checkNode },
  activity: { one: checkNode },
  storage: {
    all: (validator, installs) => validator.oneActive("storage", installs, "install"),
    one(validator, { files, moves }, place) {
      validator.distinct(`${place}.files`, files, ({ path }) => path, ".path");
      for (const [move, here] of validator.items(`${place}.moves`, moves)) checkMove(validator, move, here);
    },
  },
};
