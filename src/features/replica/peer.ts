// Two boxes that name each other with the setting `peer` and share a secret. Each tells the other what its database is, signed with the secret for
// this one question, and gives way if the other one continues its epoch by a promotion. A copy of the database, a backup and a restored
// copy do not have the secret; and a restored one continues nothing, because a restore begins an epoch that succeeds none.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { type Config, configName } from "../../core/config.ts";
import { CliError, cannotRead } from "../../core/errors.ts";
import { isReplica, writeReplicaRecord } from "../../core/store/replica.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { askServer } from "./ask_server.ts";

/** The path of the questions, from the root of the server. */
const peerPath = "/peer";

/** The other box, and the secret that both share. */
export interface Peer {
  url: string;
  secret: string;
}

const leastSecret = 32;

/** The secret in the file of the setting, whose path is relative to the folder of config.json. Throws CliError if others can read it, or if it is short. */
function secretOf(data: string, name: string): string {
  const config = join(data, configName);
  const folder = statSync(config, { throwIfNoEntry: false }) === undefined ? data : dirname(realpathSync(config));
  const file = resolve(folder, name);
  let secret: string;
  try {
    secret = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw cannotRead(file, error);
  }
  if (process.platform !== "win32" && (statSync(file).mode & 0o007) !== 0)
    throw new CliError(`${file} can be used by every user of this machine; run chmod o= ${file}`);
  if (secret.length < leastSecret)
    throw new CliError(
      `${file} must have a secret of at least ${leastSecret} characters, such as of openssl rand -hex 32`,
    );
  return secret;
}

/** The other box of the setting; undefined if there is none. Throws CliError if its secret cannot be used. */
export const peerOf = (data: string, { peer }: Pick<Config, "peer">): Peer | undefined =>
  peer && { url: peer.url, secret: secretOf(data, peer.secret_file) };

const epochText = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/));
const nonceText = v.pipe(v.string(), v.maxLength(200));
const statementSchema = v.object({
  epoch: epochText,
  started_at: v.pipe(v.string(), v.isoTimestamp()),
  /** Whether the directory is a primary's: its server takes writes, or will once it is restarted after a promotion. */
  primary: v.boolean(),
  /** The epochs that this one continues, by promotions only, the last one first. */
  continues: v.pipe(v.array(epochText), v.maxLength(64)),
});
/** What a box says about its database. */
export type Statement = v.InferOutput<typeof statementSchema>;

const proofText = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const challengeSchema = v.object({ challenge: nonceText });
const answerSchema = v.object({ statement: statementSchema, proof: proofText });
const questionSchema = v.object({ ...answerSchema.entries, nonce: nonceText, challenge: nonceText });

interface Epoch {
  epoch: string;
  started_at: string;
  /** The epoch that a promotion ended by starting this one. */
  succeeds: string | null;
}
const listEpochs = many<object, Epoch>("list_epochs");

/** What this box says now. */
export function statementOf(store: Store): Statement {
  const epochs = listEpochs(store, {});
  const { epoch, started_at, succeeds } = epochs.at(-1) as Epoch; // every migrated database has one
  const continues: string[] = [];
  for (let former = succeeds; former !== null && continues.length < 64; ) {
    const one: string = former;
    continues.push(one);
    former = epochs.find((other) => other.epoch === one)?.succeeds ?? null;
  }
  return { epoch, started_at, primary: !isReplica(dirname(store.file)), continues };
}

/** Whether the peer's database continues this one, and takes writes. */
export const tookOver = (store: Store, { primary, continues }: Statement): boolean =>
  primary && continues.includes((listEpochs(store, {}).at(-1) as Epoch).epoch);

type Role = "asks" | "answers";

/** Signs a statement for one question: the nonce is of the box that asks, the challenge of the one that answers. */
function signatureOf(secret: string, role: Role, nonce: string, challenge: string, said: Statement): string {
  const { epoch, started_at, primary, continues } = said;
  const text = JSON.stringify([role, nonce, challenge, epoch, started_at, primary, continues]);
  return createHmac("sha256", secret).update(text).digest("hex");
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Of this process: a challenge needs no memory, and is valid for a short time. */
const own = randomBytes(32);
const challengeTime = 10_000;
const sealed = (text: string): string => `${text}.${createHmac("sha256", own).update(text).digest("hex")}`;
export const newChallenge = (): string => sealed(`${Date.now()}.${randomBytes(16).toString("hex")}`);

function isFresh(challenge: string): boolean {
  const text = challenge.slice(0, challenge.lastIndexOf("."));
  const age = Date.now() - Number.parseInt(text, 10);
  return isEqual(challenge, sealed(text)) && age >= 0 && age < challengeTime;
}

/** A question that the peer signed for a challenge of this process; undefined for anything else. */
export function provenQuestion(
  { secret }: Peer,
  given: unknown,
): { statement: Statement; nonce: string; challenge: string } | undefined {
  const { success, output } = v.safeParse(questionSchema, given);
  if (!success || !isFresh(output.challenge)) return undefined;
  const { statement, nonce, challenge, proof } = output;
  return isEqual(proof, signatureOf(secret, "asks", nonce, challenge, statement)) ? output : undefined;
}

/** The signed answer to a question. */
export function answerTo({ secret }: Peer, store: Store, { nonce, challenge }: { nonce: string; challenge: string }) {
  const statement = statementOf(store);
  return { statement, proof: signatureOf(secret, "answers", nonce, challenge, statement) };
}

/** Asks the server of the peer. Throws an Error if its answer is none of that kind. */
async function ask<T extends v.GenericSchema>(url: string, schema: T, body?: string): Promise<v.InferOutput<T>> {
  const { status, text } = await askServer(`${url}${peerPath}`, body, 3000);
  if (status === 403) throw new Error("it has another secret");
  const answer = status === 200 ? v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text) : undefined;
  if (!answer?.success) throw new Error(`it answers ${status}, not as a Tallylight server with the setting peer`);
  return answer.output;
}

/** Tells the peer what this box is, which then gives way if this one continues it, and returns what the peer is. Throws an Error that says why nobody knows. */
export async function meetPeer({ url, secret }: Peer, store: Store): Promise<Statement> {
  const { challenge } = await ask(url, challengeSchema);
  const nonce = randomBytes(16).toString("hex");
  const statement = statementOf(store);
  const proof = signatureOf(secret, "asks", nonce, challenge, statement);
  const answer = await ask(url, answerSchema, JSON.stringify({ statement, proof, nonce, challenge }));
  if (!isEqual(answer.proof, signatureOf(secret, "answers", nonce, challenge, answer.statement)))
    throw new Error("its answer is not signed with the secret that both boxes share");
  return answer.statement;
}

/** Makes a replica of a primary's directory whose peer took over: from here on nobody writes to its database. */
export async function stepDown(store: Store, { url }: Peer, { epoch, started_at }: Statement): Promise<void> {
  const record = (): void =>
    writeReplicaRecord(dirname(store.file), { synced_at: started_at, source: url, superseded_by: epoch });
  await store.write(record).catch(record); // between two transactions, unless another process holds the lock for long
}

/** What an administrator must know of a peer that ends nothing; undefined if all is well. */
export function doubtOf(store: Store, { epoch, primary }: Statement): string | undefined {
  const epochs = listEpochs(store, {}).map((one) => one.epoch);
  if (!primary) return undefined;
  if (epochs.at(-1) === epoch)
    return "takes writes too, in the same epoch: one of the two directories is a copy of the other";
  if (epochs.includes(epoch)) return `takes writes too, in the former epoch ${epoch}, and has not given way`;
  return `takes writes too, in the epoch ${epoch}, and does not prove that it continues this database`;
}
