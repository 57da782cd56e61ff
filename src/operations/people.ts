// Lists the crew.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { describe } from "../inputs.ts";
import { id, record, text } from "../records.ts";
import { document } from "../store/statements.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

const person = record(
  "Person",
  v.object({
    id,
    name: text,
    role: text,
    department: v.nullable(text),
    is_hod: v.boolean(),
    is_admin: v.boolean(),
    active: describe(v.boolean(), "False if the person left the production."),
  }),
);

const peopleOf = document<Reach, v.InferOutput<typeof person>[]>("list_people");

export const listPeople = operation({
  name: "list_people",
  summary: "Lists the crew, without contact details.",
  method: "GET",
  path: "/people",
  scope: "read",
  reach: "production",
  input: v.object({}),
  output: v.array(person),
  errors: [],
  run: (context) => read(context, peopleOf, {}),
});
