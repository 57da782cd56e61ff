// Removes the uploads that have expired, and moves aside the files that belong to none.
import type { App } from "../../core/context.ts";
import { resumableOf } from "./state.ts";

export async function runTimer(app: App): Promise<void> {
  const { moved } = await app.store.write(resumableOf(app).sweep, { durable: false, concern: { reports: true } });
  app.tellMoved(moved);
}
