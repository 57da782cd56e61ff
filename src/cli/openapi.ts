// tallylight openapi: prints the OpenAPI description, byte for byte as a server at the same address serves it.
import type { Command } from "./arguments.ts";
import { addressesOf, defaultAddress as url } from "./serve.ts";

const openapi: Command = {
  words: "openapi",
  summary: "prints the OpenAPI 3.1 description of the interface",
  flags: {
    "public-url": { value: "URL", summary: `the address that clients use; ${url} by default` },
  },
  async run(args) {
    const { openapiText } = await import("../transports/openapi.ts"); // loaded here, so that help does not load the transports
    const given = addressesOf(args, "tallylight openapi --help");
    process.stdout.write(openapiText({ base_url: url, mcp_url: url, media_url: url, auth_url: url, ...given }));
    return undefined;
  },
};

export const commands: readonly Command[] = [openapi];
