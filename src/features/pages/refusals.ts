// What refuses a form, an error that a person can correct in it; and the page of any other error: what was wrong, and
// where to go from there.
import { HttpError } from "../../core/errors.ts";
import { loadHttp } from "../../core/late_loading.ts";
import { html, type Markup } from "./html.ts";
import { panel } from "./html_parts.ts";
import type { FormFields, Refused, View } from "./page.ts";
import { sentence } from "./send.ts";
import type { Visit } from "./visit.ts";

/** Why a form is refused, in the words of its page, with the names of the fields that are wrong. */
export class FormRefusal extends HttpError {
  readonly fields: readonly string[];
  constructor(status: number, text: string, fields: readonly string[] = []) {
    super(status, text);
    this.fields = fields;
  }
}

/** The statuses of refusals that a person can correct in the form. */
const correctable: ReadonlySet<number> = new Set([403, 409, 410, 413, 422]);
export const isCorrectable = (status: number): boolean => correctable.has(status);

/** An error as a form says it. */
export const refusalText = (error: HttpError): string =>
  error instanceof FormRefusal ? error.message : sentence(error.message);

/**
 * The result of the work, or the sentence of its refusal, with the reason why a thing cannot be removed. Throws errors
 * that a person cannot correct in the form.
 */
export async function attempted<T>(
  work: Promise<T>,
): Promise<{ value: T } | { problem: string; reason: string | undefined }> {
  try {
    return { value: await work };
  } catch (error) {
    if (!(error instanceof HttpError) || !isCorrectable(error.status)) throw error;
    return { problem: refusalText(error), reason: error.problems?.[0]?.reason };
  }
}

/** The refusal of a visit, if it is of the form that has these fields. */
export const refusalOf = (
  { refused }: Visit,
  fields: Readonly<Record<string, string | number>>,
): Refused | undefined =>
  refused !== undefined && Object.entries(fields).every(([name, value]) => refused.form.text(name) === String(value))
    ? refused
    : undefined;

const titles: Readonly<Record<number, string>> = {
  403: "Not allowed",
  404: "Not here",
  409: "Not possible now",
  413: "Too large",
  422: "Not accepted",
  429: "Too many requests",
  503: "Not available",
  507: "The disk is full",
};

/** What somebody wrote into a form that is not there to be filled: its ids and choices are left out. */
export function writtenTexts(form: FormFields): Markup | undefined {
  const texts = form.names().flatMap((name) => form.texts(name).filter((text) => /[^\w.:+-]/.test(text)));
  if (texts.length === 0) return undefined;
  return panel("What you wrote", html`${texts.map((text) => html`<pre dir="auto">${text}</pre>`)}`);
}

const missing = "There is no such page, or it is not within the reach of this session.";

/** The view of an error. */
export function problemView({ status, message }: HttpError): View {
  const title = titles[status] ?? loadHttp().STATUS_CODES[status] ?? "Error";
  const body = html`<div class="flow lead">
<h1>${title}</h1>
<p role="alert" dir="ltr">${status === 404 ? missing : sentence(message)}</p>
<p><a href="/">Back to the first page</a></p>
</div>`;
  return { title, body, status };
}
