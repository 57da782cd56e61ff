// Reads and writes the CSV list of deliveries.
import { sameName } from "../../core/wording.ts";
import type { deliveryKinds, deliveryStatuses } from "../../graph/values.ts";
import { isRecord } from "../documents/sections/form.ts";
import { quoted } from "../names/names.ts";
import { CellRefusal, type Findings, Repeats } from "../paperwork/findings.ts";
import { foldedIn, matchingName, warnOfSeveral } from "../paperwork/known_names.ts";
import { definedFields, type PaperDocument, type ReadOptions } from "../paperwork/partial.ts";
import { ScriptScenes } from "../paperwork/scenes.ts";
import {
  dateOrText,
  department,
  jsonOf,
  listCell,
  momentCell,
  oneOfCell,
  plainCell,
  textCell,
  warnOfText,
} from "./cells.ts";
import { column, defineList, type ListBuilding, type Values } from "./list.ts";

const statusWords: Record<(typeof deliveryStatuses)[number], string> = {
  draft: `in preparation, preparing, planned, not started, pending, entwurf, in vorbereitung, geplant, offen, brouillon, en préparation, prévu`,
  blocked: "on hold, hold, waiting, blockiert, wartet, bloqué, en attente",
  ready: "ready to send, prepared, bereit, fertig, prêt, prête",
  sent: "delivered, shipped, submitted, turned over, gesendet, verschickt, geliefert, envoyé, livré",
  accepted: `approved, received, complete, completed, closed, done, angenommen, abgenommen, erledigt, accepté, terminé`,
};

const kindWords: Record<(typeof deliveryKinds)[number], string> = {
  internal: "in-house, inter-department, interdepartmental, intern, interne",
  external: "vendor, outside, client, extern, externe",
};

/** A specification is a list of objects; in a spreadsheet each line is one item. */
const spec = plainCell<Record<string, unknown>[]>("one item on each line, or a list of JSON objects", (text) => {
  if (!/^[[{]/.test(text))
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [{ item: line.trim() }]));
  const value = jsonOf(text);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.every(isRecord)) return list;
  return new CellRefusal(`${quoted(text)} is not ${value === undefined ? "JSON" : "a list of objects"}`);
});

const columns = {
  title: column("Delivery, Delivery Title, Title, Turnover, Deliverable, Name", textCell(300), { required: true }),
  ref: column("Ref, Reference, Delivery Ref, Delivery ID, Code", textCell(500)),
  status: column("Status, State", oneOfCell(statusWords)),
  kind: column("Kind, Type, Delivery Type", oneOfCell(kindWords)),
  due: column("Due, Due Date, Deadline, Due By, Delivery Date", dateOrText(100)),
  external_to: column("To, External To, Deliver To, Recipient, Client, Vendor", textCell(300)),
  from_department: column("From Department, From Dept, From, Department, Dept", department),
  to_department: column("To Department, To Dept", department),
  sent_at: column("Sent, Sent At, Sent On, Date Sent, Delivered On", momentCell),
  scenes: column("Scenes, Scene, Sc, Scene Numbers", listCell("scenes: 12, 14A")),
  assets: column("Assets, Asset, Elements", listCell("assets, a line or a semicolon between", /[\n;]/)),
  spec: column("Spec, Specs, Specification, Specifications, Requirements", spec),
};

type DeliveryRow = Values<typeof columns>;

function unknownAsset(label: string, { known }: ReadOptions, findings: Findings): string {
  const near = findings.nearest(label, foldedIn(known.assets));
  const cut = findings.isCut ? "; the nearest was not looked for, because the list has too many unknown assets" : "";
  const hint = near === undefined ? cut : `; nearest is ${quoted(near.candidate)}`;
  return `the production has no asset ${quoted(label)}${hint}`;
}

/** The row with its recipient: a department of the production, unless the row or the header says that it is outside. */
function withRecipient(
  values: DeliveryRow,
  line: number,
  { options, headerOf, findings }: ListBuilding<typeof columns, never>,
): DeliveryRow {
  const { external_to, ...inside } = values;
  if (external_to === undefined) return values;
  if (values.kind === "internal") {
    const to_department = options.departments.find(external_to);
    if (to_department !== undefined && (values.to_department ?? to_department) === to_department)
      return { ...inside, to_department };
    const why = to_department === undefined ? "is no department of the production" : "is another one";
    const sentence = `an internal delivery goes to one department, and ${quoted(external_to)} ${why}`;
    findings.problem(sentence, { line, column: headerOf("external_to") });
    return inside;
  }
  const outside: DeliveryRow = { kind: "external", ...values };
  if (values.kind === "external" || values.to_department !== undefined) return outside;
  if (/vendor|client|external/i.test(headerOf("external_to"))) return outside;
  const to_department = options.departments.find(external_to);
  return to_department === undefined ? outside : { kind: "internal", ...inside, to_department };
}

/** What a new delivery is if its row does not say it. */
const defaults = { status: "draft", kind: "internal" } as const;

function build(building: ListBuilding<typeof columns, never>): PaperDocument {
  const { entries, options, findings, headerOf, took } = building;
  const script = new ScriptScenes(options, findings);
  const repeats = new Repeats(findings, "; a column Ref tells two deliveries of one title apart");
  const deliveries = entries.flatMap(({ line, values: given }) => {
    const { title, ref, scenes, assets, ...fields } = withRecipient(given, line, building);
    if (title === undefined) return [];
    const name = ref ?? title;
    const known = matchingName(options.known.deliveries, name, findings, line);
    if (!repeats.isFirst(known ?? sameName(name), name, line)) return [];
    took(line);
    if (known === undefined)
      // a stored one keeps what it is called, and whom it goes to
      for (const name of [title, fields.external_to]) if (name !== undefined) warnOfSeveral([], name, findings, line);
    warnOfText(fields.due, { line, column: headerOf("due") }, findings);
    const references = scenes && script.references(scenes, line);
    const meant = assets?.map((label) => {
      const asset = matchingName(options.known.assets, label, findings, line);
      if (asset === undefined)
        findings.problem(() => unknownAsset(label, options, findings), { line, column: headerOf("assets") });
      return asset ?? label;
    });
    const delivery = {
      ...(ref === undefined ? { title: known ?? title } : { title, ref: known ?? ref }),
      ...(known === undefined ? defaults : {}),
      ...fields,
      ...definedFields({ scenes: references, assets: meant }),
    };
    return [delivery];
  });
  return { deliveries };
}

export const deliveryList = defineList({
  title: "a list of deliveries",
  columns,
  needs: [["title"]],
  build,
  rows: ({ deliveries }) => deliveries,
});
