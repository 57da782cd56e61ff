// The other one of two boxes, as a server and `tallylight doctor --online` meet it: what is answered on /peer, what is
// asked before the server listens and then from time to time, and what of it is in doubt.
import { dirname, join } from "node:path";
import type { Config } from "../../core/config.ts";
import type { App } from "../../core/context.ts";
import { CliError, errorOf, forbidden, notFound } from "../../core/errors.ts";
import type { Condition, Finding } from "../../core/feature.ts";
import { stateOf } from "../../core/features.ts";
import { jsonObjectOf, readBody } from "../../core/http/body.ts";
import { checkMethod, type Transport } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import type { Serving } from "../../core/serving.ts";
import { databaseName, openReplicaStore } from "../../core/store/database.ts";
import { closing } from "../../core/store/files.ts";
import {
  answerTo,
  doubtOf,
  meetPeer,
  newChallenge,
  type Peer,
  peerOf,
  provenQuestion,
  stepDown,
  tookOver,
} from "./peer.ts";
import { supersededSentence } from "./record.ts";

/** The message that one of two boxes sends to the other, in bytes. */
const peerBody = 4 << 10;

declare module "../../core/features.ts" {
  interface FeatureOptions {
    /** How often the peer is asked, in milliseconds; every 10 seconds by default. */
    peerInterval?: number;
  }
}

/** /peer: nobody without the secret learns anything. */
export const openTransport = (): Transport => ({
  async answer(ctx) {
    ctx.operation = "peer";
    const { app } = ctx;
    const peer = peerOf(dirname(app.store.file), app.config);
    if (peer === undefined) throw notFound();
    checkMethod(ctx, ["GET", "HEAD", "POST"]);
    const send = (answer: object) => sendJson(ctx, 200, JSON.stringify(answer), { "cache-control": "no-store" });
    if (ctx.req.method !== "POST") return send({ challenge: newChallenge() });
    const question = provenQuestion(peer, await jsonObjectOf(await readBody(ctx, peerBody)));
    if (question === undefined) throw forbidden("this is not signed with the secret that the two boxes share");
    if (app.copy === undefined && tookOver(app.store, question.statement)) {
      await stepDown(app.store, peer, question.statement);
      app.options.superseded?.();
    }
    send(answerTo(peer, app.store, question));
  },
});

/** What is in doubt about the peer; undefined if all is well, or if there is no peer. */
const doubts = stateOf((): { doubt: string | undefined } => ({ doubt: undefined }));

export const openConditions = (app: App) => (): Condition[] => {
  const { peer } = app.config;
  if (peer === undefined || app.copy !== undefined) return [];
  const { doubt } = doubts(app);
  const problem = doubt && `the peer ${peer.url} ${doubt}`;
  return [{ name: "peer", problem, summary: "the other one of two boxes does not answer, or takes writes too" }];
};

/** Asks once. Returns whether the peer took over; then the directory is a replica's. */
async function ask(app: App, peer: Peer): Promise<boolean> {
  const { store, notice } = app;
  const state = doubts(app);
  let doubt: string | undefined;
  try {
    const statement = await meetPeer(peer, store);
    if (tookOver(store, statement)) return await stepDown(store, peer, statement).then(() => true);
    doubt = doubtOf(store, statement);
  } catch (error) {
    doubt = `does not answer (${errorOf(error).message}), so nobody knows whether it took over`;
  }
  if (doubt !== state.doubt && store.database.open) notice(`the peer ${peer.url} ${doubt ?? "answers"}`);
  state.doubt = doubt;
  return false;
}

/**
 * Throws CliError if the peer took over. If the peer does not answer, the server serves: otherwise one dead box would
 * stop both.
 */
export async function start({ app, data }: Serving): Promise<void> {
  const peer = peerOf(data, app.config) as Peer; // feature.ts starts this only with a peer
  if (await ask(app, peer)) throw new CliError(supersededSentence(data) as string); // the record was just written
  const meet = async (): Promise<void> => {
    if (!app.store.database.open || !(await ask(app, peer))) return;
    clearInterval(timer);
    app.options.superseded?.();
  };
  const timer = setInterval(() => void meet(), app.options.peerInterval ?? 10_000).unref();
  app.onEnd(() => clearInterval(timer));
  app.onClose(() => clearInterval(timer));
}

export async function checkData(data: string, config: Config): Promise<Finding[]> {
  const peer = peerOf(data, config);
  if (peer === undefined) return [];
  const store = openReplicaStore(join(data, databaseName), () => new CliError("doctor writes nothing"));
  const doubt = await closing(store, async () => {
    const statement = await meetPeer(peer, store);
    return tookOver(store, statement)
      ? `took over at ${statement.started_at}: ${data} is a former primary's, and its server gives way when it starts`
      : doubtOf(store, statement);
  }).catch((error: Error) => `does not answer: ${error.message}`);
  return [{ check: "peer", ok: doubt === undefined, detail: `the peer ${peer.url} ${doubt ?? "answers"}`, items: [] }];
}
