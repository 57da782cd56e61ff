// The clamp as properties, over random graphs, grants and times. Rows are inserted directly into the database; answers are read
// through the operations.
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Context } from "../../src/context.ts";
import { HttpError } from "../../src/errors.ts";
import { Bytes, TaggedDocument } from "../../src/operations/operation.ts";
import { table } from "../../src/operations.ts";
import { openStore } from "../../src/store/database.ts";
import { Reads } from "../../src/store/table_revisions.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const store = openStore(join(folder, "tallylight.db"));
const now = "2026-06-01T12:00:00.000Z";
const past = "2026-05-31T00:00:00.000Z";
const future = "2026-07-01T00:00:00.000Z";
/** Ids of the second production start here, so that one of them in an answer to the first is easy to find. */
const foreign = 1_000_000;

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
type Graph = typeof graph extends fc.Arbitrary<infer T> ? T : never;
type Grant = typeof grant extends fc.Arbitrary<infer T> ? T : never;

const insert = (table: string, row: Record<string, unknown>): number =>
  Number(
    store.database
      .prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map((name) => `:${name}`)})`)
      .run(row).lastInsertRowid,
  );

/** Inserts one production with `graph`; all its ids are at least `base`. */
function insertProduction(
  production_id: number,
  base: number,
  { nodes, links, gates, about, notes, submitted, ends }: Graph,
): void {
  const at = { created_at: past, updated_at: past };
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
    insert("media", {
      id: base + 500 + i,
      production_id,
      path: `${production_id}/delivery-${i}`,
      kind: "plate",
      label: "",
      sha256: "a".repeat(64),
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
      insert("media", {
        id: base + 100 + n * 10 + k,
        production_id,
        path: `${production_id}/${isReleased ? "seen" : "SECRET"}-${id}`,
        kind: "still",
        label: "",
        sha256: "a".repeat(64),
        version_id: id,
      });
      insert("ingredients", { id, production_id, kind: "swatch", label: isReleased ? "seen" : "SECRET" });
      insert("version_ingredients", { production_id, version_id: id, ingredient_id: id });
      insert("media", {
        id: base + 700 + n * 10 + k,
        production_id,
        path: `${production_id}/${isReleased ? "ingredient" : "SECRET-ingredient"}-${id}`,
        kind: "swatch",
        label: "",
        sha256: "a".repeat(64),
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
    insert("media", {
      id: base + 600 + i,
      production_id,
      path: `${production_id}/work-${i}`,
      kind: "submission",
      label: `of ${engagement}`,
      sha256: "a".repeat(64),
      delivery_id: base + delivery,
      work_item_id: base + i,
    });
  });
}

function insertGrant(
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

/** Everything that a caller can read through the engagement surface of its production, by operation and input. */
function answersTo(engagement_id: number | null, base: number, at = now): Map<string, string> {
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
    reads: new Reads(),
    renew: () => context,
    write: async (work) => work(context),
  };
  const answers = new Map<string, string>();
  const ask = (name: string, input: object) => {
    const row = table.find((operation) => operation.name === name);
    try {
      const answer = row?.run(context, input);
      answers.set(
        `${name} ${JSON.stringify(input)}`,
        answer instanceof Bytes
          ? JSON.stringify({ path: answer.label, ...answer })
          : answer instanceof TaggedDocument
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
  }
  for (const { id } of store.database.prepare("SELECT id FROM media").all() as { id: number }[]) {
    ask("get_media", { id });
    ask("get_media_content", { id });
  }
  for (const { id } of store.database.prepare("SELECT id FROM deliveries").all() as { id: number }[])
    ask("list_submissions", { delivery_id: id });
  ask("get_me", {});
  ask("list_turnovers", {});
  ask("get_purchase_orders", {});
  return answers;
}

/** Whether `part` is contained in `whole`: fields by name, list items by any item that contains them. The etag always differs. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item) => whole.some((other) => isWithin(item, other)));
  if (typeof part === "object" && part !== null)
    return (
      typeof whole === "object" &&
      whole !== null &&
      Object.entries(part).every(
        ([name, value]) => name === "etag" || isWithin(value, (whole as Record<string, unknown>)[name]),
      )
    );
  return part === whole;
}

/** Runs `check` over random productions, each in a transaction that is rolled back. */
function forRandomProductions(check: (seedData: { first: Graph; grants: Grant[]; extra: Grant }) => void): void {
  fc.assert(
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
    { numRuns: 60 },
  );
}

const reach = suite("reach");

reach("a clamped bundle is a sub-document of the unclamped one", () => {
  forRandomProductions(() => {
    const whole = answersTo(null, 1);
    for (const engagement_id of [1, 2])
      for (const [asked, answer] of answersTo(engagement_id, 1)) {
        if (!asked.startsWith("get_scene") && !asked.startsWith("get_character")) continue;
        assert.ok(isWithin(JSON.parse(answer), JSON.parse(whole.get(asked) ?? "null")), `${asked}: ${answer}`);
      }
  });
});

reach("an answer to an engagement contains nothing of an unreleased version", () => {
  forRandomProductions(({ first }) => {
    const hidden = new Set<number>();
    first.nodes.forEach(({ released }, n) => {
      released.forEach((isReleased, k) => void (isReleased || hidden.add(1 + n * 10 + k)));
    });
    for (const engagement_id of [1, 2])
      for (const [asked, answer] of answersTo(engagement_id, 1)) {
        assert.not.match(answer, /SECRET/, asked);
        for (const [, id] of answer.matchAll(/"id":(\d+),"version":/g))
          assert.not.ok(hidden.has(Number(id)), `${asked}: version ${id}`);
      }
  });
});

/** The ids of media in a bundle: those of its versions and those of its ingredients. */
function mediaIn(bundle: string): { versions: number[]; ingredients: number[] } {
  const found = { versions: [] as number[], ingredients: [] as number[] };
  JSON.parse(bundle, (_, value) => {
    if (value?.media_id !== undefined) found["released" in value ? "versions" : "ingredients"].push(value.media_id);
    return value;
  });
  return found;
}

reach("every media_id in a bundle can be fetched, and an engagement sees no ingredient's media_id", () => {
  const seen = { versions: 0, ingredients: 0 };
  forRandomProductions(({ first }) => {
    // Adds enough links and grants that characters' costumes are shown, also to the engagement.
    store.database.exec(`INSERT OR IGNORE INTO node_links (production_id, from_node_id, to_node_id)
      SELECT c.production_id, c.id, w.id FROM nodes c JOIN nodes w USING (production_id) WHERE c.kind = 'character' AND w.kind = 'costume'`);
    for (let target = 0; target < first.nodes.length; target += 2)
      insertGrant(1, 1, first.nodes.length, {
        engagement: 0,
        verb: "read node",
        target,
        expires_at: null,
        revoked: false,
      });
    for (const engagement_id of [null, 1, 2]) {
      const answers = answersTo(engagement_id, 1);
      for (const [asked, answer] of answers) {
        if (!asked.startsWith("get_scene") && !asked.startsWith("get_character")) continue;
        const { versions, ingredients } = mediaIn(answer);
        if (engagement_id === null) seen.ingredients += ingredients.length;
        else {
          seen.versions += versions.length;
          assert.not.match(answer, /ingredient-\d/, asked);
          assert.equal(ingredients, [], asked);
        }
        for (const id of [...versions, ...ingredients])
          assert.ok(answers.has(`get_media_content ${JSON.stringify({ id })}`), `${asked} names medium ${id}`);
      }
    }
  });
  assert.ok(seen.versions > 0 && seen.ingredients > 0, JSON.stringify(seen));
});

reach("no answer mentions another production", () => {
  forRandomProductions(() => {
    for (const engagement_id of [null, 1, 2])
      for (const [asked, answer] of answersTo(engagement_id, 1))
        for (const [field, id] of answer.matchAll(/"(?:\w+_)?id":(\d+)/g))
          assert.ok(Number(id) < foreign, `${asked} mentions ${field}`);
  });
});

reach("another grant never removes anything, and revoking it restores the former bytes", () => {
  forRandomProductions(({ first, extra }) => {
    const before = answersTo(1, 1);
    const id = insertGrant(1, 1, first.nodes.length, { ...extra, engagement: 0, expires_at: null, revoked: false });
    const after = answersTo(1, 1);
    // Values that mean "nothing yet" may change; everything else must still be there.
    const withoutEmpty = (answer: string) =>
      JSON.parse(answer, (key, value) => (value === null || (key === "can_submit" && !value) ? undefined : value));
    for (const [asked, answer] of before)
      assert.ok(isWithin(withoutEmpty(answer), withoutEmpty(after.get(asked) ?? "null")), asked);
    store.database.prepare("UPDATE grants SET revoked_at = ? WHERE id = ?").run(now, id);
    assert.equal([...answersTo(1, 1)], [...before]);
  });
});

reach("an expired or revoked grant reaches nothing", () => {
  forRandomProductions(({ first, grants }) => {
    const expected = answersTo(1, 1);
    store.database.prepare("DELETE FROM grants WHERE revoked_at IS NOT NULL OR expires_at <= ?").run(now);
    assert.equal([...answersTo(1, 1)], [...expected], `${grants.length} grants over ${first.nodes.length} nodes`);
  });
});

reach("grants end at their expiry", () => {
  forRandomProductions(() => {
    const later = "2026-07-01T00:00:00.000Z";
    const then = answersTo(1, 1, later);
    store.database.prepare("DELETE FROM grants WHERE expires_at IS NOT NULL").run();
    assert.equal([...then], [...answersTo(1, 1, later)]);
  });
});

reach("submitted work is visible only to the engagement that submitted it, whatever grants others have", () => {
  forRandomProductions(({ first }) => {
    for (let target = 0; target < 3; target++)
      for (const verb of ["read delivery", "submit delivery"])
        insertGrant(1, 1, first.nodes.length, {
          engagement: 1,
          verb,
          target,
          expires_at: null,
          revoked: false,
        } as Grant);
    for (const [asked, answer] of answersTo(2, 1))
      if (asked.startsWith("get_media {") && JSON.parse(answer).work_item_id !== null)
        assert.is(JSON.parse(answer).label, "of 1", asked);
  });
});

/** Runs `check` for both engagements of random productions, with their answers. */
const forEngagements = (check: (answers: Map<string, string>) => void): void =>
  forRandomProductions(() => {
    for (const engagement_id of [1, 2]) check(answersTo(engagement_id, 1));
  });

const meIn = (answers: Map<string, string>) => JSON.parse(answers.get("get_me {}") as string);

reach("GET /me lists exactly the scenes and characters whose bundles open", () => {
  let listed = 0;
  forEngagements((answers) => {
    const opened = [...answers.values()].flatMap((answer) => {
      const { scene, character } = JSON.parse(answer);
      return scene || character ? [(scene ?? character).node_id] : [];
    });
    const { nodes } = meIn(answers).reach;
    const roots = nodes.filter(({ kind }: { kind: string }) => kind === "scene" || kind === "character");
    assert.equal(
      roots.map(({ node_id }: { node_id: number }) => node_id),
      opened.sort((a, b) => a - b),
    );
    listed += roots.length;
  });
  assert.ok(listed > 0);
});

reach("GET /me lists a node exactly if the stills of its released versions can be fetched", () => {
  const released = store.database.prepare(
    "SELECT v.node_id, m.id FROM versions v JOIN media m ON m.version_id = v.id WHERE v.production_id = 1 AND v.released = 1",
  );
  forEngagements((answers) => {
    const nodes = new Set(meIn(answers).reach.nodes.map(({ node_id }: { node_id: number }) => node_id));
    for (const { node_id, id } of released.all() as { node_id: number; id: number }[])
      assert.is(answers.has(`get_media ${JSON.stringify({ id })}`), nodes.has(node_id));
  });
});

reach("GET /me lists exactly the deliveries of GET /turnovers", () => {
  forEngagements((answers) => {
    const turnovers = JSON.parse(answers.get("list_turnovers {}") as string);
    const expected = turnovers.map(({ id, title, can_submit }: Record<string, unknown>) => ({ id, title, can_submit }));
    assert.equal(meIn(answers).reach.deliveries, expected);
  });
});

reach("submissions open for exactly the deliveries of GET /turnovers, and contain only the engagement's own", () => {
  let listed = 0;
  forRandomProductions(() => {
    const submitterOf = store.database.prepare("SELECT engagement_id FROM submissions WHERE id = ?").pluck();
    for (const engagement_id of [1, 2]) {
      const answers = answersTo(engagement_id, 1);
      const turnovers: { id: number }[] = JSON.parse(answers.get("list_turnovers {}") as string);
      const opened = [...answers.keys()].filter((asked) => asked.startsWith("list_submissions"));
      assert.equal(
        opened,
        turnovers.map(({ id }) => `list_submissions ${JSON.stringify({ delivery_id: id })}`),
      );
      for (const asked of opened)
        for (const { id, media } of JSON.parse(answers.get(asked) as string)) {
          assert.is(submitterOf.get(id), engagement_id);
          for (const medium of media) assert.ok(answers.has(`get_media_content ${JSON.stringify({ id: medium.id })}`));
          listed++;
        }
    }
  });
  assert.ok(listed > 0);
});

reach("the nodes of a turnover are those that it is about and GET /me lists", () => {
  forEngagements((answers) => {
    const { nodes } = meIn(answers).reach;
    const about = store.database.prepare("SELECT node_id FROM delivery_nodes WHERE delivery_id = ?").pluck();
    for (const turnover of JSON.parse(answers.get("list_turnovers {}") as string)) {
      const ids = new Set(about.all(turnover.id));
      assert.equal(
        turnover.nodes,
        nodes.filter(({ node_id }: { node_id: number }) => ids.has(node_id)),
      );
    }
  });
});

/** Sets the end of every engagement; null removes it. */
const endAll = (at: string | null) => store.database.prepare("UPDATE engagements SET ended_at = ?").run(at);

function assertNothing(answers: Map<string, string>): void {
  assert.equal([...answers.keys()], ["get_me {}", "list_turnovers {}", "get_purchase_orders {}"]);
  assert.equal(meIn(answers).engagement.grants, []);
  assert.equal(meIn(answers).reach, { nodes: [], deliveries: [] });
  assert.is(answers.get("list_turnovers {}"), "[]");
  assert.is(answers.get("get_purchase_orders {}"), '{"purchase_orders":[],"line":[],"week_of":null}');
}

reach("an ended engagement sees nothing", () => {
  forRandomProductions(() => {
    for (const at of [past, now]) {
      endAll(at);
      assertNothing(answersTo(1, 1));
    }
  });
});

reach("an engagement that ends in the future sees until then what one without an end sees", () => {
  forRandomProductions(() => {
    const lastTimestamp = "2026-06-30T23:59:59.999Z";
    endAll(null);
    const open = [now, lastTimestamp].map((at) => [...answersTo(1, 1, at)]);
    endAll(future);
    assert.equal(
      [now, lastTimestamp].map((at) => [...answersTo(1, 1, at)]),
      open,
    );
    assertNothing(answersTo(1, 1, future));
  });
});

reach.after(() => {
  store.close();
  rmSync(folder, { recursive: true });
});
reach.run();
