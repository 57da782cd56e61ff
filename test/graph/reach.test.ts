// The clamp as properties, over random graphs, grants and times.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  answersTo,
  foreign,
  forRandomProductions,
  future,
  type Grant,
  insertGrant,
  now,
  past,
  showCostumes,
  store,
} from "../support/random_productions.ts";

/**
 * Whether `part` is contained in `whole`: fields by name, list items by any item that contains them. The etag always
 * differs.
 */
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

const reach = suite("reach");

reach("a clamped bundle is a sub-document of the unclamped one", () => {
  forRandomProductions(() => {
    const whole = answersTo(null, 1);
    for (const engagement_id of [1, 2])
      for (const [asked, answer] of answersTo(engagement_id, 1)) {
        if (!/^get_(scene|character|asset)_bundle/.test(asked)) continue;
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
    showCostumes(first);
    for (const engagement_id of [null, 1, 2]) {
      const answers = answersTo(engagement_id, 1);
      for (const [asked, answer] of answers) {
        if (!/^get_(scene|character|asset)_bundle/.test(asked)) continue;
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

reach("GET /me lists exactly the nodes whose bundles open: scenes, characters, and every asset", () => {
  let listed = 0;
  forEngagements((answers) => {
    const { nodes } = meIn(answers).reach as { nodes: { node_id: number; kind: string }[] };
    const opened = (kind: string) =>
      [...answers.keys()]
        .filter((asked) => asked.startsWith(`get_${kind}_bundle`))
        .map((asked) => JSON.parse(asked.slice(asked.indexOf("{"))).node_id)
        .sort((a, b) => a - b);
    const listedOf = (fits: (kind: string) => boolean) =>
      nodes.filter(({ kind }) => fits(kind)).map(({ node_id }) => node_id);
    for (const kind of ["scene", "character"])
      assert.equal(
        opened(kind),
        listedOf((one) => one === kind),
      );
    assert.equal(
      opened("asset"),
      listedOf((kind) => kind !== "scene"),
    );
    listed += nodes.length;
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

reach(
  "submissions open for exactly the deliveries of GET /turnovers and those with own work, and contain only the engagement's own",
  () => {
    let listed = 0;
    forRandomProductions(() => {
      const submitterOf = store.database.prepare("SELECT engagement_id FROM submissions WHERE id = ?").pluck();
      for (const engagement_id of [1, 2]) {
        const answers = answersTo(engagement_id, 1);
        const turnovers: { id: number }[] = JSON.parse(answers.get("list_turnovers {}") as string);
        const open = new Set([...turnovers.map(({ id }) => id), ...meIn(answers).reach.submitted_on]);
        const opened = [...answers.keys()].filter((asked) => asked.startsWith("list_submissions"));
        assert.equal(
          opened,
          [...open].sort((a, b) => a - b).map((delivery_id) => `list_submissions ${JSON.stringify({ delivery_id })}`),
        );
        for (const asked of opened)
          for (const { id, media } of JSON.parse(answers.get(asked) as string)) {
            assert.is(submitterOf.get(id), engagement_id);
            for (const medium of media)
              assert.ok(answers.has(`get_media_content ${JSON.stringify({ id: medium.id })}`));
            listed++;
          }
      }
    });
    assert.ok(listed > 0);
  },
);

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
  const keys = ["get_me {}", "get_manifest {}", "list_turnovers {}", "get_purchase_orders {}"];
  assert.equal([...answers.keys()], keys);
  const { documents, media } = JSON.parse(answers.get("get_manifest {}") as string);
  assert.equal([documents.map(({ path }: { path: string }) => path), media], [["/turnovers"], []]);
  assert.equal(meIn(answers).engagement.grants, []);
  assert.equal(meIn(answers).reach, { nodes: [], deliveries: [], submitted_on: [] });
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

reach.run();
