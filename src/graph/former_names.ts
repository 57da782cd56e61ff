// The names that things had before they were renamed.
import { many } from "../core/store/statements.ts";

/** The former names of the things of a section of documents, oldest first. */
export const formerNamesOf = many<
  { production_id: number; section: string; field: string },
  { id: number; name: string }
>("list_former_names");
