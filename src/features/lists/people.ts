// Reads and writes the CSV list of the crew. Contact details are never stored.
import { sameName } from "../../core/wording.ts";
import { quoted, slugOf } from "../names/names.ts";
import { Repeats } from "../paperwork/findings.ts";
import { namesIn, warnOfAccents, warnOfSeveral } from "../paperwork/known_names.ts";
import { definedFields, type PaperDocument } from "../paperwork/partial.ts";
import { department, flagCell, ownName, textCell } from "./cells.ts";
import { mapFlag } from "./columns.ts";
import { contactHeaders } from "./contact_headers.ts";
import type { CsvRow, Header } from "./csv.ts";
import { column, defineList, type ListBuilding, type OpenOptions, type Values } from "./list.ts";

const columns = {
  name: column(
    "Name, Full Name, Crew Member, Crew Name, Person",
    ownName(({ people }) => people),
  ),
  first_name: column("First Name, First, Given Name, Forename, Christian Name", textCell(150)),
  last_name: column("Last Name, Last, Surname, Family Name", textCell(150)),
  role: column("Role, Position, Title, Job Title, Job, Occupation, Crew Position, Grade", textCell(300)),
  department: column("Department, Dept, Dep", department),
  is_hod: column("HOD, Head of Department, Is HOD, Department Head, Dept Head", flagCell("hod")),
  is_admin: column("Admin, Is Admin, Administrator", flagCell("admin")),
  active: column("Active, Is Active", flagCell()),
};

/** A heading above people: the department that it names, or none. */
interface Section {
  heading: string;
  department: string | undefined;
}

/** A row with one cell is a heading, unless it is somebody's name in a list without roles. */
function sections({ fields }: Header, { known, departments }: OpenOptions): (row: CsvRow) => Section | undefined {
  const { spellings } = namesIn(known.people);
  return ({ cells }) => {
    const [heading, ...others] = cells.filter((cell) => cell !== "");
    if (heading === undefined || others.length > 0) return undefined;
    const isRole = fields[cells.indexOf(heading)] === "role";
    const isPerson = isRole || !fields.includes("role") || spellings.has(sameName(heading));
    const department = isPerson ? departments.find(heading) : departments.ofHeading(heading);
    return department === undefined && isPerson ? undefined : { heading, department };
  };
}

/** A name that means that the position is open. */
const isNobody = (name: string): boolean => /^(?:t\.?b\.?[acdh]\.?|n\/?a|open|vacant|-+|–|\?+|x+)$/i.test(name);

type Crew = ListBuilding<typeof columns, Section>;

/**
 * The department whose heading stands above the headers, where a title may stand too. Warns where the list has headings
 * and that one is not known.
 */
function sectionAbove({ above, entries, options, findings, has, took }: Crew): Section | undefined {
  const { line = 0, cells = [] } = above.at(-1) ?? {};
  const [heading, ...others] = cells.filter((cell) => cell !== "");
  if (heading === undefined || others.length > 0) return undefined;
  const department = options.departments.find(heading);
  if (department !== undefined) {
    took(line);
    return { heading, department };
  }
  const next = entries.find(({ banner }) => banner?.department !== undefined);
  if (next?.banner !== undefined && next !== entries[0] && !has("department"))
    findings.warn(
      `${quoted(heading)} stands above the headers and is no department of the production; the people before ${quoted(next.banner.heading)} have none`,
      { line },
    );
  return undefined;
}

type CrewRow = Values<typeof columns>;

/** The whole name of a row. Beside a column of first names alone, the column of names has the last ones. */
function nameIn({ name, first_name, last_name }: CrewRow): string {
  const isWhole =
    name !== undefined && (first_name === undefined || last_name !== undefined || name.includes(first_name));
  const parts = [first_name, last_name ?? name].filter((part) => part !== undefined);
  return isWhole ? name : parts.join(" ");
}

/** A column of roles that new people need and the file has not is one problem, not one in every row. */
function checkRoles(newcomers: readonly { name: string; line: number }[], { findings, has, unknown }: Crew): void {
  const [first, ...others] = newcomers;
  if (first === undefined) return;
  if (has("role")) {
    for (const { name, line } of newcomers)
      findings.problem(`${quoted(name)} has no role, and the production does not know the name`, { line });
    return;
  }
  const all = others.length === 0 ? quoted(first.name) : `${quoted(first.name)} and ${others.length} more`;
  const columns = unknown.map((header) => `column ${header} is unknown; ${mapFlag("role", header)}`);
  const hint = columns.length === 0 ? "" : `; ${columns.join("; ")}`;
  findings.problem(`new people need a role, for which the file has no column: ${all}${hint}`, { line: first.line });
}

function build(crew: Crew): PaperDocument {
  const { entries, options, findings, has, headerOf, took } = crew;
  if (has("first_name") && !has("last_name") && !has("name"))
    findings.warn(
      `the column ${quoted(headerOf("first_name"))} is the only one with names: people have their first names alone`,
    );
  const { spellings } = namesIn(options.known.people);
  const repeats = new Repeats(findings, "; if they are two people, add something to one of the names");
  const people: NonNullable<PaperDocument["people"]> = [];
  const newcomers: { name: string; line: number }[] = [];
  let section = sectionAbove(crew);
  for (const { line, values, banner, broken } of entries) {
    if (banner !== undefined && banner.department === undefined) {
      const advice =
        slugOf(banner.heading, "-") === ""
          ? "; the people below it have no department until a list of departments with a column Slug has it"
          : "";
      findings.warn(`${quoted(banner.heading)} is alone in its row and was read as a heading${advice}`, { line });
    }
    section = banner ?? section;
    const { first_name: _, last_name: __, ...fields } = values;
    const name = nameIn(values);
    if (name === "" || (isNobody(name) && !spellings.has(sameName(name)))) {
      if (fields.role !== undefined)
        findings.warn(`nobody is named as ${quoted(fields.role)}; the row was ignored`, { line });
      continue;
    }
    const department = fields.department ?? section?.department;
    const person = { ...fields, name, ...definedFields({ department }) };
    if (!repeats.isFirst(sameName(name), name, line, { ...person, name: sameName(name) })) continue;
    took(line);
    warnOfAccents(options.known.people, name, findings, line);
    warnOfSeveral(options.known.people, name, findings, line);
    if (!broken && fields.role === undefined && !spellings.has(sameName(name))) newcomers.push({ name, line });
    people.push(person);
  }
  checkRoles(newcomers, crew);
  return { people };
}

export const peopleList = defineList({
  title: "a crew list",
  columns,
  wanted: ["role", "department"],
  needs: [["name"], ["first_name", "last_name"], ["first_name"]],
  dropped: { headers: contactHeaders, because: "contact details are not stored" },
  banners: sections,
  build,
  rows: ({ people }) => people,
});
