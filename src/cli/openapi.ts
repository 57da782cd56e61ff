// tallylight openapi: the description as a server at the same address serves it, byte for byte, with no server running.
import type { Command } from "./arguments.ts";
import { addressesOf, usualAddress as usual } from "./serve.ts";

export const openapiCommand: Command = {
  words: "openapi",
  summary: "prints the OpenAPI 3.1 description of the interface",
  flags: {
    "public-url": { value: "URL", summary: `the address that clients reach the server by; ${usual} where left out` },
  },
  async run(args) {
    const { openapiText } = await import("../transports/openapi.ts"); // here alone: no other command waits for the doors to load
    const at = addressesOf(args, "tallylight openapi --help");
    process.stdout.write(openapiText({ base_url: usual, mcp_url: usual, media_url: usual, auth_url: usual, ...at }));
    return undefined;
  },
};
