// tallylight mcp-config: the lines that make an MCP client know a server, with a key in a header or by signing in. Reads no data.
import type { Command } from "./arguments.ts";
import { addressesOf, usualAddress } from "./serve.ts";

/** What most clients read of a server; without a token the client signs in. */
export const mcpServers = (url: string, token?: string) => ({
  mcpServers: { tallylight: entryOf(url, token) },
});

const entryOf = (url: string, token: string | undefined) => ({
  type: "http",
  url: `${url}/mcp`,
  ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
});

/** JSON as lines, two spaces in. */
export const indented = (document: object): string[] =>
  JSON.stringify(document, null, 2)
    .split("\n")
    .map((line) => `  ${line}`);

const configLines = (url: string, token: string): string[] => [
  "With a key, for clients that read mcpServers (Cursor and most others):",
  ...indented(mcpServers(url, token)),
  "",
  "VS Code reads this, in .vscode/mcp.json:",
  ...indented({ servers: { tallylight: entryOf(url, token) } }),
  "",
  "Claude Code:",
  `  claude mcp add --transport http tallylight ${url}/mcp --header "Authorization: Bearer ${token}"`,
  "",
  "By signing in: the client opens a page of this server, where you paste the key once. The client never sees it:",
  ...indented(mcpServers(url)),
  "",
  `  claude mcp add --transport http tallylight ${url}/mcp`,
];

export const mcpConfigCommand: Command = {
  words: "mcp-config",
  summary: "prints the lines that make an MCP client know a server",
  flags: {
    "public-url": {
      value: "URL",
      summary: `the address that clients reach the server by; ${usualAddress} where left out`,
    },
    token: { value: "TOKEN", summary: "the key to put into the lines; a place for it where left out" },
  },
  run(args) {
    const { mcp_url: url = usualAddress } = addressesOf(args, "tallylight mcp-config --help");
    const token = args.text("token") ?? "tl_YOUR_KEY";
    return {
      document: { url: `${url}/mcp`, with_key: mcpServers(url, token), signing_in: mcpServers(url) },
      lines: configLines(url, token),
    };
  },
};
