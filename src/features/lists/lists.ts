// The reader and writer of every kind of list.
import type { ListKind } from "../documents/kinds.ts";
import { listKindRows } from "./feature.ts";
import type { List } from "./list.ts";

export const knownKinds = Object.keys(listKindRows) as ListKind[]; // the keys of the literal

const lists = new Map<ListKind, List>();
for (const kind of knownKinds) lists.set(kind, await listKindRows[kind].load());

export const listOfKind = (kind: ListKind): List => lists.get(kind) as List; // each was loaded
