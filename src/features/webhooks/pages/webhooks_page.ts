// /settings/webhooks: adds webhooks and shows their secrets once, tests, pauses, resumes, replays, rotates and removes
// them, and lists what was delivered.
import { unprocessable } from "../../../core/errors.ts";
import { eventTypes } from "../../../core/store/event_types.ts";
import { timeOf } from "../../pages/dates.ts";
import { checkBox, confirmation, type FormButton, isSure, postForm } from "../../pages/form_parts.ts";
import { html, isMarkup, type Markup } from "../../pages/html.ts";
import { chip, dataTable, emptyState, panel, plural } from "../../pages/html_parts.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { refusalOf } from "../../pages/refusals.ts";
import { checkNotSent, secretPanel, sinceField } from "../../pages/repeated_submissions.ts";
import { sentence } from "../../pages/send.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import * as rows from "../operations.ts";
import { deliveriesOf as deliveriesOfApp } from "../state.ts";

type Webhook = OutputOf<typeof rows.listWebhooks>[number];
type Delivery = OutputOf<typeof rows.listWebhookDeliveries>[number];
type Tested = OutputOf<typeof rows.testWebhook>;

const path = "/settings/webhooks";
/** How many deliveries the page shows. */
const maxDeliveries = 50;

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

const resultText = ({ status, reason, milliseconds }: Pick<Delivery, "status" | "reason" | "milliseconds">): string =>
  [
    ...(status === null ? [] : [String(status)]),
    ...(reason === null ? [] : [reason]),
    ...(milliseconds === null ? [] : [`${milliseconds} ms`]),
  ].join(", ");

const deliveryRow = (delivery: Delivery): Markup => html`<tr>
<td>${delivery.type ?? "—"}${delivery.event_id !== null && html`<br><span class="under">event ${delivery.event_id}</span>`}</td>
<td>${chip(delivery.outcome)}${delivery.try > 1 && html`<br><span class="under">try ${delivery.try}</span>`}</td>
<td>${resultText(delivery)}</td>
<td>${timeOf(delivery.created_at)}${delivery.next_try_at !== null && html`<br><span class="under">again ${timeOf(delivery.next_try_at)}</span>`}</td></tr>`;

const deliveriesOf = (host: string, deliveries: readonly Delivery[]): Markup => html`<h3>Deliveries</h3>
${
  deliveries.length === 0
    ? emptyState("No event was delivered yet.")
    : dataTable(`Deliveries to ${host}`, ["Event", "Outcome", "Answer", "When"], deliveries.map(deliveryRow))
}`;

/** A time as people say it, in its largest unit. */
function spanOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

function stateLine(webhook: Webhook): Markup {
  const { types, pause_reason, tries, next_try_at, backlog, oldest_event_age: age, set_aside } = webhook;
  const which = types === null ? "every event" : types.join(", ");
  const waits = tries > 0 && html`; ${plural(tries, "failed try", "failed tries")} of the next event`;
  const again = next_try_at !== null && html`, again ${timeOf(next_try_at)}`;
  const behind =
    age !== null && html`; ${plural(backlog, "event waits", "events wait")}, the oldest for ${spanOf(age)}`;
  return html`<p class="under">${which}${pause_reason !== null && html`; ${pause_reason}`}${behind}${waits}${again}${set_aside > 0 && html`; ${plural(set_aside, "event")} set aside`}</p>`;
}

const replayForm = (visit: Visit, id: number): Markup => {
  const hidden = { webhook_id: id };
  const hint = "the webhook-id of a delivery, start for all of them, now for none";
  const form = postForm(visit, {
    hidden,
    buttons: [{ value: "replay", text: "Deliver again" }],
    of: String(id),
    fields: [
      {
        name: "after",
        label: "The events after",
        hint,
        required: true,
        maxlength: 100,
        list: "positions",
        literal: true,
      },
    ],
  });
  return html`<details${refusalOf(visit, hidden) && html` open`}><summary>Deliver again</summary>
${form}</details>`;
};

function webhookCard(visit: Visit, webhook: Webhook, deliveries?: readonly Delivery[]): Markup {
  const { id, url, status } = webhook;
  const host = hostOf(url);
  const button = (value: string, text: string, kind: FormButton["kind"] = "quiet"): FormButton => ({
    value,
    text,
    kind,
    about: `${text}: ${id}, ${host}`,
  });
  const buttons = [
    button("test", "Test"),
    status === "active" ? button("pause", "Pause") : button("resume", "Resume"),
    ...(webhook.set_aside > 0 ? [button("replay-aside", "Try what is set aside again")] : []),
    button("rotate", "New secret"),
    button("remove", "Remove", "danger"),
  ];
  return html`<li class="panel${deliveries && html` whole`}" id="webhook-${id}">
<h2>${host} ${status !== "active" && chip(status)}</h2>
<p><code>${url}</code></p>
${stateLine(webhook)}
${postForm(visit, { hidden: { webhook_id: id }, buttons, style: "row" })}
${replayForm(visit, id)}
${deliveries === undefined ? html`<p><a href="${path}?deliveries=${id}#webhook-${id}" aria-label="Deliveries to ${host}, ${id}">Deliveries</a></p>` : deliveriesOf(host, deliveries)}
</li>`;
}

function typeChecks(chosen: readonly string[]): Markup {
  const checks = [...eventTypes().keys()].map((type) => checkBox("types", type, type, chosen.includes(type)));
  return html`<details${chosen.length > 0 && html` open`}><summary>Only some events</summary>
<fieldset class="grid medium"><legend class="unseen">Event types</legend>${checks}</fieldset></details>`;
}

function addForm(visit: Visit, since: Markup): Markup {
  const { hosts } = deliveriesOfApp(visit.ctx.app).rules;
  const where =
    hosts.length === 0
      ? html`<p class="under">Events leave this machine only for hosts that the setting <code>webhook_hosts</code> lists, and it lists none. Add the receiver's host or network to it and reload the service (SIGHUP), or start the server again.</p>`
      : html`<p class="under">Events may go to ${hosts.join(", ")}: the setting <code>webhook_hosts</code>.</p>`;
  const form = postForm(visit, {
    fields: [
      {
        name: "url",
        label: "Address of the receiver",
        type: "url",
        placeholder: "https://",
        required: true,
        maxlength: 2000,
        literal: true,
      },
      typeChecks(visit.refused?.form.texts("types") ?? []),
      since,
    ],
    buttons: [{ value: "add", text: "Add it" }],
  });
  return panel("Notify a program", html`${where}${form}`);
}

async function webhooksView(visit: Visit, opened?: number, notice?: Markup): Promise<Markup> {
  const [webhooks, deliveries] = await Promise.all([
    visit.ask(rows.listWebhooks, {}),
    opened === undefined ? undefined : visit.ask(rows.listWebhookDeliveries, { id: opened, limit: maxDeliveries }),
  ]);
  const cards = webhooks.map((webhook) => webhookCard(visit, webhook, webhook.id === opened ? deliveries : undefined));
  return html`<p class="hint">The events of the production go to a program of yours, in their order and signed with its secret.</p>
${notice}
<datalist id="positions"><option value="start"></option><option value="now"></option></datalist>
${cards.length === 0 ? emptyState("No program is notified yet. Add one below.") : html`<ul class="grid">${cards}</ul>`}
${addForm(visit, sinceField(visit))}`;
}

/** The webhook whose deliveries the address asks for. Text that is no id is passed over. */
export function showWebhooks(visit: Visit): Promise<Markup> {
  const asked = visit.refused === undefined ? (visit.query.get("deliveries") ?? "") : "";
  return webhooksView(visit, /^[1-9]\d{0,15}$/.test(asked) ? Number(asked) : undefined);
}

const testNotice = ({ delivered, status, reason, milliseconds }: Tested, id: number): Markup =>
  html`<section class="panel ${delivered ? "notice good" : "notice bad"}" role="status"><h2>Test of program ${id} ${chip(delivered ? "delivered" : "failed")}</h2>
<p>${sentence(resultText({ status, reason, milliseconds }))}</p></section>`;

const secretNotice = (title: string, secret: string, more?: Markup): Markup =>
  secretPanel(title, { id: "secret", noun: "secret", secret }, more);

/** What the forms ask for, by their action, of the webhook with that id. Returns the notice of the page. */
const actions: Readonly<Record<string, (visit: Visit, id: number, form: SubmittedForm) => Promise<unknown>>> = {
  async add(visit, _, form) {
    const detail = { host: hostOf(form.text("url")) };
    checkNotSent(visit, form, "webhook.added", detail, "this program was just added; to add another one");
    const { url, secret } = await visit.send(rows.addWebhook, form);
    return secretNotice(`The secret of ${hostOf(url)}`, secret);
  },
  async rotate(visit, id, form) {
    const text = "the program has just got a new secret; to make another one";
    checkNotSent(visit, form, "webhook.rotated", { id }, text);
    const { url, secret, former_until } = await visit.ask(rows.rotateWebhook, { id });
    const until = html`<p>Until ${timeOf(former_until)}, deliveries are signed with the former secret as well.</p>`;
    return secretNotice(`The new secret of ${hostOf(url)}`, secret, until);
  },
  test: async (visit, id) => testNotice(await visit.ask(rows.testWebhook, { id }), id),
  pause: (visit, id) => visit.ask(rows.pauseWebhook, { id }),
  resume: (visit, id) => visit.ask(rows.resumeWebhook, { id }),
  remove: (visit, id) => visit.ask(rows.removeWebhook, { id }),
  "replay-aside": (visit, id) => visit.ask(rows.replayWebhook, { id, set_aside: true }),
  replay: (visit, id, form) => visit.ask(rows.replayWebhook, { id, after: form.text("after") }),
};

/** What ends with a webhook, and that a secret is new; undefined if the form needs no question. */
async function questionOf(visit: Visit, form: SubmittedForm, id: number): Promise<Markup | undefined> {
  const action = form.text("action");
  if ((action !== "remove" && action !== "rotate") || isSure(form)) return undefined;
  const webhook = (await visit.ask(rows.listWebhooks, {})).find((one) => one.id === id);
  if (webhook === undefined) return undefined;
  const host = hostOf(webhook.url);
  const question =
    action === "remove"
      ? {
          title: `Stop notifying ${host}?`,
          what: html`<p>Its deliveries stop${webhook.set_aside > 0 && `, and ${plural(webhook.set_aside, "event")} that were set aside are not delivered`}. Its secret and the list of its deliveries go. The receiver misses what happens from now on.</p>`,
          button: "Remove it",
        }
      : {
          title: `A new secret for ${host}?`,
          what: html`<p>The present secret ends after a while. It is shown once, and the receiver needs it by then.</p>`,
          button: "Make a new secret",
        };
  return confirmation(visit, form, { ...question, back: path, more: sinceField(visit) });
}

export async function submitWebhooks(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  const id = Number(form.text("webhook_id"));
  const question = await questionOf(visit, form, id);
  if (question !== undefined) return question;
  const action = form.text("action");
  if (!Object.hasOwn(actions, action)) throw unprocessable("the form names no action of this page");
  const notice = await actions[action]?.(visit, id, form);
  return isMarkup(notice) ? webhooksView(visit, undefined, notice) : undefined;
}
