// What a key is shown while an admin changes who may see what: the same by REST, with its cache and tags, without a
// cache, as a tool and on the pages, at every moment, for every read of the table and for random changes.
// It asks again, over random changes, what core/response_cache, graph/reach_by_rule and graph/vendor ask by example.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Scope, scopes } from "../../src/core/access/callers.ts";
import { fieldsOf } from "../../src/core/http/coercion.ts";
import { pathsOf } from "../../src/core/operation.ts";
import { isFurtherTool } from "../../src/features/addresses/tools.ts";
import { erasePerson } from "../../src/features/productions/erasure.ts";
import { setFrozen } from "../../src/features/productions/lifecycle.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { importedAt, mint, openTestServer } from "../support/app.ts";
import { table } from "../support/operations.ts";
import { signIn, type Visitor } from "../support/pages.ts";
import { getPlain } from "../support/plain_http.ts";
import { randomOf } from "../support/random.ts";
import { callTool } from "../support/rpc.ts";
import { seedsOf, some, triesAll } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { openUncached } from "../support/uncached.ts";

const test = suite("what a key is shown while grants, engagements, keys and the production change");

const hour = 3_600_000;

/** The reads that are the same until something is written. */
const reads = table.filter(({ method, noStore }) => method === "GET" && noStore !== true);

/** A refusal without the words for the look-up to make instead: a call over REST, a tool over MCP. */
const namingCall = (text: string): string =>
  text.replace(/(?:GET \/search\?q=|the tool search with q )[^"]* finds/, "search finds");

/** Returns how often something was found, was unchanged since a tag, was a tool's answer, and was a page. */
async function play(seed: number, shown: Record<"found" | "unchanged" | "tools" | "pages", number>): Promise<void> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let time = Date.parse(importedAt) + 24 * hour;
  const server = await openTestServer({ clock: () => time, environment: { TALLYLIGHT_FAILED_KEYS: "1000000" } });
  const uncached = await openUncached(server);
  const { store } = server;
  const { production: production_id, delivery, submitter, reader } = seedDataOf(store);
  const column = <T = number>(sql: string): T[] => store.database.prepare(sql).pluck().all() as T[];
  const own = (list: string, field = "id") =>
    column(`SELECT ${field} FROM ${list} WHERE production_id = ${production_id} ORDER BY ${field}`);
  const lists: Record<string, string> = {
    node_id: "nodes",
    note_id: "notes",
    shoot_day_id: "shoot_days",
    delivery_id: "deliveries",
    approval_id: "approvals",
    person_id: "people",
    media: "media",
    history: "change_sets",
    webhooks: "webhooks",
  };
  /** An address of a read below /api/v1. One of ten names a thing of any production. */
  const addressOf = (path: string): string => {
    const noun = path.replace("/admin/", "/").split("/")[1] as string;
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      if (name === "slug") return pick(column<string>("SELECT slug FROM departments"));
      if (name === "number") return String(1 + Math.floor(random() * 2)); // an issue of a call sheet
      if (name === "delivery_id" && random() < 0.5) return String(delivery);
      const list = lists[name] ?? (lists[noun] as string);
      const ids = random() < 0.1 ? column(`SELECT id FROM ${list}`) : own(list);
      return String(ids.length === 0 ? 1 : pick(ids));
    });
    if (filled === "/search") return `/search?q=${pick(["a", "scene", "e", "torran"])}&limit=500`;
    if (filled === "/assets/usage")
      return `/assets/usage?label=${encodeURIComponent(pick(column<string>("SELECT label FROM nodes")))}`;
    if (filled === "/bundles/day") return `/bundles/day?date=${pick(column<string>("SELECT date FROM shoot_days"))}`;
    return filled;
  };
  const keys: { token: string; name: string; engagement_id: number | null }[] = [];
  const pages = new Map<string, Visitor>();
  const addKey = (engagement_id: number | null, own: readonly Scope[]): void => {
    const person_id =
      engagement_id === null && random() < 0.5
        ? pick(column(`SELECT id FROM people WHERE production_id = ${production_id}`))
        : null;
    const expires_at = random() < 0.2 ? new Date(time + Math.ceil(random() * 4) * hour).toISOString() : null;
    const token = mint(store, { production_id, engagement_id, person_id, expires_at, scopes: own });
    keys.push({ token, engagement_id, name: `${engagement_id} ${own} of ${person_id} until ${expires_at}` });
  };
  const admin = mint(store, { production_id, scopes });
  addKey(null, scopes);
  addKey(null, ["read"]);
  addKey(null, ["write", "read:money"]);
  for (const engagement of [submitter, reader]) {
    addKey(engagement, ["read", "submit:turnover", "read:money"]);
    addKey(engagement, pick<Scope[]>([["read"], ["submit:turnover"], ["read:money"], ["read", "write"]]));
  }

  const post = async (path: string, json: object, token = admin): Promise<void> => {
    const response = await server.ask(token, `/api/v1${path}`, {
      method: "POST",
      body: JSON.stringify(json),
      headers: { "content-type": "application/json" },
    });
    await response.text();
    assert.ok(response.status < 500, `${path}: ${response.status}`);
  };
  const expires = () =>
    random() < 0.4 ? { expires: new Date(time + Math.ceil(random() * 4) * hour).toISOString() } : {};
  const local = () => localAdmin(store, new Date(time).toISOString());
  const passes = (milliseconds: number): void => {
    time += milliseconds;
  };
  const grants: [field: string, list: string, verbs: string[]][] = [
    ["node_id", "nodes", ["read"]],
    ["department_id", "departments", ["read", "read:own_po"]],
    ["delivery_id", "deliveries", ["read", "submit"]],
  ];
  const changes: (readonly [name: string, make: () => unknown])[] = [
    ...grants.map(
      ([field, list, verbs]) =>
        [
          `grant one of ${list}`,
          () =>
            post("/admin/grants", {
              engagement_id: pick(own("engagements")),
              verb: pick(verbs),
              [field]: pick(own(list)),
              ...expires(),
            }),
        ] as const,
    ),
    ["revoke a grant", () => post(`/admin/grants/${pick(own("grants"))}/revoke`, {})],
    ["revoke a grant", () => post(`/admin/grants/${pick(own("grants"))}/revoke`, {})],
    ["end an engagement", () => random() < 0.3 && post(`/admin/engagements/${pick(own("engagements"))}/end`, {})],
    ["revoke a key", () => random() < 0.3 && post(`/admin/keys/${pick(own("api_keys").slice(1))}/revoke`, {})],
    ["mint a key", () => addKey(pick(own("engagements")), ["read", "submit:turnover", "read:money"])],
    ["release", () => post(`/admin/versions/${pick(own("versions"))}/release`, {})],
    ["archive", () => post(`/admin/versions/${pick(own("versions"))}/archive`, {})],
    [
      "change an asset",
      () =>
        post("/admin/import", {
          assets: [
            {
              label: pick(
                column<string>(
                  `SELECT label FROM nodes WHERE kind <> 'scene' AND production_id = ${production_id} ORDER BY id`,
                ),
              ),
              status: pick(["planned", "done"]),
              department: pick([
                null,
                pick(column<string>(`SELECT slug FROM departments WHERE production_id = ${production_id} ORDER BY id`)),
              ]),
            },
          ],
        }),
    ],
    ["a note", () => post(`/assets/${pick(own("nodes"))}/notes`, { text: "Darker." })],
    ["decide", () => post(`/approvals/${pick(own("approvals"))}/decide`, { decision: pick(["approved", "changes"]) })],
    ["freeze", () => setFrozen(local(), production_id, true)],
    ["thaw", () => setFrozen(local(), production_id, false)],
    [
      "erase",
      () =>
        random() < 0.2 &&
        setFrozen(local(), production_id, false) !== "x" &&
        erasePerson(local(), production_id, pick(own("people"))),
    ],
    ["undo", () => post(`/admin/history/${pick(own("change_sets")) ?? 1}/undo`, {})],
    ["an hour", () => passes(hour)],
    ["an hour back", () => random() < 0.2 && passes(-hour)],
    [
      "submit",
      async () => {
        const body = new FormData();
        body.append("files", new Blob([`bytes ${random()}`]), "a.txt");
        const response = await server.ask(pick(keys).token, `/api/v1/turnovers/${delivery}/submissions`, {
          method: "POST",
          body,
        });
        await response.text();
        assert.ok(response.status < 500);
      },
    ],
  ];

  /** The tags that any key was sent, by address. */
  const tags = new Map<string, string[]>();
  const withPages = reads.filter(({ path }) => /^\/bundles\/(?:scene|asset)\//.test(path));

  async function compare(after: string, row = pick(reads)): Promise<void> {
    const { token, name } = pick(keys);
    const path = addressOf(pick(pathsOf(row)));
    const about = `${path} with ${name} after ${after} (seed ${seed})`;
    const known = tags.get(path) ?? [];
    const tag = random() < 0.6 && known.length > 0 ? pick(known) : undefined;
    const truth = await getPlain(`${uncached.url}/api/v1${path}`, token);
    const { text, etag } = truth;
    assert.ok(truth.status < 500, `${about}: ${text}`);
    for (let again = 0; again < 2; again++) {
      const conditions: Record<string, string> = tag === undefined ? {} : { "if-none-match": tag };
      const given = await getPlain(`${server.url}/api/v1${path}`, token, conditions);
      const sent = given.text;
      if (given.status === 304) {
        assert.is(truth.status, 200, about);
        assert.is(etag, tag, about);
        assert.is(sent, "", about);
        shown.unchanged++;
      } else {
        assert.is(`${given.status} ${sent}`, `${truth.status} ${text}`, about);
        assert.not.ok(truth.status === 200 && tag !== undefined && etag === tag, about);
      }
      assert.is(given.etag, etag, about);
    }
    if (truth.status === 200) shown.found++;
    if (etag !== null && !known.includes(etag)) tags.set(path, [...known, etag]);

    const isTool = row.tool !== false && (row.tool !== undefined || isFurtherTool(row));
    if (isTool) {
      const match = new RegExp(`^${row.path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`).exec(path.split("?")[0] as string);
      const given = fieldsOf(row.input, [
        ...Object.entries(match?.groups ?? {}),
        ...new URLSearchParams(path.split("?")[1]),
      ]);
      const limit = "after" in row.input.entries ? { limit: 500 } : {};
      const url = `/api/v1${path}${"limit" in limit && !path.includes("limit=") ? `${path.includes("?") ? "&" : "?"}limit=500` : ""}`;
      const expected = (await getPlain(uncached.url + url, token)).text;
      const answer = await callTool(server, token, row.name, { ...limit, ...given }, "/mcp?tools=all");
      const body = await answer.text();
      if ([401, 403, 404].includes(truth.status))
        assert.is(`${answer.status} ${namingCall(body)}`, `${truth.status} ${namingCall(text)}`, about);
      else if (truth.status === 200) {
        assert.is(answer.status, 200, `${about}: ${body}`);
        assert.is(JSON.parse(body).result?.content?.[0]?.text, expected, `${about}: ${body.slice(0, 300)}`);
        shown.tools++;
      }
    }

    const [, kind, id] = /^\/bundles\/(scene|asset)\/(\d+)$/.exec(path) ?? [];
    if (kind !== undefined) {
      const browser = pages.get(token) ?? (truth.status === 401 ? undefined : await signIn(server, token));
      if (browser !== undefined) {
        pages.set(token, browser);
        const page = await browser.get(`/${kind}s/${id}`);
        await page.text();
        const location = page.headers.get("location");
        // The session ended with its key, which the clock has brought back since.
        if (page.status === 303 && location?.startsWith("/signin")) pages.delete(token);
        else if (page.status === 303 && location === `/scenes/${id}`)
          assert.is((await getPlain(`${uncached.url}/api/v1/bundles/scene/${id}`, token)).status, 200, about);
        else if (truth.status === 200 || truth.status === 404) assert.is(page.status, truth.status, about);
        else assert.is.not(page.status, 200, about);
        if (page.status === 200) shown.pages++;
      }
    }
  }

  for (let step = 0; step < some(60, 3); step++) {
    const [name, make] = pick(changes);
    await make();
    for (let at = 0; at < 12; at++) await compare(name);
    await compare(name, pick(withPages));
  }
  await uncached.stop();
  await server.stop();
}

test("is the same by every transport at every moment", async () => {
  const shown = { found: 0, unchanged: 0, tools: 0, pages: 0 };
  for (const seed of seedsOf(some(3, 3))) await play(seed, shown);
  assert.not.ok(triesAll && Object.values(shown).includes(0), JSON.stringify(shown));
});

test.run();
