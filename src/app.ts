// Opens a data directory as an application: store, media, tickets and addresses, wired once and closed once.
import { join } from "node:path";
import { touchKey } from "./access/callers.ts";
import { RateLimiter } from "./access/rate_limiter.ts";
import { openSecrets } from "./access/secrets.ts";
import { openTickets } from "./access/tickets.ts";
import { type Environment, readConfig } from "./config.ts";
import type { Addresses, App } from "./context.ts";
import { CliError, isDamage } from "./errors.ts";
import { openIdempotency } from "./idempotency.ts";
import { openProviders, type Reaching } from "./providers/providers.ts";
import { openBlobs } from "./store/blobs.ts";
import { databaseName, openStore, sentenceOf } from "./store/database.ts";
import { type Lock, lockForServing } from "./store/lock.ts";
import { BodyBudget } from "./transports/http/body_budget.ts";

export interface AppOptions {
  /** The data directory. */
  data: string;
  /** The public addresses; what is left out is this server itself. */
  addresses?: Partial<Addresses>;
  /** The most bytes that one uploaded file may have; the setting where left out. */
  uploadCeiling?: number;
  /** How long a media ticket lives, in milliseconds; 15 minutes where left out. */
  ticketLifetime?: number;
  /** The present moment in milliseconds. */
  clock?: () => number;
  /** Where settings come from beside DIR/config.json; the process's own environment where left out. */
  environment?: Environment;
  /** How the providers are reached; as usual where left out. */
  reaching?: Reaching;
}

/** An application that the server opened and must close. */
export interface OpenApp extends App {
  /** Fills in the addresses that were left out, once it is known where the server listens. */
  announce(url: string): void;
  /** Notes, coarsely and after the answer, that a key was used. */
  touch(key_id: number): void;
  close(): void;
}

const minute = 60_000;

const openRates = (limit: number | undefined): RateLimiter<number> | undefined =>
  limit === undefined ? undefined : new RateLimiter(limit, minute, `this key may make ${limit} requests a minute`);

/** Throws CliError where the directory cannot be used, or another server has it. */
export function openApp(options: AppOptions): OpenApp {
  const lock = lockForServing(options.data);
  try {
    return openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw isDamage(error) ? new CliError(sentenceOf(error, join(options.data, databaseName))) : error;
  }
}

function openLocked(options: AppOptions, lock: Lock): OpenApp {
  const clock = options.clock ?? Date.now;
  const config = readConfig(options.data, options.environment ?? process.env);
  const store = openStore(join(options.data, databaseName));
  const blobs = openBlobs(join(options.data, "media"), store, {
    ceiling: options.uploadCeiling ?? config.upload_limit,
    reserve: config.disk_reserve,
    uploads: config.uploads_at_once,
    role: "server",
  });
  try {
    blobs.sweep();
  } catch (error) {
    if (isDamage(error)) throw error; // a full disk is no reason not to serve what there is; the next boot sweeps
  }
  store.neverBlock();
  const tickets = openTickets(openSecrets(options.data).ticket_keys, options.ticketLifetime ?? 15 * minute);
  const addresses: Addresses = { base_url: "", mcp_url: "", media_url: "", auth_url: "", ...options.addresses };
  const providers = openProviders(config, { clock, ...options.reaching });
  const touched = new Map<number, number>();
  return {
    store,
    blobs,
    idempotency: openIdempotency(store, clock),
    bodies: new BodyBudget(),
    tickets,
    addresses,
    clock,
    config,
    rates: openRates(config.rate_limit),
    providers,
    announce(url) {
      for (const name of Object.keys(addresses) as (keyof Addresses)[]) addresses[name] ||= url;
    },
    touch(key_id) {
      const now = clock();
      if (Math.abs(now - (touched.get(key_id) ?? Number.NEGATIVE_INFINITY)) < minute) return;
      touched.set(key_id, now);
      setImmediate(() => {
        if (!store.database.open) return;
        const values = { key_id, now: new Date(now).toISOString(), a_minute_ago: new Date(now - minute).toISOString() };
        // Waits for no other writer and for no disk: whether a key was used lately is not worth it.
        store.write(() => touchKey(store, values), { patience: 0, durable: false }).catch(() => touched.delete(key_id));
      });
    },
    close() {
      providers.close();
      store.close();
      lock.release();
    },
  };
}
