// The kept data directory of a released version: what it contains, and how a test unpacks it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/folder.ts";

/** One request that was sent to the released version, and its answer. */
export interface Answer {
  /** The name of the key that sent it. */
  key: string;
  method: "GET" | "POST";
  path: string;
  /** The JSON body of the request. */
  body?: unknown;
  status: number;
  etag: string | null;
  /** The index of the answer's text in `texts`; for bytes that are not text, "sha256:" and their hash. */
  text: number | string;
}

/** A key as the released version minted it. */
export interface KeptKey {
  token: string;
  prefix: string;
  id: number;
}

/** An app that signed in with a key. */
export interface KeptSignIn {
  client_id: string;
  access_token: string;
  refresh_token: string;
}

/** What the recorder wrote beside the data directory. */
export interface Recording {
  /** The version and the commit that made it. */
  version: string;
  commit: string;
  /** The time at which the answers were recorded, in milliseconds. */
  recorded_at: number;
  redirect_uri: string;
  keys: Record<string, KeptKey>;
  /** The keys that the version refused already. */
  refused: string[];
  /** The key that ends, and the time at which it ends. */
  ending: { key: string; at: number };
  signins: Record<"kept" | "rotated", KeptSignIn>;
  /** A refresh token that was used once: using it again ends the sign-in `rotated`. */
  used_refresh_token: string;
  /** An authorization code that was not exchanged yet. */
  code: { client_id: string; code: string; verifier: string; resource: string };
  /** A media ticket, its key, and a path that it opens. */
  ticket: { ticket: string; key: string; path: string };
  /** A write with an Idempotency-Key, and its answer. */
  idempotent: { key: string; idempotency_key: string; path: string; body: unknown; text: string };
  /** A row count for each table. */
  rows: Record<string, number>;
  answers: Answer[];
  texts: string[];
}

export interface Kept extends Recording {
  /** A fresh copy of the data directory. */
  folder: string;
}

/** The version whose data directory is upgraded: 1.0.0, or UPGRADE_FROM, whose file is in the folder RECORDED. */
export const upgradedVersion: string = process.env.UPGRADE_FROM ?? "1.0.0";

const fileOf = (version: string): string =>
  process.env.RECORDED === undefined
    ? fileURLToPath(new URL(`${version}.tar.gz`, import.meta.url))
    : join(process.env.RECORDED, `${version}.tar.gz`);

/** Unpacks the kept data directory of a version into a temporary folder. */
export function unpackKept(version: string): Kept {
  const folder = temporaryFolder();
  execFileSync("tar", ["-xzf", fileOf(version), "-C", folder]);
  const recording: Recording = JSON.parse(readFileSync(join(folder, "recording.json"), "utf8"));
  return { ...recording, folder: join(folder, "data") };
}

const isSubset = (part: unknown, whole: unknown): boolean =>
  part === undefined || (Array.isArray(part) && Array.isArray(whole) && part.every((item) => whole.includes(item)));

/**
 * The places where `now` is not `before` plus further fields, such as "0.title". A list must have the same length and
 * order, because lists have a documented order; only the required fields of a tool's input may become fewer.
 */
export function differences(before: unknown, now: unknown, place = ""): string[] {
  if (typeof before !== "object" || before === null) return Object.is(before, now) ? [] : [place || "the answer"];
  if (typeof now !== "object" || now === null || Array.isArray(before) !== Array.isArray(now))
    return [place || "the answer"];
  if (Array.isArray(before) && before.length !== (now as unknown[]).length) return [`${place}.length`];
  return Object.entries(before).flatMap(([name, value]) =>
    name === "required" && isSubset((now as Record<string, unknown>)[name], value)
      ? []
      : differences(value, (now as Record<string, unknown>)[name], place === "" ? name : `${place}.${name}`),
  );
}
