// Results kept in memory for the same call of the same credentials, as KeptAnswers holds them.
import type { Socket } from "node:net";
import type { App } from "../../context.ts";
import type { Exchange } from "../exchange.ts";
import { type Kept, KeptAnswers } from "../kept.ts";
import { openTurns } from "../turns.ts";
import { bytesOf, type RpcRequest } from "./messages.ts";
import type { Call } from "./methods.ts";
import type { Offer } from "./registry.ts";

/** Of what a result is kept under, in characters: longer arguments are not asked twice. */
const longestName = 1000;

export interface Keeper {
  /** The result that is kept for a message of these credentials and still holds: so do the credentials. */
  kept(exchange: Exchange, message: RpcRequest): Kept<string> | undefined;
  /** To be told of every connection. */
  connected(socket: Socket): void;
  /** Results are JSON text with one character a byte: the one that is kept for the call, else what `answer` makes, which is kept where the offer lasts. */
  keep(call: Call, offer: Offer, answer: () => Promise<string>): Promise<string>;
}

export function openKeeper(app: App, keeps: boolean): Keeper {
  const turns = openTurns(app.store);
  const answers = new KeptAnswers<string>(app);
  // No part but the last can hold a line break in a name that was kept, and JSON has none.
  const nameOf = (authorization: string | undefined, { method, params }: Pick<RpcRequest, "method" | "params">) =>
    `${authorization}\n${method}\n${params.name ?? params.uri}\n${JSON.stringify(params.arguments ?? {})}`;
  return {
    connected: turns.connected,
    kept: ({ request, req }, message) =>
      answers.get(nameOf(request.authorization, message), app.clock(), turns.revision(req.socket)),
    async keep(call, { lasting, listing }, answer) {
      const name = nameOf(call.request.authorization, call);
      if (!keeps || !lasting || name.length > longestName) return bytesOf(await answer());
      const found = answers.get(name, app.clock());
      if (found !== undefined) return found.body;
      const body = bytesOf(await answer());
      answers.put(name, call.context, call.revision, { body, etag: "", operation: `mcp ${listing.name}` });
      return body;
    },
  };
}
