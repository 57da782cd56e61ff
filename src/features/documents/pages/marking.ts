// Marks a delivery as sent or accepted, and changes the status or the department of many assets at once.
import { adminOf } from "../../../core/admin.ts";
import { forbidden } from "../../../core/errors.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import type { Visit } from "../../pages/visit.ts";
import { namingOf } from "../sections/sections.ts";
import { storedThing } from "../things.ts";
import { save, savedRedirect } from "./save.ts";

export async function markDelivery(visit: Visit, id: number, status: string): Promise<Redirect> {
  const { raw } = storedThing(adminOf(visit.context), "deliveries", id);
  return savedRedirect(visit.ctx.path, await save(visit, { deliveries: [{ ...namingOf("deliveries", raw), status }] }));
}

/** Gives the chosen assets a status, a department or both, as one change set. */
export async function changeAssets(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const [status, department] = [form.optional("set_status"), form.optional("set_department")];
  if (!visit.mayEdit) throw forbidden("changing assets together needs a key with the scope edit");
  const ids = form.texts("ids").map(Number);
  if (ids.length === 0) throw new FormRefusal(422, "Choose at least one asset.");
  if (status === undefined && department === undefined)
    throw new FormRefusal(422, "Choose the status or the department that the assets get.");
  const admin = adminOf(visit.context);
  const assets = ids.map((id) => ({
    ...namingOf("assets", storedThing(admin, "assets", id).raw),
    ...(status && { status }),
    ...(department && { department: department === "-" ? null : department }),
  }));
  const { path, query } = visit.ctx;
  return savedRedirect(query === "" ? path : `${path}?${query}`, await save(visit, { assets }));
}
