// Ends requests whose body arrives too slowly, and reads the rest of a refused body within limits.
import type { IncomingMessage } from "node:http";
import { HttpError } from "../errors.ts";
import { hasBody, type RequestContext } from "./request_context.ts";
import { sendProblem } from "./send.ts";

/** The content types of uploads: forms, and parts of resumable uploads. */
const uploadTypes = /^(?:multipart\/|application\/offset\+octet-stream)/i;

/** In milliseconds and bytes. */
export interface BodyTimeouts {
  /** At least `min` bytes of an upload must arrive in each window. */
  window: number;
  min: number;
  /** Every other body must be complete after this time. */
  complete: number;
}

export const defaultBodyTimeouts: BodyTimeouts = { window: 30_000, min: 32 * 1024, complete: 30_000 };

/** How many bytes of a refused body are read and for how long, so that the client gets the response. */
const drainLimit = 64 * 1024 * 1024;
const drainTime = 5_000;

/** Responds 408 if the body arrives too slowly, and closes the connection; a reader of the body then gets a close event. */
export function watchBody(ctx: RequestContext, { window, min, complete }: BodyTimeouts): void {
  const { req, res } = ctx;
  if (!hasBody(req)) return;
  const upload = uploadTypes.test(req.headers["content-type"] ?? "");
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
      else if (req.socket.bytesRead - before < min && req.readableLength === 0)
        refuse(`at least ${min} bytes of an upload must arrive every ${window / 1000} s`);
      before = req.socket.bytesRead;
    },
    upload ? window : complete,
  );
  res.once("close", () => clearInterval(timer));
}

/** Reads the rest of a refused body, within limits: a client that is still sending would not read the response otherwise. */
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
