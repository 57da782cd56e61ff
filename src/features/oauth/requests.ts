// Authorization requests while the person is on the consent page. A request is in the page's form, signed so that it
// cannot be changed. It is valid for ten minutes and for one sign-in. The signing key is random for each process.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KeyId } from "../../core/ids.ts";

/** A valid request and, after the person has signed in, their key. */
export interface AuthorizationRequest {
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  resource: string;
  state?: string | undefined;
  scope?: string | undefined;
  key_id?: KeyId | undefined;
}

export interface SealedRequest extends AuthorizationRequest {
  nonce: string;
  /** In milliseconds. */
  expires: number;
}

const lifetime = 600_000;

export function openRequests() {
  const secret = randomBytes(32);
  /** The nonces of used requests, with their expiry. */
  const used = new Map<string, number>();
  const signature = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
  const seal = (sealed: SealedRequest): string => {
    const text = Buffer.from(JSON.stringify(sealed)).toString("base64url");
    return `${text}.${signature(text)}`;
  };
  return {
    /** Signs a request and returns it as text for the page's hidden field. `now` is in milliseconds. */
    seal: (request: AuthorizationRequest, now: number): string =>
      seal({ ...request, nonce: randomBytes(16).toString("base64url"), expires: now + lifetime }),

    /** Signs the same request again, with the key that the person signed in with. */
    signIn: (request: SealedRequest, key_id: KeyId): string => seal({ ...request, key_id }),

    /**
     * Returns the request in a signed text, or undefined if the signature is wrong, or the request is expired or was
     * used.
     */
    open(text: string, now: number): SealedRequest | undefined {
      const [payload = "", given = ""] = text.split(".");
      const expected = Buffer.from(signature(payload));
      const received = Buffer.from(given);
      if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
      const request: SealedRequest = JSON.parse(Buffer.from(payload, "base64url").toString());
      return request.expires > now && !used.has(request.nonce) ? request : undefined;
    },

    /** Marks a request as used: it cannot be opened again. */
    markUsed({ nonce, expires }: SealedRequest, now: number): void {
      for (const [former, until] of used) if (until <= now) used.delete(former);
      used.set(nonce, expires);
    },
  };
}
