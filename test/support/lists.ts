// Reads lists in tests: returns the document or the messages of its problems. The names are those of the demo
// productions.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import { problemText } from "../../src/features/documents/refusals.ts";
import type { Raw } from "../../src/features/documents/sections/form.ts";
import { documentSchema, type ProductionDocument } from "../../src/features/documents/sections/schema.ts";
import type { SectionName } from "../../src/features/documents/sections/sections.ts";
import { listOfKind } from "../../src/features/lists/lists.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { namesOf } from "../../src/features/paperwork/known_names.ts";
import type {
  ListOptions,
  PaperDocument,
  PaperReading,
  ProductionNames,
} from "../../src/features/paperwork/partial.ts";

export const fixture = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)));

const parsed = (name: string): ProductionDocument => v.parse(documentSchema, JSON.parse(fixture(name).toString()));

export const silverButton = parsed("the-silver-button.json");
export const cipher = parsed("the-saknussemm-cipher.json");

/** The names in a whole document. */
export const knownNames = (document: ProductionDocument): ProductionNames =>
  namesOf((section) =>
    section === "vendors" ? document.vendors.map((name) => ({ name })) : (document[section] as unknown as Raw[]),
  );

export const silverButtonNames = knownNames(silverButton);
export const cipherNames = knownNames(cipher);

/**
 * The names of a production: things as documents list them, or only what they are called. A scene may be called 101/1.
 */
export type SomeNames = { [S in SectionName]?: readonly (string | Raw)[] };
const fieldOf: { [S in SectionName]?: string } = {
  scenes: "number",
  episodes: "code",
  assets: "label",
  deliveries: "title",
};

export function names(some: SomeNames): ProductionNames {
  const lists = Object.entries(some).map(([section, list]) => {
    const things = list.map((thing): Raw => {
      if (typeof thing !== "string") return thing;
      const [episode, number] = thing.split("/");
      if (section === "scenes" && number !== undefined) return { episode, number };
      return { [fieldOf[section as SectionName] ?? "name"]: thing };
    });
    return [section, things] as const;
  });
  const items = new Map<string, readonly Raw[]>(lists);
  const none: Raw[] = [];
  return namesOf((section) => items.get(section) ?? none);
}
export const noNames = names({});

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

/**
 * Validates a partial document by the schema of whole ones, with optional fields and no unknown ones. Returns the
 * messages.
 */
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
