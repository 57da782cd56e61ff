// Reads GET /metrics with the token of a file, as Prometheus does.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";

export const metricsToken = "of-the-metrics-alone-0123456789abcdef";
const file = join(temporaryFolder(), "metrics.token");
writeFileSync(file, `${metricsToken}\n`, { mode: 0o600 });

/** What a server with metrics has in its environment. */
export const withMetrics = { TALLYLIGHT_METRICS: "true", TALLYLIGHT_METRICS_TOKEN_FILE: file };

export const askMetrics = ({ url }: { url: string }, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}`, ...headers } });
