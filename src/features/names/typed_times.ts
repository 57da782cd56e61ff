// Reads times of day as people type them.
import { withPartLengths } from "./page_lengths.ts";

const clockTime = /^(\d{1,2})(?:\s*(?:[:.h]\s*)?(\d\d)(?::\d\d)?)?(?:\s*(?:([ap])(?:\.?\s*m)?\.?|(hrs?|h|uhr)))?$/i;

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/**
 * "7:00 AM", "0700", "7.00", "7h" and "7 Uhr" as 07:00; undefined for any other text, also for 0.25, which spreadsheets
 * write for 6:00.
 */
export function clockTimeOf(text: string): string | undefined {
  const bare = text.normalize("NFKC").trim();
  const found = bare.startsWith("0.") ? null : clockTime.exec(bare);
  const [, hourText, minuteText, half, unit] = found ?? [];
  if (hourText === undefined || (minuteText ?? half ?? unit) === undefined) return undefined;
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const minute = Number(minuteText ?? 0);
  if (hour > 23 || minute > 59) return undefined;
  return `${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** The time that a field of times has, where a number alone is an hour of 24: "7" is 07:00. */
export const typedTime = (text: string): string | undefined =>
  clockTimeOf(/^\s*\d{1,2}\s*$/u.test(text.normalize("NFKC")) ? `${text.trim()}h` : text);

/** The times of a call, in their order on a call sheet where `time` is the call itself. */
export const callTimeFields = ["time", "pickup", "makeup", "costume", "on_set"] as const;

const timeFields = ["general_call", "wrap"] as const;

/** The fields of a thing that are texts, with times as they are stored. */
const storedTimes = (thing: object, fields: readonly string[]) =>
  Object.fromEntries(
    Object.entries(thing).flatMap(([field, value]) =>
      fields.includes(field) && typeof value === "string" ? [[field, typedTime(value) ?? value]] : [],
    ),
  );

/** The calls of a day with times as they are stored; what is no time stays as it was typed. */
function withCallTimes(calls: unknown): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown) =>
    typeof call === "object" && call !== null ? { ...call, ...storedTimes(call, callTimeFields) } : call,
  );
}

/** A partial document whose shoot days have times and lengths as people type them, with those that are stored. */
export function withTypedTimes<D extends Readonly<Record<string, unknown>>>(document: D): D {
  const { schedule } = document;
  if (!Array.isArray(schedule)) return document;
  const days = schedule.map((day: Record<string, unknown>) => ({
    ...day,
    ...storedTimes(day, timeFields),
    ...("calls" in day && { calls: withCallTimes(day.calls) }),
    ...("parts" in day && { parts: withPartLengths(day.parts) }),
  }));
  return { ...document, schedule: days };
}
