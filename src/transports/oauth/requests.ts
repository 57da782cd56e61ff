// Authorization requests on their way through the consent page: signed, so that what comes back is what was asked, bound to
// its parameters, good for ten minutes and for one answer. The signing key lives as long as the process.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A request that was found good, and the key that the person signed in with once they did. */
export interface AuthorizationRequest {
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  resource: string;
  state?: string | undefined;
  scope?: string | undefined;
  key_id?: number | undefined;
}

interface Sealed extends AuthorizationRequest {
  nonce: string;
  /** In milliseconds. */
  expires: number;
}

const lifetime = 600_000;

export function openRequests() {
  const secret = randomBytes(32);
  const answered = new Map<string, number>();
  const signature = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
  const seal = (sealed: Sealed): string => {
    const text = Buffer.from(JSON.stringify(sealed)).toString("base64url");
    return `${text}.${signature(text)}`;
  };
  return {
    /** The request as text for the page's hidden field; `now` in milliseconds. */
    seal: (request: AuthorizationRequest, now: number): string =>
      seal({ ...request, nonce: randomBytes(16).toString("base64url"), expires: now + lifetime }),

    /** The same request with the key that the person signed in with. */
    signIn: (request: Sealed, key_id: number): string => seal({ ...request, key_id }),

    /** What was sealed; undefined where it was not, is too old, or was answered before. */
    open(text: string, now: number): Sealed | undefined {
      const [payload = "", given = ""] = text.split(".");
      const expected = signature(payload);
      if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
        return undefined;
      const request: Sealed = JSON.parse(Buffer.from(payload, "base64url").toString());
      return request.expires > now && !answered.has(request.nonce) ? request : undefined;
    },

    /** Notes that a request was answered: it opens no more. */
    answer({ nonce, expires }: Sealed, now: number): void {
      for (const [former, until] of answered) if (until <= now) answered.delete(former);
      answered.set(nonce, expires);
    },
  };
}

export type Requests = ReturnType<typeof openRequests>;
export type OpenRequest = Sealed;
