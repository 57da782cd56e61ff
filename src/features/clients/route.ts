// GET /docs/tallylight.py, /docs/tallylight.mjs and /docs/tallylight.d.ts. They are public, and each is made once.
import { etagOf } from "../../core/answers.ts";
import type { App } from "../../core/context.ts";
import { checkMethod, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import { type Coded, etagMatches, sendCompressed, varyOf } from "../../core/http/send.ts";
import { clientPaths } from "../addresses/paths.ts";
import { clientTexts } from "./clients.ts";

const contentTypes: Readonly<Record<string, string>> = {
  [clientPaths.python]: "text/x-python; charset=utf-8",
  [clientPaths.javascript]: "text/javascript; charset=utf-8",
  [clientPaths.declarations]: "text/typescript; charset=utf-8",
};

interface Made {
  body: Buffer;
  etag: string;
  coded: Coded;
}

async function makeAll(app: App): Promise<ReadonlyMap<string, Made>> {
  const texts = await clientTexts(app.addresses);
  const made = Object.entries(texts).map(
    ([path, text]) => [path, { body: Buffer.from(text), etag: etagOf(text), coded: {} }] as const,
  );
  return new Map(made);
}

async function send(ctx: RequestContext, { body, etag, coded }: Made): Promise<void> {
  const { req, res, path } = ctx;
  const headers = { etag, "cache-control": "public, no-cache", "x-content-type-options": "nosniff" };
  if (etagMatches(req.headers["if-none-match"], etag)) {
    res.writeHead(304, { ...headers, vary: varyOf(res) }).end();
    return;
  }
  await sendCompressed(ctx, 200, body, { ...headers, "content-type": contentTypes[path] ?? "" }, coded);
}

export function openTransport({ app }: { app: App }): Transport {
  let all: { of: string; made: Promise<ReadonlyMap<string, Made>> } | undefined;
  return {
    async answer(ctx) {
      ctx.operation = "clients";
      checkMethod(ctx, ["GET", "HEAD"]);
      const of = `${app.addresses.base_url} ${app.addresses.media_url}`;
      if (all?.of !== of) all = { of, made: makeAll(app) };
      const made = (await all.made).get(ctx.path);
      if (made !== undefined) await send(ctx, made);
    },
  };
}
