// Removes the former tokens of rotated keys that have ended.
import type { App } from "../../core/context.ts";
import { change } from "../../core/store/statements.ts";
import { timestampOf } from "../../core/times.ts";

const endFormerTokens = change("end_former_tokens");

export async function runTimer(app: App): Promise<void> {
  await app.store.write(() => endFormerTokens(app.store, { now: timestampOf(app) }));
}
