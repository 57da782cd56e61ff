// How the things of each section are kept, and the items of their lists: in which tables, and which field in which column. It follows from the table
// of sections, the forms of their fields and the columns of their tables.
import type { Store } from "../../../core/store/store.ts";
import { type Field, type Form, itemFormOf } from "../sections/form.ts";
import { type Noun, type SectionName, sections } from "../sections/sections.ts";
import type { ListTables, Tables } from "../sections/tables.ts";
import { type Kept, keptIn, linkIn } from "./columns.ts";
import { type Exported, exported, type Row, rowsIn } from "./exporter.ts";
import { columnsOf, type KeyedTable, type RowKind } from "./writer.ts";

/** A list of things that is kept in rows of its own. */
export interface KeptList {
  field: string;
  part: ListTables;
  /** How its items are kept. */
  kind: Kind;
  /** What the items refer to, if they are references. */
  link: Kept | undefined;
  /** Its order says nothing. */
  isSet: boolean;
}

/** How things of one kind are kept. */
export interface Kind {
  tables: Tables;
  read: Exported<Row>;
  fields: readonly Kept[];
  lists: readonly KeptList[];
  /** The field that is a medium, or a list of media. */
  media: { field: string; isList: boolean } | undefined;
  /** The columns of its tables. */
  columns: ReadonlySet<string>;
  /** The tables with the columns that are written. Known with the first row. */
  rows?: readonly RowKind[];
}

/** The statements that read more than the rows of one table. */
const reads: Readonly<Record<string, Exported<Row>>> = {
  scenes: exported("export_scenes"),
  nodes: exported("export_assets"),
  node_links: exported("export_node_links"),
  versions: exported("export_versions"),
  delivery_nodes: exported("export_delivery_nodes"),
  asset_files: exported("export_asset_files"),
  notes: exported("export_notes"),
  approvals: exported("export_approvals"),
  approval_steps: exported("export_steps"),
  former_steps: exported("export_former_steps"),
};

export const tablesOf = ({ table, rest }: Tables): KeyedTable[] => [
  { table, key: "id" },
  ...(rest === undefined ? [] : [rest]),
];

interface Described {
  form: Form;
  tables: Tables;
  noun?: Noun | undefined;
  inverse?: readonly string[] | undefined;
  sets?: readonly string[] | undefined;
}

/** How what has a form is kept in tables. */
function kindOf(store: Store, { form, tables, noun, inverse = [], sets = [] }: Described): Kind {
  const { table, rest, order = "id", parts = {} } = tables;
  const columns = new Set(tablesOf(tables).flatMap((one) => [...columnsOf(store, one.table)]));
  const { fields = [] } = form;
  const isMedium = ({ form: { medium, item } }: Field) => medium === true || item?.medium === true;
  const medium = fields.find(isMedium);
  const kept = fields.filter((one) => !isMedium(one) && parts[one.key] === undefined && !inverse.includes(one.key));
  return {
    tables,
    read: reads[rest?.table ?? table] ?? rowsIn(table, order),
    fields: kept.map((one) => keptIn(one, columns, noun)),
    lists: fields.flatMap((one) => {
      const part = parts[one.key];
      return part === undefined ? [] : [listOf(store, one, part, sets.includes(one.key))];
    }),
    media: medium && { field: medium.key, isList: medium.form.item !== undefined },
    columns,
  };
}

/** How a list is kept. A list of lists has the items of these. */
function listOf(store: Store, { key: field, form: { item = {} } }: Field, part: ListTables, isSet: boolean): KeptList {
  const kind = kindOf(store, { form: part.round === undefined ? item : (item.item ?? {}), tables: part });
  const link = item.noun && linkIn(field, item.noun, part.to);
  return { field, part, kind: link === undefined ? kind : { ...kind, fields: [link] }, link, isSet };
}

const kinds = new Map<SectionName | "production", Kind>();

export function kindOfSection(store: Store, name: SectionName | "production"): Kind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const own =
    name === "production" ? { tables: { table: "productions" } } : { ...sections[name], tables: sections[name] };
  const kind = kindOf(store, { ...own, form: itemFormOf(name) });
  kinds.set(name, kind);
  return kind;
}
