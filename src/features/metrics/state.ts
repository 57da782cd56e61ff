// What the metrics keep for an open application.
import { stateOf } from "../../core/feature_state.ts";
import { Metrics } from "./request_metrics.ts";

export const metricsOf = stateOf(() => new Metrics());
