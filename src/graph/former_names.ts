// The names that things had before they were renamed.
import type { ProductionId } from "../core/ids.ts";
import { many } from "../core/store/statements.ts";

/** The former names of the things of a section of documents, oldest first. */
export const formerNamesOf = many<
  { production_id: ProductionId; section: string; field: string },
  { id: number; name: string }
>("list_former_names");

/** The names with which people signed, and those of removed people, with their ids; 0, last, where only the name is recorded. */
export const signedNamesOf = many<{ production_id: ProductionId }, { id: number; name: string }>("list_signed_names");
