// Two boxes that name each other with the setting `peer`: a primary gives way where the other took over. A copy that was promoted proves it
// with the secret of the epoch that it ended, which only copies of the database have, so nobody else on the network can make a primary stop.
// A restored copy proves nothing: only a promotion succeeds an epoch, and only who signs the question with that epoch's secret is told.
import { createHmac, timingSafeEqual } from "node:crypto";
import { dirname } from "node:path";
import * as v from "valibot";
import { CliError } from "../../core/errors.ts";
import { isReplica, supersededSentence, writeReplicaRecord } from "../../core/store/replica.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { askServer } from "./ask_server.ts";

/** The path of the questions, from the root of the server. */
export const peerPath = "/peer";

const epochText = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/));
const successionSchema = v.object({
  /** The epoch that ended, and the one that the answering database has now. */
  former: epochText,
  epoch: epochText,
  started_at: v.pipe(v.string(), v.isoTimestamp()),
  /** The HMAC of these three with the secret of the epoch that ended. */
  proof: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
/** Says that a database of one epoch was continued in another. It stays true for ever, so it may be heard and repeated by anybody. */
export type Succession = v.InferOutput<typeof successionSchema>;

const answerSchema = v.object({
  epoch: epochText,
  /** Whether the directory is a primary's: its server takes writes, or will once it is restarted after a promotion. */
  primary: v.boolean(),
  succession: v.nullable(successionSchema),
});
export type PeerAnswer = v.InferOutput<typeof answerSchema>;

interface Epoch {
  epoch: string;
  started_at: string;
  /** Null in a copy that was restored from a backup, for the epochs of the backup. */
  secret: string | null;
  /** The epoch that a promotion ended by starting this one. */
  succeeds: string | null;
}
const listEpochs = many<object, Epoch>("list_epochs");

const signed = (secret: string, text: string): Buffer => createHmac("sha256", secret).update(text).digest();

/** Whether a text in hex is what the secret signs. */
function isSigned(secret: string | null, text: string, given: string): boolean {
  if (secret === null || !/^[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(signed(secret, text), Buffer.from(given, "hex"));
}

const textOf = ({ former, epoch, started_at }: Omit<Succession, "proof">): string => `${former} ${epoch} ${started_at}`;
/** What the asking server signs: only who has its database asks about its epoch. */
const questionOf = (epoch: string): string => `who continues ${epoch}`;

/** The present epoch; every migrated database has one. */
const lastOf = (store: Store): Epoch => listEpochs(store, {}).at(-1) as Epoch;

/** Says that a promotion here ended the epoch `former`; null if none did. */
export function successionOf(store: Store, former: string): Succession | null {
  const epochs = listEpochs(store, {});
  const secret = epochs.find(({ epoch }) => epoch === former)?.secret ?? null;
  const next = epochs.find(({ succeeds }) => succeeds === former);
  if (secret === null || next === undefined) return null;
  const facts = { former, epoch: next.epoch, started_at: next.started_at };
  return { ...facts, proof: signed(secret, textOf(facts)).toString("hex") };
}

/**
 * What a server answers whose peer is in the epoch `asking`. A succession is told to nobody except a peer: `proof` shows that the question
 * comes from a server with that epoch.
 */
export function peerAnswer(store: Store, asking: string, proof: string): PeerAnswer {
  const asked = listEpochs(store, {}).find(({ epoch }) => epoch === asking);
  const isPeer = asked !== undefined && isSigned(asked.secret, questionOf(asking), proof);
  return {
    epoch: lastOf(store).epoch,
    primary: !isReplica(dirname(store.file)),
    succession: isPeer ? successionOf(store, asking) : null,
  };
}

/** The succession in a text, if it ends the epoch of this database and its proof is right; undefined otherwise. */
export function provenSuccession(store: Store, given: unknown): Succession | undefined {
  const { success, output } = v.safeParse(successionSchema, given);
  const { epoch, secret } = lastOf(store);
  if (!success || output.former !== epoch) return undefined;
  return isSigned(secret, textOf(output), output.proof) ? output : undefined;
}

/** Asks the peer about this database's epoch. Throws an Error that says why there is no answer. */
export async function askPeer(peer: string, store: Store): Promise<PeerAnswer> {
  const { epoch, secret } = lastOf(store);
  const proof = secret === null ? "" : signed(secret, questionOf(epoch)).toString("hex");
  const { status, text } = await askServer(`${peer}${peerPath}?epoch=${epoch}&proof=${proof}`, undefined, 3000);
  const answer = status === 200 ? v.safeParse(v.pipe(v.string(), v.parseJson(), answerSchema), text) : undefined;
  if (!answer?.success) throw new Error(`it answers ${status}, not as a Tallylight server with ${peerPath}`);
  return answer.output;
}

/** Notifies the former primary that its epoch ended. Throws an Error with the reason if that fails. */
export async function notifyPeer(peer: string, succession: Succession): Promise<void> {
  const { status, text } = await askServer(`${peer}${peerPath}`, JSON.stringify(succession));
  if (status !== 200) throw new Error(`it answers ${status}: ${text}`);
}

/** Makes a replica of a primary's directory whose peer took over: from here on nobody writes to its database. */
export async function stepDown(store: Store, data: string, peer: string, succession: Succession): Promise<void> {
  const { epoch, started_at } = succession;
  const record = (): void => writeReplicaRecord(data, { synced_at: started_at, source: peer, superseded_by: epoch });
  await store.write(record).catch(record); // between two transactions, unless another process holds the lock for long
}

/** What an administrator must know of an answer that ends nothing; undefined if all is well. */
function warningOf(store: Store, { epoch, primary, succession }: PeerAnswer): string | undefined {
  const epochs = listEpochs(store, {}).map((one) => one.epoch);
  if (!primary) return undefined;
  if (epochs.at(-1) === epoch) return "takes writes too, in the same epoch: one of the two directories is a copy";
  if (succession !== null || !epochs.includes(epoch))
    return `takes writes too, in the epoch ${epoch}, and does not prove that it continues this database`;
  return `takes writes too, in the former epoch ${epoch}; it gives way when it asks this server`;
}

export interface FenceOptions {
  store: Store;
  data: string;
  peer: string;
  /** Called when the peer took over while the server ran, and the directory is a replica's. */
  superseded(): void;
  notice(sentence: string): void;
  /** The time between two questions in milliseconds. */
  every: number;
}

/**
 * Asks the peer, and then again and again until the returned function is called. Throws CliError if the peer took over, and the directory
 * is a replica's then. If the peer does not answer, the server serves: otherwise one dead box would stop both.
 */
export async function openFence({ store, data, peer, ...options }: FenceOptions): Promise<() => void> {
  let lastWarning: string | undefined;
  let ended = false;
  /** Whether the peer took over. */
  async function ask(): Promise<boolean> {
    let doubt: string | undefined;
    try {
      const answer = await askPeer(peer, store);
      if (ended) return false;
      const succession = provenSuccession(store, answer.succession);
      if (succession !== undefined) {
        await stepDown(store, data, peer, succession);
        return true;
      }
      doubt = warningOf(store, answer);
    } catch (error) {
      doubt = `does not answer (${(error as Error).message}), so nobody knows whether it took over`;
    }
    if (doubt !== lastWarning && !ended)
      options.notice(doubt === undefined ? `the peer ${peer} answers` : `the peer ${peer} ${doubt}`);
    lastWarning = doubt;
    return false;
  }
  if (await ask()) throw new CliError(supersededSentence(data) as string); // the record was just written
  const timer = setInterval(async () => {
    if (ended || !(await ask())) return;
    end();
    options.superseded();
  }, options.every);
  timer.unref();
  const end = (): void => {
    ended = true;
    clearInterval(timer);
  };
  return end;
}
