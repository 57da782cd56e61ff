// The figures of those who follow the log, for GET /metrics.
import type { App } from "../../core/context.ts";
import { type Figure, figureOf } from "../../core/feature.ts";
import { feedOf } from "./state.ts";

export function openFigures(app: App): () => Figure[] {
  const feed = feedOf(app);
  return () => [figureOf("gauge", "event_readers", "Event streams and waiting polls that are open.", feed.readers)];
}
