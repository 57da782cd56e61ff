// Begins to deliver once the server listens. A copy delivers nothing, because its primary does.
import type { App } from "../../core/context.ts";
import { importLazily } from "../../core/network.ts";
import type { Serving } from "../../core/serving.ts";

/** When a server without webhooks begins to look for some, in milliseconds: what it looks with is not loaded while it starts. */
const laterStart = 1_000;

const hasWebhooks = ({ store }: App): boolean =>
  store.database.prepare("SELECT 1 FROM webhooks LIMIT 1").get() !== undefined;

export function start({ app, onListening }: Serving): void {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  app.onEnd(() => {
    ended = true;
    clearTimeout(timer);
  });
  const deliver = async (port: number): Promise<void> => {
    const { deliveriesOf } = await importLazily<typeof import("./state.ts")>("./state.ts", import.meta);
    if (!ended) deliveriesOf(app).start(port);
  };
  onListening((port) => {
    if (hasWebhooks(app)) return deliver(port);
    timer = setTimeout(() => void deliver(port), laterStart).unref();
  });
}
