// Marks a delivery as sent or accepted, and changes the status or the department of many assets at once.
import { forbidden } from "../../../core/errors.ts";
import { adminOf } from "../../../graph/admin.ts";
import { addressWith } from "../../pages/list_windows.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import type { Visit } from "../../pages/visit.ts";
import { namingOf } from "../sections/sections.ts";
import { storedSection, storedThing } from "../things.ts";
import { save, savedRedirect } from "./save.ts";

/** What a delivery is marked as, in this order. */
const marks: readonly unknown[] = ["sent", "accepted"];

/** Throws 409 if the delivery has the status already, or a later one: the page of the sender is an older one. */
export async function markDelivery(visit: Visit, id: number, status: string): Promise<Redirect> {
  const { raw } = storedThing(adminOf(visit.context), "deliveries", id, new Set());
  // the save refuses who may not edit
  if (visit.mayEdit && marks.includes(status) && marks.indexOf(raw.status) >= marks.indexOf(status))
    throw new FormRefusal(409, `${raw.title} is ${raw.status} already. Nothing was changed.`);
  return savedRedirect(visit.ctx.path, await save(visit, { deliveries: [{ ...namingOf("deliveries", raw), status }] }));
}

/** How many things are read one by one; of more, the section is read as a whole. */
const readOneByOne = 20;

/** Gives the chosen assets a status, a department or both, as one change set. */
export async function changeAssets(visit: Visit, form: SubmittedForm, ids: readonly number[]): Promise<Redirect> {
  const [status, department] = [form.optional("set_status"), form.optional("set_department")];
  if (!visit.mayEdit) throw forbidden("changing assets together needs a key with the scope edit");
  if (status === undefined && department === undefined)
    throw new FormRefusal(422, "Choose the status or the department that the assets get.");
  const admin = adminOf(visit.context);
  const all = ids.length > readOneByOne ? storedSection(admin, "assets").items : undefined;
  const stored = all && new Map(all.map(({ id, raw }) => [id, raw]));
  const assets = ids.map((id) => ({
    ...namingOf("assets", stored?.get(id) ?? storedThing(admin, "assets", id).raw),
    ...(status && { status }),
    ...(department && { department: department === "-" ? null : department }),
  }));
  return savedRedirect(addressWith(visit), await save(visit, { assets }));
}
