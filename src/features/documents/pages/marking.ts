// Marks a delivery as sent or accepted.
import { adminOf } from "../../../core/admin.ts";
import type { Redirect } from "../../pages/page.ts";
import type { Visit } from "../../pages/visit.ts";
import { namingOf } from "../sections/sections.ts";
import { storedThing } from "../things.ts";
import { save, savedRedirect } from "./save.ts";

export async function markDelivery(visit: Visit, id: number, status: string): Promise<Redirect> {
  const { raw } = storedThing(adminOf(visit.context), "deliveries", id);
  return savedRedirect(visit.ctx.path, await save(visit, { deliveries: [{ ...namingOf("deliveries", raw), status }] }));
}
