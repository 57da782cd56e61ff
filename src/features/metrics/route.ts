// GET /metrics: text of Prometheus, or OpenMetrics if the reader asks for it, for the token of the metrics, or for a
// key with the scope `admin`. Only if the setting `metrics` is on.
import { forbidden } from "../../core/errors.ts";
import type { Opening } from "../../core/feature.ts";
import { checkMethod, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import { sendBody } from "../../core/http/send.ts";
import { openContext } from "../../core/pipeline.ts";
import { hasMetricsToken } from "./metrics_token.ts";
import { metricsOf, metricsTypes } from "./request_metrics.ts";

/**
 * Throws 401 and 403 unless the request may read the metrics. Its address proves nothing: behind a proxy everybody
 * comes from a loopback one.
 */
function checkReader({ app, credentials }: RequestContext): void {
  if (hasMetricsToken(app, credentials.authorization)) return;
  const scopes: readonly string[] = openContext(app, credentials).caller.scopes;
  if (!scopes.includes("admin")) throw forbidden("key does not have the `admin` scope");
}

export function openTransport({ app }: Opening): Transport {
  const metrics = metricsOf(app);
  return {
    answer(ctx) {
      ctx.operation = "metrics";
      checkMethod(ctx, ["GET", "HEAD"]);
      checkReader(ctx);
      const format = (ctx.req.headers.accept ?? "").includes("application/openmetrics-text")
        ? "openMetrics"
        : "prometheus";
      const headers = { "content-type": metricsTypes[format], vary: "accept", "cache-control": "no-store" };
      sendBody(ctx, 200, Buffer.from(metrics.text(format)), headers);
    },
  };
}
