// The addresses that commands print.
import type { ParsedArgs } from "../../core/command.ts";
import type { Addresses } from "../../core/context.ts";
import { addressesOf } from "../../core/serve_command.ts";
import { oneAddress, serverAddressesOf } from "../../core/store/directory_records.ts";

/** The address of a server that was started without flags. */
const defaultAddress = "http://127.0.0.1:8787";

/**
 * The address that --public-url names, otherwise that of the running server, otherwise that of a server without flags.
 */
export const addressesToPrint = (args: ParsedArgs): Addresses => ({
  ...oneAddress(defaultAddress),
  ...serverAddressesOf(args.data),
  ...addressesOf(args),
});

/** The flag of a command that prints addresses. */
export const publicUrlFlag = {
  value: "URL",
  summary: `the address that clients use; that of the running server by default, otherwise ${defaultAddress}`,
} as const;
