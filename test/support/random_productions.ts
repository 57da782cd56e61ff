// Random productions in one database: graphs, grants and times. Rows are inserted directly; answers are read through
// the operations.
import { rmSync } from "node:fs";
import type { Statement } from "better-sqlite3";
import fc from "fast-check";
import { Bytes, Steps, TaggedDocument } from "../../src/core/answers.ts";
import type { Context } from "../../src/core/context.ts";
import { HttpError } from "../../src/core/errors.ts";
import { ListPage } from "../../src/core/listing.ts";
import { table } from "./operations.ts";
import { assertProperty, sampling } from "./sampling.ts";
import { folderWith, openData } from "./template.ts";

/** The database. Each production is in a transaction that is rolled back, so it is empty between two of them. */
export const { store, folder } = openData(await folderWith([], "2026-06-01T12:00:00.000Z"));
export const now = "2026-06-01T12:00:00.000Z";
export const past = "2026-05-31T00:00:00.000Z";
export const future = "2026-07-01T00:00:00.000Z";
/** Ids of the second production start here, so that one of them in an answer to the first is easy to find. */
export const foreign = 1_000_000;

const kinds = ["scene", "scene", "character", "costume", "costume", "prop"] as const;
const small = fc.nat({ max: 7 });
const graph = fc.record({
  nodes: fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      department: fc.option(fc.nat({ max: 2 })),
      released: fc.array(fc.boolean(), { maxLength: 3 }),
    }),
    { minLength: 3, maxLength: 8 },
  ),
  links: fc.array(fc.tuple(small, small), { maxLength: 16 }),
  gates: fc.array(fc.tuple(fc.boolean(), small), { maxLength: 5 }),
  about: fc.array(fc.tuple(fc.nat({ max: 2 }), small), { maxLength: 4 }),
  notes: fc.array(fc.tuple(fc.nat({ max: 2 }), small), { maxLength: 4 }),
  submitted: fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 1 })), { maxLength: 3 }),
  /** When each of the two engagements ends. */
  ends: fc.tuple(...([0, 1] as const).map(() => fc.constantFrom(null, null, future, future, now, past))),
});
const grant = fc.record({
  engagement: fc.nat({ max: 1 }),
  verb: fc.constantFrom("read node", "read department", "read delivery", "submit delivery", "read:own_po department"),
  target: small,
  expires_at: fc.constantFrom(null, past, now, future),
  revoked: fc.boolean(),
});
export type Graph = typeof graph extends fc.Arbitrary<infer T> ? T : never;
export type Grant = typeof grant extends fc.Arbitrary<infer T> ? T : never;

const inserts = new Map<string, Statement>();
function insert(table: string, row: Record<string, unknown>): number {
  const names = Object.keys(row);
  const text = `INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `:${name}`)})`;
  const statement = inserts.get(text) ?? store.database.prepare(text);
  inserts.set(text, statement);
  return Number(statement.run(row).lastInsertRowid);
}

/** Inserts one production with `graph`; all its ids are at least `base`. */
function insertProduction(
  production_id: number,
  base: number,
  { nodes, links, gates, about, notes, submitted, ends }: Graph,
): void {
  const at = { created_at: past, updated_at: past };
  const media = (row: Record<string, unknown>) =>
    insert("media", { production_id, label: "", sha256: "a".repeat(64), ...row });
  insert("productions", {
    id: production_id,
    title: `P${production_id}`,
    logline: "",
    status: "",
    phase: "",
    accent: "amber",
    format: "single",
    created_at: past,
  });
  insert("api_keys", {
    id: base,
    production_id,
    label: "",
    prefix: `tl_${base}`,
    token_sha256: `${base}`,
    scopes: "[]",
    created_at: past,
  });
  for (let i = 0; i < 3; i++) {
    insert("departments", {
      id: base + i,
      production_id,
      slug: `d${i}`,
      name: "",
      cluster: "",
      phases: "[]",
      mission: "",
      key_roles: "[]",
      privacy: "",
      unveiled: 1,
      registry: "{}",
    });
    insert("deliveries", {
      id: base + i,
      production_id,
      title: `D${i}`,
      status: "ready",
      kind: "internal",
      spec: "[]",
    });
    media({
      id: base + 500 + i,
      path: `${production_id}/delivery-${i}`,
      kind: "plate",
      delivery_id: base + i,
    });
  }
  insert("vendors", { id: base, production_id, name: "V" });
  for (const [i, ended_at] of ends.entries())
    insert("engagements", { id: base + i, production_id, vendor_id: base, title: "", created_at: past, ended_at });
  insert("cost_reports", { id: base, production_id, week_of: "2026-05-25", active: 1 });
  for (let i = 0; i < 3; i++) {
    insert("purchase_orders", {
      id: base + i,
      production_id,
      account: "1",
      vendor_id: base,
      description: "",
      amount: 1,
      status: "open",
      date: "2026-01-01",
      department_id: base + i,
    });
    insert("cost_report_lines", {
      id: base + i,
      production_id,
      cost_report_id: base,
      account: `${i}`,
      department_id: base + i,
      figures: "{}",
    });
  }
  nodes.forEach(({ kind, department, released }, n) => {
    const department_id = kind === "scene" || department === null ? null : base + department;
    insert("nodes", { id: base + n, production_id, kind, label: `N${n}`, status: "active", department_id, ...at });
    if (kind === "scene")
      insert("scenes", {
        node_id: base + n,
        production_id,
        number: `${n}`,
        slugline: "",
        revision_color: "white",
        elements: "{}",
        script_order: n,
      });
    released.forEach((isReleased, k) => {
      const id = base + n * 10 + k;
      insert("versions", {
        id,
        production_id,
        node_id: base + n,
        version: k + 1,
        variant: "",
        status: "",
        note: isReleased ? "seen" : "SECRET",
        archived: 0,
        released: isReleased ? 1 : 0,
      });
      media({
        id: base + 100 + n * 10 + k,
        path: `${production_id}/${isReleased ? "seen" : "SECRET"}-${id}`,
        kind: "still",
        version_id: id,
      });
      insert("ingredients", { id, production_id, kind: "swatch", label: isReleased ? "seen" : "SECRET" });
      insert("version_ingredients", { production_id, version_id: id, ingredient_id: id });
      media({
        id: base + 700 + n * 10 + k,
        path: `${production_id}/${isReleased ? "ingredient" : "SECRET-ingredient"}-${id}`,
        kind: "swatch",
        ingredient_id: id,
      });
    });
  });
  const node = (n: number) => base + (n % nodes.length);
  const once = new Set<string>();
  for (const [from, to] of links)
    if (
      from % nodes.length !== to % nodes.length &&
      !once.has(`${node(from)}-${node(to)}`) &&
      once.add(`${node(from)}-${node(to)}`)
    )
      insert("node_links", { production_id, from_node_id: node(from), to_node_id: node(to) });
  gates.forEach(([ofNode, target], i) => {
    const gated = ofNode ? { node_id: node(target) } : { delivery_id: base + (target % 3) };
    insert("approvals", { id: base + i, production_id, title: "A", status: "pending", mode: "chain", ...gated });
  });
  for (const [delivery, n] of about)
    if (!once.has(`about ${delivery} ${node(n)}`) && once.add(`about ${delivery} ${node(n)}`))
      insert("delivery_nodes", { production_id, delivery_id: base + delivery, node_id: node(n) });
  notes.forEach(([department, n], i) => {
    insert("department_notes", {
      id: base + i,
      production_id,
      department_id: base + department,
      node_id: node(n),
      summary: "",
    });
  });
  submitted.forEach(([delivery, engagement], i) => {
    insert("submissions", {
      id: base + i,
      production_id,
      delivery_id: base + delivery,
      engagement_id: base + engagement,
      status: "submitted",
      title: "",
    });
    media({
      id: base + 600 + i,
      path: `${production_id}/work-${i}`,
      kind: "submission",
      label: `of ${engagement}`,
      delivery_id: base + delivery,
      work_item_id: base + i,
    });
  });
}

export function insertGrant(
  production_id: number,
  base: number,
  nodes: number,
  { engagement, verb, target, expires_at, revoked }: Grant,
): number {
  const [word, kind] = verb.split(" ") as [string, "node" | "department" | "delivery"];
  const target_id = base + (kind === "node" ? target % nodes : target % 3);
  return insert("grants", {
    production_id,
    engagement_id: base + engagement,
    verb: word,
    [`${kind}_id`]: target_id,
    created_at: past,
    expires_at,
    revoked_at: revoked ? past : null,
  });
}

/** Adds so many links and grants that characters' costumes are shown, also to the first engagement. */
export function showCostumes({ nodes }: Graph): void {
  store.database.exec(`INSERT OR IGNORE INTO node_links (production_id, from_node_id, to_node_id)
    SELECT c.production_id, c.id, w.id FROM nodes c JOIN nodes w USING (production_id) WHERE c.kind = 'character' AND w.kind = 'costume'`);
  for (let target = 0; target < nodes.length; target += 2)
    insertGrant(1, 1, nodes.length, { engagement: 0, verb: "read node", target, expires_at: null, revoked: false });
}

/** What a read in steps answers. */
function lastOf<T>({ steps }: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does `work` without recording where errors are made, which takes a third of the time where most answers are 404. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Everything that a caller can read through the engagement surface of its production, by operation and input. */
export const answersTo = (engagement_id: number | null, base: number, at = now): Map<string, string> =>
  withoutStacks(() => everyAnswer(engagement_id, base, at));

function everyAnswer(engagement_id: number | null, base: number, at: string): Map<string, string> {
  const caller: Context["caller"] = {
    key_id: base,
    label: "",
    production_id: base === foreign ? 2 : 1,
    engagement_id,
    person_id: null,
    scopes: ["read", "read:money"],
    expires_at: null,
  };
  const context: Context = {
    app: { store } as never,
    caller,
    credentials: "",
    onClose: () => {},
    now: at,
    renew: () => context,
    write: async (work) => work(context),
  };
  const answers = new Map<string, string>();
  const ask = (name: string, input: object) => {
    const row = table.find((operation) => operation.name === name);
    try {
      row?.authorize?.(context, input);
      const begun = row?.run(context, input);
      const answer = begun instanceof Steps ? lastOf(begun) : begun;
      answers.set(
        `${name} ${JSON.stringify(input)}`,
        answer instanceof Bytes
          ? JSON.stringify({ path: answer.label, ...answer })
          : answer instanceof TaggedDocument || answer instanceof ListPage
            ? answer.text
            : (answer as string),
      );
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 404) throw error;
    }
  };
  for (const { id } of store.database.prepare("SELECT id FROM nodes").all() as { id: number }[]) {
    ask("get_scene_bundle", { node_id: id });
    ask("get_character_bundle", { node_id: id });
    ask("get_asset_bundle", { node_id: id });
  }
  for (const { id } of store.database.prepare("SELECT id FROM media").all() as { id: number }[]) {
    ask("get_media", { id });
    ask("get_media_content", { id });
  }
  for (const { id } of store.database.prepare("SELECT id FROM deliveries").all() as { id: number }[])
    ask("list_submissions", { delivery_id: id });
  ask("get_me", {});
  if (engagement_id !== null) ask("get_manifest", {});
  ask("list_turnovers", {});
  ask("get_purchase_orders", {});
  return answers;
}

/** Runs `check` over random productions, each in a transaction that is rolled back. */
export function forRandomProductions(check: (seedData: { first: Graph; grants: Grant[]; extra: Grant }) => void): void {
  assertProperty(
    fc.property(graph, graph, fc.array(grant, { maxLength: 10 }), grant, (first, second, grants, extra) => {
      store.database.exec("BEGIN");
      try {
        insert("blobs", { sha256: "a".repeat(64), size: 1, content_type: "image/jpeg", created_at: past });
        insertProduction(1, 1, first);
        insertProduction(2, foreign, second);
        for (const one of grants) {
          insertGrant(1, 1, first.nodes.length, one);
          insertGrant(2, foreign, second.nodes.length, one);
        }
        check({ first, grants, extra });
      } finally {
        store.database.exec("ROLLBACK");
      }
    }),
    sampling(60),
  );
}

// Several files may use the database in one process.
process.once("exit", () => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});
