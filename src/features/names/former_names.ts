// The names that things had before they were renamed, and those with which people signed.
import type { ProductionId } from "../../core/ids.ts";
import { many } from "../../core/store/statements.ts";

/** The former names of the things of a section of documents, oldest first. */
export const formerNamesOf = many<
  { production_id: ProductionId; section: string; field: string },
  { id: number; name: string }
>("list_former_names");

/**
 * The names with which people signed, and those of removed people, with the ids of the people. Those of which only the
 * name is recorded have the id 0, and come last.
 */
export const signedNamesOf = many<{ production_id: ProductionId }, { id: number; name: string }>("list_signed_names");
