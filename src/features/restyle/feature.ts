// Restyle helpers: session tokens of the restyle provider, and briefs of stills by a vision model.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, wholeNumber, webAddress, credentialAddress, origins, secret, name }: Blocks) => ({
  /** The address of the restyle provider, which creates session tokens. */
  restyle_url: optional(credentialAddress, "https://api.decart.ai"),
  /** The restyle provider's permanent key. Session tokens are unavailable without it. */
  restyle_key: optional(secret),
  /** How long a session token can be used to start a session, in seconds. */
  restyle_lifetime: optional(wholeNumber(60, 3600, "seconds"), 600),
  /** The web origins that a session token works from; any origin if the list is empty. */
  restyle_origins: optional(origins, []),
  /** The root of an OpenAI-compatible service, such as http://127.0.0.1:11434/v1. Look briefs are unavailable without it. */
  look_url: optional(webAddress),
  /** The vision model that look briefs are requested from. */
  look_model: optional(name),
  /** The key of that service, if it requires one. */
  look_key: optional(secret),
  /** The timeout of one look brief in seconds, including the second try. */
  look_timeout: optional(wholeNumber(1, 300, "seconds"), 60),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const restyle: Feature = {
  name: "restyle",
  url: import.meta.url,
  settings,
  settingsProblem: ({ look_url, look_model }) =>
    look_url !== undefined && look_model === undefined
      ? "look_model in config.json or TALLYLIGHT_LOOK_MODEL is required if look_url is set"
      : undefined,
  checks: { file: "./provider_check.ts", online: true },
  activityVerbs: ["session_token.created", "look_brief.created"],
  operations: {
    percep: ["./percep.ts"],
  },
};
