// Removes the uploads that have expired, and moves aside the files that belong to none: when a server starts, and from time to time.
import type { App } from "../../core/context.ts";
import { isDamage } from "../../core/errors.ts";
import type { Serving } from "../../core/serving.ts";
import { resumableOf } from "./state.ts";

export async function runTimer(app: App): Promise<void> {
  const { moved } = await app.store.write(resumableOf(app).sweep, { durable: false, concern: { reports: true } });
  app.tellMoved(moved);
}

export async function start({ app }: Serving): Promise<void> {
  try {
    await runTimer(app);
  } catch (error) {
    if (isDamage(error)) throw error; // with a full disk the server can still serve reads; the next sweep does what this one did not
  }
}
