// Makes backups as the setting says, once the server listens.
import type { Serving } from "../../core/serving.ts";
import { keepBackedUp } from "./server_backups.ts";

export function start({ app, onListening }: Serving): void {
  onListening(() => {
    const end = keepBackedUp(app, app.notice);
    app.onEnd(end);
  });
}
