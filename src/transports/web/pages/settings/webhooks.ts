// /settings/webhooks: adds webhooks and shows their secrets once, tests, pauses, resumes, replays, rotates and removes them, and
// lists what was delivered.
import type * as v from "valibot";
import * as rows from "../../../../admin/operations/webhooks.ts";
import { conflict, unprocessable } from "../../../../errors.ts";
import { eventTypes } from "../../../../store/event_types.ts";
import { attempted } from "../../attempt.ts";
import { confirmation, isSure } from "../../confirm.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import { sinceField, wasSent } from "../../once.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { chip, dataTable, emptyState, fieldProblem, panel, plural, timeOf } from "../../parts.ts";
import { sentence } from "../../send.ts";
import type { Visit } from "../../visit.ts";
import { settingsPage, settingsView } from "./frame.ts";
import { secretPanel } from "./secret.ts";

type Webhook = v.InferOutput<(typeof rows.listWebhooks)["output"]>[number];
type Delivery = v.InferOutput<(typeof rows.listWebhookDeliveries)["output"]>[number];
type Tested = v.InferOutput<(typeof rows.testWebhook)["output"]>;

const path = "/settings/webhooks";
/** How many deliveries the page shows. */
const maxDeliveries = 50;

interface Tried {
  /** 0 if the form is the one that adds a webhook. */
  id: number;
  form: SubmittedForm;
  problem: string;
}

/** What the page shows besides the webhooks. */
interface Shown {
  /** Stands above the webhooks: a new secret, or the result of a test. */
  notice?: Markup;
  tried?: Tried;
  /** The id of the webhook whose deliveries are listed. */
  opened?: number;
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

const answerOf = ({ status, reason, milliseconds }: Pick<Delivery, "status" | "reason" | "milliseconds">): string =>
  [
    ...(status === null ? [] : [String(status)]),
    ...(reason === null ? [] : [reason]),
    ...(milliseconds === null ? [] : [`${milliseconds} ms`]),
  ].join(", ");

const deliveryRow = (delivery: Delivery): Markup => html`<tr>
<td>${delivery.type ?? "—"}${delivery.event_id !== null && html`<br><span class="under">event ${delivery.event_id}</span>`}</td>
<td>${chip(delivery.outcome)}${delivery.try > 1 && html`<br><span class="under">try ${delivery.try}</span>`}</td>
<td>${answerOf(delivery)}</td>
<td>${timeOf(delivery.created_at)}${delivery.next_try_at !== null && html`<br><span class="under">again ${timeOf(delivery.next_try_at)}</span>`}</td></tr>`;

const deliveriesOf = (host: string, deliveries: readonly Delivery[]): Markup => html`<h3>Deliveries</h3>
${
  deliveries.length === 0
    ? emptyState("No event was delivered yet.")
    : dataTable(`Deliveries to ${host}`, ["Event", "Outcome", "Answer", "When"], deliveries.map(deliveryRow))
}`;

function stateLine({ types, pause_reason, tries, next_try_at, set_aside }: Webhook): Markup {
  const which = types === null ? "every event" : types.join(", ");
  const waits = tries > 0 && html`; ${plural(tries, "failed try", "failed tries")} of the next event`;
  const again = next_try_at !== null && html`, again ${timeOf(next_try_at)}`;
  return html`<p class="under">${which}${pause_reason !== null && html`; ${pause_reason}`}${waits}${again}${set_aside > 0 && html`; ${plural(set_aside, "event")} set aside`}</p>`;
}

const replayForm = (field: Markup, id: number, mine: Tried | undefined): Markup => html`
<details${mine && html` open`}><summary>Deliver again</summary>
<form method="post" class="stack">${field}
<label for="after-${id}">The events after <span class="under">the webhook-id of a delivery, start for all of them, now for none</span></label>
<input id="after-${id}" name="after" required maxlength="100" list="positions" autocomplete="off" spellcheck="false" value="${mine?.form.text("after")}"${mine && html` aria-invalid="true" aria-describedby="problem-${id}"`}>
${fieldProblem(`problem-${id}`, mine?.problem)}
<button name="action" value="replay">Deliver again</button></form></details>`;

function webhookCard(
  visit: Visit,
  webhook: Webhook,
  mine: Tried | undefined,
  deliveries?: readonly Delivery[],
): Markup {
  const { id, url, status } = webhook;
  const host = hostOf(url);
  const field = html`${visit.proof}<input type="hidden" name="webhook_id" value="${id}">`;
  const button = (action: string, text: string, kind = "quiet") =>
    html`<button name="action" value="${action}" class="${kind}" aria-label="${text}: webhook ${id} to ${host}">${text}</button>`;
  return html`<li class="panel${deliveries && html` wide`}" id="webhook-${id}">
<h2>${host} ${chip(status)}</h2>
<p><code>${url}</code></p>
${stateLine(webhook)}
<form method="post" class="row">${field}${button("test", "Test")}${status === "active" ? button("pause", "Pause") : button("resume", "Resume")}
${webhook.set_aside > 0 && button("replay-aside", "Try what is set aside again")}${button("rotate", "New secret")}${button("remove", "Remove", "danger")}</form>
${replayForm(field, id, mine)}
${deliveries === undefined ? html`<p><a href="${path}?deliveries=${id}#webhook-${id}" aria-label="Deliveries to ${host}, webhook ${id}">Deliveries</a></p>` : deliveriesOf(host, deliveries)}
</li>`;
}

function typeChecks(chosen: readonly string[]): Markup {
  const checks = [...eventTypes.keys()].map(
    (type) =>
      html`<label class="check"><input type="checkbox" name="types" value="${type}"${chosen.includes(type) && html` checked`}>${type}</label>`,
  );
  return html`<details${chosen.length > 0 && html` open`}><summary>Only some events</summary>
<fieldset class="checks columned"><legend class="unseen">Event types</legend>${checks}</fieldset></details>`;
}

function addForm(visit: Visit, since: Markup, mine: Tried | undefined): Markup {
  const { hosts } = visit.ctx.app.deliveries.rules;
  const where =
    hosts.length === 0
      ? html`<p class="under">Events leave this machine only for hosts that the setting <code>webhook_hosts</code> lists, and it lists none. Add the receiver's host or network to it and reload the service (SIGHUP), or start the server again.</p>`
      : html`<p class="under">Events may go to ${hosts.join(", ")}: the setting <code>webhook_hosts</code>.</p>`;
  return panel(
    "Add a webhook",
    html`${where}<form method="post" class="stack wide">${visit.proof}${since}
<label for="url">Address of the receiver</label>
<input id="url" name="url" type="url" required maxlength="2000" autocomplete="off" spellcheck="false" placeholder="https://" value="${mine?.form.text("url")}"${mine && html` aria-invalid="true" aria-describedby="problem-0"`}>
${fieldProblem("problem-0", mine?.problem)}
${typeChecks(mine?.form.texts("types") ?? [])}
<button name="action" value="add">Add the webhook</button></form>`,
  );
}

async function webhooksView(visit: Visit, { notice, tried, opened }: Shown = {}): Promise<View> {
  const [webhooks, deliveries] = await Promise.all([
    visit.ask(rows.listWebhooks, {}),
    opened === undefined ? undefined : visit.ask(rows.listWebhookDeliveries, { id: opened, limit: maxDeliveries }),
  ]);
  const triedAt = (id: number) => (tried?.id === id ? tried : undefined);
  const cards = webhooks.map((webhook) =>
    webhookCard(visit, webhook, triedAt(webhook.id), webhook.id === opened ? deliveries : undefined),
  );
  const body = html`<p class="hint">A webhook sends the events of the production to a program of yours, in their order and signed with its secret.</p>
${notice}
<datalist id="positions"><option value="start"></option><option value="now"></option></datalist>
${cards.length === 0 ? emptyState("No webhook delivers events yet. Add one below.") : html`<ul class="cards">${cards}</ul>`}
${addForm(visit, await sinceField(visit), triedAt(0))}`;
  return settingsView("webhooks", body, tried === undefined ? 200 : 422);
}

/** The webhook whose deliveries the address asks for. Text that is no id is passed over. */
function showWebhooks(visit: Visit): Promise<View> {
  const asked = visit.query.get("deliveries") ?? "";
  return webhooksView(visit, /^[1-9]\d{0,15}$/.test(asked) ? { opened: Number(asked) } : {});
}

const testNotice = ({ delivered, status, reason, milliseconds }: Tested, id: number): Markup =>
  html`<section class="panel ${delivered ? "secret" : "missing"}" role="status"><h2>Test of webhook ${id} ${chip(delivered ? "delivered" : "failed")}</h2>
<p>${sentence(answerOf({ status, reason, milliseconds }))}</p></section>`;

const secretNotice = (title: string, secret: string, more?: Markup): Markup =>
  secretPanel(title, { id: "secret", noun: "secret", secret }, more);

async function add(visit: Visit, form: SubmittedForm): Promise<Shown> {
  if (await wasSent(visit, form, "webhook.added", { host: hostOf(form.text("url")) }))
    throw conflict("this webhook was just added; to add another one, open this page anew");
  const types = form.texts("types");
  const given = { url: form.text("url"), ...(types.length > 0 && { types }) };
  const { url, secret } = await visit.ask(rows.addWebhook, given);
  return { notice: secretNotice(`The secret of the webhook to ${hostOf(url)}`, secret) };
}

async function rotate(visit: Visit, form: SubmittedForm, id: number): Promise<Shown> {
  if (await wasSent(visit, form, "webhook.rotated", { id }))
    throw conflict("the webhook has just got a new secret; to make another one, open this page anew");
  const { url, secret, former_until } = await visit.ask(rows.rotateWebhook, { id });
  const until = html`<p>Until ${timeOf(former_until)}, deliveries are signed with the former secret as well.</p>`;
  return { notice: secretNotice(`The new secret of the webhook to ${hostOf(url)}`, secret, until) };
}

/** Does what the form asks for. Returns what to show, and undefined if the page is opened anew. */
async function act(visit: Visit, form: SubmittedForm, id: number): Promise<Shown | undefined> {
  switch (form.text("action")) {
    case "add":
      return add(visit, form);
    case "rotate":
      return rotate(visit, form, id);
    case "test":
      return { notice: testNotice(await visit.ask(rows.testWebhook, { id }), id) };
    case "pause":
      return void (await visit.ask(rows.pauseWebhook, { id }));
    case "resume":
      return void (await visit.ask(rows.resumeWebhook, { id }));
    case "remove":
      return void (await visit.ask(rows.removeWebhook, { id }));
    case "replay-aside":
      return void (await visit.ask(rows.replayWebhook, { id, set_aside: true }));
    case "replay":
      return void (await visit.ask(rows.replayWebhook, { id, after: form.text("after") }));
    default:
      throw unprocessable("the form names no action of this page");
  }
}

/** What ends with a webhook, and that a secret is new; undefined if the form needs no question. */
async function questionOf(visit: Visit, form: SubmittedForm, id: number): Promise<View | undefined> {
  const action = form.text("action");
  if ((action !== "remove" && action !== "rotate") || isSure(form)) return undefined;
  const webhook = (await visit.ask(rows.listWebhooks, {})).find((one) => one.id === id);
  if (webhook === undefined) return undefined;
  const host = hostOf(webhook.url);
  const question =
    action === "remove"
      ? {
          title: `Remove the webhook to ${host}?`,
          what: html`<p>Its deliveries stop${webhook.set_aside > 0 && `, and ${plural(webhook.set_aside, "event")} that were set aside are not delivered`}. Its secret and the list of its deliveries go. The receiver misses what happens from now on.</p>`,
          button: "Remove it",
        }
      : {
          title: `A new secret for the webhook to ${host}?`,
          what: html`<p>The present secret ends after a while. It is shown once, and the receiver needs it by then.</p>`,
          button: "Make a new secret",
        };
  return settingsView(
    "webhooks",
    confirmation(visit, form, { ...question, back: path, more: await sinceField(visit) }),
  );
}

async function submitWebhooks(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const id = Number(form.text("webhook_id"));
  const question = await questionOf(visit, form, id);
  if (question !== undefined) return question;
  const result = await attempted(act(visit, form, id));
  if ("problem" in result) return webhooksView(visit, { tried: { id, form, problem: result.problem } });
  return result.value === undefined ? { location: path } : webhooksView(visit, result.value);
}

export const webhooksPage: WebPage = { ...settingsPage("webhooks"), show: showWebhooks, submit: submitWebhooks };
