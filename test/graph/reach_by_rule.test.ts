// What each engagement gets, computed row by row from the tables by the rules of the documentation, without the
// statements of sql/reach.sql: exactly that is in the answers, over random graphs, grants and times.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { etagOf } from "../../src/core/answers.ts";
import { answersTo, forRandomProductions, now, showCostumes, store } from "../support/random_productions.ts";

type Row = Record<string, any>;

const all = (list: string): Row[] =>
  store.database.prepare(`SELECT * FROM ${list} WHERE production_id = 1`).all() as Row[];
const ids = (rows: readonly Row[], field = "id"): number[] =>
  [...new Set(rows.map((row) => row[field]))].sort((a, b) => a - b);

/** The production as an engagement may see it; null for a production-wide key. */
class Expected {
  readonly nodes: Row[];
  readonly deliveries: Row[];
  readonly submittable: ReadonlySet<number>;
  readonly #departments: ReadonlySet<number>;
  readonly #money: ReadonlySet<number>;
  readonly #engagement_id: number | null;

  constructor(engagement_id: number | null) {
    const isOver = (at: string | null) => at !== null && at <= now;
    const { ended_at } = all("engagements").find(({ id }) => id === engagement_id) ?? { ended_at: null };
    const live = all("grants").filter(
      (grant) =>
        grant.engagement_id === engagement_id &&
        grant.revoked_at === null &&
        !isOver(grant.expires_at) &&
        !isOver(ended_at),
    );
    const targets = (field: string, ...verbs: string[]) =>
      new Set(
        ids(
          live.filter((grant) => verbs.includes(grant.verb) && grant[field] !== null),
          field,
        ),
      );
    const granted = targets("node_id", "read");
    const deliveries = targets("delivery_id", "read", "submit");
    this.#engagement_id = engagement_id;
    this.#departments = targets("department_id", "read");
    this.#money = targets("department_id", "read:own_po");
    this.submittable = targets("delivery_id", "submit");
    this.nodes = all("nodes").filter(
      ({ id, kind, department_id }) =>
        engagement_id === null || granted.has(id) || (kind !== "scene" && this.#departments.has(department_id)),
    );
    this.deliveries = all("deliveries").filter(({ id }) => engagement_id === null || deliveries.has(id));
  }

  #linked(from: number, fits: (kind: string) => boolean): number[] {
    const to = new Set(
      all("node_links").flatMap(({ from_node_id, to_node_id }) => (from_node_id === from ? [to_node_id] : [])),
    );
    return ids(this.nodes.filter(({ id, kind }) => to.has(id) && fits(kind)));
  }

  #released = (node_id: number): Row[] =>
    all("versions").filter((version) => version.node_id === node_id && version.released === 1);

  /** The ids of a scene's bundle: its assets with their released versions, its approvals and its notes. */
  scene(node_id: number): unknown[][] {
    const assets = this.#linked(node_id, (kind) => kind !== "scene");
    const about = ids(
      all("delivery_nodes").filter((row) => row.node_id === node_id),
      "delivery_id",
    );
    const gates = this.deliveries.filter(({ id }) => about.includes(id)).map(({ id }) => id);
    return [
      assets.map((id) => [id, ids(this.#released(id))]),
      ids(
        all("approvals").filter(
          (one) => one.node_id === node_id || assets.includes(one.node_id) || gates.includes(one.delivery_id),
        ),
      ),
      ids(
        all("department_notes").filter(
          (note) =>
            note.node_id === node_id && (this.#engagement_id === null || this.#departments.has(note.department_id)),
        ),
      ),
    ];
  }

  /** The costumes of a character's bundle: their ids, and those of their released versions and ingredients. */
  costumes(node_id: number): unknown[] {
    return this.#linked(node_id, (kind) => kind === "costume").map((id) => {
      const released = ids(this.#released(id));
      const fed = all("version_ingredients").filter(({ version_id }) => released.includes(version_id));
      return [id, released, ids(fed, "ingredient_id")];
    });
  }

  /** The ids of an asset's bundle: its scenes, its released versions and its notes. */
  asset(node_id: number): unknown[][] {
    const linked = all("node_links").flatMap(({ from_node_id, to_node_id }) =>
      to_node_id === node_id ? [from_node_id] : [],
    );
    const scenes = ids(this.nodes.filter(({ id, kind }) => kind === "scene" && linked.includes(id)));
    const { department_id } = this.nodes.find(({ id }) => id === node_id) as Row;
    const notes = all("department_notes").filter(
      (note) =>
        note.node_id === node_id ||
        (scenes.includes(note.node_id) &&
          note.department_id === department_id &&
          (this.#engagement_id === null || this.#departments.has(note.department_id))),
    );
    return [scenes, ids(this.#released(node_id)), ids(notes)];
  }

  /** The ids of a delivery's own media. */
  files = (delivery_id: number): number[] =>
    ids(all("media").filter((medium) => medium.delivery_id === delivery_id && medium.work_item_id === null));

  /** The engagement's own work, while it is open. */
  get #work(): Row[] {
    const ended = all("engagements").some((one) => one.id === this.#engagement_id && (one.ended_at ?? "9") <= now);
    return ended ? [] : all("submissions").filter((one) => one.engagement_id === this.#engagement_id);
  }

  /** The deliveries whose lists of submissions open, each with what the list has. */
  get submissions(): Map<number, number[]> {
    const own = this.#work;
    const open = this.#engagement_id === null ? all("deliveries") : [...this.deliveries];
    const deliveries = [...ids(open), ...ids(own, "delivery_id")];
    const seen = this.#engagement_id === null ? all("submissions") : own;
    return new Map(deliveries.map((id) => [id, ids(seen.filter(({ delivery_id }) => delivery_id === id))]));
  }

  get submittedOn(): number[] {
    return ids(this.#work, "delivery_id");
  }

  get media(): number[] {
    const own = ids(this.#work);
    const versions = this.nodes.flatMap(({ id }) => ids(this.#released(id)));
    const fits = ({ work_item_id, version_id, delivery_id }: Row): boolean => {
      if (work_item_id !== null) return own.includes(work_item_id);
      return version_id === null
        ? this.deliveries.some(({ id }) => id === delivery_id)
        : versions.includes(version_id as number);
    };
    return ids(all("media").filter((medium) => this.#engagement_id === null || fits(medium)));
  }

  /** The vendor of both engagements is the same, so its orders differ by department only. */
  get money(): { orders: number[]; lines: string[] } {
    const granted = (row: Row) => this.#money.has(row.department_id);
    const lines = all("cost_report_lines").filter(granted);
    return { orders: ids(all("purchase_orders").filter(granted)), lines: lines.map(({ account }) => account) };
  }
}

type Answers = Map<string, string>;
const parsed = (answers: Answers, name: string, input: object = {}): any =>
  JSON.parse(answers.get(`${name} ${JSON.stringify(input)}`) ?? "null");
const idsIn = (list: Row[], field = "id"): number[] => list.map((row) => row[field]);

/**
 * Runs `check` for every kind of key of random productions. Counts what it returns, which must not be nothing in all of
 * them.
 */
function forKeys(check: (expected: Expected, answers: Answers, engagement_id: number | null) => number): void {
  let seen = 0;
  forRandomProductions(({ first }) => {
    // so that much is reached in half of them, and little in the others
    if (first.gates.length % 2 === 0) showCostumes(first);
    for (const engagement_id of [null, 1, 2])
      seen += check(new Expected(engagement_id), answersTo(engagement_id, 1), engagement_id);
  });
  assert.ok(seen > 0, "nothing was compared");
}

const rule = suite("what the rules say is what an engagement gets");

/**
 * Compares the bundles of every key: they open for exactly the reached nodes of a kind, and `listsOf` each is what
 * `expectedOf` its node says. What is counted is the first list.
 */
function compareBundles(
  kind: "scene" | "character" | "asset",
  listsOf: (bundle: any) => unknown[][],
  expectedOf: (expected: Expected, node_id: number) => unknown[][],
): void {
  forKeys((expected, answers, engagement_id) => {
    const isOfKind = (node: Row) => (kind === "asset" ? node.kind !== "scene" : node.kind === kind);
    const reached = ids(expected.nodes.filter(isOfKind));
    let shown = 0;
    for (const { id: node_id } of all("nodes")) {
      const bundle = parsed(answers, `get_${kind}_bundle`, { node_id });
      assert.is(bundle !== null, reached.includes(node_id), `${kind} ${node_id}`);
      if (bundle === null) continue;
      const lists = listsOf(bundle);
      assert.equal(lists, expectedOf(expected, node_id));
      if (engagement_id !== null) shown += lists[0]?.length ?? 0;
    }
    return shown;
  });
}

rule("scene bundles open for reached scenes, with exactly the reached assets, approvals and notes", () => {
  compareBundles(
    "scene",
    ({ assets, approvals, department_notes }) => [
      assets.map((asset: Row) => [asset.node_id, idsIn(asset.released_versions)]),
      idsIn(approvals),
      idsIn(department_notes),
    ],
    (expected, node_id) => expected.scene(node_id),
  );
});

rule("character bundles open for reached characters, with exactly the reached costumes", () => {
  compareBundles(
    "character",
    ({ costumes }) => [costumes.map((one: Row) => [one.node_id, idsIn(one.released_versions), idsIn(one.ingredients)])],
    (expected, node_id) => [expected.costumes(node_id)],
  );
});

rule("asset bundles open for every reached asset, with exactly the reached scenes, released versions and notes", () => {
  const seen = [0, 0, 0];
  compareBundles(
    "asset",
    ({ scenes, released_versions, department_notes }) => {
      const lists = [idsIn(scenes, "node_id"), idsIn(released_versions), idsIn(department_notes)];
      for (const [at, list] of lists.entries()) seen[at] = (seen[at] as number) + list.length;
      return lists;
    },
    (expected, node_id) => expected.asset(node_id),
  );
  assert.ok(!seen.includes(0), `${seen}`);
});

rule("exactly the reached media can be fetched", () => {
  forKeys(({ media }, answers, engagement_id) => {
    for (const { id } of all("media")) {
      const isReached = media.includes(id);
      assert.is(answers.has(`get_media ${JSON.stringify({ id })}`), isReached, `medium ${id}`);
      assert.is(answers.has(`get_media_content ${JSON.stringify({ id })}`), isReached, `content of ${id}`);
    }
    return engagement_id === null ? 0 : media.length;
  });
});

rule("the lists of submissions open for reached deliveries and for own work, and have exactly that", () => {
  forKeys(({ submissions, submittedOn, deliveries }, answers, engagement_id) => {
    for (const { id: delivery_id } of all("deliveries")) {
      const list = parsed(answers, "list_submissions", { delivery_id });
      assert.equal(list && ids(list), submissions.get(delivery_id) ?? null, `delivery ${delivery_id}`);
    }
    if (engagement_id === null) return 0;
    assert.equal(parsed(answers, "get_me").reach.submitted_on, submittedOn);
    return ids(deliveries).length < submissions.size ? 1 : 0; // own work without a grant is what is seldom
  });
});

rule("GET /me, turnovers and orders list exactly what is reached", () => {
  forKeys((expected, answers, engagement_id) => {
    if (engagement_id === null) return 0;
    const { reach } = parsed(answers, "get_me");
    const turnovers = expected.deliveries.map(({ id }) => [id, expected.submittable.has(id)]);
    assert.equal(idsIn(reach.nodes, "node_id"), ids(expected.nodes));
    for (const list of [reach.deliveries, parsed(answers, "list_turnovers")])
      assert.equal(
        list.map((one: Row) => [one.id, one.can_submit]),
        turnovers,
      );
    for (const { id, media } of parsed(answers, "list_turnovers")) assert.equal(idsIn(media), expected.files(id));
    const { purchase_orders, line } = parsed(answers, "get_purchase_orders");
    assert.equal({ orders: idsIn(purchase_orders), lines: line.map(({ account }: Row) => account) }, expected.money);
    return turnovers.length;
  });
});

rule(
  "the manifest of a bound key has every document and medium that it gets, with their tags, and nothing else",
  () => {
    forKeys(({ media }, answers, engagement_id) => {
      if (engagement_id === null) return 0;
      const manifest = parsed(answers, "get_manifest");
      const bundles = [...answers].flatMap(([name, text]) => {
        const [, kind, node_id] = /^get_(scene|character|asset)_bundle .*:(\d+)}$/.exec(name) ?? [];
        return kind === undefined ? [] : [[`/bundles/${kind}/${node_id}`, JSON.parse(text).etag]];
      });
      const { purchase_orders, line } = parsed(answers, "get_purchase_orders");
      const seesMoney = purchase_orders.length + line.length > 0; // every department has an order and a line
      const lists = [
        ["/turnovers", etagOf(answers.get("list_turnovers {}") as string)],
        ...(seesMoney ? [["/purchase-orders", etagOf(answers.get("get_purchase_orders {}") as string)]] : []),
      ];
      for (const [name, text] of answers) {
        const [, delivery_id] = /^list_submissions .*:(\d+)}$/.exec(name) ?? [];
        if (delivery_id !== undefined) lists.push([`/turnovers/${delivery_id}/submissions`, etagOf(text)]);
      }
      const listed = manifest.documents.map(({ path, etag }: Row) => [path, etag]);
      assert.equal(listed.toSorted(), [...bundles, ...lists].toSorted());
      const details = media.map((id) => parsed(answers, "get_media", { id }));
      assert.equal(
        manifest.media,
        details.map(({ id, label, sha256, size, content_type }: Row) => ({ id, label, sha256, size, content_type })),
      );
      return bundles.length * media.length;
    });
  },
);

rule.run();
