// tallylight open, mcp-config, openapi: what connects a browser, an MCP client or a program to a server.
import { createAdminLink } from "../admin/sessions.ts";
import { CliError } from "../errors.ts";
import { serverAddressOf } from "../store/server_address.ts";
import type { Command } from "./arguments.ts";
import { asAdmin, requireData } from "./data.ts";
import { addressesOf, defaultAddress } from "./serve.ts";

/** The configuration that most clients read. Without a token, the client signs in. */
export const mcpServers = (url: string, token?: string) => ({
  mcpServers: { tallylight: entryOf(url, token) },
});

const entryOf = (url: string, token: string | undefined) => ({
  type: "http",
  url: `${url}/mcp`,
  ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
});

/** Returns the lines of a JSON document, each indented by two spaces. */
export const indented = (document: object): string[] =>
  JSON.stringify(document, null, 2)
    .split("\n")
    .map((line) => `  ${line}`);

const configLines = (url: string, token: string): string[] => [
  "With a key, for clients that read mcpServers (Cursor and most others):",
  ...indented(mcpServers(url, token)),
  "",
  "With a key, for VS Code, in .vscode/mcp.json:",
  ...indented({ servers: { tallylight: entryOf(url, token) } }),
  "",
  "With a key, for Claude Code:",
  `  claude mcp add --transport http tallylight ${url}/mcp --header "Authorization: Bearer ${token}"`,
  "",
  "Without a key: the client opens the server's sign-in page, where you paste a key once. The client never sees the key:",
  ...indented(mcpServers(url)),
  "",
  `  claude mcp add --transport http tallylight ${url}/mcp`,
];

export const commands: readonly Command[] = [
  {
    words: "open",
    summary: "prints a link that opens the pages as a production's admin; it works once, for 10 minutes",
    flags: {
      production: { value: "ID", summary: "the production, by id or title; required if there are several productions" },
    },
    async run(args) {
      requireData(args.data);
      const url = serverAddressOf(args.data);
      if (url === undefined)
        throw new CliError(
          `no server is running on ${args.data}; start one with \`tallylight serve --data ${args.data}\``,
        );
      const document = await asAdmin(args, (admin) => createAdminLink(admin, url, args.text("production")));
      return { document, lines: [document.link], notes: [`opens ${document.production}; works once, for 10 minutes`] };
    },
  },
  {
    words: "mcp-config",
    summary: "prints the configuration that connects an MCP client to a server",
    flags: {
      "public-url": {
        value: "URL",
        summary: `the address that clients use; ${defaultAddress} by default`,
      },
      token: { value: "TOKEN", summary: "the key for the configuration; a placeholder by default" },
    },
    run(args) {
      const { mcp_url: url = defaultAddress } = addressesOf(args);
      const token = args.text("token") ?? "tl_YOUR_KEY";
      return {
        document: { url: `${url}/mcp`, with_key: mcpServers(url, token), signing_in: mcpServers(url) },
        lines: configLines(url, token),
      };
    },
  },
  {
    words: "openapi",
    summary: "prints the OpenAPI 3.1 description of the interface",
    flags: {
      "public-url": { value: "URL", summary: `the address that clients use; ${defaultAddress} by default` },
    },
    async run(args) {
      const { openapiText } = await import("../transports/openapi.ts"); // loaded here, so that help does not load the transports
      const given = addressesOf(args);
      const url = defaultAddress;
      process.stdout.write(openapiText({ base_url: url, mcp_url: url, media_url: url, auth_url: url, ...given }));
      return undefined;
    },
  },
];
