// What the access log says of a request that ended with an error.
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openAccessLog } from "../../src/core/http/access_log.ts";
import type { RequestContext } from "../../src/core/http/request_context.ts";

/** The line of a request that ended with an error, after its client left or not. */
function lineOf(error: unknown, hasLeft: boolean): string {
  const lines: string[] = [];
  const log = openAccessLog((text) => void lines.push(text));
  const ctx = {
    app: { config: { log_addresses: false }, clock: () => 0 },
    req: { method: "GET" },
    res: { destroyed: hasLeft, headersSent: true, statusCode: 200 },
    request_name: "one",
    path: "/files/1",
    credentials: {},
    sent: 0,
    error,
  };
  log.request(ctx as RequestContext, 1); // the log reads no more of it
  log.close();
  return lines.join("");
}

const access = suite("the access log");

access("has no error of a client that left, and every other one", async () => {
  const gone = new Writable({ write: () => gone.destroy() });
  const left: unknown = await pipeline(Readable.from(["bytes"]), gone).catch((error: unknown) => error);
  assert.instance(left, Error);
  assert.not.match(lineOf(left, true), /"error"/);
  assert.match(lineOf(left, false), /"error"/, "its connection is there");
  assert.match(lineOf(Object.assign(new Error("disk"), { code: "EIO" }), true), /"error":"Error: disk/);
});

access.run();
