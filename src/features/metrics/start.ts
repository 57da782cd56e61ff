// Counts the requests of a server, if the setting is on, and reads the figures of the other features.
import { features } from "../../core/features.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { mediaPath } from "../../core/http/request_head.ts";
import type { Serving } from "../../core/serving.ts";
import { metricsToken } from "./metrics_token.ts";
import { type FinishedRequest, metricsOf } from "./request_metrics.ts";
import { openServerMetrics } from "./server_metrics.ts";

/** What is counted of a request. */
function finishedRequest(ctx: RequestContext, milliseconds: number, cached: boolean): FinishedRequest {
  const { res, operation, path, credentials, sent: bytes } = ctx;
  const status = res.headersSent ? res.statusCode : 0;
  const refused = status === 401 && (credentials.authorization !== undefined || path.startsWith(mediaPath));
  return { operation, status, milliseconds, bytes, cached, refused };
}

export async function start({ app, connections, onRequest }: Serving): Promise<void> {
  metricsToken(app); // so that a server whose token cannot be read does not start
  const metrics = metricsOf(app);
  metrics.add(openServerMetrics(app, connections));
  for (const { figures } of features())
    if (figures !== undefined) metrics.add(await (await figures()).openFigures(app));
  onRequest((request, milliseconds, cached) => metrics.request(finishedRequest(request, milliseconds, cached)));
}
