// Two boxes that name each other with the setting `peer` and share a secret. Each tells the other what its database is,
// signed with the secret for this one question, and gives way if the other one continues its epoch by a promotion. A
// copy of the database, a backup and a restored copy do not have the secret; and a restored one continues nothing,
// because a restore begins an epoch that succeeds none.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { dirname } from "node:path";
import * as v from "valibot";
import type { Config } from "../../core/config.ts";
import { loadHttp, loadHttps } from "../../core/late_loading.ts";
import { secretIn } from "../../core/secret_file.ts";
import { isReplica } from "../../core/store/directory_records.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { writeReplicaRecord } from "./record.ts";

/** The other box, and the secret that both share. */
export interface Peer {
  url: string;
  secret: string;
}

/**
 * The other box of the setting; undefined if there is none. Throws CliError if its secret cannot be read, is short, or
 * can be read by others.
 */
export function peerOf(data: string, { peer }: Pick<Config, "peer">): Peer | undefined {
  if (peer === undefined) return undefined;
  return { url: peer.url, secret: secretIn(data, peer.secret_file) };
}

const hex = (length: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${length}}$`)));
const maxNonce = 200;
const nonce = v.pipe(v.string(), v.maxLength(maxNonce));
/** The most epochs that a statement names. */
const maxContinued = 64;
const statement = v.object({
  epoch: hex(8),
  started_at: v.pipe(v.string(), v.isoTimestamp()),
  /** Whether the directory is a primary's: its server takes writes, or will once it is restarted after a promotion. */
  primary: v.boolean(),
  /** The epochs that this one continues, by promotions only, the last one first. */
  continues: v.pipe(v.array(hex(8)), v.maxLength(maxContinued)),
});
const challenge = v.object({ challenge: nonce });
const answer = v.object({ statement, proof: hex(64) });
const question = v.object({ ...answer.entries, ...challenge.entries, nonce });
/** What a box says about its database. */
export type Statement = v.InferOutput<typeof statement>;
/** What is signed beside a statement: the nonce is of the box that asks, the challenge of the one that answers. */
type Occasion = Pick<v.InferOutput<typeof question>, "nonce" | "challenge">;

/** `succeeds` is the epoch that a promotion ended by starting this one. */
type Epoch = { epoch: string; started_at: string; succeeds: string | null };
const listEpochs = many<object, Epoch>("list_epochs");
const epochOf = (store: Store): Epoch => listEpochs(store, {}).at(-1) as Epoch; // every migrated database has one

/** What this box says now. */
function statementOf(store: Store): Statement {
  const { epoch, started_at, succeeds } = epochOf(store);
  const successions = new Map(listEpochs(store, {}).map((one) => [one.epoch, one.succeeds]));
  const continues: string[] = [];
  for (let former = succeeds; former && continues.length < maxContinued; former = successions.get(former) ?? null)
    continues.push(former);
  return { epoch, started_at, primary: !isReplica(dirname(store.file)), continues };
}

/** Whether the peer's database continues this one, and takes writes. */
export const tookOver = (store: Store, { primary, continues }: Statement): boolean =>
  primary && continues.includes(epochOf(store).epoch);

/** What an administrator must know of a peer that ends nothing; undefined if all is well. */
export function doubtOf(store: Store, { epoch, primary }: Statement): string | undefined {
  if (!primary) return undefined;
  if (epochOf(store).epoch === epoch)
    return "takes writes too, in the same epoch: one of the two directories is a copy of the other";
  return listEpochs(store, {}).some((one) => one.epoch === epoch)
    ? `takes writes too, in the former epoch ${epoch}, and has not given way`
    : `takes writes too, in the epoch ${epoch}, and does not prove that it continues this database`;
}

const hmac = (key: string | Buffer, text: string): string => createHmac("sha256", key).update(text).digest("hex");
const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Signs a statement for one question. */
function proofOf(secret: string, role: "asks" | "answers", { nonce, challenge }: Occasion, said: Statement): string {
  const { epoch, started_at, primary, continues } = said;
  return hmac(secret, JSON.stringify([role, nonce, challenge, epoch, started_at, primary, continues]));
}

/** Of this process: a challenge needs no memory, and is valid for a short time. */
const challengeKey = randomBytes(32);
const challengeTime = 10_000;
const sealed = (text: string): string => `${text}.${hmac(challengeKey, text)}`;
export const newChallenge = (): string => sealed(`${Date.now()}.${randomBytes(16).toString("hex")}`);

function isFresh(given: string): boolean {
  const text = given.slice(0, given.lastIndexOf("."));
  const age = Date.now() - Number.parseInt(text, 10);
  return isEqual(given, sealed(text)) && age >= 0 && age < challengeTime;
}

/** A question that the peer signed for a challenge of this process; undefined for anything else. */
export function provenQuestion({ secret }: Peer, given: unknown): v.InferOutput<typeof question> | undefined {
  const { success, output } = v.safeParse(question, given);
  if (!success || !isFresh(output.challenge)) return undefined;
  return isEqual(output.proof, proofOf(secret, "asks", output, output.statement)) ? output : undefined;
}

/** The signed answer to a question. */
export function answerTo({ secret }: Peer, store: Store, asked: Occasion): v.InferOutput<typeof answer> {
  const statement = statementOf(store);
  return { statement, proof: proofOf(secret, "answers", asked, statement) };
}

const patience = 3;
/** The longest answer that is read of the peer, in characters. */
const maxAnswer = 65_536;

/**
 * Asks the peer's server. Its certificate is not checked, because it may name another host: no secret is sent. Rejects
 * with an Error that says why there is no answer.
 */
function askServer<T extends v.GenericSchema>(url: string, schema: T, body?: object): Promise<v.InferOutput<T>> {
  const { request } = url.startsWith("https:") ? loadHttps() : loadHttp();
  const options = { method: body === undefined ? "GET" : "POST", agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      reject(new Error(reason));
      asked.destroy();
    };
    const asked = request(`${url}/peer`, options, (response) => {
      const { statusCode: status } = response;
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        if (text.length > maxAnswer) fail("its answer is too long");
      });
      response.on("error", ({ message }) => fail(message));
      response.on("end", () => {
        if (status === 403) fail("it has another secret");
        const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
        if (success && status === 200) resolve(output);
        else fail(`it answers ${status}, not as a Tallylight server with the setting peer`);
      });
    });
    const timer = setTimeout(fail, patience * 1000, `no answer in ${patience} s`);
    asked.on("close", () => clearTimeout(timer));
    asked.on("error", (error: NodeJS.ErrnoException) => fail(error.message || `${error.code}`));
    asked.end(body && JSON.stringify(body));
  });
}

/**
 * Tells the peer what this box is, which then gives way if this one continues it, and returns what the peer is. Throws
 * an Error that says why nobody knows.
 */
export async function meetPeer({ url, secret }: Peer, store: Store): Promise<Statement> {
  const occasion = { ...(await askServer(url, challenge)), nonce: randomBytes(16).toString("hex") };
  const statement = statementOf(store);
  const proof = proofOf(secret, "asks", occasion, statement);
  const answered = await askServer(url, answer, { statement, proof, ...occasion });
  if (isEqual(answered.proof, proofOf(secret, "answers", occasion, answered.statement))) return answered.statement;
  throw new Error("its answer is not signed with the secret that both boxes share");
}

/** Makes a replica of a primary's directory whose peer took over: from here on nobody writes to its database. */
export async function stepDown(store: Store, { url }: Peer, { epoch, started_at }: Statement): Promise<void> {
  const record = (): void =>
    writeReplicaRecord(dirname(store.file), { synced_at: started_at, source: url, superseded_by: epoch });
  await store.write(record).catch(record); // between two transactions, unless another process holds the lock for long
}
