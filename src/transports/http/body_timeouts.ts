// How fast a request's body must arrive, and how the rest of a refused body is read.
import type { IncomingMessage } from "node:http";
import { HttpError } from "../../errors.ts";
import { hasBody, type RequestContext } from "./request_context.ts";
import { sendProblem } from "./send.ts";

/** In milliseconds and bytes. */
export interface BodyTimeouts {
  /** Each window must bring `min` bytes of an upload. */
  window: number;
  min: number;
  /** Every other body must be complete by then. */
  complete: number;
}

export const defaultBodyTimeouts: BodyTimeouts = { window: 30_000, min: 32 * 1024, complete: 30_000 };

/** How much of a refused body is read on, so that the client can read the refusal. */
const drainLimit = 64 * 1024 * 1024;
const drainTime = 5_000;

/** Answers 408 to a body that arrives too slowly, and closes; whoever waits for the body sees it break off. */
export function watchBody(ctx: RequestContext, { window, min, complete }: BodyTimeouts): void {
  const { req, res } = ctx;
  if (!hasBody(req)) return;
  const upload = /^multipart\//i.test(req.headers["content-type"] ?? "");
  let before = req.socket.bytesRead;
  const refuse = (detail: string): void => {
    clearInterval(timer);
    if (req.complete || req.destroyed || res.headersSent) return;
    sendProblem(ctx, new HttpError(408, detail));
    res.once("close", () => req.destroy());
  };
  const timer = setInterval(
    () => {
      if (req.complete || req.destroyed) clearInterval(timer);
      else if (!upload) refuse(`the body did not arrive within ${complete / 1000} s`);
      else if (req.socket.bytesRead - before < min && !req.isPaused())
        refuse(`an upload must bring at least ${min} bytes every ${window / 1000} s`);
      before = req.socket.bytesRead;
    },
    upload ? window : complete,
  );
  res.once("close", () => clearInterval(timer));
}

/** Reads on what a refused client is still sending, within bounds, so that it can read the refusal. */
export function drain(req: IncomingMessage): void {
  if (req.complete || !hasBody(req) || req.destroyed) return;
  let bytes = 0;
  const end = setTimeout(() => req.destroy(), drainTime);
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainLimit) req.destroy();
  });
  req.once("close", () => clearTimeout(end));
  req.on("error", () => {});
  req.resume();
}
