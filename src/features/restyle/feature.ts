// Restyle helpers: session tokens of the restyle provider, and briefs of stills by a vision model.
import type { Feature } from "../../core/feature.ts";
import { isLoopback } from "../../core/http/request_head.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import type { Verbs } from "../../core/store/event_types.ts";

/** Whether requests with a credential may be sent to an address: it is encrypted, or on this machine. */
const isSafe = (value: string): boolean => value.startsWith("https:") || isLoopback(new URL(value).hostname);
const unsafe = "must be an https address, or an http address on this machine, because the key is sent there";

const settings = ({ v, setting, wholeNumber, webAddress, origins, secret, name }: Blocks) => ({
  restyle_url: setting(
    "the restyle provider: https, or http on this machine",
    v.pipe(webAddress, v.check(isSafe, unsafe)),
    "https://api.decart.ai",
  ),
  restyle_key: setting("the permanent key at the restyle provider; it never leaves the server", secret),
  restyle_lifetime: setting(
    "the seconds during which a session token can start a session",
    wholeNumber(60, 3600, "seconds"),
    600,
  ),
  restyle_origins: setting("the web origins from which a session token works; any if none is named", origins, []),
  look_url: setting(
    "an OpenAI-compatible service for look briefs, such as `http://127.0.0.1:11434/v1`; needs `look_model`",
    webAddress,
  ),
  look_model: setting("the vision model to ask for", name),
  look_key: setting("the key of that service, if it wants one", secret),
  look_timeout: setting(
    "the seconds that one look brief may take, both tries together",
    wholeNumber(1, 300, "seconds"),
    60,
  ),
});

const otherVerbs = ["session_token.created", "look_brief.created"] as const;

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

declare module "../../core/store/event_types.ts" {
  interface OtherVerbs extends Verbs<typeof otherVerbs> {}
}

export const restyle: Feature = {
  name: "restyle",
  url: import.meta.url,
  settings,
  settingsProblem: ({ look_url, look_model }) =>
    look_url !== undefined && look_model === undefined
      ? "look_model in config.json or TALLYLIGHT_LOOK_MODEL is required if look_url is set"
      : undefined,
  checks: { load: () => import("./provider_check.ts"), online: true },
  otherVerbs,
  operations: {
    percep: [() => import("./percep.ts")],
  },
};
