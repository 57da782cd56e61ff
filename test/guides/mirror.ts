// Mirrors a production into one file, and follows its changes. TALLYLIGHT_URL and TALLYLIGHT_KEY name the server and a production-wide key.
//   node mirror.ts FILE [--once]      Node 22.18 or newer, or `deno run -A`; --once ends when the mirror is current
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

type Row = Record<string, unknown>;
interface State {
  /** The position in the events up to which the rows are current. */
  cursor: string;
  /** By list and by id; a list keeps the order in which the server has it. */
  lists: Record<string, Record<string, Row>>;
}

/** The lists, and the field of their ids. */
const ids: Readonly<Record<string, string>> = {
  departments: "slug",
  people: "id",
  scenes: "node_id",
  assets: "node_id",
  schedule: "id",
  deliveries: "id",
  approvals: "id",
  "script-changes": "id",
  episodes: "id",
  vendors: "id",
};
const queries: Readonly<Record<string, string>> = {
  scenes: "include=assets&limit=500",
  assets: "limit=500",
  "script-changes": "status=all&all_episodes=1&limit=500",
};
/** The lists whose rows an event changes, by the kind of its subject. */
const concerned: Readonly<Record<string, readonly string[]>> = {
  production: [],
  department: Object.keys(ids),
  person: ["people", "approvals"],
  vendor: ["vendors"],
  ...{
    episode: ["episodes", "scenes"],
    scene: ["scenes", "schedule"],
    script_change: ["script-changes", "scenes", "schedule"],
  },
  asset: ["assets", "scenes"],
  version: ["assets", "approvals"],
  note: ["assets"],
  shoot_day: ["schedule"],
  delivery: ["deliveries"],
  approval: ["approvals", "deliveries"],
  engagement: ["vendors"],
};

const [file = "mirror.json", once] = process.argv.slice(2);
let requests = 0;
if (!URL.canParse(process.env.TALLYLIGHT_URL ?? "")) throw new Error("TALLYLIGHT_URL is not set");

async function get(address: string): Promise<{ body: unknown; next: string | undefined; status: number }> {
  requests++;
  const response = await fetch(new URL(address, `${process.env.TALLYLIGHT_URL}/api/v1/`), {
    headers: { authorization: `Bearer ${process.env.TALLYLIGHT_KEY}` },
    signal: AbortSignal.timeout(90_000),
  });
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  const body: unknown = await response.json();
  if (!response.ok && response.status !== 410) {
    console.error(`${address}: ${response.status} ${JSON.stringify(body)}`);
    if (response.status < 500 && response.status !== 429) process.exit(1); // another try would not help
    throw new Error("the server did not answer");
  }
  return { body, next, status: response.status };
}

/** Every row of a list, from as many pages as it has. */
async function rowsOf(list: string, query = queries[list] ?? "limit=500"): Promise<Row[]> {
  const rows: Row[] = [];
  let address: string | undefined = `${list}?${query}`;
  while (address !== undefined) {
    const page: Awaited<ReturnType<typeof get>> = await get(address);
    rows.push(...(page.body as Row[]));
    address = page.next;
  }
  return rows;
}

/** By their ids, in their order: the key has a letter, because numbers would be sorted. */
const byId = (list: string, rows: readonly Row[]): Record<string, Row> =>
  Object.fromEntries(rows.map((row) => [`#${row[ids[list] as string]}`, row]));

/** The rows of a list now. Of scenes and assets, only those that have changed since a time are read whole. */
async function current(list: string, former: Record<string, Row>, since: string): Promise<Record<string, Row>> {
  if (list !== "scenes" && list !== "assets") return byId(list, await rowsOf(list));
  const changed = byId(list, await rowsOf(list, `${queries[list]}&updated_since=${since}`));
  const present = await rowsOf(list, "fields=node_id");
  const missing = present.filter(({ node_id }) => !(`#${node_id}` in changed) && !(`#${node_id}` in former));
  if (missing.length > 0) return byId(list, await rowsOf(list)); // added between the two requests, or before the clock was set
  const all = { ...former, ...changed };
  return Object.fromEntries(present.map(({ node_id }) => [`#${node_id}`, all[`#${node_id}`] as Row]));
}

/** A file is replaced as a whole, so that a killed process leaves the former one. */
function store(state: State): void {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

/** The cursor first, then the lists, so that no change falls between the two. */
async function start(): Promise<State> {
  const { next } = (await get("events?after=now")).body as { next: string };
  const state: State = { cursor: next, lists: {} };
  for (const list of Object.keys(ids)) state.lists[list] = byId(list, await rowsOf(list));
  return state;
}

interface Events {
  events: { timestamp: string; subject: { kind: string } }[];
  next: string;
  more: boolean;
}

let state: State | undefined = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
for (;;)
  try {
    if (state === undefined) {
      state = await start();
      store(state);
      console.log(`mirrored in ${requests} requests`);
    }
    const { body, status } = await get(`events?after=${state.cursor}&wait=${once === undefined ? 50 : 0}`);
    if (status === 410) {
      state = undefined; // the cursor is too old, or from before a restore
      continue;
    }
    const { events, next, more } = body as Events;
    const lists = new Set(events.flatMap(({ subject }) => concerned[subject.kind] ?? []));
    const since = events.map(({ timestamp }) => timestamp).sort()[0] as string;
    for (const list of lists) state.lists[list] = await current(list, state.lists[list] as Record<string, Row>, since);
    state.cursor = next;
    store(state); // rows and cursor together: what is read again after a crash is the same
    if (events.length > 0) console.log(`${events.length} events, ${[...lists].join(", ")}`);
    if (once !== undefined && !more) break;
  } catch (error) {
    console.error(String(error));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
