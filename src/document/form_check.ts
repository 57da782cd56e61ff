// Checks a parsed document against a schema and reports every problem with its place. Uses no database and knows no rules between
// fields.
import type * as v from "valibot";
import { messageOf } from "../inputs.ts";
import { type CheckConfig, countDropped } from "./bounded_list.ts";
import { type Form, formOf } from "./form.ts";
import { checkKept } from "./json.ts";
import { placeOf, type Step } from "./places.ts";
import type { Problems } from "./problems.ts";

/** A field that any object of a document may have, and that is ignored. */
const comment = "$comment";

/** A function that reports every field that `schema` does not know, by its place. */
function unknownFields(schema: v.GenericSchema): (value: unknown, report: (steps: readonly Step[]) => void) => void {
  interface Known {
    fields?: Map<string, Known>;
    item?: Known;
  }
  const knownBy = ({ fields, item }: Form): Known => ({
    ...(fields && { fields: new Map(fields.map(({ key, form }) => [key, knownBy(form)])) }),
    ...(item && { item: knownBy(item) }),
  });
  const known = knownBy(formOf(schema));
  return (value, report) => {
    const steps: Step[] = [];
    const into = (step: Step, value: unknown, form: Known): void => {
      steps.push(step);
      walk(value, form);
      steps.pop();
    };
    const walk = (value: unknown, { fields, item }: Known): void => {
      if (item !== undefined && Array.isArray(value))
        for (let at = 0; at < value.length; at++) into(at, value[at], item);
      if (fields === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return;
      for (const key of Object.keys(value)) {
        const form = fields.get(key);
        if (form !== undefined) into(key, (value as Record<string, unknown>)[key], form);
        else if (key !== comment) report([...steps, key]);
      }
    };
    walk(value, known);
  };
}

/** The place of an issue within the value that a schema checked. */
export const placeOfIssue = ({ path = [] }: { path?: readonly { key: unknown }[] | undefined }): string =>
  placeOf(path.map(({ key }) => key as Step)); // documents are objects and lists

/**
 * Returns a function that adds the problems of a value to `problems`: values that JavaScript cannot keep, violations of `schema`, and
 * unknown fields. The function returns the value, which has the right type at each place without a problem.
 */
export function formCheck<S extends v.GenericSchema>(
  schema: S,
): (value: unknown, problems: Problems) => v.InferOutput<S> {
  const reportUnknown = unknownFields(schema);
  return (value, problems) => {
    checkKept(value, (place, sentence) => problems.add(place, sentence));
    const config: CheckConfig = { abortPipeEarly: true };
    const { value: output, issues = [] } = schema["~run"]({ value }, config);
    problems.addMore(countDropped(config));
    // A value that JavaScript cannot keep is already reported; the schema would only complain about its replacement.
    const addNew = (place: string, sentence: string) => {
      if (!problems.has(place)) problems.add(place, sentence);
    };
    for (const issue of issues) addNew(placeOfIssue(issue), messageOf(issue));
    reportUnknown(value, (steps) => addNew(placeOf(steps), "is not a known field"));
    return output as v.InferOutput<S>; // of this type where there is no problem
  };
}
