// The one form that lets a vendor in: its engagement, what it may do, and a key or an invitation, after a look at what
// the key would see.
import { scopeMeanings } from "../../../core/access/callers.ts";
import { mintKey as mint } from "../../../graph/keys.ts";
import { postForm, sentFields } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { dotted, lines, panel, plural } from "../../pages/html_parts.ts";
import { createInvitation } from "../../pages/invitations.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { FormRefusal, refusalOf } from "../../pages/refusals.ts";
import { checkNotSent, sinceField } from "../../pages/repeated_submissions.ts";
import type { Visit } from "../../pages/visit.ts";
import { type Me, meOf, previewSetup, type Setup, scopesFor, setUp, writeAsMinter } from "../vendor_setup.ts";
import { grantRows, grantsIn, type Target, verbWords } from "./grant_rows.ts";
import { invitationPanel, mintedPanel } from "./new_access.ts";

const rowsAtFirst = 4;

export function setupForm(visit: Visit, targets: readonly Target[]): Markup {
  const refused = refusalOf(visit, { action: "setup" });
  const form = postForm(visit, {
    fields: [
      { name: "vendor", label: "Vendor", required: true, maxlength: 300 },
      { name: "title", label: "What they do", maxlength: 300 },
      grantRows(targets, refused?.form, rowsAtFirst),
      { name: "expires", label: "Until", hint: "if it ends", type: "date" },
      sinceField(visit),
    ],
    buttons: [{ value: "setup", text: "Show what they will see" }],
    of: "new",
  });
  return panel("Add a vendor", form);
}

/** How many names of a kind are written out. */
const maxNames = 40;

function names(noun: string, all: readonly string[]): Markup {
  const more = all.length > maxNames && ` and ${all.length - maxNames} more`;
  return html`<li><b>${plural(all.length, noun)}</b>${all.length > 0 && ": "}${all.slice(0, maxNames).join(" · ")}${more}</li>`;
}

/** What a key of an engagement sees, as GET /me answers it. */
function seenPart({ engagement, reach }: Me): Markup {
  const [nodes, deliveries, grants] = [reach?.nodes ?? [], reach?.deliveries ?? [], engagement?.grants ?? []];
  const labels = (isScene: boolean) =>
    nodes.filter(({ kind }) => (kind === "scene") === isScene).map(({ label }) => label);
  const work = deliveries.map(({ title, can_submit }) => html`${title}${can_submit ? " (submits work)" : " (reads)"}`);
  const orders = grants.filter(({ verb }) => verb === "read:own_po").map(({ target }) => target.label);
  return lines([
    names("scene", labels(true)),
    names("asset", labels(false)),
    html`<li><b>${plural(deliveries.length, "delivery", "deliveries")}</b>${work.length > 0 && ": "}${dotted(work)}</li>`,
    ...(orders.length > 0 ? [html`<li><b>Own orders</b> of ${orders.join(", ")}</li>`] : []),
    html`<li class="under">Of assets only released versions; nothing of other vendors, and no other page.</li>`,
  ]);
}

const setupIn = async (visit: Visit, form: SubmittedForm): Promise<Setup> => {
  const vendor = form.text("vendor");
  if (vendor === "") throw new FormRefusal(422, "Vendor is missing: write the name of the company.", ["vendor"]);
  return { vendor, title: form.optional("title"), grants: await grantsIn(visit, form, false) };
};

/** The question: what is granted, and what the key will see. */
function previewPanel(visit: Visit, form: SubmittedForm, me: Me): Markup {
  const { engagement } = me;
  const grants = engagement?.grants ?? [];
  const scopes = scopesFor(grants.map(({ verb }) => verb));
  const button = (value: string, text: string, kind = "") =>
    html`<button name="with" value="${value}" class="${kind}">${text}</button>`;
  return html`<section class="panel notice" role="status"><h2>${engagement?.vendor}: ${engagement?.title}</h2>
<p>They may ${grants.length === 0 ? "do nothing yet" : grants.map(({ verb, target }) => `${verbWords[verb]} ${target.label}`).join("; ")}.</p>
<h3>What this key will see</h3>
${seenPart(me)}
<p class="under">It may ${scopes.map((scope) => scopeMeanings[scope]).join(", and ")}.</p>
<form method="post" class="row">${visit.proof}${sentFields(form)}
${button("invitation", "Invite a person")}${button("key", "Make a key for a program", "quiet")}${button("nothing", "Only add it", "quiet")} <a href="/settings/vendors">Leave it as it is</a></form></section>`;
}

/** Shows what the form would do, and does it once it is confirmed. Undefined if nothing has to be shown. */
export async function submitSetup(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  const setup = await setupIn(visit, form);
  const chosen = form.text("with");
  if (chosen === "") return previewPanel(visit, form, await previewSetup(visit.context, setup));
  const label = `${setup.vendor}${chosen === "key" ? "" : ", invited"}`;
  checkNotSent(visit, form, "key.minted", { label }, "this vendor was just let in. To make another key");
  return writeAsMinter(visit.context, (admin, context) => {
    const engagement_id = setUp(admin, setup);
    if (chosen === "nothing") return undefined;
    const { engagement } = meOf(context, engagement_id);
    const scopes = scopesFor((engagement?.grants ?? []).map(({ verb }) => verb));
    const { production_id } = admin;
    const given = { production_id, label, scopes, engagement_id, expires: form.optional("expires") };
    return chosen === "key"
      ? mintedPanel(visit, mint(admin, given))
      : invitationPanel(visit, createInvitation(admin, given));
  });
}
