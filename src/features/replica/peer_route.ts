// /peer: the other one of two boxes asks whether this database continues its own, and tells that it continues this one. Needs no key:
// whoever does not sign the question learns only the epoch, and a message needs its proof.
import { dirname } from "node:path";
import { peerBody } from "../../core/body_limits.ts";
import { conflict } from "../../core/errors.ts";
import { jsonObjectOf, readBody } from "../../core/http/body.ts";
import { checkMethod, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import { peerAnswer, provenSuccession, stepDown } from "./peer.ts";

async function takeMessage(ctx: RequestContext): Promise<void> {
  const { app } = ctx;
  const message = jsonObjectOf(await readBody(ctx, peerBody));
  const { store, config } = app;
  if (config.peer === undefined) throw conflict("this server has no setting `peer`, so it gives way to nobody");
  if (app.copy !== undefined) throw app.copy.readOnly();
  const succession = provenSuccession(store, message);
  if (succession === undefined)
    throw conflict("this does not prove that another database continues this one; nothing was changed");
  await stepDown(store, dirname(store.file), config.peer, succession);
  app.options.superseded?.();
}

export const openTransport = (): Transport => ({
  async answer(ctx) {
    ctx.operation = "peer";
    checkMethod(ctx, ["GET", "HEAD", "POST"]);
    if (ctx.req.method === "POST") await takeMessage(ctx);
    const query = new URLSearchParams(ctx.query);
    // A server without a peer tells nobody that it continues another one.
    const proof = ctx.app.config.peer === undefined ? "" : (query.get("proof") ?? "");
    const answer = peerAnswer(ctx.app.store, query.get("epoch") ?? "", proof);
    sendJson(ctx, 200, JSON.stringify(answer), { "cache-control": "no-store" });
  },
});
