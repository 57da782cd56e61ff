// Mirrors what a key reads into one file, and follows its changes. TALLYLIGHT_URL and TALLYLIGHT_KEY name the server and the key.
//   node mirror.ts FILE [--once] [--check]      Node 22.18 or newer, or `deno run -A`
// A production-wide key mirrors the lists, with versions and notes; a vendor's key every document of its manifest. --once ends when the
// mirror is current; --check reads everything again, which is a 304 wherever nothing has changed.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

type Row = Record<string, unknown>;
type Rows = Record<string, Row>;
interface Page {
  etag: string;
  next?: string | undefined;
  /** The keys of its rows. */
  rows: string[];
}
/** Of a production. */
interface Lists {
  /** The position in the events up to which the rows are current. */
  cursor: string;
  /** By list and by id; a list keeps the order in which the server has it. */
  lists: Record<string, Rows>;
  /** By list: its pages as they were read last, by their addresses; none if rows of it were read again since. */
  pages: Record<string, Record<string, Page>>;
}
/** Of a vendor. */
interface Documents {
  etag: string;
  /** By their paths. */
  documents: Record<string, { etag: string; body: unknown }>;
  media: Row[];
}

/** The lists, the field of their ids, and what is asked of them. */
const lists: Readonly<Record<string, readonly [id: string, query: string]>> = {
  departments: ["slug", ""],
  people: ["id", ""],
  scenes: ["node_id", "include=assets,department_notes,shoot_days"],
  assets: ["node_id", "include=versions,notes,still"],
  schedule: ["id", ""],
  deliveries: ["id", "include=nodes"],
  approvals: ["id", ""],
  "script-changes": ["id", "status=all&all_episodes=1"],
  episodes: ["id", ""],
  vendors: ["id", ""],
};
/** The lists that show a thing, by the kind of the subject of its events. A kind that is not here is in no list. */
const showing: Readonly<Record<string, readonly string[]>> = {
  department: Object.keys(lists),
  person: ["people", "approvals", "schedule", "departments"],
  vendor: ["vendors"],
  engagement: ["vendors"],
  episode: ["episodes", "scenes", "schedule", "deliveries", "script-changes"],
  scene: ["scenes", "schedule", "deliveries", "script-changes"],
  script_change: ["script-changes", "scenes", "schedule", "deliveries"],
  asset: ["assets", "scenes", "schedule", "deliveries"],
  version: ["assets", "approvals"],
  note: ["assets"],
  shoot_day: ["schedule", "scenes"],
  department_note: ["scenes"],
  delivery: ["deliveries"],
  approval: ["approvals", "deliveries", "assets"],
};

const [file = "mirror.json", ...flags] = process.argv.slice(2);
const isOnce = flags.includes("--once");
let [requests, unchanged] = [0, 0];
if (!URL.canParse(process.env.TALLYLIGHT_URL ?? "")) throw new Error("TALLYLIGHT_URL is not set");

interface Answer {
  /** Undefined for a 304. */
  body: unknown;
  etag: string;
  next: string | undefined;
  status: number;
}

/** Requests an address below /api/v1. `tag`: the ETag of what is known already. */
async function get(address: string, tag?: string): Promise<Answer> {
  requests++;
  const response = await fetch(new URL(address.replace(/^\//, ""), `${process.env.TALLYLIGHT_URL}/api/v1/`), {
    headers: { authorization: `Bearer ${process.env.TALLYLIGHT_KEY}`, ...(tag && { "if-none-match": tag }) },
    signal: AbortSignal.timeout(90_000),
  });
  const { status, headers } = response;
  const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  if (status === 304) unchanged++;
  const body: unknown = status === 304 ? undefined : await response.json();
  if (status >= 400 && status !== 404 && status !== 410) {
    console.error(`${address}: ${status} ${JSON.stringify(body)}`);
    if (status < 500 && status !== 429) process.exit(1); // another try would not help
    throw new Error("the server did not answer");
  }
  return { body, next, etag: headers.get("etag") ?? "", status };
}

/** By their ids, in their order: the key has a letter, because numbers would be sorted. */
const byId = (list: string, rows: readonly Row[]): Rows =>
  Object.fromEntries(rows.map((row) => [`#${row[(lists[list] as readonly [string, string])[0]]}`, row]));

/** Every row of a list, from as many pages as it has. A page that is known is asked for with its ETag. */
async function readList(list: string, known: Rows = {}, pages: Record<string, Page> = {}, query = lists[list]?.[1]) {
  const read: { rows: Rows; pages: Record<string, Page> } = { rows: {}, pages: {} };
  let address: string | undefined = `${list}?limit=500&${query}`;
  while (address !== undefined) {
    const former: Page | undefined = pages[address];
    const { body, etag, next, status }: Answer = await get(address, former?.etag);
    const kept: Page | undefined = status === 304 ? former : undefined;
    const rows = kept
      ? Object.fromEntries(kept.rows.map((key) => [key, known[key] as Row]))
      : byId(list, body as Row[]);
    Object.assign(read.rows, rows);
    read.pages[address] = kept ?? { etag, next, rows: Object.keys(rows) };
    address = kept ? kept.next : next;
  }
  return read;
}

/** Reads a list again. Of scenes and assets, only the rows that have changed since a time. */
async function refresh(state: Lists, list: string, since: string): Promise<void> {
  const former = state.lists[list] as Rows;
  if (list !== "scenes" && list !== "assets") return refreshWhole(state, list);
  const { rows: changed } = await readList(list, {}, {}, `${lists[list]?.[1]}&updated_since=${since}`);
  const present = (await get(`${list}?fields=node_id`)).body as Row[];
  const all: Rows = { ...former, ...changed };
  const keys = Object.keys(byId(list, present));
  if (keys.some((key) => all[key] === undefined)) return refreshWhole(state, list); // added between the two requests, or before the clock was set
  state.lists[list] = Object.fromEntries(keys.map((key) => [key, all[key] as Row]));
  delete state.pages[list];
}

async function refreshWhole(state: Lists, list: string): Promise<void> {
  const { rows, pages } = await readList(list, state.lists[list], state.pages[list]);
  state.lists[list] = rows;
  state.pages[list] = pages;
}

/** The cursor first, then the lists, so that no change falls between the two. */
async function readLists(former?: Lists): Promise<Lists> {
  const { next } = (await get("events?after=now")).body as { next: string };
  const state: Lists = { cursor: next, lists: { ...former?.lists }, pages: { ...former?.pages } };
  for (const list of Object.keys(lists)) await refreshWhole(state, list);
  return state;
}

interface Events {
  events: { type: string; timestamp: string; subject: { kind: string } }[];
  next: string;
  more: boolean;
}

/** The lists after the next events, and whether there may be more at once. */
async function followLists(state: Lists): Promise<{ state: Lists; more: boolean }> {
  const { body, status } = await get(`events?after=${state.cursor}&wait=${isOnce ? 0 : 45}`);
  if (status === 410) return { state: await readLists(state), more: true }; // the cursor is too old, or from before a restore
  const { events, next, more } = body as Events;
  if (events.some(({ type }) => type === "person.erased")) return { state: await readLists(), more: true };
  const changed = new Set(events.flatMap(({ subject }) => showing[subject.kind] ?? []));
  const since = events.map(({ timestamp }) => timestamp).sort()[0] as string;
  for (const list of changed) await refresh(state, list, since);
  if (events.length > 0) console.log(`${events.length} events, ${[...changed].join(", ")}`);
  return { state: { ...state, cursor: next }, more };
}

/** What the manifest of a vendor lists; documents whose tag is the same are not read again. */
async function readDocuments(former?: Documents): Promise<Documents> {
  const { body, etag, status } = await get("me/manifest", former?.etag);
  if (status === 304 && former !== undefined) return former;
  const manifest = body as { documents: { path: string; etag: string }[]; media: Row[] };
  const documents: Documents["documents"] = {};
  let isWhole = true;
  for (const { path, etag } of manifest.documents) {
    const known = former?.documents[path];
    const answer = known?.etag === etag ? undefined : await get(path);
    if (answer !== undefined && answer.etag !== etag) isWhole = false; // changed or gone since the manifest
    documents[path] =
      answer === undefined ? (known as { etag: string; body: unknown }) : { etag: answer.etag, body: answer.body };
  }
  return isWhole ? { etag, documents, media: manifest.media } : readDocuments({ etag: "", documents, media: [] });
}

/** The documents once the manifest has another tag. */
async function followDocuments(state: Documents): Promise<{ state: Documents; more: boolean }> {
  if (!isOnce) await get(`me/changes?wait=45&etag=${encodeURIComponent(state.etag)}`);
  const present = await readDocuments(state);
  if (present.etag !== state.etag) console.log(`the manifest is ${present.etag}`);
  return { state: present, more: false };
}

/** A file is replaced as a whole, so that a killed process leaves the former one. Rows and cursor are in it together. */
function store(state: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

async function mirror<S extends object>(
  read: (former?: S) => Promise<S>,
  follow: (state: S) => Promise<{ state: S; more: boolean }>,
) {
  let state: S | undefined = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as S) : undefined;
  let isChecked = !flags.includes("--check");
  for (;;)
    try {
      if (state === undefined || !isChecked) {
        [requests, unchanged] = [0, 0];
        const verb = state === undefined ? "mirrored" : "checked";
        state = await read(state);
        isChecked = true;
        store(state);
        console.log(`${verb} in ${requests} requests, ${unchanged} of them 304`);
      }
      const { state: present, more }: { state: S; more: boolean } = await follow(state);
      state = present;
      store(state);
      if (isOnce && !more) return;
    } catch (error) {
      console.error(String(error));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
}

const { engagement } = (await get("me")).body as { engagement: object | null };
if (engagement === null) await mirror(readLists, followLists);
else await mirror(readDocuments, followDocuments);
