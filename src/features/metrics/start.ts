// Counts the requests of a server, if the setting is on.
import type { Serving } from "../../core/server.ts";
import { openServerFigures } from "./server_figures.ts";
import { metricsOf } from "./state.ts";

export function start({ app, connections, onRequest }: Serving): void {
  const metrics = metricsOf(app);
  metrics.add(openServerFigures(app, connections));
  onRequest((request) => metrics.request(request));
}
