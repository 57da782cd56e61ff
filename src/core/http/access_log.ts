// The access log: one line of JSON for each request. A line never contains a token, a ticket, a query or a body.
// docs/operating.md, "Start and stop".
import { randomBytes } from "node:crypto";
import { codeOf } from "../errors.ts";
import { clientOf } from "./client.ts";
import type { RequestContext } from "./request_context.ts";

/** Writes one or several whole lines. */
export type WriteLine = (lines: string) => void;

/** The open log: the caller must close it, which writes the last lines. */
export type AccessLog = ReturnType<typeof openAccessLog>;

/** Lines are written after so many milliseconds, or when there are so many of them. */
const flushAfter = 100;
const flushAt = 500;

/**
 * Returns names that are unique among those of all runs, 512 of which are drawn at once. They are random: a number
 * would tell a client how much others ask.
 */
function randomNames(): () => string {
  let names: string[] = [];
  return () => {
    if (names.length === 0) names = randomBytes(4096).toString("hex").match(/.{16}/g) ?? [];
    return names.pop() ?? "";
  };
}

/** What streams report when the client has left: nothing that anybody mends. */
const departures = /^(?:ERR_STREAM_(?:PREMATURE_CLOSE|UNABLE_TO_PIPE|DESTROYED)|ECONNRESET|EPIPE)$/;

/** Collects lines and writes them together, at most a tenth of a second after the request. */
export function openAccessLog(write: WriteLine = (lines) => void process.stderr.write(lines)) {
  let text = "";
  let lines = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timestamp = { milliseconds: Number.NaN, text: "" };
  /** The time of a line as text. Reuses the last text, because many requests end within one millisecond. */
  const timeOf = (milliseconds: number): string => {
    if (milliseconds !== timestamp.milliseconds)
      timestamp = { milliseconds, text: new Date(milliseconds).toISOString() };
    return timestamp.text;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines === 0) return;
    const collected = text;
    text = "";
    lines = 0;
    try {
      write(collected);
    } catch {
      // If the disk is full, these lines are lost and the server keeps serving.
    }
  };
  return {
    /** The name of the next request. */
    nextRequest: randomNames(),
    /** Adds the line of a request. `milliseconds`: from the request's head to the end of the response. */
    request(ctx: RequestContext, milliseconds: number): void {
      const { app, req, res, request_name, path, credentials, operation, error: problem, sent } = ctx;
      const isOurs = problem instanceof Error && !(res.destroyed && departures.test(codeOf(problem)));
      const error = isOurs ? `,"error":${JSON.stringify(problem.stack)}` : "";
      const client = app.config.log_addresses ? `"client":"${clientOf(ctx).address}",` : "";
      text +=
        `{"time":"${timeOf(app.clock())}","request":"${request_name}","key":${credentials.key_id ?? null},${client}"method":"${req.method}",` +
        `"operation":${operation === undefined ? JSON.stringify(path.slice(0, 200).replace(/tlo?_[\w-]+/g, "tl_…")) : `"${operation}"`},` +
        `"status":${res.headersSent ? res.statusCode : 0},"ms":${milliseconds.toFixed(2)},"bytes":${sent}${error}}\n`;
      if (++lines >= flushAt) flush();
      else timer ??= setTimeout(flush, flushAfter);
    },
    close: flush,
  };
}
