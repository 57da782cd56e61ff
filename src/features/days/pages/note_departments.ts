// The departments of the notes on a shoot day: its bundle names them, that of a scene does not.
import type { Visit } from "../../pages/visit.ts";
import { getDayBundle } from "../day_bundle.ts";

/** The names of the departments, by the ids of the notes. */
export async function noteDepartments(visit: Visit, shoot_day_id: number): Promise<ReadonlyMap<number, string>> {
  const { department_notes } = await visit.ask(getDayBundle, { shoot_day_id });
  return new Map(department_notes.map(({ id, department }) => [id, department]));
}
