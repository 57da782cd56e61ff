// GET /metrics: text of Prometheus, or OpenMetrics if the reader asks for it, for the machine itself, or for a key with the scope `admin`. Only if the setting `metrics` is on.
import { forbidden } from "../../core/errors.ts";
import { checkMethod, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import { clientNetworkOf, isLoopback } from "../../core/http/request_head.ts";
import { sendBody } from "../../core/http/send.ts";
import { openContext } from "../../core/pipeline.ts";
import type { Opening } from "../../core/transports.ts";
import { metricsOf, metricsTypes } from "./request_metrics.ts";

/**
 * Whether a program on this machine asks, and not a proxy for someone else, nor a web page: a browser sends the name of its page's
 * host in Host, so that a name which an attacker lets point to loopback is not accepted.
 */
function isLocal({ req, app }: RequestContext): boolean {
  const { headers, socket } = req;
  const host = URL.parse(`http://${headers.host ?? ""}`)?.hostname ?? "";
  if (headers.origin !== undefined || !isLoopback(host)) return false;
  const forwarded = headers["x-forwarded-for"] ?? headers.forwarded;
  if (forwarded !== undefined && !app.config.trust_proxy) return false;
  const isPeerLocal = isLoopback((socket.remoteAddress ?? "").replace(/^::ffff:/, ""));
  return isPeerLocal && (forwarded === undefined || isLoopback(clientNetworkOf(req, true)));
}

export function openTransport({ app }: Opening): Transport {
  const metrics = metricsOf(app);
  return {
    answer(ctx) {
      ctx.operation = "metrics";
      checkMethod(ctx, ["GET", "HEAD"]);
      if (ctx.credentials.authorization !== undefined || !isLocal(ctx)) {
        const scopes: readonly string[] = openContext(ctx.app, ctx.credentials).caller.scopes;
        if (!scopes.includes("admin")) throw forbidden("key does not have the `admin` scope");
      }
      const format = (ctx.req.headers.accept ?? "").includes("application/openmetrics-text")
        ? "openMetrics"
        : "prometheus";
      const headers = { "content-type": metricsTypes[format], vary: "accept", "cache-control": "no-store" };
      sendBody(ctx, 200, Buffer.from(metrics.text(format)), headers);
    },
  };
}
