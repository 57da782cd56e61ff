// The kinds of lists and of scripts, and what a document without a file name is called.
import { contribution } from "../../core/features.ts";
import type { SectionName } from "./sections/sections.ts";

/** What messages and the history call a document that a request or a form of a page has as its body. */
export const unnamedDocument = "the document";

/** What an import and an export know of a kind of list without loading it. */
export interface ListKindRow {
  /** The section that a list of the kind mainly changes. */
  section: SectionName;
  /** Whether what it lists has scenes, so that a list can be that of one episode. */
  hasScenes: boolean;
  /** Whether it is written, and also for one episode. */
  exported: "never" | "whole" | "of episodes too";
  /** When it is read among the lists of an import: after those that list what it names. */
  turn: "first" | "second" | "last";
}

/** The kinds of lists, as keys. The feature that reads lists adds them to this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: a feature extends it by declaration merging
export interface ListKinds {}

/** One of them. Without a feature that reads lists, there is none, and what asks for one still compiles. */
export type ListKind = [keyof ListKinds] extends [never] ? string : keyof ListKinds;

const rows = contribution("listKinds") ?? {};

/** The kinds of lists. */
export const listKinds = Object.keys(rows) as readonly ListKind[]; // as the feature declares them

export const rowOfKind = (kind: ListKind): ListKindRow => rows[kind] as ListKindRow; // each kind has one

/** The formats of scripts that are text: a file with another extension can be said to be one of them. */
export const scriptKinds = ["fountain", "fdx"] as const;

/** The kinds of lists that are written in one of these ways. */
export const exportedKinds = (ways: readonly ListKindRow["exported"][]): readonly ListKind[] =>
  listKinds.filter((kind) => ways.includes(rowOfKind(kind).exported));

export const isListKind = (kind: unknown): kind is ListKind => listKinds.some((known) => known === kind);

/** What is wrong with a list of an episode, if lists of its kind have no scenes. */
export const episodeProblem = (kind: ListKind): string | undefined =>
  rowOfKind(kind).hasScenes ? undefined : `episode is for what has scenes; a list of the kind ${kind} has none`;

/** A kind as pages say it. */
export const spokenKind = (kind: string): string => kind.replaceAll("-", " ");
