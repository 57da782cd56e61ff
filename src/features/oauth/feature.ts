// Sign-in for MCP clients: an authorization server for public clients.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import { oauthPaths, wellKnownPath } from "../addresses/paths.ts";

const schemeMessage = "must be schemes of addresses such as exampleapp, in lower-case letters, digits, +, - and .";

const settings = ({ v, setting, list }: Blocks) => ({
  oauth_redirect_schemes: setting(
    "the schemes of apps that may sign in, beside those with a dot and those of Cursor, VS Code, Windsurf, Claude and Zed",
    list(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9+.-]{1,49}$/, schemeMessage)), schemeMessage),
    [],
  ),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const oauth: Feature = {
  name: "oauth",
  url: import.meta.url,
  needs: ["addresses", "clock", "pages"],
  settings,
  routes: [
    { below: wellKnownPath, load: () => import("./discovery.ts") },
    { paths: Object.values(oauthPaths), load: () => import("./route.ts") },
  ],
};
