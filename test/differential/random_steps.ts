// Random steps of a production: imports of documents, lists and scripts, decisions, undos, commands, forms of pages,
// and the API's own writes between them. Each is made of what the former program has stored.
import { editableSections } from "../../src/features/documents/edit_scope.ts";
import { sectionNames } from "../../src/features/documents/sections/sections.ts";
import { knownKinds } from "../../src/features/lists/lists.ts";
import { at, type Choice, inputOf } from "../support/random_updates.ts";
import type { Json } from "../support/update.ts";
import { hostile } from "./hostile_documents.ts";
import { chance, integer, type Known, madeStep, pick, type StepMaking, someKey, thing } from "./known.ts";
import { form, pagesOf } from "./random_forms.ts";
import { randomDraft } from "./random_scripts.ts";
import type { GivenFile, Step } from "./steps.ts";
import { wideDocument } from "./wide_documents.ts";

const choiceOf = (known: Known): Choice => ({
  kind: integer(known, 100),
  a: integer(known, 21),
  b: integer(known, 21),
  c: integer(known, 21),
});

type Query = Record<string, string>;
const importOf = (known: Known, files: readonly GivenFile[], query: Query = {}, key = someKey(known)): Step => ({
  do: "import",
  key,
  query: { ...query, ...(chance(known, 0.1) && { dry_run: "true" }) },
  files,
  ...(chance(known, 0.15) && { rehearsed: true }),
});

const filesOf = (documents: readonly Json[]): GivenFile[] =>
  documents.map((document, index) => ({ name: `given${index}.json`, text: JSON.stringify(document) }));

/** Documents with lists and drafts, as the other random tests have them. */
function narrow(known: Known): Step {
  const choices = Array.from({ length: 1 + integer(known, 3) }, () => choiceOf(known));
  const { documents, list, draft, exact } = inputOf(known.document, choices);
  const files = filesOf(documents);
  if (list !== undefined) files.push({ name: "list.csv", text: list.text });
  if (draft !== undefined) files.push({ name: "draft.fountain", text: draft.text });
  return importOf(known, files, {
    ...(exact === true && { exact: "true" }),
    ...(list !== undefined && { as: list.as }),
    ...(draft?.episode !== undefined && { episode: draft.episode }),
  });
}

const wide = (known: Known): Step => {
  const count = chance(known, 0.15) ? 2 : 1;
  const key = someKey(known);
  const documents = Array.from({ length: count }, () => wideDocument(known));
  const isAdmin = key.startsWith("admin") || chance(known, 0.2);
  return importOf(known, filesOf(isAdmin ? documents : documents.map(editableParts)), {}, key);
};

/** What a key with the scope `edit` may import; otherwise it would be refused nearly always. */
const editableParts = (document: Json): Json =>
  Object.fromEntries(
    Object.entries(document).filter(([section]) => editableSections.some((editable) => editable === section)),
  );

/** A whole section, or all of them, of which some things are left out. */
function exact(known: Known): Step {
  const names = chance(known, 0.1) ? sectionNames : [pick(known, sectionNames)];
  const keep = pick(known, [1, 0.98, 0.8]);
  const document = Object.fromEntries(
    names.map((name) => [name, (known.document[name] ?? []).filter(() => chance(known, keep))]),
  );
  return importOf(known, filesOf([document]), { exact: "true" });
}

const attack = (known: Known): Step =>
  importOf(known, filesOf([hostile(known, wideDocument(known))]), chance(known, 0.1) ? { exact: "true" } : {});

const call = (known: Known, path: string, body?: Json): Step => ({
  do: "call",
  key: someKey(known),
  method: "POST",
  path,
  ...(body !== undefined && { body }),
});

/** The undo of one of the newest change sets; that of an undo is a redo. */
async function undo(known: Known): Promise<Step | undefined> {
  const sets = await known.rows(
    `SELECT id, undone_by FROM change_sets WHERE production_id = :id AND summary NOT LIKE 'Created %' ORDER BY id DESC LIMIT 12`,
  );
  const open = sets.filter(({ undone_by }) => undone_by === null);
  const set = chance(known, 0.4) ? sets[0] : at(chance(known, 0.9) ? open : sets, integer(known, 12));
  if (set === undefined) return undefined;
  if (chance(known, 0.15)) return { do: "command", argv: ["undo", String(set.id)] };
  return call(known, `/admin/history/${set.id}/undo${chance(known, 0.1) ? "?dry_run=true" : ""}`);
}

async function decide(known: Known): Promise<Step | undefined> {
  const pending = await known.rows(
    "SELECT id FROM script_changes WHERE production_id = :id AND status = 'pending' ORDER BY id",
  );
  if (pending.length === 0) return draft(known);
  const ids = chance(known, 0.4) ? pending.map(({ id }) => id) : [pick(known, pending).id];
  const decision = chance(known, 0.7) ? "approved" : "dismissed";
  return call(known, "/script-changes/decide", { ids, decision, ...(chance(known, 0.3) && { follow: true }) });
}

/** A draft alone. */
const draft = (known: Known): Step => {
  const { episode, text } = randomDraft(known);
  const query: Query = {
    ...(episode !== undefined && { episode }),
    ...(chance(known, 0.2) && { color: "pink" }),
    ...(chance(known, 0.1) && { pages: "true" }),
  };
  return importOf(known, [{ name: "draft.fountain", text }], query);
};

async function approval(known: Known): Promise<Step | undefined> {
  const found = await known.rows("SELECT id, status FROM approvals WHERE production_id = :id ORDER BY id");
  const one = at(found, integer(known, 200));
  if (one === undefined) return undefined;
  if (one.status !== "pending")
    return call(known, chance(known, 0.6) ? `/admin/approvals/${one.id}/reopen` : `/approvals/${one.id}/take-back`);
  const person = thing(known, known.document.people);
  const decision = pick(known, ["approved", "changes", "rejected"]);
  return call(known, `/approvals/${one.id}/decide`, {
    decision,
    decided_by: person?.name,
    note: `Note ${known.number}`,
  });
}

/** What the API writes by itself, and what later updates find recorded. */
async function ownWrite(known: Known): Promise<Step | undefined> {
  const id = async (sql: string): Promise<number | undefined> =>
    at<Json>(await known.rows(sql), integer(known, 200))?.id;
  switch (integer(known, 7)) {
    case 0:
      return call(known, "/assets", { label: `Own ${known.number}`, kind: "prop" });
    case 1:
      return call(known, `/assets/${await id(pagesOf.assets)}/notes`, { text: `Said ${known.number}` });
    case 2:
      return call(
        known,
        `/admin/grants/${await id("SELECT id FROM grants WHERE production_id = :id ORDER BY id")}/revoke`,
      );
    case 3:
      return call(
        known,
        `/admin/engagements/${await id("SELECT id FROM engagements WHERE production_id = :id ORDER BY id")}/end`,
      );
    case 4:
      return call(
        known,
        `/admin/versions/${await id("SELECT id FROM versions WHERE production_id = :id ORDER BY id")}/${pick(known, ["release", "archive"])}`,
      );
    case 5:
      return call(
        known,
        `/submissions/${await id("SELECT id FROM submissions WHERE production_id = :id ORDER BY id")}/decide`,
        { decision: pick(known, ["accepted", "returned"]), note: "n" },
      );
    default: {
      const delivery_id = await id("SELECT id FROM deliveries WHERE production_id = :id ORDER BY id");
      return call(known, "/admin/remove", { section: "deliveries", id: delivery_id });
    }
  }
}

async function remove(known: Known): Promise<Step | undefined> {
  const section = pick(known, Object.keys(pagesOf) as (keyof typeof pagesOf)[]);
  const found = at<Json>(await known.rows(pagesOf[section]), integer(known, 500));
  return found && call(known, "/admin/remove", { section, id: found.id, ...(chance(known, 0.2) && { dry_run: true }) });
}

/** The command `set`, about a thing of an arbitrary section. */
function set(known: Known): Step | undefined {
  const made = wideDocument(known);
  const section = pick(known, Object.keys(made));
  const item: Json = pick(known, made[section] ?? []);
  if (typeof item !== "object" || item === null) return undefined;
  const key =
    item.ref ?? item.name ?? item.slug ?? item.label ?? item.title ?? item.number ?? item.day_number ?? item.week_of;
  const named = item.episode === undefined ? key : `${item.episode}/${item.number}`;
  const pairs = Object.entries<Json>(item)
    .filter(([name, value]) => !/^(?:ref|was|episode)$/.test(name) && value !== key)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  if (pairs.length === 0) return undefined;
  return {
    do: "command",
    argv: ["set", section, String(named), ...pairs, "--production", String(known.production_id)],
  };
}

/** A new production from the document of this one. */
function create(known: Known): Step {
  const { production, ...lists } = known.document;
  const document = { ...lists, production: { ...production, title: `Created ${known.number}` } };
  const given = chance(known, 0.5) ? document : hostile(known, document);
  return {
    do: "command",
    argv: ["import", "FILES/new.json"],
    files: [{ name: "new.json", text: JSON.stringify(given) }],
  };
}

function again(known: Known): Step | undefined {
  const imports = known.former.filter((step) => step.do === "import");
  return imports.length === 0 ? undefined : pick(known, imports.slice(-5));
}

const ownExport = (known: Known): Step =>
  importOf(known, filesOf([known.document]), chance(known, 0.5) ? { exact: "true" } : {});

/** A list of a kind alone. */
function list(known: Known): Step {
  const kind = integer(known, knownKinds.length) + knownKinds.length * integer(known, 6);
  for (let tried = kind; ; tried++) {
    const { list: made } = inputOf(known.document, [
      { ...choiceOf(known), kind: tried * 2 + 1 },
      { ...choiceOf(known), kind: tried },
    ]);
    if (made !== undefined) return importOf(known, [{ name: "list.csv", text: made.text }], { as: made.as });
  }
}

/** The makings with their shares. */
const makings: readonly (readonly [number, StepMaking])[] = [
  [18, narrow],
  [24, wide],
  [4, exact],
  [6, attack],
  [16, undo],
  [6, decide],
  [4, draft],
  [6, list],
  [4, approval],
  [3, ownWrite],
  [2, remove],
  [6, form],
  [5, set],
  [1, create],
  [2, again],
  [1, ownExport],
];
/** ONLY=form,wide makes such steps alone, WITHOUT=form the others. */
const named = (names = "") => new Set(names.split(",").filter((name) => name !== ""));
const [only, without] = [named(process.env.ONLY), named(process.env.WITHOUT)];
const isMade = ({ name }: StepMaking): boolean => (only.size === 0 || only.has(name)) && !without.has(name);
const all = makings.flatMap(([share, making]) => (isMade(making) ? Array.from({ length: share }, () => making) : []));

/** A step about the documents of a production. */
export const randomStep = (known: Known): Promise<Step> => madeStep(known, all);
