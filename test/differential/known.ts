// What random steps are made of: what a production has, and random numbers.
import type { Json } from "../support/update.ts";
import { type KeyName, keyNames, keyOf } from "./keys.ts";
import type { Step } from "./steps.ts";

/** What steps are made of. */
export interface Known {
  production_id: number;
  title: string;
  /** The export of the production. */
  document: Json;
  /** A number from 0 to below 1. */
  random(): number;
  /** The rows of a query about the production; :id is its id. */
  rows(sql: string): Promise<Json[]>;
  /** Whether the step is about the first things of lists, which other such steps are about, too. */
  isNear: boolean;
  /** The number of the step. */
  number: number;
  /** The steps before. */
  former: readonly Step[];
}

export const integer = ({ random }: Known, below: number): number => Math.floor(random() * below);
export const pick = <T>(known: Known, list: readonly T[]): T => list[integer(known, list.length)] as T;
/** One of the things that a production has. */
export const thing = (known: Known, list: readonly Json[]): Json =>
  list[integer(known, known.isNear ? Math.min(list.length, 3) : list.length)];
export const chance = ({ random }: Known, share: number): boolean => random() < share;

/** Mostly the admin. */
export const someKey = (known: Known): string => {
  const name: KeyName = chance(known, 0.7) ? "admin" : pick(known, keyNames);
  return keyOf(name, known.production_id);
};

/** What makes a step; undefined if the production lacks what it needs. */
export type StepMaking = (known: Known) => Step | undefined | Promise<Step | undefined>;

/** A step of one of the makings; of another one if the production lacks what the first one needs. */
export async function madeStep(known: Known, all: readonly StepMaking[]): Promise<Step> {
  for (;;) {
    try {
      const step = await pick(known, all)(known);
      if (step !== undefined) return step;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // the numbers ask for what the production does not have
    }
  }
}
