// Lists the departments, and returns one with its people.
import * as v from "valibot";
import * as input from "../core/inputs.ts";
import { describe } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";

const departmentRow = out.record(
  "DepartmentRow",
  v.object({
    id: out.id,
    slug: out.text,
    name: out.text,
    cluster: out.text,
    phases: v.array(out.text),
    mission: out.text,
    key_roles: v.array(out.text),
    privacy: out.text,
    unveiled: v.boolean(),
  }),
);

const departmentPerson = out.record(
  "DepartmentPerson",
  v.object({ id: out.id, name: out.text, role: out.text, is_hod: v.boolean() }),
);

const departmentDetail = out.record(
  "DepartmentDetail",
  v.object({
    id: out.id,
    slug: out.text,
    name: out.text,
    cluster: out.text,
    registry: out.free,
    people: v.array(departmentPerson),
    assets: describe(out.count, "The number of assets that the department owns."),
  }),
);

export const listDepartments = reading({
  name: "list_departments",
  summary: "Lists every department.",
  path: "/departments",
  scope: "read",
  output: v.array(departmentRow),
  tool: {},
  resource: "service://departments",
});

export const getDepartment = reading({
  name: "get_department",
  summary: "Returns one department by its slug, with its people and the number of its assets.",
  path: "/departments/:slug",
  scope: "read",
  input: v.object({ slug: describe(input.text(64), "The department's slug.") }),
  output: departmentDetail,
  tool: {},
});
