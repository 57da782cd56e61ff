// The things of a production by the schema of whole documents: with their defaults, or with what is wrong. Each is parsed once.
import * as v from "valibot";
import type { SectionName } from "./changes.ts";
import { itemSchemaOf, type Raw } from "./partial_schema.ts";
import { keyOf, sections } from "./sections.ts";

type Parsed = v.SafeParseResult<v.GenericSchema>;

const parse = (section: SectionName, item: Raw): Parsed =>
  v.safeParse(itemSchemaOf(section), item, { abortPipeEarly: true });

function outputOf({ success, output }: Parsed, section: SectionName, item: Raw): Raw {
  if (!success) throw new Error(`a stored ${sections[section].kind} is unsound: ${keyOf(section, item)}`);
  return output as Raw; // every thing is an object
}

/** A sound thing with the defaults of the schema. Throws an Error if it is unsound. */
export const parsedItem = (section: SectionName, item: Raw): Raw => outputOf(parse(section, item), section, item);

/** A thing as the lists of a document have it: in a section of plain texts, its name. */
export const writtenItem = (section: SectionName, item: Raw): unknown => (sections[section].plain ? item.name : item);

/** Parses things that do not change any more. */
export class ParsedItems {
  readonly #parsed = new Map<Raw, Parsed>();

  /** A thing as far as it could be understood, and what is wrong with it. */
  parse(section: SectionName, item: Raw): Parsed {
    let parsed = this.#parsed.get(item);
    if (parsed === undefined) {
      parsed = parse(section, item);
      this.#parsed.set(item, parsed);
    }
    return parsed;
  }

  /** A sound thing with the defaults of the schema. Throws an Error if it is unsound. */
  item(section: SectionName, item: Raw): Raw {
    return outputOf(this.parse(section, item), section, item);
  }
}
