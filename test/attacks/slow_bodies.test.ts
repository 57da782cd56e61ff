// Requests whose bodies arrive late: what ended after the head of the request was accepted, gives and changes nothing
// any more.
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, revoke } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { answersIn, type RawAnswer } from "../support/raw_http.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, port } = server;
const seedData = seedDataOf(store);
const { production, submitter, submitterKey } = seedData;

/**
 * Sends the head of a POST, does `meanwhile` once the server asks for the body, sends the body, and returns the answer.
 */
function sendLate(path: string, headers: Record<string, string>, body: string, meanwhile: () => void) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setTimeout(120_000, () => socket.destroy());
    const length = String(Buffer.byteLength(body));
    const all = { host: `127.0.0.1:${port}`, expect: "100-continue", connection: "close", "content-length": length };
    const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received !== "HTTP/1.1 100 Continue\r\n\r\n") return;
      meanwhile();
      socket.write(body);
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(answersIn(received).at(-1) as RawAnswer)); // fails below if there is none
  });
}

const mcpLate = (token: string, name: string, meanwhile: () => void) =>
  sendLate(
    "/mcp",
    { authorization: `Bearer ${token}`, "content-type": "application/json" },
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { name } }),
    meanwhile,
  );

/** Sets when the vendor's engagement ends. */
const endEngagement = (at: string | null) =>
  store.writeSync(() => store.database.prepare("UPDATE engagements SET ended_at = ? WHERE id = ?").run(at, submitter));

const late = suite("bodies that arrive late");

late("a tool is not run for a key that was revoked while its message arrived", async () => {
  const token = mint(store, { production_id: production, label: "late" });
  const { status, body } = await mcpLate(token, "get_production", () => revoke(store, "late"));
  assert.equal([status, Object.keys(JSON.parse(body))], [401, ["detail"]]);
});

late("a tool shows a vendor nothing of an engagement that ended while its message arrived", async () => {
  const token = mint(store, submitterKey);
  const turnovers = async (meanwhile: () => void) => {
    const { body } = await mcpLate(token, "list_turnovers", meanwhile);
    return JSON.parse(JSON.parse(body).result.content[0].text);
  };
  assert.ok((await turnovers(() => {})).length > 0);
  assert.equal(await turnovers(() => endEngagement(new Date().toISOString())), []);
  endEngagement(null);
});

/** Sends the form that ends a session, by the session of `key`, which `meanwhile` may end. */
async function endSessionLate(key: string, session_id: number, meanwhile: () => void): Promise<RawAnswer> {
  const browser = await signIn(server, key);
  const [, proof = ""] = /name="proof" value="([^"]+)"/.exec(await browser.text("/settings/sessions")) ?? [];
  const form = new URLSearchParams({ proof, session_id: String(session_id), sure: "1" });
  const type = "application/x-www-form-urlencoded";
  const headers = { cookie: browser.cookies(), origin: server.url, "content-type": type };
  return sendLate("/settings/sessions", headers, form.toString(), meanwhile);
}

late("a form of an admin changes nothing if the session ended while it arrived, and leads to the sign-in", async () => {
  const other = await signIn(server, mint(store, { production_id: production }));
  const session_id = one(store, "SELECT max(id) FROM sessions");
  const given = { production_id: production, scopes: ["read", "admin"], label: "late admin" } as const;
  const { status, head } = await endSessionLate(mint(store, given), session_id, () => revoke(store, "late admin"));
  assert.is(status, 303);
  assert.match(head, /^location: \/signin\?next=%2Fsettings%2Fsessions\r$/im);
  assert.is((await other.get("/scenes")).status, 200);
  assert.is((await endSessionLate(mint(store, given), session_id, () => {})).status, 303);
  assert.is((await other.get("/scenes")).status, 303);
});

late.after(() => server.stop());
late.run();
