// Tells the open page of a vendor that something within its reach has changed, and nothing else: the manifest says so.
import type { Context } from "../../context.ts";
import { isAllowed } from "../../operations/events.ts";
import { getManifest } from "../../operations/manifest.ts";
import { etagOf, type Operation } from "../../operations/operation.ts";
import { listSubmissions, listTurnovers } from "../../operations/turnovers.ts";
import { authorize, perform, validate } from "../../pipeline.ts";
import { disableIdleTimeout } from "../http/connections.ts";
import { streamHeaders } from "../http/event_stream.ts";
import type { RequestContext } from "../http/request_context.ts";

/** How often the manifest is made at most, in milliseconds. */
const checkInterval = 3_000;
/** How often it is made although nothing was committed, because grants also expire. */
const expiryInterval = 60_000;

/** How many submissions of a turnover are looked at: those that its page shows. */
const submissionsSeen = 20;

/** What the vendor's pages show, as one tag. */
async function tagOf(context: Context): Promise<string> {
  const textOf = async (row: Operation, given: object): Promise<string> => {
    authorize(context, row);
    const result = await perform(context, row, validate(row.input, given));
    return "text" in result ? result.text : "";
  };
  const [manifest, turnovers] = [await textOf(getManifest, {}), await textOf(listTurnovers, {})];
  const texts = [manifest];
  for (const { id } of JSON.parse(turnovers) as { id: number }[]) // safe: the rows of turnovers have an id
    texts.push(await textOf(listSubmissions, { delivery_id: id, limit: submissionsSeen }));
  return etagOf(texts.join("\n"));
}

/** Streams to a vendor until the client disconnects, the server stops or the session ends. `quiet` is in milliseconds. */
export async function streamReach(ctx: RequestContext, context: Context, quiet: number): Promise<void> {
  const { req, res } = ctx;
  const { app, credentials, caller } = context;
  let tag = await tagOf(context);
  const parts = app.store.partsOf(context.reads);
  /** A number that changes with every commit that the tag may depend on. */
  const revision = () =>
    parts === undefined ? app.feed.position : app.store.revisions().sumOf(parts, caller.production_id);
  let [seen, isChecking, checked, written] = [Number.NaN, false, performance.now(), performance.now()];
  const write = (text: string): void => {
    written = performance.now();
    ctx.sent += text.length;
    res.write(text);
  };
  async function check(): Promise<void> {
    [seen, isChecking, checked] = [revision(), true, performance.now()];
    try {
      const present = await tagOf(context.renew());
      if (present !== tag && !res.destroyed) write('data: {"type":"changed"}\n\n');
      tag = present;
    } catch (error) {
      ctx.error = error;
      res.destroy();
    }
    isChecking = false;
  }
  const remove = app.feed.add({
    production_id: caller.production_id,
    key_id: caller.key_id,
    credentials,
    expires: caller.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(caller.expires_at),
    isAllowed: () => isAllowed(context),
    receive: () => {},
    tick() {
      const age = performance.now() - checked;
      if (!isChecking && age > checkInterval && (age > expiryInterval || revision() !== seen)) void check();
      else if (performance.now() - written >= quiet && !res.writableNeedDrain) write(": \n\n");
    },
    end: () => void res.end(),
  });
  res.shouldKeepAlive = false; // the connection ends with the stream
  res.writeHead(200, streamHeaders);
  disableIdleTimeout(req.socket);
  write(": \n\n");
  await new Promise<void>((resolve) => res.once("close", resolve));
  remove();
}
