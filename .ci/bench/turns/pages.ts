// Every page and every form at its limits.

import { one } from "../../../test/support/app.ts";
import { jpeg } from "../../../test/support/jpeg.ts";
import { editFields, type Visitor } from "../../../test/support/pages.ts";
import type { Asked, Cases, Measured, TurnCase } from "./case.ts";
import { changeSetsOf } from "./production.ts";

/** The names of stills of so many assets. */
const stillNames = (count: number) => Array.from({ length: count }, (_, n) => `Thing ${n}_v001.jpg`);

type Fields = Record<string, string | string[]>;

export function pageCases({ server, ids, admin, person, vendor }: Measured): Cases {
  const { store } = server;
  const { asset, day, delivery, production, scene } = ids;
  const find = (sql: string) => one(store, sql, production);
  const as = (browser: Visitor, more: Record<string, string> = {}): Pick<Asked, "key" | "headers"> => ({
    key: "",
    headers: { cookie: browser.cookies(), accept: "text/html", "sec-fetch-site": "same-origin", ...more },
  });
  const show = (size: string, path: string, browser = admin): TurnCase => ({
    size,
    ask: () => ({ path, ...as(browser) }),
  });
  const proofOf = async (browser: Visitor): Promise<string> => {
    const page = await browser.text(browser === vendor ? `/turnovers/${delivery}` : "/settings/keys");
    return /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? "";
  };
  /** The form that lands 100 stills as their plan has them. */
  const landed = async (attempt: number) => {
    const names = stillNames(100);
    const plan = await (await admin.send("/assets", { action: "stills", names })).text();
    const made = new FormData();
    made.append("action", "stills");
    made.append("shown", /name="shown" value="([^"]+)"/.exec(plan)?.[1] ?? "");
    for (const name of names) made.append("files", new Blob([jpeg(16, 16), `${name} ${attempt}`]), name);
    return made;
  };
  /** A form with these fields. */
  const form = (
    size: string,
    path: string | ((attempt: number) => string),
    fieldsOf: (attempt: number) => Fields | FormData | Promise<Fields | FormData>,
    browser = admin,
  ): TurnCase => ({
    size,
    ask: async (attempt) => {
      const [fields, proof] = [await fieldsOf(attempt), await proofOf(browser)];
      const to = { path: typeof path === "string" ? path : path(attempt), method: "POST" };
      if (fields instanceof FormData) {
        const body = new FormData(); // the proof comes first
        body.append("proof", proof);
        for (const [name, value] of fields) body.append(name, value as string); // a file stays one
        return { ...to, body, ...as(browser) };
      }
      const pairs = Object.entries({ proof, ...fields }).flatMap(([name, value]) =>
        [value].flat().map((text) => [name, text]),
      );
      const type = { "content-type": "application/x-www-form-urlencoded" };
      return { ...to, body: new URLSearchParams(pairs as [string, string][]).toString(), ...as(browser, type) };
    },
  });
  const files = (
    name: string,
    count: number,
    textOf: (at: number) => string,
    ending: string,
    fields: Record<string, string>,
  ) => {
    const made = new FormData();
    for (const [key, value] of Object.entries(fields)) made.append(key, value);
    for (let at = 0; at < count; at++) made.append(name, new Blob([textOf(at)]), `file${at}.${ending}`);
    return made;
  };
  const sets = changeSetsOf(ids);
  const medium = find("SELECT max(id) FROM media WHERE production_id = ? AND version_id IS NOT NULL");
  const approval = find("SELECT min(id) FROM approvals WHERE production_id = ? AND title LIKE 'Approve thing 3__'");
  const submission = find("SELECT min(id) FROM submissions WHERE production_id = ?");
  const wait = find("SELECT count(*) FROM script_changes WHERE status = 'pending' AND production_id = ?");
  const things: Record<string, { id: number | (() => number); add: Fields; change: Fields }> = {
    scenes: { id: scene, add: { number: "N", slugline: "INT. NEW - DAY" }, change: { synopsis: "y ".repeat(4_000) } },
    assets: { id: asset, add: { label: "New thing", kind: "prop" }, change: { label: "Thing 0" } },
    schedule: { id: day, add: { day_number: "30", date: "2027-12-01" }, change: { notes: "z ".repeat(2_000) } },
    deliveries: { id: delivery, add: { title: "New delivery", kind: "internal" }, change: { due: "2026-12-01" } },
    approvals: {
      id: approval,
      add: { title: "New approval", "steps.0.person": "Crew Member 1" },
      change: { due: "2026-12-01" },
    },
    people: { id: ids.person, add: { name: "New Person", role: "Crew" }, change: { role: "Lead" } },
    departments: {
      id: ids.department,
      add: { slug: "new-one", name: "New One" },
      change: { mission: "m ".repeat(2_000) },
    },
    department_notes: {
      // one that is changed gets another
      id: () => find("SELECT min(id) FROM department_notes WHERE production_id = ?"),
      add: { summary: "A note", department: "art", scene: "2" },
      change: { summary: "n ".repeat(2_000) },
    },
    purchase_orders: {
      id: () => find("SELECT min(id) FROM purchase_orders WHERE production_id = ?"),
      add: {
        description: "A new order",
        account: "4100",
        vendor: one<string>(store, "SELECT name FROM vendors WHERE production_id = ? LIMIT 1", production),
        amount: "12.50",
        date: "2026-11-20",
      },
      change: { description: "o ".repeat(2_000) },
    },
  };
  const editing = Object.entries(things).flatMap(([section, { id, add, change: changes }]) => {
    const fresh = `/edit/${section}`;
    const own = () => `${fresh}/${typeof id === "number" ? id : id()}`;
    const unique = async (at: number): Promise<Fields> => ({
      ...(await editFields(admin, fresh)),
      ...Object.fromEntries(
        Object.entries(add).map(([name, text], place) => [name, place === 0 ? `${text}${at}` : text]),
      ),
    });
    const changed = async (at: number): Promise<Fields> => ({
      ...(await editFields(admin, own())),
      ...Object.fromEntries(
        Object.entries(changes).map(([name, text]) => [
          name,
          section === "assets" || section === "approvals" || section === "deliveries" ? text : `${text}${at}`,
        ]),
      ),
    });
    const size = "2,000 scenes";
    return [
      [`GET ${fresh}`, show(size, fresh)],
      [`POST ${fresh}`, form(size, fresh, unique)],
      [`GET /edit/${section}/:id`, show(size, own())],
      [`POST /edit/${section}/:id`, form(size, own, changed)],
    ] as const;
  });
  const noEpisode = {
    size: "a production without episodes",
    ask: () => ({ path: "/edit/episodes/1", statuses: [404], ...as(admin) }),
  };
  return {
    ...Object.fromEntries(editing),
    "GET /edit/episodes": show("a production without episodes", "/edit/episodes"),
    "POST /edit/episodes": {
      size: "a production without episodes",
      ask: async (at) => ({
        ...(await form("", "/edit/episodes", () => ({ code: `E${at}`, title: "One" })).ask(at)),
        statuses: [422],
      }),
    },
    "GET /edit/episodes/:id": noEpisode,
    "POST /edit/episodes/:id": noEpisode,
    "GET /": [show("2,000 scenes", "/"), show("a person for whom 2,000 approvals wait", "/", person)],
    "GET /scenes": [show("2,000 scenes", "/scenes"), show("2,000 scenes on one page", "/scenes?from=all")],
    "GET /scenes/:node_id": show("500 notes of departments", `/scenes/${scene}`),
    "GET /schedule": [show("250 days", "/schedule"), show("250 days on one page", "/schedule?from=all")],
    "POST /schedule": form("250 days", "/schedule", (at) => ({
      action: "move",
      scene: `${400 + at}`,
      to: String(day + 5),
    })),
    "GET /assets": [show("2,000 assets", "/assets"), show("2,000 assets on one page", "/assets?from=all")],
    "POST /assets": [
      form("2,000 assets", "/assets", (at) => ({ label: `Page thing ${at}`, kind: "prop" })),
      form("names of 500 stills", "/assets", () => ({ action: "stills", names: stillNames(500) })),
      {
        size: "100 stills",
        ask: async (attempt) => ({
          ...(await form("", "/assets", () => landed(attempt)).ask(attempt)),
          statuses: [303],
        }),
      },
    ],
    "GET /assets/:node_id": show("500 versions and 2,000 notes", `/assets/${asset}`),
    "POST /assets/:node_id": form("500 versions and 2,000 notes", `/assets/${asset}`, () => ({
      action: "note",
      text: "Darker. ".repeat(1_000),
    })),
    "GET /assets/:node_id/compare": show("500 versions", `/assets/${asset}/compare`),
    "GET /approvals": [
      show("2,000 approvals", "/approvals?status=all"),
      show("2,000 approvals on one page", "/approvals?status=all&from=all"),
    ],
    "POST /approvals": form(
      "2,000 approvals",
      "/approvals",
      (at) => ({
        approval_id: String(approval + at),
        position: "1",
        decided_by: String(ids.person),
        decision: "approved",
      }),
      person,
    ),
    "GET /approvals/:approval_id": show("2,000 approvals", `/approvals/${approval}`),
    "POST /approvals/:approval_id": form(
      "2,000 approvals",
      (at) => `/approvals/${approval + 20 + at}`,
      (at) => ({
        approval_id: String(approval + 20 + at),
        position: "1",
        decided_by: String(ids.person),
        decision: "approved",
      }),
      person,
    ),
    "GET /deliveries": show("2,000 scenes in one", "/deliveries"),
    "POST /deliveries": form("2,000 scenes in one", "/deliveries", (at) => ({
      mark: `${at % 2 ? "sent" : "ready"}:${delivery + 1}`,
    })),
    "GET /deliveries/:delivery_id": show("500 submissions of 2,000 files", `/deliveries/${delivery}`),
    "POST /deliveries/:delivery_id": form("500 submissions of 2,000 files", `/deliveries/${delivery}`, (at) => ({
      submission_id: String(submission + 50 + at),
      decision: "returned",
      note: "Darker. ".repeat(1_000),
    })),
    "GET /people": [show("2,000 people", "/people"), show("2,000 people on one page", "/people?from=all")],
    "GET /activity": show("20,000 entries", "/activity"),
    "GET /turnovers": show("2,000 scenes in one", "/turnovers", vendor),
    "GET /turnovers/:delivery_id": show("500 submissions of 2,000 files", `/turnovers/${delivery}`, vendor),
    "POST /turnovers/:delivery_id": form(
      "1,000 files",
      `/turnovers/${delivery}`,
      (at) => files("files", 1_000, (n) => `file ${at} ${n}`, "txt", { title: `Of turn ${at}` }),
      vendor,
    ),
    "GET /orders": show("2,000 orders", "/orders", vendor),
    "GET /settings": show("2,000 scenes", "/settings"),
    "GET /thumbnails/:media_id": show("2,500 files", `/thumbnails/${medium}`),
    "GET /stills/:node_id": show("500 versions", `/stills/${asset}`),
    "GET /files/:media_id": show("2,500 files", `/files/${medium}`),
    "GET /days/:shoot_day_id": show("50 scenes and 300 calls", `/days/${day}`),
    "GET /days/:shoot_day_id/sheet": show("50 scenes and 300 calls", `/days/${day}/sheet`),
    "POST /days/:shoot_day_id/sheet": form("50 scenes and 300 calls", `/days/${day}/sheet`, () => ({ issue: "1" })),
    "GET /cast": show("250 days", "/cast"),
    "GET /progress": show("250 days, 2,000 scenes", "/progress"),
    "GET /schedule.csv": show("250 days", "/schedule.csv"),
    "GET /cast.csv": show("250 days", "/cast.csv"),
    "GET /search": show("every thing", "/search?q=thing"),
    "GET /live": { size: "20,000 events", ask: () => ({ path: "/live", isStream: true, ...as(admin) }) },
    "GET /settings/time-zone": show("nothing", "/settings/time-zone"),
    "POST /settings/time-zone": form("a name", "/settings/time-zone", () => ({ time_zone: "Europe/Budapest" })),
    "GET /settings/import": show("nothing", "/settings/import"),
    "POST /settings/import": [
      form("40 lists of 150 KB", "/settings/import", () =>
        files("files", 40, (n) => `Name,Role\n${`Crew Member ${n},Crew\n`.repeat(8_000)}`, "csv", {
          action: "preview",
        }),
      ),
      form("files of 6 MiB, sent again", "/settings/import", () => ({
        action: "preview",
        name: "crew.csv",
        content: Buffer.from(`Name,Role\n${`Crew Member 1,${"Crew ".repeat(18)}\n`.repeat(58_000)}`).toString(
          "base64url",
        ),
      })),
      form("500 synopses of 1.3 KB", "/settings/import", (at) =>
        files(
          "files",
          1,
          () =>
            JSON.stringify({
              scenes: Array.from({ length: 500 }, (_, n) => ({
                number: `${n + 1}`,
                synopsis: `x${at} ${"a ".repeat(650)}x`,
              })),
            }),
          "json",
          { action: "preview" },
        ),
      ),
    ],
    "GET /settings/episodes": show("a production of 2,000 scenes", "/settings/episodes"),
    // Once it is a series, the production refuses to become one.
    "POST /settings/episodes": {
      size: "2,000 scenes that go to an episode",
      ask: async (attempt) => ({
        ...(await form("", "/settings/episodes", () => ({ action: "begin", code: "101" })).ask(attempt)),
        statuses: [303, 409],
      }),
    },
    "GET /settings/productions": show("3 productions", "/settings/productions"),
    "POST /settings/productions": form("a script of 2,000 scenes", "/settings/productions", (at) =>
      files(
        "script",
        1,
        () => Array.from({ length: 2_000 }, (_, n) => `INT. PLACE ${n} - DAY #${n + 1}#\n\nDust.\n`).join("\n"),
        "fountain",
        { title: `Of turn ${at}` },
      ),
    ),
    "GET /settings/script-changes": show(`${wait} that wait`, "/settings/script-changes"),
    "POST /settings/script-changes": form("20 of them", "/settings/script-changes", () => ({
      decision: "dismissed",
      ids: Array.from({ length: 20 }, (_, n) =>
        String(
          find(
            `SELECT id FROM script_changes WHERE status = 'pending' AND production_id = ? ORDER BY id DESC LIMIT 1 OFFSET ${n}`,
          ),
        ),
      ),
    })),
    "GET /settings/history": show("500 change sets", "/settings/history"),
    "GET /settings/history/:id": [
      show("500 synopses of 1.3 KB", `/settings/history/${sets.synopses}`),
      show("2,000 things of 8 MB", `/settings/history/${sets.large}`),
      show("the undo of 2,000 things of 8 MB", `/settings/history/${sets.large}?undo=1`),
    ],
    "POST /settings/history/:id": {
      size: "500 synopses of 1.3 KB",
      ask: async (at) => {
        const path = `/settings/history/${sets.synopses}`;
        const revision = /name="revision" value="([^"]*)"/.exec(await admin.text(`${path}?undo=1`))?.[1] ?? "stale";
        return { ...(await form("", path, () => ({ revision })).ask(at)), statuses: [200, 409] };
      },
    },
    "GET /settings/webhooks": show("20 webhooks", "/settings/webhooks"),
    "POST /settings/webhooks": form("20 webhooks", "/settings/webhooks", (at) => ({
      action: at % 2 ? "resume" : "pause",
      webhook_id: String(find("SELECT min(id) FROM webhooks WHERE production_id = ?")),
    })),
    "GET /checklist": show("2,000 scenes", "/checklist"),
    "POST /checklist": form("2,000 scenes", "/checklist", () => ({})),
    "GET /leaving": show("1,000 keys", "/leaving"),
    "POST /leaving": form("1,000 keys", "/leaving", async () => ({
      since: /name="since" value="([^"]*)"/.exec(await admin.text("/settings/keys"))?.[1] ?? "",
    })),
    "POST /seen-as": form("100 engagements", "/seen-as", () => ({})),
    "GET /people/invite": show("2,000 people", "/people/invite"),
    "POST /people/invite": form("50 of 2,000 people", "/people/invite", () => ({
      lines: Array.from({ length: 50 }, (_, at) => `Crew Member ${at + 1}, look`).join("\n"),
    })),
    "GET /settings/keys": [
      show("1,000 keys", "/settings/keys"),
      show("1,000 keys on one page", "/settings/keys?from=all"),
    ],
    "POST /settings/keys": [
      form("1,000 keys", "/settings/keys", (at) => ({
        action: "mint",
        label: `Page key ${at}`,
        scopes: ["read"],
        expires: "",
        person_id: "",
      })),
      form("the name of one of 2,000 people", "/settings/keys", (at) => ({
        action: "invite",
        label: `Crew Member ${at + 100}`,
        role: "run",
        expires: "",
      })),
    ],
    "GET /settings/vendors": [
      show("100 engagements of 24 grants", "/settings/vendors"),
      show("the ticks of one of 100 engagements", "/settings/vendors?change=1"),
    ],
    "POST /settings/vendors": form("100 engagements of 24 grants", "/settings/vendors", (at) => ({
      action: "change",
      engagement_id: String(ids.engagement + 1),
      verb: "read",
      target: `Thing ${10 + at}`,
    })),
    "GET /settings/releases": show("2,500 versions", "/settings/releases"),
    "POST /settings/releases": form("2,500 versions", "/settings/releases", (at) => ({
      action: "release",
      version_id: String(find("SELECT max(id) FROM versions WHERE released = 0 AND production_id = ?") - at),
    })),
    "GET /settings/storage": show("2,000 tasks", "/settings/storage"),
    "POST /settings/storage": form("2,000 tasks", "/settings/storage", (at) => ({
      action: "move",
      src: `page/${at}`,
      dst: `pages/${at}`,
    })),
    "GET /settings/sessions": show("500 sessions", "/settings/sessions"),
    "POST /settings/sessions": form("500 sessions", "/settings/sessions", () => ({
      sure: "1",
      session_id: String(find("SELECT max(id) FROM sessions WHERE browser LIKE 'Firefox%' AND production_id = ?")),
    })),
    "GET /settings/audit": show("5,000 entries", "/settings/audit"),
    "GET /settings/health": show("2,000 scenes", "/settings/health"),
    "POST /settings/health": form("2,000 scenes", "/settings/health", () => ({})),
  };
}
