// Refuses requests of web pages that are not of this server or machine.
import type { Addresses } from "../../core/context.ts";
import { forbidden } from "../../core/errors.ts";
import { isLoopback } from "../../core/http/request_head.ts";
import { cut } from "../../core/wording.ts";

/**
 * Throws 403 unless the Origin header is absent, or is an origin on loopback or of one of the server's own public
 * addresses, to prevent DNS rebinding. It is not compared with the Host header, which an attacker's page controls.
 * docs/network.md, "Web pages from other origins".
 */
export function checkOrigin(origin: string | undefined, addresses: Addresses): void {
  if (origin === undefined) return;
  const page = URL.parse(origin);
  const isOurs = Object.values(addresses).some((address: string) => URL.parse(address)?.origin === page?.origin);
  if (page === null || !/^https?:$/.test(page.protocol) || !(isOurs || isLoopback(page.hostname)))
    throw forbidden(
      `web pages of the Origin ${cut(origin)} may not call this server: only its own pages and pages of this machine may`,
    );
}
