// /settings/time-zone: the time zone of the production, by which the pages tell what today is, what is late, and when
// something happened.
import { HttpError } from "../../../core/errors.ts";
import { zoneName } from "../../../core/zones.ts";
import { dateText, localTime } from "../../pages/dates.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { panel } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import type { Visit } from "../../pages/visit.ts";
import { importDocuments } from "../operations.ts";
import { savedRedirect } from "./save.ts";

const label = "Time zone";

export function showTimeZone(visit: Visit): Markup {
  const { zone, now } = visit;
  const time = localTime(now);
  const form = postForm(visit, {
    fields: [
      {
        name: "time_zone",
        label,
        hint: "such as Europe/Budapest; empty for that of the server",
        value: zone ?? "",
        maxlength: 100,
        list: "zones",
        literal: true,
      },
    ],
    buttons: [{ text: "Save" }],
    style: "stack",
  });
  const names = Intl.supportedValuesOf("timeZone");
  return panel(
    label,
    html`<p>It is ${time.slice(11, 16)} on ${dateText(time.slice(0, 10))} in ${zoneName(zone)}${zone === null && ", the time zone of the server"}. A shoot day may have a time zone of its own.</p>
${form}<datalist id="zones">${names.map((name) => html`<option value="${name}">`)}</datalist>`,
  );
}

export async function submitTimeZone(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const document = { production: { time_zone: form.text("time_zone").trim() || null } };
  const { change_set } = await visit.ask(importDocuments, { document }).catch((error: unknown) => {
    const [problem] = error instanceof HttpError ? (error.problems ?? []) : [];
    throw problem === undefined ? error : new FormRefusal(422, `${label} ${problem.message}.`, ["time_zone"]);
  });
  return savedRedirect("/settings/time-zone", change_set);
}
