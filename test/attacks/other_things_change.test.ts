// A vendor learns nothing of what it does not reach: while all of that changes, every answer to it stays as it was,
// byte for byte, with its headers, by REST, as a tool and on the pages.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { comparableHeaders, mint, openTestServer, type TestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { signIn, type Visitor } from "../support/pages.ts";
import { randomOf } from "../support/random.ts";
import { callTool, send } from "../support/rpc.ts";
import { sampleOf, seedsOf, some } from "../support/sampling.ts";

type Row = Record<string, any>; // answers are taken apart field by field

const now = Date.parse("2026-11-20T09:00:00.000Z");
/** That of the case. */
let server: TestServer;
/** Whatever is made or changed has this in its text. */
const mark = "Zyxwv";

const rowsOf = (sql: string, ...values: unknown[]): Row[] => server.store.database.prepare(sql).all(...values) as Row[];

async function post(token: string, path: string, body: object | FormData): Promise<Row> {
  const isForm = body instanceof FormData;
  const headers = isForm ? {} : { "content-type": "application/json" };
  const sent = isForm ? body : JSON.stringify(body);
  const response = await server.ask(token, `/api/v1${path}`, { method: "POST", body: sent, headers });
  const text = await response.text();
  assert.is(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

const formOf = (field: string, bytes: string | Uint8Array): FormData => {
  const form = new FormData();
  form.append(field, new Blob([bytes]), `${mark}.jpg`);
  form.append("note", mark);
  return form;
};

/** A production with an engagement that has random grants, and keys of its admin, of that vendor and of another one. */
class Show {
  readonly #random: () => number;
  readonly production_id: number;
  readonly engagement_id: number;
  readonly admin: string;
  readonly vendor: string;
  readonly #otherEngagement: number;

  constructor(seed: number, production_id: number) {
    this.#random = randomOf(seed);
    this.production_id = production_id;
    const engagements = rowsOf(
      "SELECT id FROM engagements WHERE production_id = ? AND ended_at IS NULL",
      production_id,
    );
    this.engagement_id = this.#pick(engagements).id;
    this.#otherEngagement = engagements.find(({ id }) => id !== this.engagement_id)?.id;
    this.admin = mint(server.store, { production_id, scopes });
    this.vendor = this.#keyOf(this.engagement_id);
  }

  #keyOf = (engagement_id: number): string =>
    mint(server.store, {
      production_id: this.production_id,
      engagement_id,
      scopes: ["read", "write", "submit:turnover", "read:money"],
    });

  #pick = <T>(list: readonly T[]): T => list[Math.floor(this.#random() * list.length)] as T;
  #import = (document: object): Promise<Row> => post(this.admin, "/admin/import", document);
  #list = (path: string): Promise<Row[]> => server.get(this.admin, path);

  async grantAtRandom(): Promise<void> {
    const { engagement_id } = this;
    for (const { id } of rowsOf("SELECT id FROM grants WHERE engagement_id = ? AND revoked_at IS NULL", engagement_id))
      if (this.#random() < 0.5) await post(this.admin, `/admin/grants/${id}/revoke`, {});
    const grant = (verb: string, target: object) =>
      post(this.admin, "/admin/grants", { engagement_id, verb, ...target });
    for (let at = 0; at < 3; at++) {
      await grant("read", { node_id: this.#pick(await this.#list("/scenes")).node_id });
      await grant("read", { node_id: this.#pick(await this.#list("/assets")).node_id });
      await grant(this.#pick(["read", "submit"]), { delivery_id: this.#pick(await this.#list("/deliveries")).id });
    }
    const departments = await this.#list("/departments");
    await grant("read", { department_id: this.#pick(departments).id });
    await grant("read:own_po", { department_id: this.#pick(departments).id });
  }

  /** Changes what the vendor does not reach, and adds to it. */
  async changeTheRest(): Promise<void> {
    const { reach, engagement } = await server.get(this.vendor, "/me");
    const nodes = new Set(reach.nodes.map(({ node_id }: Row) => node_id));
    const deliveries = new Set(reach.deliveries.map(({ id }: Row) => id));
    const granted = (verb: string): number[] =>
      engagement.grants.flatMap((one: Row) =>
        one.verb === verb && one.target.kind === "department" ? one.target.id : [],
      );
    const [scenes, assets] = [await this.#list("/scenes"), await this.#list("/assets")];
    const labels = Map.groupBy(assets, ({ label }) => label.toLowerCase());
    const others = assets.filter(
      ({ node_id, label }) => !nodes.has(node_id) && labels.get(label.toLowerCase())?.length === 1,
    );
    const nameOf = ({ episode_code, number }: Row) => (episode_code ? `${episode_code}/${number}` : number);
    const shown = scenes.filter(({ node_id }) => nodes.has(node_id));
    const hidden = scenes.filter(({ node_id }) => !nodes.has(node_id));
    const departments = await this.#list("/departments");
    const notRead = departments.filter(({ id }) => !granted("read").includes(id));
    const [person] = (await this.#list("/people")) as [Row];
    await this.#import({
      people: [{ name: `${mark} Person`, role: mark }],
      departments: [
        ...departments.map(({ slug }) => ({ slug, mission: mark, privacy: mark })),
        { slug: "zyxwv", name: mark },
      ],
      scenes: hidden.map(({ number, episode_code }, at) => ({
        ...{ number, episode: episode_code, synopsis: `${mark} ${at}` },
        slugline: `INT. ${mark} ${at} - DAY`,
      })),
      assets: [
        ...others.map(({ label, kind }, at) =>
          kind === "character" ? { label, performer: mark } : { label: `${mark} ${at}`, was: label, status: "blocked" },
        ),
        ...["prop", "character", "vehicle"].map((kind) => ({
          label: `${mark} new ${kind}`,
          kind,
          scenes: shown.map(nameOf),
        })),
      ],
      deliveries: [
        { title: `${mark} delivery`, kind: "external", external_to: mark, status: "ready", scenes: shown.map(nameOf) },
        ...(await this.#list("/deliveries")).flatMap(({ id, title }) =>
          deliveries.has(id) ? [] : { title, due: mark },
        ),
      ],
      approvals: [
        { title: `${mark} of nothing`, steps: [{ person: person.name }] },
        { title: `${mark} of a prop`, asset: `${mark} new prop`, steps: [{ person: person.name }] },
        { title: `${mark} of a delivery`, delivery: `${mark} delivery`, steps: [{ person: person.name }] },
      ],
      department_notes: notRead.flatMap(({ slug }) =>
        scenes.slice(0, 9).map((scene) => ({ department: slug, scene: nameOf(scene), summary: mark })),
      ),
      schedule: (await this.#list("/schedule")).map(({ day_number }) => ({
        ...{ day_number, location: mark, notes: mark, wrap: "23:30" },
        // the mark alone is a performer of several, which is a question
        calls: [{ who: `${mark} caller`, time: "05:15" }],
      })),
      vendors: [mark],
      purchase_orders: [
        ...departments.map(({ slug }) => ({ vendor: mark, department: slug })),
        { vendor: engagement.vendor },
        ...departments.flatMap(({ id, slug }) =>
          granted("read:own_po").includes(id) ? [] : { vendor: engagement.vendor, department: slug },
        ),
      ].map((order) => ({ ...order, account: "9900", description: mark, amount: 1, date: "2026-11-02" })),
      jobs: [{ kind: "image", status: "queued", summary: mark, created_at: "2026-11-02T08:00:00Z" }],
    });
    for (const { node_id } of [
      ...others.slice(0, 3),
      ...assets.filter(({ node_id }) => nodes.has(node_id)).slice(0, 5),
    ])
      await post(this.admin, `/assets/${node_id}/versions`, formOf("file", jpeg(8, 8)));
    await post(this.admin, `/assets/${others[0]?.node_id}/notes`, { text: mark });
    await post(this.admin, "/admin/engagements", { vendor: engagement.vendor, title: mark });
    await post(this.admin, "/admin/keys", { label: mark });
    await post(this.admin, "/admin/storage/install", { filespace: mark });
    await this.#submitAsAnother([...deliveries] as number[]);
  }

  /** Grants something of what was added. */
  async grantOneMore(): Promise<void> {
    const added = (await this.#list("/assets")).find(({ label }) => label === `${mark} new prop`);
    const { engagement_id } = this;
    await post(this.admin, "/admin/grants", { engagement_id, verb: "read", node_id: added?.node_id });
  }

  /** Another vendor submits work on the deliveries, and the production returns it. */
  async #submitAsAnother(deliveries: readonly number[]): Promise<void> {
    const key = this.#keyOf(this.#otherEngagement);
    for (const delivery_id of deliveries) {
      await post(this.admin, "/admin/grants", { engagement_id: this.#otherEngagement, verb: "submit", delivery_id });
      const { id } = await post(key, `/turnovers/${delivery_id}/submissions`, formOf("files", mark));
      await post(this.admin, `/submissions/${id}/decide`, { decision: "returned", note: mark });
    }
  }
}

const ids = (table: string): number[] => rowsOf(`SELECT id FROM ${table} ORDER BY id`).map(({ id }) => id);
/** Those that there are now, and the next few. */
const tried = (table: string): number[] => {
  const all = ids(table);
  return [...sampleOf(all, 4), ...Array.from({ length: 8 }, (_, at) => Number(all.at(-1)) + 1 + at)];
};

const addresses = (): string[] => [
  ...tried("nodes").flatMap((id) => ["scene", "character", "asset"].map((kind) => `/bundles/${kind}/${id}`)),
  ...tried("media").flatMap((id) => [`/media/${id}`, `/media/${id}/content`]),
  ...tried("deliveries").map((id) => `/turnovers/${id}/submissions`),
  ...[
    "/me",
    "/me/manifest",
    "/me/changes",
    "/turnovers",
    "/turnovers?limit=1",
    "/purchase-orders",
    "/events",
    "/submissions",
  ],
  ...["/scenes", "/assets", "/approvals", "/people", "/vendors", `/search?q=${mark}`, `/assets/usage?label=${mark}`],
];
const pages = (): string[] => [
  ...tried("nodes").flatMap((id) => (id % 3 ? [] : [`/scenes/${id}`, `/assets/${id}`])),
  ...ids("deliveries").flatMap((id) => [`/turnovers/${id}`, `/deliveries/${id}`]),
  ...[
    "/",
    "/turnovers",
    "/orders",
    "/scenes",
    "/assets",
    `/search?q=${mark}`,
    "/days/1",
    "/approvals/1",
    "/settings/history/1",
  ],
];

interface Asked {
  nodes: number[];
  rest: string[];
  pages: string[];
}

/** What a vendor is answered, by what it asks. */
async function answersTo(vendor: string, browser: Visitor, asked: Asked): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const headers = { authorization: `Bearer ${vendor}` };
  const keep = async (name: string, response: Response) =>
    answers.set(name, JSON.stringify([response.status, comparableHeaders(response), await response.text()]));
  for (const path of asked.rest) await keep(path, await fetch(`${server.url}/api/v1${path}`, { headers }));
  for (const path of asked.pages) await keep(`page ${path}`, await browser.get(path));
  for (const address of ["/mcp", "/mcp?tools=all"]) {
    for (const method of ["tools/list", "resources/list", "prompts/list"])
      await keep(`${address} ${method}`, await send(server, vendor, method, {}, 0, address));
    for (const name of ["get_scene_bundle", "get_character_bundle", "get_asset_bundle"])
      for (const node_id of asked.nodes)
        await keep(`${address} ${name} ${node_id}`, await callTool(server, vendor, name, { node_id }, address));
    for (const name of ["list_turnovers", "get_purchase_orders", "get_manifest", "list_scenes"])
      await keep(`${address} ${name}`, await callTool(server, vendor, name, {}, address));
  }
  return answers;
}

const test = suite("a vendor while what it does not reach changes");

for (const seed of seedsOf(some(2, 2)))
  test(`gets the same answers, seed ${seed}`, async () => {
    server = await openTestServer({ clock: () => now });
    const productions = rowsOf("SELECT id FROM productions ORDER BY id");
    const show = new Show(seed, productions[seed % productions.length]?.id);
    await show.grantAtRandom();
    const browser = await signIn(server, show.vendor);
    const asked = { rest: addresses(), pages: pages(), nodes: tried("nodes").filter((id) => id % 3 === 0) };
    const before = await answersTo(show.vendor, browser, asked);
    const found = [...before].flatMap(([name, answer]) => (answer.startsWith("[200") ? name : []));
    assert.ok(found.some((name) => name.startsWith("page /turnovers/")) && found.length > 20, "something is shown");
    await show.changeTheRest();
    for (const [name, answer] of await answersTo(show.vendor, browser, asked))
      assert.is(answer, before.get(name), name);
    await show.grantOneMore();
    const granted = await answersTo(show.vendor, browser, { rest: ["/me", "/me/manifest"], pages: [], nodes: [] });
    for (const name of ["/me", "/me/manifest"]) assert.is.not(granted.get(name), before.get(name), "a change is found");
    await server.stop();
  });

test.run();
