// Begins to deliver once the server listens. A copy delivers nothing, because its primary does.
import type { Serving } from "../../core/server.ts";
import { deliveriesOf } from "./state.ts";

export const start = ({ app, onListening }: Serving): void => onListening((port) => deliveriesOf(app).start(port));
