// tallylight openapi: prints the description.
import type { Command } from "../../core/command.ts";
import { addressesToPrint, publicUrlFlag } from "../addresses/printed_addresses.ts";

export const commands: readonly Command[] = [
  {
    words: "openapi",
    summary: "prints the OpenAPI 3.1 description",
    example: "tallylight openapi > openapi.json",
    flags: {
      "public-url": publicUrlFlag,
    },
    async run(args) {
      const { openapiText } = await import("./route.ts"); // loaded here, so that help does not load the transports
      process.stdout.write(await openapiText(addressesToPrint(args)));
      return undefined;
    },
  },
];
