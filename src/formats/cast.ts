// Reads and writes the CSV list of the cast: characters with their numbers and who plays them.
import { castColumns, scenesByAsset } from "./assets.ts";
import { AssetList } from "./breakdown.ts";
import { textCell } from "./cells.ts";
import { contactHeaders } from "./contacts.ts";
import { thingsIn } from "./known.ts";
import { defineList } from "./list.ts";
import { Repeats } from "./repeats.ts";
import { ScriptScenes } from "./scenes.ts";

const { cast_number, performer, scenes } = castColumns;

export const castList = defineList({
  kind: "cast",
  title: "a cast list",
  columns: {
    cast_number: { ...cast_number, aliases: [...cast_number.aliases, "Cast", "ID", "No", "Number", "Nr", "Board ID"] },
    label: {
      aliases: ["Character", "Character Name", "Role", "Role Name", "Part", "Element", "Element Name"],
      cell: textCell(300),
      required: true,
    },
    ref: { aliases: ["Ref", "Reference"], cell: textCell(500) },
    performer: {
      ...performer,
      aliases: [...performer.aliases, "Actor Name", "Actress", "Artist", "Talent", "Cast Member", "Name"],
    },
    scenes,
  },
  needs: [["label"]],
  dropped: { aliases: contactHeaders, because: "contact details are not stored" },
  build({ entries, options, findings }) {
    const script = new ScriptScenes(options);
    const { byReference } = thingsIn(options.known.things);
    const characters = new AssetList({ known: [...byReference.values()] });
    const repeats = new Repeats(findings, "; a column Ref tells two characters of one name apart");
    return {
      assets: entries.flatMap(({ line, values: { label, ref, scenes, ...fields } }) => {
        if (label === undefined) return [];
        const isExact = ref !== undefined || byReference.get(label)?.kind === "character";
        const name = isExact ? (ref ?? label) : characters.label(label, { kind: "character" });
        if (!repeats.isFirst(name, name, line)) return [];
        const known = byReference.get(name);
        const added = {
          label: ref === undefined ? name : label,
          ...(ref !== undefined && { ref }),
          kind: "character",
          status: "planned",
        } as const;
        const thing =
          known === undefined ? added : { label: known.label, ...(known.ref !== undefined && { ref: known.ref }) };
        return [{ ...thing, ...fields, ...(scenes && { scenes: script.references(scenes, findings, line) }) }];
      }),
    };
  },
  rows(document) {
    const scenes = scenesByAsset(document);
    return document.assets.flatMap(({ ref, label, kind, cast_number, performer }) =>
      kind === "character" ? [{ cast_number, label, ref, performer, scenes: scenes.get(ref ?? label) }] : [],
    );
  },
});
