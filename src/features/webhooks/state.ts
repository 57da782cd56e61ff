// What the webhooks keep for an open application: the deliveries.
import { stateOf } from "../../core/features.ts";
import type { Serving } from "../../core/serving.ts";
import { feedOf } from "../events/state.ts";
import { Deliveries } from "./deliveries.ts";

declare module "../../core/features.ts" {
  interface FeatureOptions {
    /** The time of one delivery to a webhook in milliseconds; 15 seconds by default. */
    webhookTimeout?: number;
  }
}

/** The deliveries of an application. */
export const deliveriesOf = stateOf((app) => {
  const { store, clock, config, options } = app;
  const deliveries = new Deliveries(store, feedOf(app), { clock, config, timeout: options.webhookTimeout });
  app.onEnd(() => deliveries.end());
  return deliveries;
});

/** Begins to deliver once the server listens. */
export const start = ({ app, onListening }: Serving): void => onListening((port) => deliveriesOf(app).start(port));
