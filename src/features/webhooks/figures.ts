// The figures of the webhooks, for GET /metrics.
import type { App } from "../../core/context.ts";
import { type Figure, figureOf } from "../../core/feature.ts";

const help = "The age in seconds of the oldest event that is not yet delivered to a webhook.";

/** Each look-up is the end of an index, whatever the size of the tables. Webhooks that are paused do not count. */
export function openFigures({ store }: App): () => Figure[] {
  const oldestDue = store.database
    .prepare<[], string | null>(
      `SELECT min(e.created_at) FROM webhooks w JOIN events e ON e.id =
         (SELECT min(id) FROM events WHERE production_id = w.production_id AND id > w.position)
       WHERE w.paused_at IS NULL`,
    )
    .pluck();
  return () => {
    const due = oldestDue.get() ?? null;
    const lag = due === null ? 0 : Math.max(0, (Date.now() - Date.parse(due)) / 1000);
    return [figureOf("gauge", "webhook_lag_seconds", help, lag)];
  };
}
