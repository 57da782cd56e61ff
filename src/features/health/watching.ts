// Looks at the conditions of a server, and records an event in every production when one turns bad or is right again.
import type { App } from "../../core/context.ts";
import type { Condition } from "../../core/feature.ts";
import type { ProductionId } from "../../core/ids.ts";
import { recordEvent } from "../../core/store/events.ts";
import { change, many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { listProductions } from "../../graph/find_production.ts";
import { conditionsOf } from "./conditions.ts";

const badConditions = many<object, { name: string }>("list_bad_conditions");
const keepBad = change("put_bad_condition");
const forgetBad = change("delete_bad_condition");

function recordChange(store: Store, { name, problem, summary }: Condition, now: string): void {
  const data = { condition: name, ok: problem === undefined, reason: problem === undefined ? null : summary };
  for (const { id } of listProductions(store))
    recordEvent(
      store,
      {
        production_id: id as ProductionId, // it is that of a row of productions
        type: "health.changed",
        subject: { kind: "production", id },
        actor: "tallylight",
        activity_id: null,
        data,
      },
      now,
    );
}

/** Compares the conditions with what was recorded before, also by a former run of the server. */
export async function runTimer(app: App): Promise<void> {
  const conditions = (await conditionsOf(app))();
  const { store } = app;
  const bad = new Set(badConditions(store, {}).map(({ name }) => name));
  const changed = conditions.filter(({ name, problem }) => (problem !== undefined) !== bad.has(name));
  if (changed.length === 0) return;
  const now = new Date(app.clock()).toISOString();
  await store.write(() => {
    for (const condition of changed) {
      const { name, problem } = condition;
      if (problem === undefined) forgetBad(store, { name });
      else keepBad(store, { name, now });
      recordChange(store, condition, now);
    }
  });
  for (const { name, problem } of changed)
    app.notice(problem === undefined ? `${name} is right again` : `warning: ${problem}`);
}
