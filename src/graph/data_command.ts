// What the commands that open a data directory are made of: they run as the admin at the command line, in one
// production or in all, and record when they take data out.
import type { Command, Output, ParsedArgs } from "../core/command.ts";
import { openData } from "../core/data_directory.ts";
import type { ProductionId } from "../core/ids.ts";
import type { Blobs } from "../core/store/blobs.ts";
import { closing } from "../core/store/files.ts";
import type { Store } from "../core/store/store.ts";
import { later } from "../core/times.ts";
import { type Admin, localAdmin } from "./admin.ts";
import { findProduction } from "./find_production.ts";

/** Returns the production of a command whose --production is required. Throws 404 if it does not exist. */
export const productionOf = (store: Store, args: ParsedArgs): { id: ProductionId; title: string } =>
  findProduction(store, args.required("production"));

/** Runs the transaction of a plan, which gets the time of its commit, and the clock. */
type Write = <T>(work: (at: string, clock: () => string) => T) => Promise<T>;

/** What a command does with an open data directory. */
export type AdminWork<T = unknown> = (admin: Admin, blobs: Blobs, write: Write) => Promise<T> | T;

/**
 * Runs `work` as the admin at the command line, on the data directory that --data names. `write` runs a plan's
 * transaction.
 */
export async function asAdmin<T>(args: ParsedArgs, work: AdminWork<T>): Promise<T> {
  const started = performance.now();
  const commitTime = () => later(args.now, performance.now() - started);
  return closing(await openData(args.data), ({ store, blobs }) =>
    work(localAdmin(store, args.now), blobs, async (apply) => store.writeSync(() => apply(commitTime(), commitTime))),
  );
}

/** The command line, with the production of --production. Reading it throws 404 if there is none. */
export interface DataArgs extends ParsedArgs {
  /** Of a command whose flag is required. */
  readonly production: { id: ProductionId; title: string };
  /** Undefined if the flag is absent. */
  readonly production_id: ProductionId | undefined;
}

type Ran = Output | undefined;
type DataCommand = Omit<Command, "run"> & {
  /** Throws UsageError if the flags contradict each other, before the directory is opened. */
  check?(args: ParsedArgs): void;
  run: (args: DataArgs, ...given: Parameters<AdminWork<Ran>>) => Promise<Ran> | Ran;
};

/** The flag of a command whose ID tells the production. With it, what is another production's is not found. */
export const itsProduction = {
  production: { value: "ID", summary: "the production of the ID; refused if it is another one" },
} as const;

/** A command that runs as the admin, on the data directory; with --production as the admin of that production. */
export const dataCommand = ({ run, check, ...command }: DataCommand): Command => ({
  ...command,
  run(args) {
    check?.(args);
    return asAdmin(args, (admin, ...given) => {
      const more = {
        get production() {
          return productionOf(admin.store, args);
        },
        get production_id() {
          return args.text("production") === undefined ? undefined : this.production.id;
        },
      };
      const acting = args.values.production === undefined ? admin : { ...admin, production_id: more.production_id };
      return run(Object.assign(more, args), acting, ...given);
    });
  },
});
