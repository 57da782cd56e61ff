// Secrets that are made here, such as the tokens of sessions.
import { randomBytes } from "node:crypto";

/** A random 256-bit secret with a prefix that identifies its type. */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`;
