// Checks the Origin header, to prevent DNS rebinding. It is not compared with the Host header, which an attacker's page controls.
import type { Addresses } from "../../context.ts";
import { forbidden } from "../../errors.ts";
import { isLoopback } from "../../network.ts";

/** Throws 403 unless the header is absent, or is an origin on loopback or of one of the server's own public addresses. */
export function checkOrigin(origin: string | undefined, addresses: Addresses): void {
  if (origin === undefined) return;
  const page = URL.parse(origin);
  const own = Object.values(addresses).some((address: string) => URL.parse(address)?.origin === page?.origin);
  if (page === null || !/^https?:$/.test(page.protocol) || !(own || isLoopback(page.hostname)))
    throw forbidden("web pages of the origin in the Origin header may not call this server");
}
