// Reads and writes the CSV list of assets.
import type { nodeStatuses } from "../inputs.ts";
import { department, kind, oneOfCell, textCell } from "./cells.ts";
import { meantAmong } from "./known.ts";
import { defineList } from "./list.ts";
import { Repeats, sameName } from "./repeats.ts";

const statusWords: Record<(typeof nodeStatuses)[number], readonly string[]> = {
  planned: ["to do", "todo", "not started", "pending", "upcoming", "open"],
  active: ["in progress", "in work", "working", "ongoing", "wip", "started"],
  blocked: ["on hold", "hold", "waiting", "stuck"],
  done: ["complete", "completed", "finished", "final", "finaled", "closed"],
};

export const assetList = defineList({
  kind: "assets",
  title: "a list of assets",
  columns: {
    label: {
      aliases: ["Asset", "Asset Name", "Label", "Name", "Item", "Element", "Element Name", "Prop", "Title"],
      cell: textCell(300),
      required: true,
    },
    ref: { aliases: ["Ref", "Reference", "Asset Ref", "Asset ID", "Code"], cell: textCell(500) },
    kind: { aliases: ["Kind", "Type", "Asset Type", "Category"], cell: kind("scene") },
    status: { aliases: ["Status", "State"], cell: oneOfCell(statusWords) },
    department: { aliases: ["Department", "Dept", "Dep", "Owner"], cell: department },
  },
  needs: [["label"]],
  /** What a new asset is where its row does not say: as POST /assets makes one. */
  build({ entries, options, findings }) {
    const repeats = new Repeats(findings, "; to list two assets with the same label, add a column Ref");
    return {
      assets: entries.flatMap(({ line, values }) => {
        const field = values.ref === undefined ? "label" : "ref";
        const name = values[field];
        if (values.label === undefined || name === undefined) return [];
        const known = meantAmong(options.known.assets, name, findings, line);
        if (!repeats.isFirst(known ?? sameName(name), name, line)) return [];
        const defaults = known === undefined ? ({ kind: "asset", status: "planned" } as const) : {};
        return [{ ...defaults, ...values, [field]: known ?? name }];
      }),
    };
  },
});
