// Signs messages as Standard Webhooks says (https://www.standardwebhooks.com, version 1, HMAC-SHA256).
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** A new secret: 256 random bits, as receivers store it. */
export const newSigningSecret = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

export interface Message {
  /** The same for every try. */
  id: string;
  /** In milliseconds. */
  time: number;
  body: string;
}

/** The three headers of a message, with a signature for each secret. */
export function signatureHeaders({ id, time, body }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
