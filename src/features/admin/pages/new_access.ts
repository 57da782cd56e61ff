// What is shown once: a new key with lines to paste, and a new invitation with its QR code.
import { type MintedKey, mintWarnings } from "../../../graph/keys.ts";
import { timeOf } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized } from "../../pages/html_parts.ts";
import { type createInvitation, invitationPath } from "../../pages/invitations.ts";
import { qrImage } from "../../pages/qr.ts";
import { secretPanel } from "../../pages/repeated_submissions.ts";
import type { Visit } from "../../pages/visit.ts";

/** The new key with lines to paste. This is the only time that it is shown. */
export function mintedPanel({ ctx }: Visit, minted: MintedKey): Markup {
  const { base_url, mcp_url } = ctx.app.addresses;
  const { token, label } = minted;
  const server = { type: "http", url: `${mcp_url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  const mcp = JSON.stringify({ mcpServers: { tallylight: server } }, null, 2);
  return secretPanel(
    `The key “${label}” was made`,
    { id: "token", noun: "key", secret: token },
    html`${mintWarnings(minted).map((warning) => html`<p class="hint">${capitalized(warning)}.</p>`)}
<p class="hint">A person pastes it on the sign-in page of <a href="${base_url}">${base_url}</a>.</p>
<details><summary>For an MCP client</summary><pre><code>${mcp}</code></pre></details>`,
  );
}

const isLoopback = (address: string): boolean =>
  /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(URL.parse(address)?.hostname ?? "");

/** The address under which the admin reached this server, unless a public one is configured. */
function originOf({ ctx }: Visit): string {
  const { base_url } = ctx.app.addresses;
  const { host } = ctx.req.headers;
  return isLoopback(base_url) && host !== undefined ? `${new URL(base_url).protocol}//${host}` : base_url;
}

/** A new invitation. This is the only time that its link is shown. `about`: what is said of it besides. */
export function invitationPanel(
  visit: Visit,
  made: ReturnType<typeof createInvitation>,
  { id = "invitation", about }: { id?: string; about?: Markup } = {},
): Markup {
  const { secret, expires_at, label } = made;
  const origin = originOf(visit);
  const link = `${origin}${invitationPath}?code=${secret}`;
  return secretPanel(
    `An invitation for ${label}`,
    { id, noun: "link", secret: link },
    html`${about}<p>It works once, until ${timeOf(expires_at)}, and signs in the browser that opens it: point a phone's camera at the code, or send the link.</p>
<p><img src="${qrImage(link)}" alt="QR code of the link" width="240" height="240"></p>
${isLoopback(origin) && html`<p class="problem">This address works only on this machine. Open these pages by the address that phones reach, and invite from there.</p>`}`,
  );
}
