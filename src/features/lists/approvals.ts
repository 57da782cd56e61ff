// Reads and writes the CSV list of approvals: one row for each step, or one row for an approval with a list of people.
import { listed, sameName } from "../../core/wording.ts";
import type { approvalModes, approvalStatuses } from "../../graph/values.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { quoted } from "../names/names.ts";
import { CellRefusal } from "../paperwork/findings.ts";
import { spellingIn, warnOfSeveral } from "../paperwork/known_names.ts";
import { definedFields, type PaperDocument } from "../paperwork/partial.ts";
import { ScriptScenes } from "../paperwork/scenes.ts";
import { dateOrText, listCell, momentCell, nameAmong, oneOfCell, plainCell, textCell, warnOfText } from "./cells.ts";
import { column, defineList, type WrittenRow } from "./list.ts";

const modeWords: Record<(typeof approvalModes)[number], string> = {
  chain: "in order, one after the other",
  decision: "any, one of them",
};
const statusWords: Record<(typeof approvalStatuses)[number], string> = {
  pending: "open, waiting, to do, offen, ausstehend, en attente",
  approved: "ok, yes, accepted, freigegeben, genehmigt, abgenommen, approuvé, validé",
  changes_requested: "changes, changes requested, again, änderungen, modifications",
  rejected: "no, refused, abgelehnt, refusé",
};

const wholeNumber = plainCell("the number of a version", (text) =>
  /^v?\d{1,9}$/i.test(text) ? Number(text.replace(/^v/i, "")) : new CellRefusal(`${quoted(text)} is not a number`),
);

const columns = {
  title: column("Approval, Approval Title, Title, Subject", textCell(300), { required: true }),
  ref: column("Ref, Reference, Approval Ref", textCell(500)),
  mode: column("Mode", oneOfCell(modeWords)),
  due: column("Due, Due Date, Deadline, Due By", dateOrText(100)),
  scene: column("Scene, Scene Number, Sc", textCell(100)),
  asset: column(
    "Asset, Element",
    nameAmong(({ assets }) => assets, 500),
  ),
  delivery: column(
    "Delivery, Turnover",
    nameAmong(({ deliveries }) => deliveries, 500),
  ),
  version: column("Version", wholeNumber),
  person: column(
    "Person, People, Approver, Approvers, Steps, Step",
    listCell("people, a line or a semicolon between", /[\n;]/, 300),
  ),
  status: column("Status, Decision, Step Status", oneOfCell(statusWords)),
  decided_at: column("Decided, Decided At, Date Decided", momentCell),
  note: column("Note, Comment", textCell()),
  decided_by: column(
    "Decided By",
    nameAmong(({ people }) => people),
  ),
  signed_as: column("Signed As", textCell(300)),
  signed_version: column("Signed Version", wholeNumber),
};

type Approval = NonNullable<PaperDocument["approvals"]>[number];

/** Gives an approval what a further row says of it. Answers the names of what the rows before say otherwise. */
function addFields(approval: Approval, fields: Partial<Approval>): string[] {
  return Object.entries(definedFields(fields)).flatMap(([name, value]) => {
    const first: unknown = approval[name as keyof Approval]; // a field of an approval
    if (first === undefined) Object.assign(approval, { [name]: value });
    return first === undefined || first === value ? [] : name;
  });
}

const wereIgnored = (fields: readonly string[]): string =>
  `${listed(fields.map((field) => field.replaceAll("_", " ")))} ${fields.length === 1 ? "was" : "were"} ignored`;

export const approvalList = defineList({
  title: "a list of approvals",
  columns,
  needs: [["title", "person"]],
  build({ entries, options, findings, headerOf, took }) {
    const script = new ScriptScenes(options, findings);
    const approvals = new Map<string, Approval>();
    for (const { line, values, broken } of entries) {
      const {
        title,
        person = [],
        status,
        decided_at,
        note,
        decided_by,
        signed_as,
        signed_version,
        scene,
        ...fields
      } = values;
      if (title === undefined || broken) continue;
      took(line);
      const key = fields.ref ?? sameName(title);
      const [reference, another] = scene === undefined ? [] : script.references([scene], line);
      if (another !== undefined) findings.problem("an approval is about one scene", { line });
      const about = reference !== undefined && { scene: reference };
      warnOfText(fields.due, { line, column: headerOf("due") }, findings);
      const approval: Approval = approvals.get(key) ?? { title, steps: [] };
      if (!approvals.has(key)) warnOfSeveral([], title, findings, line);
      approvals.set(key, approval);
      const ignored = addFields(approval, { ...fields, ...about });
      if (ignored.length > 0)
        findings.warn(`${quoted(title)} has rows that differ, of which the first counts: ${wereIgnored(ignored)}`, {
          line,
        });
      const decision = definedFields({ decided_at, note, decided_by, signed_as, version: signed_version });
      const lost = Object.keys(definedFields({ status, decided_at, note, decided_by, signed_as, signed_version }));
      if (person.length === 0 && lost.length > 0)
        findings.warn(`the row names nobody who approves: its ${wereIgnored(lost)}`, { line });
      for (const one of person)
        approval.steps?.push({
          person: spellingIn(options.known.people, one) ?? one,
          status: status ?? "pending",
          ...decision,
        });
    }
    return { approvals: [...approvals.values()] };
  },
  rows: ({ approvals }: ProductionDocument): WrittenRow<typeof columns>[] =>
    approvals.flatMap(({ steps, ...approval }) =>
      steps.map(({ person, version: signed_version, ...step }) => ({
        ...approval,
        person: [person],
        ...step,
        ...definedFields({ signed_version }),
      })),
    ),
});
