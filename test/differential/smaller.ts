// Finds the smallest steps that still show a difference: leaves out steps before it, then parts of what it imports.
import type { Json } from "../support/update.ts";
import type { Step } from "./steps.ts";

type Shows = (steps: readonly Step[]) => Promise<boolean>;

/** Leaves out parts of a list, half of it first, as long as `shows` holds for what is left. */
async function fewer<T>(list: readonly T[], shows: (list: readonly T[]) => Promise<boolean>): Promise<readonly T[]> {
  let kept = list;
  for (let size = Math.ceil(kept.length / 2); size >= 1 && kept.length > 0; ) {
    let isSmaller = false;
    for (let from = 0; from < kept.length; ) {
      const less = kept.toSpliced(from, size);
      if (await shows(less)) {
        kept = less;
        isSmaller = true;
      } else from += size;
    }
    if (size === 1 && !isSmaller) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return kept;
}

/** A value with less in it: lists have fewer items, and things fewer fields. */
async function lessOf(value: Json, shows: (value: Json) => Promise<boolean>, depth = 0): Promise<Json> {
  if (typeof value !== "object" || value === null || depth > 3) return value;
  if (Array.isArray(value)) {
    const kept = [...(await fewer(value, (list) => shows([...list])))];
    for (const [at, one] of kept.entries())
      kept[at] = await lessOf(one, (less) => shows(kept.with(at, less)), depth + 1);
    return kept;
  }
  const entries = await fewer(Object.entries(value), (list) => shows(Object.fromEntries(list)));
  const kept: Json = Object.fromEntries(entries);
  for (const [name, one] of entries)
    kept[name] = await lessOf(one, (less) => shows({ ...kept, [name]: less }), depth + 1);
  return kept;
}

async function smallerStep(step: Step, shows: (step: Step) => Promise<boolean>): Promise<Step> {
  if (step.do === "form") {
    const fields = await fewer(Object.entries(step.fields), (list) =>
      shows({ ...step, fields: Object.fromEntries(list) }),
    );
    return { ...step, fields: Object.fromEntries(fields) };
  }
  if (step.do !== "import") return step;
  const files = await fewer(step.files, async (list) => list.length > 0 && (await shows({ ...step, files: list })));
  let kept: Step & { do: "import" } = { ...step, files };
  for (const [at, { name, text }] of files.entries()) {
    const withText = (less: string) => ({ ...kept, files: kept.files.with(at, { name, text: less }) });
    if (name.endsWith(".json")) {
      const less = await lessOf(JSON.parse(text), (value) => shows(withText(JSON.stringify(value))));
      kept = withText(JSON.stringify(less));
    } else {
      const lines = await fewer(text.split("\n"), (list) => shows(withText(list.join("\n"))));
      kept = withText(lines.join("\n"));
    }
  }
  return kept;
}

/**
 * The fewest and smallest steps that still show it, as far as they are found before `deadline`, in milliseconds of
 * `performance`.
 */
export async function smallest(steps: readonly Step[], shows: Shows, deadline: number): Promise<readonly Step[]> {
  const inTime: Shows = async (list) => performance.now() < deadline && (await shows(list));
  const last = steps.at(-1) as Step; // there is one with a difference
  const former = await fewer(steps.slice(0, -1), (list) => inTime([...list, last]));
  const step = await smallerStep(last, (less) => inTime([...former, less]));
  return [...former, step];
}
