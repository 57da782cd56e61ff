// The storage wire against a model: whatever order events, replays, acknowledgements and stand-ins come in, the library's
// rows are those of a few lines of plain JavaScript. SEED=n tries other interleavings.
import { hash } from "node:crypto";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../app.ts";
import { jpeg } from "../jpeg.ts";

const server = await openTestServer();
const { store } = server;
const production_id = one(store, "SELECT production_id FROM storage_installs WHERE active = 1 LIMIT 1");
const token = mint(store, { production_id });
/** Moves are approved before every event: none of these is older than its approval. */
const approvedAt = "2026-11-20T09:00:00.000Z";
const moment = (tick: number) => new Date(Date.parse(approvedAt) + tick).toISOString();
const pictures = [jpeg(8, 8, 1), jpeg(8, 16, 2), jpeg(16, 8, 3)] as const;

interface File {
  state: "present" | "gone";
  size: number | null;
  detected_at: string;
  /** The picture that stands in for it, and when it was put, counting. */
  standIn: { picture: number; at: number } | null;
}
interface Event {
  event_type: "create" | "modify" | "delete";
  path: string;
  tick: number;
  size: number | null;
  dedupe_key: string;
}
interface Task {
  id: number;
  src: string;
  dst: string;
  settled: boolean;
}

class Model {
  readonly files = new Map<string, File>();
  readonly keys = new Set<string>();
  readonly tasks: Task[] = [];
  puts = 0;

  /** Whether the event is new; what it says is taken where it is not older than what is known. */
  take({ event_type, path, tick, size, dedupe_key }: Event): boolean {
    if (this.keys.has(dedupe_key)) return false;
    this.keys.add(dedupe_key);
    const known = this.files.get(path);
    const detected_at = moment(tick);
    if (known !== undefined && detected_at < known.detected_at) return true;
    const standIn = known?.standIn ?? null;
    this.files.set(
      path,
      event_type === "delete"
        ? { state: "gone", size: known === undefined ? size : known.size, detected_at, standIn }
        : { state: "present", size, detected_at, standIn },
    );
    return true;
  }

  move({ src, dst }: Task): void {
    const from = this.files.get(src);
    const to = this.files.get(dst);
    if (from === undefined || src === dst) return;
    this.files.delete(src);
    const newer = from.detected_at > (to?.detected_at ?? "");
    const keep = to === undefined || (from.state !== to.state ? from.state === "present" : newer) ? from : (to as File);
    const [first, last] = [from.standIn, to?.standIn ?? null];
    const standIn = first === null || (last !== null && last.at > first.at) ? last : first;
    this.files.set(dst, { ...keep, state: "present", standIn });
  }
}

interface Real {
  filespace: string;
  install_id: number;
}
const post = async (path: string, body: object): Promise<{ status: number; answer: any }> => {
  const headers = { "content-type": "application/json" };
  const response = await server.ask(token, `/api/v1/storage/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers,
  });
  return { status: response.status, answer: await response.json() };
};

function assertSame(model: Model, { install_id }: Real): void {
  const rows = store.database
    .prepare(
      `SELECT path, state, size, detected_at, (SELECT sha256 FROM media WHERE asset_file_id = asset_files.id) AS sha256
       FROM asset_files WHERE install_id = ? ORDER BY path`,
    )
    .all(install_id);
  const wanted = [...model.files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { state, size, detected_at, standIn }]) => ({
      path,
      state,
      size,
      detected_at,
      sha256: standIn === null ? null : sha256s[standIn.picture],
    }));
  assert.equal(rows, wanted);
  assert.is(one(store, "SELECT count(*) FROM storage_events WHERE install_id = ?", install_id), model.keys.size);
}
const sha256s = pictures.map((bytes) => hash("sha256", bytes));

const path = fc.constantFrom("a/1.mxf", "a/2.mxf", "b/1.mxf", "b/2.mxf");
const event: fc.Arbitrary<Event> = fc.record({
  event_type: fc.constantFrom("create", "modify", "delete"),
  path,
  tick: fc.integer({ min: 0, max: 12 }),
  size: fc.option(fc.integer({ min: 0, max: 9 })),
  dedupe_key: fc.integer({ min: 0, max: 60 }).map((number) => `k${number}`),
});

type Command = fc.AsyncCommand<Model, Real>;
const command = (text: string, run: Command["run"], check: Command["check"] = () => true): Command => ({
  check,
  run: async (model, real) => {
    await run(model, real);
    assertSame(model, real);
  },
  toString: () => text,
});

const report = fc.array(event, { maxLength: 8 }).map((events) =>
  command(`report ${JSON.stringify(events)}`, async (model, { filespace }) => {
    const sent = events.map(({ tick, ...rest }) => ({ ...rest, source: "audit_tail", detected_at: moment(tick) }));
    const { answer } = await post("events", { filespace, events: sent });
    const accepted = events.filter((given) => model.take(given)).length;
    assert.equal(answer, { accepted, duplicates: events.length - accepted });
  }),
);
const approve = fc.tuple(path, path).map(([src, dst]) =>
  command(`approve ${src} -> ${dst}`, async (model, { install_id }) => {
    const insert = store.database.prepare(
      "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (?, ?, ?, ?, 'pending', ?)",
    );
    const run = () => insert.run(production_id, install_id, src, dst, approvedAt);
    model.tasks.push({ id: Number(store.writeSync(run).lastInsertRowid), src, dst, settled: false });
  }),
);
const acknowledge = fc.tuple(fc.nat(), fc.boolean()).map(([pick, ok]) =>
  command(
    `acknowledge ${pick} ${ok}`,
    async (model) => {
      const task = model.tasks[pick % model.tasks.length] as Task;
      assert.equal((await post("tasks/ack", { task_id: task.id, ok })).answer, { ok: true });
      if (!task.settled && ok) model.move(task);
      task.settled = true;
    },
    (model) => model.tasks.length > 0,
  ),
);
const standIn = fc.tuple(path, fc.nat({ max: pictures.length - 1 })).map(([path, picture]) =>
  command(`stand-in ${path} ${picture}`, async (model, { filespace }) => {
    await new Promise((resolve) => setTimeout(resolve, 2)); // no two are put in one millisecond
    const bytes = Buffer.from(pictures[picture] as Uint8Array).toString("base64");
    const { status } = await post("media-proxy", { filespace, path, bytes });
    const file = model.files.get(path);
    assert.is(status, file?.state === "present" ? 200 : 404);
    if (file?.state === "present") file.standIn = { picture, at: ++model.puts };
  }),
);

const model = suite("the storage wire and its model");

model("agree after every step of any interleaving", async () => {
  let installs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.commands([report, approve, acknowledge, standIn], { maxCommands: 40, size: "max" }),
      async (steps) => {
        const filespace = `model-${++installs}`;
        const install_id = store.writeSync(() => {
          store.database.prepare("UPDATE storage_installs SET active = 0 WHERE production_id = ?").run(production_id);
          const insert = store.database.prepare(
            "INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (?, ?, 1, ?)",
          );
          return Number(insert.run(production_id, filespace, approvedAt).lastInsertRowid);
        });
        await fc.asyncModelRun(() => ({ model: new Model(), real: { filespace, install_id } }), steps);
      },
    ),
    { numRuns: 60, seed: Number(process.env.SEED ?? 4) },
  );
});
model.after(() => server.stop());
model.run();
