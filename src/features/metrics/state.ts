// What the metrics keep for an open application.
import { stateOf } from "../../core/state.ts";
import { Metrics } from "./metrics.ts";

export const metricsOf = stateOf(() => new Metrics());
