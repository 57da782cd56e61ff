// The token that opens GET /metrics and nothing else: of the file that the setting `metrics_token_file` names.
import { timingSafeEqual } from "node:crypto";
import { dirname } from "node:path";
import { tokenHash } from "../../core/access/callers.ts";
import type { App } from "../../core/context.ts";
import { stateOf } from "../../core/features.ts";
import { secretIn } from "../../core/secret_file.ts";

/** The hash of the token, read once. Throws CliError if its file cannot be used. */
export const metricsToken = stateOf(({ config: { metrics_token_file }, store }: App) => ({
  sha256: metrics_token_file === undefined ? undefined : tokenHash(secretIn(dirname(store.file), metrics_token_file)),
}));

/** Whether an Authorization header has the token. */
export function hasMetricsToken(app: App, authorization = ""): boolean {
  const { sha256 } = metricsToken(app);
  const given = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (sha256 === undefined || given === undefined) return false;
  return timingSafeEqual(Buffer.from(sha256), Buffer.from(tokenHash(given)));
}
