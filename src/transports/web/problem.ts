// The page of an error: what was wrong, and where to go from there.
import type { HttpError } from "../../errors.ts";
import { loadHttp } from "../../network.ts";
import { html } from "./html.ts";
import type { View } from "./page.ts";
import { sentence } from "./send.ts";

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

const missing = "There is no such page, or it is not within the reach of this session.";

/** The view of an error. */
export function problemView({ status, message }: HttpError): View {
  const title = titles[status] ?? loadHttp().STATUS_CODES[status] ?? "Error";
  const body = html`<div class="problem-page">
<h1>${title}</h1>
<p role="alert">${status === 404 ? missing : sentence(message)}</p>
<p><a href="/">Back to the first page</a></p>
</div>`;
  return { title, body, status };
}
