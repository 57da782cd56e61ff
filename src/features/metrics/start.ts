// Counts the requests of a server, if the setting is on, and reads the figures of the other features.

import type { App } from "../../core/context.ts";
import { features, loadFile } from "../../core/features.ts";
import type { Serving } from "../../core/serving.ts";
import { type FigureSource, metricsOf } from "./request_metrics.ts";
import { openServerMetrics } from "./server_metrics.ts";

interface FiguresFile {
  openFigures(app: App): FigureSource | Promise<FigureSource>;
}

export async function start({ app, connections, onRequest }: Serving): Promise<void> {
  const metrics = metricsOf(app);
  metrics.add(openServerMetrics(app, connections));
  for (const feature of features()) {
    if (feature.figures === undefined) continue;
    const file = await loadFile<FiguresFile>(feature, feature.figures);
    metrics.add(await file.openFigures(app));
  }
  onRequest((request) => metrics.request(request));
}
