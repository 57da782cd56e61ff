// Random productions that begin with a script, and random steps about it: drafts, decisions by the API, by the page and
// by commands, documents between them, undos and redos.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import type { Json } from "../support/update.ts";
import type { Programs, Start } from "./comparison.ts";
import { addKeys } from "./keys.ts";
import { chance, integer, type Known, madeStep, pick, type StepMaking, someKey } from "./known.ts";
import type { Step } from "./steps.ts";

interface Drafted {
  number: string | undefined;
  heading: string;
  lines: string[];
  cast: string[];
  isCard?: boolean;
}
type Random = Pick<Known, "random">;

const names = ["MARA", "OLD TOM", "JUNE", "DR. FINCH", "THE TWINS", "BO"];
const words = ["They look at the water", "Nobody counts the steps", "A door is left open", "The tide takes the rope"];

function sceneOf(random: Random & Known, number: string | undefined): Drafted {
  const place = pick(random, ["HARBOUR", "MILL", "KITCHEN", "ROAD", "TOWER", "BOAT"]);
  const heading = `${pick(random, ["INT.", "EXT."])} ${place} ${integer(random, 90)} - ${pick(random, ["DAY", "NIGHT"])}`;
  const lines = Array.from({ length: 1 + integer(random, 3) }, () => `${pick(random, words)} ${integer(random, 999)}.`);
  const cast = names.filter(() => chance(random, 0.35));
  return { number, heading, lines, cast };
}

/** What a random number stands for while the production does not exist. */
const knownOf = (random: () => number): Known => ({ random }) as Known;

function textOf(scenes: readonly Drafted[], code: string | undefined): string {
  const blocks = scenes.map(({ number, heading, lines, cast, isCard }) => {
    const marked = number === undefined ? "" : ` #${number}#`;
    if (isCard) return `.OMITTED${marked}\n`;
    const speeches = cast.map((name, at) => `${name}\nI say ${name.length + at} to you.\n`);
    return `${heading}${marked}\n\n${[...lines.map((line) => `${line}\n`), ...speeches].join("\n")}`;
  });
  return [`Title: Random${code === undefined ? "" : `\nEpisode: ${code}`}`, "", ...blocks].join("\n");
}

/** The newest draft of each seed by its steps, and those before it. */
const drafts = new WeakMap<readonly Step[], Map<string, Drafted[][]>>();
const begun = new Map<string, Drafted[]>();

function modelOf({ former, production_id }: Known, code: string): Drafted[][] {
  const all = drafts.get(former) ?? new Map<string, Drafted[][]>();
  drafts.set(former, all);
  const own = all.get(code) ?? [structuredClone(begun.get(`${production_id}:${code}`) ?? [])];
  all.set(code, own);
  return own;
}

type Edit = (known: Known, scenes: Drafted[], at: number) => void;
const free = (known: Known, scenes: readonly Drafted[]): string => {
  const base = pick(known, scenes).number ?? "1";
  return `${base}${pick(known, ["A", "B", "C"])}`;
};
const rename = (known: Known, scenes: readonly Drafted[], share: number): void => {
  const [from, to] = [pick(known, names), `NEW ${pick(known, names)}`];
  for (const one of scenes) if (chance(known, share)) one.cast = one.cast.map((name) => (name === from ? to : name));
};
const edits: readonly Edit[] = [
  (known, scenes, at) => void scenes[at]?.lines.push(`It takes ${known.number} minutes.`),
  (known, scenes, at) => Object.assign(scenes[at] as Drafted, { heading: `EXT. ELSEWHERE ${known.number} - NIGHT` }),
  (_, scenes, at) => void scenes.splice(at, 1),
  (_, scenes, at) => Object.assign(scenes[at] as Drafted, { isCard: scenes[at]?.isCard !== true }),
  (known, scenes, at) => void scenes.splice(integer(known, scenes.length), 0, ...scenes.splice(at, 1)),
  (known, scenes, at) =>
    void scenes.splice(at, 0, sceneOf(known, chance(known, 0.8) ? free(known, scenes) : undefined)),
  (known, scenes, at) => {
    const one = scenes[at] as Drafted;
    const half = Math.ceil(one.lines.length / 2);
    const part = { ...one, number: `${one.number ?? "1"}A`, lines: one.lines.slice(half), cast: one.cast.slice(1) };
    scenes.splice(at, 1, { ...one, lines: one.lines.slice(0, half), cast: one.cast.slice(0, 1) }, part);
    if (chance(known, 0.3)) scenes.splice(at, 1);
  },
  (_, scenes, at) => {
    const [one, other] = [scenes[at] as Drafted, scenes[at + 1]];
    if (other === undefined) return;
    scenes.splice(at, 2, { ...one, lines: [...one.lines, ...other.lines] });
  },
  (known, scenes, at) => {
    const one = scenes[at] as Drafted;
    const name = pick(known, names);
    one.cast = one.cast.includes(name) ? one.cast.filter((other) => other !== name) : [...one.cast, name];
  },
  (known, scenes) => rename(known, scenes, 1),
  (known, scenes) => rename(known, scenes, 0.8),
  (known, scenes, at) => {
    const by = integer(known, 2);
    for (const one of scenes.slice(at))
      if (/^\d+$/.test(one.number ?? "")) one.number = String(Number(one.number) + by);
  },
  (known, scenes, at) => Object.assign(scenes[at] as Drafted, { number: free(known, scenes) }),
];

const codeOf = (known: Known): string => {
  const { episodes = [] } = known.document;
  return episodes.length === 0 ? "" : pick<Json>(known, episodes).code;
};

function draft(known: Known): Step {
  const code = codeOf(known);
  const own = modelOf(known, code);
  const scenes = structuredClone(chance(known, 0.15) ? pick(known, own) : (own.at(-1) as Drafted[]));
  if (scenes.length === 0) scenes.push(sceneOf(known, "1"));
  if (!chance(known, 0.12))
    for (let left = 1 + integer(known, 4); left > 0 && scenes.length > 0; left--)
      pick(known, edits)(known, scenes, integer(known, scenes.length));
  const numbers = new Set<string>();
  for (const one of scenes) {
    if (numbers.has(one.number ?? "")) one.number = undefined;
    if (one.number !== undefined) numbers.add(one.number);
  }
  own.push(scenes);
  const isPages = chance(known, 0.15);
  const from = isPages ? integer(known, scenes.length) : 0;
  const given = isPages ? scenes.slice(from, from + 3) : scenes;
  const query = {
    ...(code !== "" && { episode: code }),
    ...(chance(known, 0.2) && { color: pick(known, ["pink", "blue"]) }),
    ...(isPages && { pages: "true" }),
    ...(chance(known, 0.05) && { dry_run: "true" }),
  };
  const text = textOf(given.length > 0 ? given : [sceneOf(known, "1")], undefined);
  return { do: "import", key: someKey(known), query, files: [{ name: `d${known.number}.fountain`, text }] };
}

const pendingIds = async (known: Known): Promise<number[]> =>
  (await known.rows("SELECT id FROM script_changes WHERE production_id = :id AND status = 'pending' ORDER BY id")).map(
    ({ id }) => id,
  );

async function decide(known: Known): Promise<Step | undefined> {
  const pending = await pendingIds(known);
  if (pending.length === 0) return draft(known);
  const share = pick(known, [0, 0.5, 1]);
  const chosen = pending.filter(() => chance(known, share));
  const ids = chosen.length > 0 ? chosen : [pick(known, pending)];
  const decision = chance(known, 0.65) ? "approved" : "dismissed";
  const way = integer(known, 10);
  if (way < 2) {
    const fields = { decision, shown: ids.join(" "), every: "1", follow: chance(known, 0.3) ? "1" : "0" };
    return { do: "page", key: someKey(known), page: "/settings/script-changes", fields };
  }
  if (way < 4) {
    const verb = decision === "approved" ? "approve" : "dismiss";
    const which = pick(known, [["--all"], ["--kind", "changed"], ["--kind", "added"], ["--all", "--note", "so"]]);
    const more = decision === "approved" ? pick(known, [[], ["--everywhere"], ["--follow"], ["--keep", "MARA"]]) : [];
    const argv = ["script-changes", verb, "--production", String(known.production_id), ...which, ...more];
    return { do: "command", argv };
  }
  const more = {
    ...(chance(known, 0.25) && { follow: true }),
    ...(chance(known, 0.2) && { everywhere: true }),
    ...(chance(known, 0.15) && { keep: [pick(known, names)] }),
    ...(chance(known, 0.15) && { unlink: [pick(known, names)] }),
  };
  const body = { ids, decision, ...(decision === "approved" && more) };
  return { do: "call", key: someKey(known), method: "POST", path: "/script-changes/decide", body };
}

/** A link that stays, of a change that was decided before. */
async function keep(known: Known): Promise<Step | undefined> {
  const decided = await known.rows(
    "SELECT id FROM script_changes WHERE production_id = :id AND status = 'approved' ORDER BY id",
  );
  if (decided.length === 0) return undefined;
  const body = { decision: "approved", keep: [pick(known, names)] };
  return {
    do: "call",
    key: someKey(known),
    method: "POST",
    path: `/script-changes/${pick(known, decided).id}/decide`,
    body,
  };
}

/** The undo of one of the newest change sets; that of an undo is a redo. */
async function undo(known: Known): Promise<Step | undefined> {
  const sets = await known.rows(
    "SELECT id FROM change_sets WHERE production_id = :id AND undone_by IS NULL AND summary NOT LIKE 'Created %' ORDER BY id DESC LIMIT 5",
  );
  const set = chance(known, 0.6) ? sets[0] : pick(known, sets);
  if (set === undefined) return undefined;
  if (chance(known, 0.2)) return { do: "command", argv: ["undo", String(set.id)] };
  return { do: "call", key: someKey(known), method: "POST", path: `/admin/history/${set.id}/undo` };
}

type Making = (known: Known, scenes: Json[], one: Json) => Json;
const keyed = ({ number, episode }: Json): Json => ({ number, ...(episode !== undefined && { episode }) });
const castOf = (one: Json): string[] => one.elements?.cast ?? [];
const documents: readonly Making[] = [
  (known, _, one) => ({ scenes: [{ ...keyed(one), slugline: `INT. BY HAND ${known.number} - DAY` }] }),
  (_, __, one) => ({ scenes: [{ ...keyed(one), status: one.status === "omitted" ? "planned" : "omitted" }] }),
  (known, _, one) => ({ scenes: [{ ...keyed(one), number: `${known.number}Z`, was: one.number }] }),
  (known, _, one) => ({ scenes: [{ ...keyed(one), elements: { cast: [...castOf(one), pick(known, names)] } }] }),
  (known, _, one) => ({
    scenes: [{ ...keyed(one), elements: { cast: castOf(one).slice(1), set: `S${known.number}` } }],
  }),
  (known, scenes) => {
    const order = scenes.map(keyed);
    order.splice(integer(known, order.length), 0, ...order.splice(integer(known, order.length), 1));
    return { scenes: order };
  },
  (known, _, one) => ({
    scenes: [{ ...keyed(one), number: pick(known, ["3A", "5A", "9", "12"]), slugline: "INT. NEW - DAY" }],
  }),
  (known, scenes) => ({
    schedule: [
      {
        day_number: 1 + integer(known, 3),
        date: `2027-01-0${1 + integer(known, 8)}`,
        scenes: scenes
          .filter(() => chance(known, 0.4))
          .map(({ number, episode }) => (episode === undefined ? number : `${episode}/${number}`)),
      },
    ],
  }),
  (known) => {
    const characters = known.document.assets.filter(({ kind }: Json) => kind === "character");
    const { label, ref } = pick<Json>(known, characters);
    return { assets: [{ label: `${label} JR`, was: ref ?? label }] };
  },
  (known, _, one) => {
    const characters = known.document.assets.filter(({ kind }: Json) => kind === "character");
    const { label, ref } = pick<Json>(known, characters);
    return { scenes: [{ ...keyed(one), assets: [...new Set([...(one.assets ?? []), ref ?? label])] }] };
  },
];

function document(known: Known): Step | undefined {
  const { scenes } = known.document;
  const episode = codeOf(known);
  const own = scenes.filter((one: Json) => (one.episode ?? "") === episode);
  if (own.length === 0) return undefined;
  const text = JSON.stringify(pick(known, documents)(known, own, pick<Json>(known, own)));
  return { do: "import", key: someKey(known), query: {}, files: [{ name: "given.json", text }] };
}

const makings: readonly (readonly [number, StepMaking])[] = [
  [30, draft],
  [32, decide],
  [2, keep],
  [18, undo],
  [18, document],
];
const all = makings.flatMap(([share, making]) => Array.from({ length: share }, () => making));

/** A step about the script of a production. */
export const scriptStep = (known: Known): Promise<Step> => madeStep(known, all);

const now = "2026-11-20T08:00:00.000Z";
const batch = 2;

/** How many seeds begin with the same productions. */
const seedsOfBase = 25;
export const baseOfSeed = (seed: number): number => Math.floor((seed - 1) / seedsOfBase);

/** Two productions that begin with a script each, one of them a series. */
export async function scriptBase(
  { former, present }: Programs,
  random: () => number,
): Promise<Omit<Start, "production_id">> {
  const folder = temporaryFolder();
  const [data, migrated] = [join(folder, "base"), join(folder, "migrated")];
  const files = join(folder, "scripts");
  mkdirSync(files);
  const known = knownOf(random);
  for (let id = 1; id <= batch; id++) {
    const code = id === batch ? "101" : undefined;
    const scenes = Array.from({ length: 5 + integer(known, 8) }, (_, at) => sceneOf(known, String(at + 1)));
    begun.set(`${id}:${code ?? ""}`, scenes);
    const file = join(files, `${id}.fountain`);
    writeFileSync(file, textOf(scenes, code));
    const { status, err } = await former.ask(
      "command",
      ["import", file, "--title", `Random ${id}`, "--data", data],
      now,
    );
    if (status !== 0) throw new Error(err);
  }
  addKeys(join(data, "tallylight.db"), now);
  cpSync(data, migrated, { recursive: true });
  await present.open(migrated, now);
  await present.ask("close");
  rmSync(join(dirname(migrated), "backups"), { recursive: true, force: true });
  return { base: data, migrated };
}
