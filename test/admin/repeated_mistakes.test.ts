// POST /admin/import: a mistake that repeats is one sentence, with its count and its first three places.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";

const server = await openTestServer();
const { store } = server;
const production_id = one(store, "SELECT id FROM productions WHERE title = 'The Silver Button'");
const admin = mint(store, { production_id, scopes: ["admin"] });

async function refusal(body: string | FormData, query = ""): Promise<{ detail: string; problems: any[] }> {
  const headers = typeof body === "string" ? { "content-type": "application/json" } : {};
  const response = await server.ask(admin, `/api/v1/admin/import${query}`, { method: "POST", headers, body });
  assert.is(response.status, 422);
  return (await response.json()) as any;
}

function csv(text: string): FormData {
  const form = new FormData();
  form.append("files", new Blob([text]), "props.csv");
  return form;
}

const test = suite("a refused import");

test("says a mistake of 450 things once, though only the first 200 problems are kept", async () => {
  const assets = Array.from({ length: 450 }, (_, at) => ({ label: `Lamp ${at}`, kind: "prop", status: "lost" }));
  const { detail, problems } = await refusal(JSON.stringify({ assets: [...assets, { label: "Rope" }] }));
  assert.is(
    detail.split("; ")[0],
    "the document: assets[0].status, assets[1].status, assets[2].status and 447 more must be one of planned, active, blocked, done (450 times)",
  );
  const [first] = problems;
  assert.equal([first.count, first.places], [450, ["assets[0].status", "assets[1].status", "assets[2].status"]]);
  assert.is(first.place, "assets[0].status");
});

test("says two mistakes as two sentences, each with its own places, and one problem as before", async () => {
  const { detail, problems } = await refusal(
    JSON.stringify({
      assets: [
        { label: "Lamp", kind: "prop", status: "lost" },
        { label: "Rope", kind: "Not a slug", status: "lost" },
      ],
    }),
  );
  assert.match(
    detail,
    /^the document: assets\[0\]\.status, assets\[1\]\.status must be one of planned, active, blocked, done \(2 times\); the document: assets\[1\] \(asset Rope\)\.kind must be a slug/,
  );
  assert.equal(
    problems.map(({ count }) => count),
    [2, undefined],
  );
});

test("says a mistake of 150 lines of a list once", async () => {
  const rows = Array.from({ length: 150 }, (_, at) => `Lamp ${at},prop,lost`);
  const { detail, problems } = await refusal(csv(["Asset,Kind,Status", ...rows, ""].join("\n")), "?as=assets");
  assert.match(detail, /^props\.csv, line 2, line 3, line 4 and 147 more, column Status: .*\(150 times\)$/);
  assert.is(problems.length, 1);
  assert.equal([problems[0].count, problems[0].places.length], [150, 3]);
});

test.after(() => server.stop());
test.run();
