// Reads and writes the CSV list of departments.
import { flagCell, kind, listCell, textCell } from "./cells.ts";
import { defineList } from "./list.ts";
import { Repeats } from "./repeats.ts";
import { slugOf } from "./spelling.ts";

const filled = <T>(list: readonly T[]): T[] | undefined => (list.length === 0 ? undefined : [...list]);

export const departmentList = defineList({
  kind: "departments",
  title: "a list of departments",
  columns: {
    slug: { aliases: ["Slug", "Department Slug", "Code", "Key"], cell: kind("") },
    name: { aliases: ["Department", "Department Name", "Name", "Dept"], cell: textCell(300) },
    cluster: { aliases: ["Cluster", "Group", "Division"], cell: textCell(100) },
    phases: { aliases: ["Phases", "Phase"], cell: listCell("phases: prep, shoot", /[\n;,]/, 100) },
    mission: { aliases: ["Mission", "Description", "Purpose"], cell: textCell() },
    key_roles: {
      aliases: ["Key Roles", "Roles", "Positions"],
      cell: listCell("roles, a line or a semicolon between", /[\n;]/, 200),
    },
    privacy: { aliases: ["Privacy"], cell: textCell(100) },
    unveiled: { aliases: ["Unveiled", "Visible"], cell: flagCell() },
  },
  needs: [["name"], ["slug"]],
  build({ entries, options, findings }) {
    const names = new Map(options.known.departments.toReversed().map(({ slug, name }) => [slug, name]));
    const repeats = new Repeats(findings);
    return {
      departments: entries.flatMap(({ line, values: { slug: given, name, ...fields } }) => {
        const slug = given ?? (name === undefined ? "" : (options.departments.find(name) ?? slugOf(name, "-")));
        if (slug === "") {
          if (name !== undefined) findings.problem("the name has no letters or digits; add a column Slug", { line });
          return [];
        }
        if (!repeats.isFirst(slug, name ?? slug, line)) return [];
        // Without a slug, the name says only which department it is.
        const own = given === undefined && names.has(slug) ? {} : { name: name ?? names.get(slug) ?? slug };
        return [{ slug, ...own, ...fields }];
      }),
    };
  },
  rows: ({ departments }) =>
    departments.map(({ phases, key_roles, mission, ...own }) => ({
      ...{ ...own, mission: mission === "" ? undefined : mission },
      ...{ phases: filled(phases), key_roles: filled(key_roles) },
    })),
});
