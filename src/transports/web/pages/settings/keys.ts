// /settings/keys: mints a key and shows it once, lists the keys, and revokes them once it is confirmed.
import type * as v from "valibot";
import { listSessions } from "../../../../access/sessions.ts";
import { listEngagements } from "../../../../admin/operations/engagements.ts";
import { listKeys, mintKey, revokeKey } from "../../../../admin/operations/keys.ts";
import { notFound } from "../../../../errors.ts";
import { mintedScopes, scopeMeanings } from "../../../../inputs.ts";
import { listPeople } from "../../../../operations/people.ts";
import { attempted } from "../../attempt.ts";
import { confirmation, isSure } from "../../confirm.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import { sinceField, wasSent } from "../../once.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { chip, dataTable, dateText, emptyState, fieldProblem, options, panel, plural, timeOf } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { windowOf } from "../../windows.ts";
import { settingsPage, settingsView } from "./frame.ts";
import { secretPanel } from "./secret.ts";

type Key = v.InferOutput<(typeof listKeys)["output"]>[number];
type Minted = v.InferOutput<(typeof mintKey)["output"]>;

const stateOf = ({ live, revoked_at, engagement_ended_at }: Key): string =>
  revoked_at !== null ? "revoked" : live ? (engagement_ended_at === null ? "active" : "engagement ended") : "expired";

const keyRow = (visit: Visit, key: Key): Markup => {
  const { id, label, prefix, scopes, vendor, person, last_used_at, expires_at, live } = key;
  return html`<tr${!live && html` class="ended"`}>
<td><strong>${label}</strong><br><code>${prefix}…</code></td>
<td>${vendor ?? "production"}${person !== null && html`<br><span class="under">${person}</span>`}</td>
<td>${scopes.join(", ")}</td>
<td>${last_used_at === null ? "never" : timeOf(last_used_at)}</td>
<td>${chip(stateOf(key))}${expires_at !== null && html`<br><span class="under">until ${dateText(expires_at)}</span>`}</td>
<td>${live && html`<form method="post">${visit.proof}<input type="hidden" name="key_id" value="${id}"><button name="action" value="revoke" class="danger" aria-label="Revoke ${label}">Revoke</button></form>`}</td>
</tr>`;
};

/** The new key with lines to paste. This is the only time that it is shown. */
function mintedPanel(
  { token, label, engagement_id }: Minted,
  { base_url, mcp_url }: { base_url: string; mcp_url: string },
): Markup {
  const path = engagement_id === null ? "/production" : "/turnovers";
  const curl = `curl -H 'Authorization: Bearer ${token}' ${base_url}/api/v1${path}`;
  const server = { type: "http", url: `${mcp_url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  const mcp = JSON.stringify({ mcpServers: { tallylight: server } }, null, 2);
  return secretPanel(
    `The key “${label}” was minted`,
    { id: "token", noun: "key", secret: token },
    html`<details><summary>For curl</summary><pre><code>${curl}</code></pre></details>
<details><summary>For an MCP client</summary><pre><code>${mcp}</code></pre></details>`,
  );
}

interface Tried {
  form: SubmittedForm;
  problem: string;
}

async function mintForm(visit: Visit, tried: Tried | undefined): Promise<Markup> {
  const [engagements, people, since] = await Promise.all([
    visit.ask(listEngagements, {}),
    visit.ask(listPeople, {}),
    sinceField(visit),
  ]);
  const given = (name: string) => tried?.form.text(name) ?? "";
  const scopes = tried?.form.texts("scopes") ?? ["read", "write"];
  const vendors = engagements
    .filter(({ active }) => active)
    .map(({ id, vendor, title }) => [String(id), `${vendor}: ${title}`] as const);
  const names = people.map(({ id, name }) => [String(id), name] as const);
  return panel(
    "Mint a key",
    html`<form method="post" class="stack" id="mint">${visit.proof}${since}
<label for="label">Label <span class="under">who or what uses it</span></label>
<input id="label" name="label" required maxlength="200" value="${given("label")}"${tried && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", tried?.problem)}
<fieldset class="checks"><legend>It may</legend>${mintedScopes.map(
      (scope) =>
        html`<label class="check"><input type="checkbox" name="scopes" value="${scope}"${scopes.includes(scope) && html` checked`}>${scopeMeanings[scope]}</label>`,
    )}</fieldset>
<label for="engagement_id">For</label>
<select id="engagement_id" name="engagement_id">${options([["", "the production"], ...vendors], given("engagement_id"))}</select>
<label for="person_id">Accountable person</label>
<select id="person_id" name="person_id">${options([["", "nobody in particular"], ...names], given("person_id"))}</select>
<label for="expires">Expires</label>
<input id="expires" name="expires" type="date" value="${given("expires")}">
<button name="action" value="mint">Mint the key</button>
</form>`,
  );
}

async function keysView(visit: Visit, minted?: Minted, tried?: Tried): Promise<View> {
  const keys = (await visit.ask(listKeys, {})).toReversed();
  const { shown, pager } = windowOf(visit, [...keys.filter((key) => key.live), ...keys.filter((key) => !key.live)]);
  const [live, ended] = [shown.filter((key) => key.live), shown.filter((key) => !key.live)];
  const count = keys.filter((key) => key.live).length;
  const rows = (of: readonly Key[]) =>
    dataTable(
      "Keys",
      ["Key", "For", "Scopes", "Last used", "State", ""],
      of.map((key) => keyRow(visit, key)),
    );
  const body = html`${minted && mintedPanel(minted, visit.ctx.app.addresses)}
${count === 0 ? emptyState("There is no live key.") : live.length > 0 && panel("Live keys", rows(live), count)}
${await mintForm(visit, tried)}
${ended.length > 0 && html`<details><summary>${keys.length - count} revoked or expired</summary>${rows(ended)}</details>`}${pager}`;
  return settingsView("keys", body, tried === undefined ? 200 : 422);
}

async function mint(visit: Visit, form: SubmittedForm): Promise<View> {
  if (await wasSent(visit, form, "key.minted", { label: form.text("label") })) {
    const problem =
      "A key with this label was just minted and is in the list. To mint another one, open this page anew.";
    return keysView(visit, undefined, { form, problem });
  }
  const [engagement_id, person_id, expires] = [
    form.optional("engagement_id"),
    form.optional("person_id"),
    form.optional("expires"),
  ];
  const scopes = mintedScopes.filter((scope) => form.texts("scopes").includes(scope));
  const result = await attempted(
    visit.ask(mintKey, {
      label: form.text("label"),
      scopes,
      ...(engagement_id && { engagement_id: Number(engagement_id) }),
      ...(person_id && { person_id: Number(person_id) }),
      ...(expires && { expires }),
    }),
  );
  return "problem" in result
    ? keysView(visit, undefined, { form, problem: result.problem })
    : keysView(visit, result.value);
}

/** What ends with a key. */
async function revokeView(visit: Visit, form: SubmittedForm, id: number): Promise<View> {
  const { app, caller, now } = visit.context;
  const key = (await visit.ask(listKeys, {})).find((one) => one.id === id);
  if (key === undefined) throw notFound();
  const browsers = listSessions(app.store, caller.production_id, now).filter(({ key_id }) => key_id === id).length;
  const what = html`<p>What uses it gets no answer any more, at once and for good: ${key.last_used_at === null ? "it was never used" : html`it was used last at ${timeOf(key.last_used_at)}`}${key.person !== null && html`, for ${key.person}`}${key.vendor !== null && html`, of ${key.vendor}`}.</p>
<p>${browsers === 0 ? "No browser is signed in with it." : `It signs out ${plural(browsers, "browser")}.`} Sign-ins of other programs with it end too.</p>`;
  const question = { title: `Revoke the key “${key.label}”?`, what, button: "Revoke it", back: "/settings/keys" };
  return settingsView("keys", confirmation(visit, form, question));
}

async function submitKeys(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  if (form.text("action") !== "revoke") return mint(visit, form);
  const id = Number(form.text("key_id"));
  if (!isSure(form)) return revokeView(visit, form, id);
  await visit.ask(revokeKey, { id });
  return { location: "/settings/keys" };
}

export const keysPage: WebPage = { ...settingsPage("keys"), show: (visit) => keysView(visit), submit: submitKeys };
