// The schema of a list: keeps the first problems of its items and counts the others, so that a million wrong items need little memory.
import * as v from "valibot";

/** How many items are checked before their problems are counted, and how many problems of a list are kept. */
const [batch, maxIssues] = [100, 200];

/** The settings of one check. The number of problems that were not kept is stored by them. */
export type CheckConfig = v.Config<v.BaseIssue<unknown>>;
const dropped = new WeakMap<CheckConfig, number>();
/** How many problems a check with these settings did not keep. */
export const countDropped = (config: CheckConfig): number => dropped.get(config) ?? 0;

export function boundedList<const T extends v.GenericSchema>(item: T): v.ArraySchema<T, "must be a list"> {
  const schema = v.array(item, "must be a list");
  return {
    ...schema,
    "~run"(dataset, config) {
      const { value } = dataset;
      if (!Array.isArray(value)) return schema["~run"](dataset, config);
      const whole = { typed: true, value: [] as unknown[], issues: [] as v.BaseIssue<unknown>[] };
      for (let from = 0; from < value.length; from += batch) {
        const part = schema["~run"]({ value: value.slice(from, from + batch) }, config);
        whole.typed &&= part.typed;
        for (const one of part.value as unknown[]) whole.value.push(one);
        for (const issue of part.issues ?? [])
          if (whole.issues.length === maxIssues) dropped.set(config, countDropped(config) + 1);
          else {
            const [first] = issue.path ?? [];
            if (first !== undefined) Object.assign(first, { key: Number(first.key) + from }); // its index in the part
            whole.issues.push(issue);
          }
      }
      const { typed, issues } = whole;
      // The parts are checked by the schema itself, so together they are what it would return.
      return { typed, value: whole.value, ...(issues.length > 0 && { issues }) } as ReturnType<(typeof schema)["~run"]>;
    },
  };
}
