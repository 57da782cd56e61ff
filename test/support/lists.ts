// Reads lists in tests: returns the document or the messages of its problems. The names are those of the demo productions.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { documentSchema, type ProductionDocument } from "../../src/document/sections/schema.ts";
import { problemText } from "../../src/errors.ts";
import { FormatError } from "../../src/formats/findings.ts";
import type { ListOptions } from "../../src/formats/list.ts";
import { listOfKind } from "../../src/formats/lists.ts";
import type { PaperDocument, PaperReading, ProductionNames } from "../../src/formats/partial.ts";
import type { ListKind } from "../../src/inputs.ts";

export const fixture = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)));

const parsed = (name: string): ProductionDocument => v.parse(documentSchema, JSON.parse(fixture(name).toString()));

export const silverButton = parsed("the-silver-button.json");
export const cipher = parsed("the-saknussemm-cipher.json");
export const noNames: ProductionNames = {
  scenes: [],
  episodes: [],
  departments: [],
  people: [],
  vendors: [],
  assets: [],
  things: [],
  scene_assets: [],
  deliveries: [],
  shoot_days: [],
  unnumbered_orders: [],
  purchase_orders: [],
  cost_reports: [],
  accounts: {},
};

/** The names in a whole document. */
export function knownNames(document: ProductionDocument): ProductionNames {
  const lines = document.cost_reports.toSorted((one, other) => (one.week_of < other.week_of ? -1 : 1));
  return {
    scenes: document.scenes.map(({ number, episode }) => (episode === undefined ? number : `${episode}/${number}`)),
    episodes: document.episodes.map(({ code }) => code),
    departments: document.departments.map(({ slug, name }) => ({ slug, name })),
    people: document.people.map(({ name }) => name),
    vendors: document.vendors,
    assets: document.assets.map(({ ref, label }) => ref ?? label),
    things: document.assets,
    scene_assets: document.scenes.map(({ number, episode, assets }) => ({
      scene_name: episode === undefined ? number : `${episode}/${number}`,
      assets,
    })),
    deliveries: document.deliveries.map(({ ref, title }) => ref ?? title),
    shoot_days: document.schedule.map(({ day_number, date }) => ({ day_number, date })),
    unnumbered_orders: document.purchase_orders.flatMap(({ number, account, vendor, description, date }) =>
      number === undefined ? [JSON.stringify([account, vendor, description, date])] : [],
    ),
    purchase_orders: document.purchase_orders.flatMap((order) => ("number" in order ? [String(order.number)] : [])),
    cost_reports: document.cost_reports.map(({ week_of, active }) => ({ week_of, active })),
    accounts: Object.fromEntries(
      lines.flatMap(({ lines }) => lines.map(({ account, department }) => [account, department])),
    ),
  };
}

export const silverButtonNames = knownNames(silverButton);
export const cipherNames = knownNames(cipher);

export const names = (some: Partial<ProductionNames>): ProductionNames => ({ ...noNames, ...some });
/** Known names with only these scenes. */
export const script = (...scenes: string[]): { known: ProductionNames } => ({ known: names({ scenes }) });

type Options = Partial<ListOptions>;

const bytesOf = (file: string | Uint8Array): Uint8Array => (typeof file === "string" ? Buffer.from(file) : file);

export const readList = (kind: ListKind, file: string | Uint8Array, options: Options = {}): PaperReading =>
  listOfKind(kind).read(bytesOf(file), { known: silverButtonNames, ...options });

export const documentOf = (kind: ListKind, file: string | Uint8Array, options: Options = {}): PaperDocument =>
  readList(kind, file, options).document;

/** The messages with which `read` refuses a file. Throws if the file is read, or if the error is not a FormatError. */
export function refusalOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof FormatError) return error.problems.map(problemText);
    throw error;
  }
  throw new Error("the file was read");
}

export const problemsOf = (kind: ListKind, file: string | Uint8Array, options: Options = {}): string[] =>
  refusalOf(() => readList(kind, file, options));

export const warningsOf = (kind: ListKind, file: string | Uint8Array, options: Options = {}): string[] =>
  readList(kind, file, options).warnings.map(problemText);

/** Reads about `steps` prefixes of `bytes`: each must give a document or messages. Returns how many were read. */
export function readTruncated(bytes: Uint8Array, read: (bytes: Uint8Array) => unknown, steps = 400): number {
  let documents = 0;
  const step = Math.max(1, Math.floor(bytes.length / steps));
  for (let end = 0; end < bytes.length; end += step)
    try {
      read(bytes.subarray(0, end));
      documents++;
    } catch (error) {
      if (!(error instanceof FormatError) || error.problems.some(({ sentence }) => sentence === "")) throw error;
    }
  return documents;
}

/** Validates a partial document by the schema of whole ones, with optional fields and no unknown ones. Returns the messages. */
export function faultsOf({ people = [], purchase_orders = [], ...document }: PaperDocument): string[] {
  const { entries } = documentSchema;
  const items = {
    scenes: v.partial(v.strictObject(entries.scenes.wrapped.item.entries)),
    schedule: v.partial(v.strictObject(entries.schedule.wrapped.item.entries)),
    people: v.partial(v.strictObject(entries.people.wrapped.item.entries)),
    departments: v.partial(v.strictObject(entries.departments.wrapped.item.entries)),
    vendors: entries.vendors.wrapped.item,
    assets: v.partial(v.strictObject(entries.assets.wrapped.item.entries)),
    approvals: v.partial(v.strictObject(entries.approvals.wrapped.item.entries)),
    deliveries: v.partial(v.strictObject(entries.deliveries.wrapped.item.entries)),
    purchase_orders: v.partial(v.strictObject(entries.purchase_orders.wrapped.item.entries)),
    cost_reports: v.partial(v.strictObject(entries.cost_reports.wrapped.item.entries)),
  };
  const sections: Record<string, unknown[]> = {
    ...document,
    // The schema does not have these two fields yet.
    people: people.map(({ active: _, ...person }) => person),
    purchase_orders: purchase_orders.map(({ number: _, ...order }) => order),
  };
  return Object.entries(sections).flatMap(([section, list]) => {
    const schema = items[section as keyof typeof items];
    if (schema === undefined) return [`${section} is not a section that lists have`];
    return list.flatMap(
      (item) =>
        v.safeParse(schema, item).issues?.map((issue) => `${section}: ${v.getDotPath(issue)} ${issue.message}`) ?? [],
    );
  });
}
