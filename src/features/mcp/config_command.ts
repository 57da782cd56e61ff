// tallylight mcp-config: what connects an MCP client to a server.
import type { Command } from "../../core/command.ts";
import { UsageError } from "../../core/errors.ts";
import { mcpPaths, toolsQuery } from "../addresses/paths.ts";
import { addressesToPrint, publicUrlFlag } from "../addresses/printed_addresses.ts";

/** The configuration that most clients read. Without a token, the client signs in. */
const mcpServers = (url: string, token?: string) => ({
  mcpServers: { tallylight: entryOf(url, token) },
});

const entryOf = (url: string, token: string | undefined) => ({
  type: "http",
  url,
  ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
});

/** Returns the lines of a JSON document, each indented by two spaces. */
const indented = (document: object): string[] =>
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
  `  claude mcp add --transport http tallylight "${url}" --header "Authorization: Bearer ${token}"`,
  "",
  "Without a key: the client opens the server's sign-in page, where you paste a key once. The client never sees the key:",
  ...indented(mcpServers(url)),
  "",
  `  claude mcp add --transport http tallylight "${url}"`,
];

export const commands: readonly Command[] = [
  {
    words: "mcp-config",
    summary: "prints what connects an MCP client",
    details:
      "The address is that of the server that runs on the data directory. It offers the tools for an assistant: the fifteen, search, usage, the day, the cast, rows by id and stills.",
    example: "tallylight mcp-config --token tl_YOUR_KEY",
    flags: {
      "public-url": publicUrlFlag,
      token: { value: "TOKEN", summary: "the key for the configuration; a placeholder by default" },
      all: { summary: "the address that offers every tool" },
      plain: { summary: "the address that offers the fifteen tools of the specification" },
    },
    run(args) {
      if (args.has("all") && args.has("plain")) throw new UsageError("give either --all or --plain");
      const set = args.has("all") ? "all" : args.has("plain") ? undefined : "assistant";
      const url = `${addressesToPrint(args).mcp_url}${mcpPaths[0]}${toolsQuery(set)}`;
      const token = args.text("token") ?? "tl_YOUR_KEY";
      return {
        document: { url, with_key: mcpServers(url, token), signing_in: mcpServers(url) },
        lines: configLines(url, token),
      };
    },
  },
];
