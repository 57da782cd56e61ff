// What an event tells of the changed fields of a thing.

/** A field of something that was changed. */
interface FieldChange {
  from?: unknown;
  to?: unknown;
}

/** In characters of JSON. */
const maxValue = 1_000;
const isShort = (value: unknown): boolean => (JSON.stringify(value)?.length ?? 0) <= maxValue;

/**
 * The fields of an import's plan as an event has them: a change with a value of more than 1,000 characters is an empty
 * object, so that events stay small. Readers read such a value from the resource.
 */
export const eventFields = (fields: Readonly<Record<string, FieldChange>>): Record<string, FieldChange> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isShort(field.from) && isShort(field.to) ? field : {}]),
  );
