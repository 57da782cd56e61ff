// Lists the departments, and returns one with its people.
import * as v from "valibot";
import { describe, text as inputText } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import { count, free, id, record, text } from "../core/records.ts";

const departmentRow = record(
  "DepartmentRow",
  v.object({
    id,
    slug: text,
    name: text,
    cluster: text,
    phases: v.array(text),
    mission: text,
    key_roles: v.array(text),
    privacy: text,
    unveiled: v.boolean(),
  }),
);

const departmentPerson = record("DepartmentPerson", v.object({ id, name: text, role: text, is_hod: v.boolean() }));

const departmentDetail = record(
  "DepartmentDetail",
  v.object({
    id,
    slug: text,
    name: text,
    cluster: text,
    registry: free,
    people: v.array(departmentPerson),
    assets: describe(count, "The number of assets that the department owns."),
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
  input: v.object({ slug: describe(inputText(64), "The department's slug.") }),
  output: departmentDetail,
  tool: {},
});
