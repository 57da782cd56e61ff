// Requests whose client sends the body only once the server has asked for it, with 100 Continue (RFC 9110 section 10.1.1).
import type { IncomingMessage, ServerResponse } from "node:http";

const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();
const asked = new WeakSet<IncomingMessage>();

/** Records that the client waits for 100 Continue. The server sends it only when it reads the body, so no refused body is sent. */
export const deferContinue = (req: IncomingMessage, res: ServerResponse): void => void awaitingContinue.set(req, res);

/** Sends 100 Continue if the client waits for it. */
export function sendContinue(req: IncomingMessage): void {
  const res = awaitingContinue.get(req);
  if (res === undefined || asked.has(req)) return;
  asked.add(req);
  res.writeContinue();
}

/** Whether the client may or may not send its body, because it waits to be asked for it. */
export const mayLackBody = (req: IncomingMessage): boolean =>
  !req.complete && req.headers.expect !== undefined && !asked.has(req);
