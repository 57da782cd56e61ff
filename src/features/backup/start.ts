// Makes backups as the setting says, once the server listens.
import type { Serving } from "../../core/server.ts";
import { keepBackedUp } from "./schedule.ts";

export function start({ app, onListening }: Serving): void {
  onListening(() => {
    const end = keepBackedUp(app, app.notice);
    app.onEnd(end);
  });
}
