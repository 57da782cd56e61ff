// The names that things had before they were renamed, and those with which people signed.
import type { ProductionId } from "../../core/ids.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

/** The former names of the things of a section of documents, oldest first. */
export const formerNamesOf = many<
  { production_id: ProductionId; section: string; field: string },
  { id: number; name: string }
>("list_former_names");

const signedNamesOf = many<{ production_id: ProductionId }, { id: number; name: string }>("list_signed_names");

/**
 * The names that people had, those with which they signed, and those of removed people, with the ids of the people.
 * Those of which only the name is recorded have the id 0, and come last.
 */
export const recordedNamesOf = (store: Store, production_id: ProductionId): { id: number; name: string }[] => [
  ...formerNamesOf(store, { production_id, section: "people", field: "name" }),
  ...signedNamesOf(store, { production_id }),
];
