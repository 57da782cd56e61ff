// Makes backups as the setting says, once the server listens.
import type { Serving } from "../../core/server.ts";
import { keepBackedUp } from "./scheduled_backups.ts";

export function start({ app, onListening }: Serving): void {
  onListening(() => app.onEnd(keepBackedUp(app)));
}
