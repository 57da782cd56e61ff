import { slugOf } from "../names/names.ts";
import { Repeats } from "../paperwork/findings.ts";
import { departmentsIn, warnOfSeveral } from "../paperwork/known_names.ts";
import { flagCell, listCell, slugCell, textCell } from "./cells.ts";
import { column, defineList } from "./list.ts";

export const departmentList = defineList({
  title: "a list of departments",
  columns: {
    slug: column("Slug, Department Slug, Code, Key", slugCell),
    name: column("Department, Department Name, Name, Dept", textCell(300)),
    cluster: column("Cluster, Group, Division", textCell(100)),
    phases: column("Phases, Phase", listCell("phases: prep, shoot", /[\n;,]/, 100)),
    mission: column("Mission, Description, Purpose", textCell()),
    key_roles: column("Key Roles, Roles, Positions", listCell("roles, a line or a semicolon between", /[\n;]/, 200)),
    privacy: column("Privacy", textCell(100)),
    unveiled: column("Unveiled, Visible", flagCell()),
  },
  needs: [["name"], ["slug"]],
  build({ entries, options, findings, took }) {
    const { names } = departmentsIn(options.known.items("departments"));
    const repeats = new Repeats(findings);
    return {
      departments: entries.flatMap(({ line, values: { slug: given, name, ...fields } }) => {
        const slug = given ?? (name === undefined ? "" : (options.departments.find(name) ?? slugOf(name, "-")));
        if (slug === "") {
          if (name !== undefined)
            findings.problem("the name has no Latin letters or digits for a slug; add a column Slug", { line });
          return [];
        }
        if (!repeats.isFirst(slug, name ?? slug, line)) return [];
        if (name !== undefined && !names.has(slug)) warnOfSeveral([], name, findings, line);
        took(line);
        // Without a slug, the name says only which department it is.
        const nameField = given === undefined && names.has(slug) ? {} : { name: name ?? names.get(slug) ?? slug };
        return [{ slug, ...nameField, ...fields }];
      }),
    };
  },
  rows: ({ departments }) =>
    departments.map(({ registry, mission, ...fields }) => ({ ...fields, mission: mission || undefined })),
});
