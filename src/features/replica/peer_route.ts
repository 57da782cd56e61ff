// /peer: the other one of two boxes says what it is, and learns what this one is. Without the secret that both share, nobody learns anything.
import { dirname } from "node:path";
import { peerBody } from "../../core/body_limits.ts";
import { forbidden, notFound } from "../../core/errors.ts";
import { jsonObjectOf, readBody } from "../../core/http/body.ts";
import { checkMethod, type RequestContext, type Transport } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import { answerTo, newChallenge, type Peer, peerOf, provenQuestion, stepDown, tookOver } from "./peer.ts";

async function answerOf(ctx: RequestContext, peer: Peer): Promise<object> {
  if (ctx.req.method !== "POST") return { challenge: newChallenge() };
  const { app } = ctx;
  const question = provenQuestion(peer, jsonObjectOf(await readBody(ctx, peerBody)));
  if (question === undefined) throw forbidden("this is not signed with the secret that the two boxes share");
  if (app.copy === undefined && tookOver(app.store, question.statement)) {
    await stepDown(app.store, peer, question.statement);
    app.options.superseded?.();
  }
  return answerTo(peer, app.store, question);
}

export const openTransport = (): Transport => ({
  async answer(ctx) {
    ctx.operation = "peer";
    const { store, config } = ctx.app;
    const peer = peerOf(dirname(store.file), config);
    if (peer === undefined) throw notFound();
    checkMethod(ctx, ["GET", "HEAD", "POST"]);
    sendJson(ctx, 200, JSON.stringify(await answerOf(ctx, peer)), { "cache-control": "no-store" });
  },
});
