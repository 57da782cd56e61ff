// Secrets that are made here, such as the tokens of sessions, and when they end.
import { randomBytes } from "node:crypto";

/** A random 256-bit secret with a prefix that identifies its type. */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`;

/** The time `milliseconds` after `now`, in the format of stored timestamps. */
export const timeAfter = (now: string, milliseconds: number): string =>
  new Date(Date.parse(now) + milliseconds).toISOString();
