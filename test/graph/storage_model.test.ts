// Compares the storage endpoints with a model: after any order of events, replays, acknowledgements and stand-ins, the
// library's rows must be those of a short JavaScript model. SEED=N tries other interleavings.
// Thorough: only --all runs it.
import { hash } from "node:crypto";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { sampling } from "../support/sampling.ts";

const start = Date.parse("2026-11-20T09:00:00.000Z");
const clock = { now: start };
const server = await openTestServer({ clock: () => clock.now });
const { store } = server;
const production_id = one(store, "SELECT production_id FROM storage_installs WHERE active = 1 LIMIT 1");
const token = mint(store, { production_id });
const timestamp = (tick: number) => new Date(start + tick).toISOString();
const pictures = [jpeg(8, 8, 1), jpeg(8, 16, 2), jpeg(16, 8, 3)] as const;

interface File {
  state: "present" | "gone";
  size: number | null;
  detected_at: string;
  /** The picture of its stand-in, and the sequence number of the request that stored it. */
  standIn: { picture: number; at: number } | null;
}
interface Event {
  event_type: "create" | "modify" | "delete";
  path: string;
  /** How many milliseconds before its report the agent saw it: reports are late and arrive in any order. */
  age: number;
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
  /** For each path: when it was last reported, when a move took it away, and when a move put it there. */
  readonly reported = new Map<string, number>();
  readonly left = new Map<string, number>();
  readonly reached = new Map<string, number>();
  now = 0;
  puts = 0;

  /** Advances the time of the model and of the server's clock. */
  tick(): void {
    clock.now = start + ++this.now;
  }

  /** When the agent saw the event: never before the start. */
  seenAt = ({ age }: Event): number => Math.max(0, this.now - age);

  /** Returns whether the event is new. Applies it unless a newer state is known. */
  take(event: Event): boolean {
    const { event_type, path, size, dedupe_key } = event;
    if (this.keys.has(dedupe_key)) return false;
    this.keys.add(dedupe_key);
    const seen = this.seenAt(event);
    this.reported.set(path, Math.max(seen, this.reported.get(path) ?? 0));
    if (seen < (this.left.get(path) ?? 0)) return true; // the event is about the file that was moved away
    const known = this.files.get(path);
    const detected_at = timestamp(seen);
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
    this.left.set(src, this.now);
    this.reached.set(dst, this.now);
    const from = this.files.get(src);
    const to = this.files.get(dst);
    if (from === undefined) return;
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
  // A check without the rules above: after a move away from a path, and no later move to it, the path is in the library
  // if and only if an event from after the move reported it.
  for (const [path, left] of model.left) {
    if ((model.reached.get(path) ?? -1) > left) continue;
    const isBack = (rows as { path: string }[]).some((row) => row.path === path);
    assert.is(isBack, (model.reported.get(path) ?? -1) >= left, `${path}, left at ${left}`);
  }
}
const sha256s = pictures.map((bytes) => hash("sha256", bytes));

const path = fc.constantFrom("a/1.mxf", "a/2.mxf", "b/1.mxf", "b/2.mxf");
const event: fc.Arbitrary<Event> = fc.record({
  event_type: fc.constantFrom("create", "modify", "delete"),
  path,
  age: fc.integer({ min: 0, max: 12 }),
  size: fc.option(fc.integer({ min: 0, max: 9 })),
  dedupe_key: fc.integer({ min: 0, max: 60 }).map((number) => `k${number}`),
});

type Command = fc.AsyncCommand<Model, Real>;
const command = (text: string, run: Command["run"], check: Command["check"] = () => true): Command => ({
  check,
  run: async (model, real) => {
    model.tick();
    await run(model, real);
    assertSame(model, real);
  },
  toString: () => text,
});

const report = fc.array(event, { maxLength: 8 }).map((events) =>
  command(`report ${JSON.stringify(events)}`, async (model, { filespace }) => {
    const sent = events.map((event) => {
      const { age: _, ...rest } = event;
      return { ...rest, source: "audit_tail", detected_at: timestamp(model.seenAt(event)) };
    });
    const { answer } = await post("events", { filespace, events: sent });
    const accepted = events.filter((given) => model.take(given)).length;
    assert.equal(answer, { accepted, duplicates: events.length - accepted });
  }),
);
// the array type has no length
const twoPaths = fc.uniqueArray(path, { minLength: 2, maxLength: 2 }) as fc.Arbitrary<[string, string]>;
const approve = twoPaths.map(([src, dst]) =>
  command(`approve ${src} -> ${dst}`, async (model, { install_id }) => {
    const insert = store.database.prepare(
      "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (?, ?, ?, ?, 'pending', ?)",
    );
    const run = () => insert.run(production_id, install_id, src, dst, timestamp(model.now));
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
    const bytes = Buffer.from(pictures[picture] as Uint8Array).toString("base64");
    const { status } = await post("media-proxy", { filespace, path, bytes });
    const file = model.files.get(path);
    assert.is(status, file?.state === "present" ? 200 : 404);
    if (file?.state === "present") file.standIn = { picture, at: ++model.puts };
  }),
);

const model = suite("the storage endpoints and the model");

model("agree after every step of any interleaving", async () => {
  let installs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.commands([report, approve, acknowledge, standIn], { maxCommands: 40, size: "max" }),
      async (steps) => {
        const filespace = `model-${++installs}`;
        clock.now = start;
        const install_id = store.writeSync(() => {
          store.database.prepare("UPDATE storage_installs SET active = 0 WHERE production_id = ?").run(production_id);
          const insert = store.database.prepare(
            "INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (?, ?, 1, ?)",
          );
          return Number(insert.run(production_id, filespace, timestamp(0)).lastInsertRowid);
        });
        await fc.asyncModelRun(() => ({ model: new Model(), real: { filespace, install_id } }), steps);
      },
    ),
    sampling(20, 2),
  );
});
model.after(() => server.stop());
model.run();
